"""Each architecture's convention, which the tracing of call frames needs."""

from __future__ import annotations

from .deferred import deferred
from .frames import Convention


@deferred
def _x86() -> Convention:
    from .x86.frames import CONVENTION

    return CONVENTION


@deferred
def _a64() -> Convention:
    from .a64.frames import CONVENTION

    return CONVENTION


_CONVENTIONS = {"x86": _x86, "a64": _a64}


def convention_of(arch: str) -> Convention:
    """The architecture's convention, imported on first use."""
    return _CONVENTIONS[arch]()
