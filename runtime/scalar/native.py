"""Selects the scalar machine of this processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...encoder.deferred import deferred
from ..system.architecture import arch

if TYPE_CHECKING:
    from .machine import Scalar


@deferred
def _x86() -> Callable[[], Scalar]:
    from .x86 import X86Scalar

    return X86Scalar


@deferred
def _older_x86() -> Callable[[], Scalar]:
    from .older_x86 import OlderX86Scalar

    return OlderX86Scalar


@deferred
def _a64() -> Callable[[], Scalar]:
    from .a64 import A64Scalar

    return A64Scalar


MACHINES: dict[str, Callable[[], Callable[[], Scalar]]] = {"x86": _x86, "a64": _a64}
"""The scalar machines, keyed by architecture: on x86-64, that of processors with AVX2."""


def scalar_machine(available: frozenset[str] = frozenset()) -> Scalar:
    """Return a new scalar machine of this processor with its own assembler. `available` are features of this processor
    that the code may use."""
    older = arch() == "x86" and "AVX2" not in available
    return (_older_x86() if older else MACHINES[arch()]())()
