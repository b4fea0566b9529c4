"""numpy arrays in the guest's memory, each next to unmapped pages, with canaries wherever its elements are not.

    side="start"    | not mapped |ELEMENTS canary| not mapped |     accesses below the first byte fault
    side="end"      | not mapped |canary ELEMENTS| not mapped |     accesses past the last byte fault

ELEMENTS is the byte extent of the view, from its first to its last accessed byte. So the padding after the last row of
a view with a leading dimension already lies in the guard. The pages of a slot are mapped once and reused by all later
calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.extent import reach
from . import guest
from .faults import NamedBytes, StrayWrite
from .process import GuestMemory

Array = np.ndarray[Any, Any]
Map = Callable[[int, int, int], None]

SIDES = ("start", "end")
GUARD = 1 << 20
"""The minimum number of unmapped bytes around each slot; larger slots have more. A step of a whole row or block does
not jump over them."""
_CANARY = b"\xf5\xff"  # repeated, this is a NaN in every float type of 16 to 64 bits


class GuardedPages:
    """Mapped pages that hold one array at a time: `size` bytes at `start`."""

    def __init__(self, start: int, size: int, writable: bool) -> None:
        self.start, self.size, self.writable = start, size, writable
        self.used = slice(0, size)  # the bytes that may hold something other than canaries


class Slots:
    """All slots of a running guest, by size and access."""

    def __init__(self, memory: GuestMemory, page: int, map_: Map) -> None:
        self._memory, self._page, self._map = memory, page, map_
        self._slots: dict[tuple[int, bool], list[GuardedPages]] = {}
        self._taken: dict[tuple[int, bool], int] = {}
        self._end = guest.SLOTS

    def take(self, size: int, writable: bool) -> GuardedPages:
        """Return a slot of at least this size that no other array of this call uses."""
        pages = -(-max(size, 1) // self._page)
        key = self._page << (pages - 1).bit_length(), writable
        taken = self._taken.get(key, 0)
        self._taken[key] = taken + 1
        slots = self._slots.setdefault(key, [])
        if taken == len(slots):
            slots.append(self._new(*key))
        return slots[taken]

    def release(self) -> None:
        """Mark all slots as free."""
        self._taken.clear()

    def _new(self, size: int, writable: bool) -> GuardedPages:
        start = self._end + max(size, GUARD)
        end = start + size + max(size, GUARD)
        if end > guest.SHARED_END:
            raise MemoryError(f"the guest's {guest.SHARED_END - guest.SLOTS >> 20} MiB for arguments are used up")
        self._map(start, size, guest.PROT_READ | (guest.PROT_WRITE if writable else 0))
        self._end = end
        return GuardedPages(start, size, writable)


class Buffer:
    """One array in its slot. `address` is the address of element 0, `region` the extent of the elements."""

    def __init__(self, name: str, array: Array, side: str, slot: GuardedPages, memory: GuestMemory) -> None:
        self.name, self.array, self._slot = name, array, slot
        below, above = reach(array)
        self._body = memory.bytes[slot.start - guest.SHARED :][: slot.size]
        first = 0 if side == "start" else slot.size - below - above
        self._extent = slice(first, first + below + above)
        self._below = below
        self.address = slot.start + first + below
        self.region = NamedBytes(name, slot.start + first, slot.start + self._extent.stop, slot.writable)
        self._gaps = array.nbytes != below + above
        self._fill()

    def _fill(self) -> None:
        used = self._slot.used
        if self._gaps or used != self._extent:
            self._body[used] = np.frombuffer(_canary(used.start, used.stop), np.uint8)
        self._slot.used = slice(0, self._slot.size)  # until check() has verified the slot
        self._elements = np.ndarray(
            self.array.shape, self.array.dtype, self._body, self._extent.start + self._below, self.array.strides
        )
        self._elements[...] = self.array

    def check(self) -> None:
        """Raise StrayWrite if a byte of the slot changed that belongs to no element."""
        body, extent = self._body, self._extent
        if self._slot.writable:
            behind = _canary(extent.stop, self._slot.size)
            intact = (
                body[: extent.start].tobytes() == _canary(0, extent.start) and body[extent.stop :].tobytes() == behind
            )
            if not intact or (self._gaps and not self._gaps_intact()):
                raise StrayWrite(f"wrote beside {self.name}: {self._strays()}")
        self._slot.used = extent

    def _gaps_intact(self) -> bool:
        """Whether the bytes between the elements are still canaries."""
        extent, array = self._extent, self.array
        wanted = np.frombuffer(bytearray(_canary(extent.start, extent.stop)), np.uint8)
        np.ndarray(array.shape, array.dtype, wanted, self._below, array.strides)[...] = self._elements
        return self._body[extent].tobytes() == wanted.tobytes()

    def _strays(self) -> str:
        """Return a description of the first stray bytes."""
        owned = np.zeros(self._slot.size, bool)
        at = self._extent.start + self._below
        shape, strides = (*self.array.shape, self.array.itemsize), (*self.array.strides, 1)
        np.ndarray(shape, bool, owned, at, strides)[...] = True
        wrong = np.frombuffer(_canary(0, self._slot.size), np.uint8) != self._body
        strays = [int(stray) for stray in np.flatnonzero(wrong & ~owned)]
        more = f" and {len(strays) - 4} more" if len(strays) > 4 else ""
        return ", ".join(self._where(stray) for stray in strays[:4]) + more

    def _where(self, offset: int) -> str:
        if offset < self._extent.start:
            return f"{self._extent.start - offset} before its first byte"
        if offset >= self._extent.stop:
            return f"{offset - self._extent.stop + 1} behind its last byte"
        return f"byte {offset - self._extent.start - self._below} from element 0, in a gap"

    def copy_back(self) -> None:
        """Copy the elements from the guest into the array."""
        if self._slot.writable:
            self.array[...] = self._elements


_canaries = _CANARY * 2048


def _canary(start: int, stop: int) -> bytes:
    """Return the contents of an untouched slot from one offset to another."""
    global _canaries
    while len(_canaries) < stop:
        _canaries *= 2
    return _canaries[start:stop]
