"""Scratch memory of operations: buffers that are used again, and returned to the system by `trim`.

A call takes a buffer, its workers use it, and the call returns it. There are as many buffers as calls run at a time,
and at most KEPT of them stay, each in a *slot*. `is_bounded` in runtime/ops/blocks.py limits their size.

A slot is two words, which machine code reads too (`guards.Scratch`): the address of its buffer, or 0 while a call uses
it, and the buffer's size, or 0 if the slot has none. Whoever takes a buffer holds the GIL, and sets its address to 0.
Only the call that took it sets the address again, with the GIL or without it. Interpreters without a GIL, in which
machine code takes no buffers, have a list of the slots whose buffers are free instead.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import compress
from typing import TYPE_CHECKING, Any

from ..fastcall.entry import gil_function
from ..kernel.request_cache import forget_all
from ..memory.executable import publish_for_good
from ..memory.linked import placed
from ..scalar.machine import ScalarMemory
from ..system.cpython import difference
from ..system.libc import address, ffi

if TYPE_CHECKING:
    from ...encoder.code import Code
    from ..scalar.machine import Scalar

ALIGNMENT = 4096
"""Buffers begin at a page, and so does each worker's part of one: prefetches do not cross pages."""
KEPT = 4
"""The number of buffers that are kept for further calls."""

_slots = ffi.new("int64_t[]", 2 * KEPT)
_empty = [*range(KEPT)]  # the slots without a buffer
_free: list[int] = []  # the slots with a free buffer, in interpreters without a GIL
_nowhere: deque[int] = deque(maxlen=0)  # keeps nothing


class PageBuffer:
    """Memory that begins at the start of a page."""

    __slots__ = ("_memory", "address", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._memory = ffi.new("char[]", size + ALIGNMENT)
        self.address = -(-int(ffi.cast("uintptr_t", self._memory)) // ALIGNMENT) * ALIGNMENT


_NONE = PageBuffer.__new__(PageBuffer)
_NONE.address = _NONE.size = 0
_buffers = [_NONE] * KEPT  # by slot


def slots() -> int:
    """Return the address of the slots."""
    return int(ffi.cast("uintptr_t", _slots))


@contextmanager
def buffer(size: int) -> Iterator[PageBuffer]:
    """Lend a buffer of at least `size` bytes for the time of a call. Its contents are undefined."""
    with _lent(range(KEPT), or_empty=True) as taken:
        held = _buffers[taken[0]] if taken else _NONE
        if held.size < size:
            held = PageBuffer(size)
            for slot in taken:
                _buffers[slot], _slots[2 * slot + 1] = held, size
        yield held


def trim() -> int:
    """Give memory back to the system: the scratch memory that operations keep between calls, and the kernels of earlier
    requests that nobody holds, which are made again when they are asked for. Return the bytes of scratch memory."""
    forget_all()
    given = 0
    for each in range(KEPT):
        with _lent((each,)) as taken:
            for slot in taken:
                given += _slots[2 * slot + 1]
                _buffers[slot], _slots[2 * slot + 1] = _NONE, 0
    release = address("malloc_trim")  # the C library keeps freed memory otherwise; glibc has the function
    if release:
        ffi.cast("int(*)(size_t)", release)(0)
    return given


@contextmanager
def _lent(wanted: Iterable[int], or_empty: bool = False) -> Iterator[list[int]]:
    """Lend the first of these slots whose buffer is free, without a GIL any such slot, else perhaps an empty one, else
    none.

    A signal handler may raise an exception wherever Python calls a function or jumps. So a single step in C takes a
    slot and notes it, and the end of the scope returns it without a call or a jump before the last step.
    """
    taken: list[int] = []
    listed = bool(difference())
    take, function = (None, 0) if listed else (gil_function(), _take())
    full = _free if listed else _nowhere
    try:
        if take is None:
            _move(_free, taken)
        else:
            for slot in wanted:
                if not taken and _slots[2 * slot]:
                    taken.extend(compress((slot,), map(take, (function,), (slots() + 16 * slot,), (0,), (0,))))
        if or_empty and not taken:
            _move(_empty, taken)
        yield taken
    finally:
        for slot in taken:
            held = _buffers[slot]
            _slots[2 * slot] = held.address
            (full, _empty)[held is _NONE].append(slot)


def _move(source: list[int], taken: list[int]) -> None:
    """Move the last slot of a list, if it has one, in one step: two threads never get the same slot."""
    with suppress(IndexError):
        taken.extend(map(source.pop, (-1,)))


@functools.cache
def _take() -> int:
    """Return the address of `take_code`'s function."""
    return placed(publish_for_good, "scratch_take", take_code, {})


def take_code(m: Scalar) -> Code:
    """Emit intptr_t take(intptr_t *slot), which returns the address in a slot and sets it to 0. It does not write to a
    slot whose buffer is in use, since a call without the GIL may just return it."""
    used: Any = m.asm.label("used")
    m.begin("take")
    m.move(m.x, ScalarMemory(m.arguments[0]))
    m.branch(m.x, "==", 0, used)
    m.move(m.y, 0)
    m.move(ScalarMemory(m.arguments[0]), m.y)
    m.asm.bind(used)
    if m.result is not m.x:
        m.move(m.result, m.x)
    m.ret()
    code: Code = m.asm.finish("ts_take")
    return code
