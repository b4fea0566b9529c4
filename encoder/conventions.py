"""Each architecture's convention, which the tracing of call frames needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .deferred import lazy
from .frames import FrameConvention

if TYPE_CHECKING:
    from .a64 import frames as a64_frames
    from .x86 import frames

frames = lazy(__package__, ".x86.frames")
a64_frames = lazy(__package__, ".a64.frames")


_CONVENTIONS = {"x86": lambda: frames.CONVENTION, "a64": lambda: a64_frames.CONVENTION}


def convention_of(arch: str) -> FrameConvention:
    """The architecture's convention, imported on first use."""
    return _CONVENTIONS[arch]()
