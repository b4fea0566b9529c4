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
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..fastcall.entry import with_gil
from ..memory.executable import publish_for_good
from ..memory.linked import placed
from ..scalar.machine import Memory
from ..system.cpython import difference
from ..system.libc import ffi

if TYPE_CHECKING:
    from ...encoder.code import Code
    from ..scalar.machine import Scalar

ALIGNMENT = 4096
KEPT = 4
"""The number of buffers that are kept for further calls."""

_slots = ffi.new("int64_t[]", 2 * KEPT)
_buffers: list[Buffer | None] = [None] * KEPT  # by slot
_empty = [*range(KEPT)]  # the slots without a buffer
_free: list[int] = []  # the slots with a free buffer, in interpreters without a GIL


class Buffer:
    """Memory that begins at the start of a page."""

    __slots__ = ("_memory", "address", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._memory = ffi.new("char[]", size + ALIGNMENT)
        self.address = -(-int(ffi.cast("uintptr_t", self._memory)) // ALIGNMENT) * ALIGNMENT


def slots() -> int:
    """Return the address of the slots."""
    return int(ffi.cast("uintptr_t", _slots))


@contextmanager
def buffer(size: int) -> Iterator[Buffer]:
    """Lend a buffer of at least `size` bytes for the time of a call. Its contents are undefined."""
    slot = next((each for each in range(KEPT) if _taken(each)), None)
    if slot is None:
        slot = _empty.pop() if _empty else None  # one step under the GIL: two threads never get the same one
    held = None if slot is None else _buffers[slot]
    try:
        if held is None or held.size < size:
            held = Buffer(size)
            if slot is not None:
                _buffers[slot], _slots[2 * slot + 1] = held, size
        yield held
    finally:
        if slot is not None:
            _returned(slot)


def trim() -> int:
    """Give the scratch memory that operations keep between calls back to the system; return its size in bytes."""
    given = 0
    for slot in range(KEPT):
        held = _buffers[slot] if _taken(slot) else None
        if held is not None:
            given += held.size
            _buffers[slot], _slots[2 * slot + 1] = None, 0
            _returned(slot)
    return given


def _returned(slot: int) -> None:
    """Let others take the buffer of this slot, or fill the slot if it has none."""
    held = _buffers[slot]
    if held is None:
        _empty.append(slot)
    else:
        _slots[2 * slot] = held.address
        if difference():
            _free.append(slot)


def _taken(slot: int) -> bool:
    """Take the buffer of this slot if no call uses it."""
    if not _slots[2 * slot]:
        return False
    if not difference():
        return bool(with_gil(_take(), slots() + 16 * slot))
    try:
        _free.remove(slot)
    except ValueError:  # another thread took it
        return False
    _slots[2 * slot] = 0
    return True


@functools.cache
def _take() -> int:
    """Return the address of `take_code`'s function."""
    return placed(publish_for_good, "scratch_take", take_code, {})


def take_code(m: Scalar) -> Code:
    """Emit intptr_t take(intptr_t *slot), which returns the address in a slot and sets it to 0. It does not write to a
    slot whose buffer is in use, since a call without the GIL may just return it."""
    used: Any = m.asm.label("used")
    m.begin("take")
    m.move(m.x, Memory(m.arguments[0]))
    m.branch(m.x, "==", 0, used)
    m.move(m.y, 0)
    m.move(Memory(m.arguments[0]), m.y)
    m.asm.bind(used)
    if m.result is not m.x:
        m.move(m.result, m.x)
    m.ret()
    code: Code = m.asm.finish("ts_take")
    return code
