"""Scratch memory of operations: buffers that are used again, and returned to the system by `trim`.

A call takes a buffer, its workers use it, and the call returns it. There are as many buffers as calls run at a time,
and at most KEPT of them stay. `is_bounded` in runtime/ops/blocks.py limits their size.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..system.libc import ffi

ALIGNMENT = 4096
KEPT = 4
"""The number of buffers that are kept for further calls."""

_free: list[Buffer] = []


class Buffer:
    """Memory that begins at the start of a page."""

    __slots__ = ("_memory", "address", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._memory = ffi.new("char[]", size + ALIGNMENT)
        self.address = -(-int(ffi.cast("uintptr_t", self._memory)) // ALIGNMENT) * ALIGNMENT


@contextmanager
def buffer(size: int) -> Iterator[Buffer]:
    """Lend a buffer of at least `size` bytes for the time of a call. Its contents are undefined."""
    held = [_free.pop()] if _free else []  # one step under the GIL: two threads never get the same one
    taken = held[0] if held and held[0].size >= size else Buffer(size)
    try:
        yield taken
    finally:
        if len(_free) < KEPT:
            _free.append(taken)


def trim() -> int:
    """Return the memory that operations keep between calls to the system. The result is its size in bytes."""
    given = 0
    while _free:
        given += _free.pop().size
    return given
