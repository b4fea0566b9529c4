"""Memory of an emulated call: the operands at their own addresses, byte by byte, and nothing else.

    memory = Memory([Region("a", a, writable=False), Region("c", c, writable=True)])
    memory.load(address_of(a), 4)          # the first element, as an integer
    memory.view(address_of(c), 16, WRITE)  # sixteen bytes as an array
    memory.copy_back()                     # the elements of writable operands, into the arrays

An operand is a copy of its array's elements at the array's own address, so the addresses, offsets and strides that a
program was given work unchanged. The gaps between the elements of a view are not mapped: an access that touches one
byte of a gap, or one byte outside of an operand, raises MemoryFault. Operands may overlap; a byte may be written if one
of them is writable. Rows that lie far apart are held one by one, without the bytes between them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from .extent import reach
from .faults import CannotRun

Array = np.ndarray[Any, Any]

READ, WRITE = 1, 2
JUNK = b"\xf5\xff"  # repeated, this is a NaN in every float type of 16 to 64 bits
_GAPS = 1 << 26  # bytes between the elements of a view from which on they are not held
_FAR = 1 << 20  # an access at least this many bytes away is not described as next to an operand


class Pointers(tuple[Array, ...]):
    """An argument that is an array of addresses: those of these arrays."""

    __slots__ = ()


class Region(NamedTuple):
    """An operand, which may be any strided view."""

    name: str
    array: Array
    writable: bool = True
    promised: int = 0
    """The alignment in bytes that the contract of a call promises; 0 for that of an element."""

    @property
    def alignment(self) -> int:
        """The alignment of the operand that code may rely on."""
        return self.promised or self.array.dtype.alignment

    @property
    def start(self) -> int:
        """The address of the lowest byte that the view touches."""
        return address_of(self.array) - reach(self.array)[0]

    @property
    def end(self) -> int:
        """The address behind the highest byte that the view touches."""
        return address_of(self.array) + reach(self.array)[1]

    def parts(self) -> Iterator[Region]:
        """Yield the operand, or its rows if there are too many bytes between them."""
        array = self.array
        if self.end - self.start - array.nbytes < _GAPS:
            yield self
            return
        outer = max(range(array.ndim), key=lambda axis: abs(array.strides[axis]) * (array.shape[axis] > 1))
        for number in range(array.shape[outer]):
            row = array[(slice(None),) * outer + (slice(number, number + 1),)]
            yield from Region(self.name, row, self.writable, self.promised).parts()


def address_of(array: Array) -> int:
    """Return the address of element 0."""
    address: int = array.__array_interface__["data"][0]
    return address


class MemoryFault(Exception):
    """An access that memory does not allow."""

    def __init__(self, reason: str, address: int, size: int, name: str, outside: int) -> None:
        super().__init__(reason)
        self.address, self.size, self.name, self.outside = address, size, name, outside


class _Segment:
    """Contiguous mapped bytes. `allowed` holds the permitted accesses of each byte; None if `access` applies to all."""

    def __init__(self, name: str, start: int, size: int, access: int) -> None:
        self.name, self.start, self.end = name, start, start + size
        self.raw = bytearray((JUNK * (size // 2 + 1))[:size])
        self.bytes: Array = np.frombuffer(self.raw, np.uint8)
        self.access = access
        self.allowed: Array | None = None
        self.floor: Callable[[], int] | None = None  # for a stack, its current lower end

    def allows(self, address: int, size: int, access: int) -> bool:
        """Whether bytes of this segment may be accessed."""
        if self.floor is not None and address < self.floor():
            return False
        at = address - self.start
        return self.allowed is None or bool((self.allowed[at : at + size] & access).all())


class Memory:
    """Every mapped byte of an emulated program."""

    def __init__(self, regions: Iterable[Region] = ()) -> None:
        self.regions = [region for region in regions if region.array.size]
        self._segments: list[_Segment] = []
        self._starts: list[int] = []
        for group in _overlapping(self._held(self.regions)):
            self._insert(_segment(group))

    def _held(self, regions: list[Region]) -> list[Region]:
        """Return the parts of operands that are contiguous enough to be held."""
        return [part for region in regions for part in region.parts()]

    def _insert(self, segment: _Segment) -> None:
        at = bisect_right(self._starts, segment.start)
        self._starts.insert(at, segment.start)
        self._segments.insert(at, segment)

    def add(
        self,
        name: str,
        start: int,
        size: int,
        access: int = READ | WRITE,
        data: bytes = b"",
        floor: Callable[[], int] | None = None,
    ) -> None:
        """Map `size` bytes at an unused address: the code, or a stack whose current end is `floor()`."""
        segment = _Segment(name, start, size, access)
        segment.raw[: len(data)] = data
        segment.floor = floor
        self._insert(segment)

    @property
    def code(self) -> bytearray:
        """The bytes that only instructions are fetched from, or none."""
        return next((each.raw for each in self._segments if each.name == "the code"), bytearray())

    def view(self, address: int, size: int, access: int = READ) -> Array:
        """Return the bytes at an address as a view. Writing to it writes to memory."""
        segment = self._find(address, size, access)
        at = address - segment.start
        return segment.bytes[at : at + size]

    def load(self, address: int, size: int) -> int:
        """Load an integer in little-endian order."""
        segment = self._find(address, size, READ)
        at = address - segment.start
        return int.from_bytes(segment.raw[at : at + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        """Store an integer in little-endian order."""
        segment = self._find(address, size, WRITE)
        at = address - segment.start
        segment.raw[at : at + size] = value.to_bytes(size, "little")

    def require_whole(self, address: int, size: int, access: int) -> None:
        """Raise MemoryFault unless these bytes may be accessed."""
        self._find(address, size, access)

    def _find(self, address: int, size: int, access: int) -> _Segment:
        at = bisect_right(self._starts, address) - 1
        if at >= 0:
            segment = self._segments[at]
            plain = segment.allowed is None and segment.floor is None
            inside = address + size <= segment.end and segment.access & access
            if inside and (plain or segment.allows(address, size, access)):
                return segment
        raise self._fault(address, size, access)

    def of_code(self, address: int) -> int:
        """Return an address in the code as one that a register may hold."""
        return address

    def require(self, address: int, alignment: int) -> None:
        """Refuse an address that is not a multiple of what an instruction needs."""
        if address % alignment:
            raise CannotRun(f"the address {address:#x} must be a multiple of {alignment}")

    def segment(self, address: int) -> _Segment:
        """Return the segment that contains an address."""
        return self._segments[bisect_right(self._starts, address) - 1]

    def masked_load(self, address: int, dtype: Any, active: Array) -> Array:
        """Load the elements for which a mask is set, and zero for the others, whose bytes are not accessed."""
        result = np.zeros(len(active), dtype)
        places = np.flatnonzero(active)
        if not len(places):
            return result
        size, first, last = result.itemsize, int(places[0]), int(places[-1]) + 1
        try:
            whole = self.view(address + first * size, (last - first) * size).view(dtype)
            np.copyto(result[first:last], whole, where=active[first:last])
        except MemoryFault:
            for position in places.tolist():  # bytes between the elements may be unmapped
                result[position] = self.view(address + position * size, size).view(dtype)[0]
        return result

    def masked_store(self, address: int, value: Array, active: Array) -> None:
        """Store the elements for which a mask is set. If one of them must not be written, none is."""
        size, places = value.itemsize, np.flatnonzero(active).tolist()
        cells = [self.view(address + position * size, size, WRITE) for position in places]
        for cell, position in zip(cells, places):
            cell[:] = value[position : position + 1].view(np.uint8)

    def copy_back(self) -> None:
        """Copy the elements of writable operands back into the arrays."""
        for region in self._held(self.regions):
            if region.writable:
                region.array[...] = self._elements(region)

    def _elements(self, region: Region) -> Array:
        segment = self._segments[bisect_right(self._starts, region.start) - 1]
        return _inside(region, segment)

    # Messages

    def _fault(self, address: int, size: int, access: int) -> MemoryFault:
        verb = "writes" if access == WRITE else "reads"
        what = f"{verb} {size} byte{'s' * (size > 1)} at {address:#x}"
        name, outside, where = self._where(address, size, access)
        return MemoryFault(f"{what}, {where}", address, size, name, outside)

    def _where(self, address: int, size: int, access: int) -> tuple[str, int, str]:
        """Return the operand next to an access, how many of the accessed bytes are outside of it, and a description."""
        places = [(s.name, s.start, s.end) for s in self._segments if s.name]
        places += [(region.name, region.start, region.end) for region in self._held(self.regions)]
        if not places:
            return "", size, "and nothing is mapped"
        stop = address + size
        name, start, end = min(places, key=lambda region: max(region[1] - address, stop - region[2]))
        before, behind = start - address, stop - end
        if max(before, behind) <= 0:
            return self._refused(name, start, address, size, access)
        outside = min(size, max(before, 0) + max(behind, 0))
        if max(before, behind) > _FAR:
            return name, size, f"far from every operand (the nearest is {name})"
        if before > 0:
            return name, outside, f"beginning {before} before the first byte of {name}"
        beyond = f"{address - end} behind the end" if address >= end else f"{end - address} before the end"
        return name, outside, f"beginning {beyond} of {name}: {outside} outside"

    def _refused(self, name: str, start: int, address: int, size: int, access: int) -> tuple[str, int, str]:
        """Return why an access to a mapped place is refused."""
        segment = self._segments[bisect_right(self._starts, address) - 1]
        if segment.floor is not None and address < segment.floor():
            below = segment.floor() - address
            return name, min(size, below), f"{below} below the end of {name}"
        at = f"byte {address - start} of {name}"
        allowed = None if segment.allowed is None else segment.allowed[address - segment.start :][:size]
        if allowed is None or (allowed & READ).all():
            return name, size, f"{at}, which cannot be written"
        outside = int(np.count_nonzero(allowed & access == 0))
        return name, outside, f"{at}: {outside} of them between its elements"


def _overlapping(regions: list[Region]) -> list[list[Region]]:
    """Group the regions that share bytes."""
    groups: list[list[Region]] = []
    end = 0
    for region in sorted(regions, key=lambda region: region.start):
        if groups and region.start < end:
            groups[-1].append(region)
        else:
            groups.append([region])
            end = 0
        end = max(end, region.end)
    return groups


def _segment(group: list[Region]) -> _Segment:
    """Return a segment with the bytes of overlapping regions and their elements."""
    start, end = group[0].start, max(region.end for region in group)
    segment = _Segment("", start, end - start, READ | WRITE)
    dense = len(group) == 1 and group[0].array.nbytes == end - start
    if dense:
        segment.access = READ | WRITE * group[0].writable
    else:
        segment.allowed = np.zeros(end - start, np.uint8)
    for region in group:
        _inside(region, segment)[...] = region.array
        if segment.allowed is not None:
            shape, strides = (*region.array.shape, region.array.itemsize), (*region.array.strides, 1)
            at = address_of(region.array) - start
            owned: Array = np.ndarray(shape, np.uint8, segment.allowed, at, strides)
            owned |= np.uint8(READ | WRITE * region.writable)
    return segment


def _inside(region: Region, segment: _Segment) -> Array:
    """Return the elements of a region as a view of a segment."""
    array = region.array
    at = address_of(array) - segment.start
    result: Array = np.ndarray(array.shape, array.dtype, segment.bytes, at, array.strides)
    return result
