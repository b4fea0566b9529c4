"""Scratch memory of a kernel: the buffers of values that are made and read while it runs, by their lifetimes."""

from __future__ import annotations

from ..contract.machine import STACK_LIMIT
from ..operands import CACHE_LINE

SCRATCH_BYTES = STACK_LIMIT - 4096
"""Bytes of scratch memory for values between the stages of a kernel and for the stages' own needs."""


def lined(size: int) -> int:
    """Return a size rounded up to whole cache lines."""
    return -(-size // CACHE_LINE) * CACHE_LINE


class Buffers:
    """The buffers that are held at a time, as ranges of bytes. They do not overlap. `end` is behind all that ever
    were."""

    def __init__(self) -> None:
        self.held: dict[str, range] = {}
        self.end = 0

    def claim(self, name: str, size: int) -> int:
        """Hold `size` bytes under a name, and return their offset: the first at which they overlap no other buffer."""
        start = 0
        while hit := [each.stop for each in self.held.values() if each.start < start + size and start < each.stop]:
            start = max(hit)
        self.held[name] = range(start, start + size)
        self.end = max(self.end, start + size)
        return start
