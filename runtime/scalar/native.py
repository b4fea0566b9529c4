"""Selects the scalar machine of this processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..system.architecture import arch

if TYPE_CHECKING:
    from . import a64, older_x86, x86
    from .machine import Scalar

x86 = lazy(__package__, ".x86")
older_x86 = lazy(__package__, ".older_x86")
a64 = lazy(__package__, ".a64")


MACHINES: dict[str, Callable[[], Callable[[], Scalar]]] = {"x86": lambda: x86.X86Scalar, "a64": lambda: a64.A64Scalar}
"""The scalar machines, keyed by architecture: on x86-64, that of processors with AVX2."""


def scalar_machine(available: frozenset[str] = frozenset()) -> Scalar:
    """Return a new scalar machine of this processor with its own assembler. `available` are features of this processor
    that the code may use."""
    older = arch() == "x86" and "AVX2" not in available
    return (older_x86.OlderX86Scalar if older else MACHINES[arch()]())()
