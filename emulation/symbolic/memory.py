"""Memory whose operands hold symbolic elements: the emulator's regions with a symbolic value for each byte.

Bounds, gaps between rows and protection are those of `emulation.core.memory`. In addition, the memory records which
bytes were read and which instruction wrote each byte last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..core.faults import CannotRun
from ..core.memory import READ, WRITE, Memory, Region, address_of
from ..core.u64 import WORD, placed
from ..cpu import CODE
from .addresses import NUMBER, STACK_NAME, STACK_PROMISE, Address, Base, Bases, Uses
from .lanes import Lanes
from .values import UNDEFINED, Array, Table, Undecided, encoded, undecided
from .words import held

_ADDRESSES, _OFFSETS = "_addresses", "_offsets"
CODE_PROMISE = 64
"""The alignment of code, which begins a page or a line of a cache."""


class Track:
    """The known facts about the bytes of a segment."""

    __slots__ = ("ids", "read", "writer")

    def __init__(self, ids: Array) -> None:
        self.ids = ids
        self.read: Array = np.full(len(ids), -1, np.int32)  # the offset of the instruction that read the byte first
        self.writer: Array = np.full(len(ids), -1, np.int32)  # the offset of the instruction that wrote it last


class SymbolicMemory(Memory):
    """Memory whose operands hold new inputs of a table. Regions not listed in `symbolic` keep their bytes."""

    def __init__(
        self,
        regions: Iterable[Region],
        table: Table,
        symbolic: Mapping[str, int],
        known: Mapping[str, Array] | None = None,
    ) -> None:
        """`known` holds the inputs of another memory of this table, which are reused."""
        self.table, self.known = table, known or {}
        self.tracks: dict[int, Track] = {}
        self.inputs: dict[str, Array] = {}
        self.at = -1  # the offset of the executing instruction
        self.trace = 0  # changes with the integers in memory, and back
        self.uses = Uses()
        self.bases = table.places = Bases(table, self.uses)
        self.recorder: Any = None  # replaces memory while a loop body is executed on placeholders
        given = list(regions)
        super().__init__(given)
        empty = [each for each in given if not each.array.size]
        self.inputs |= {each.name: np.empty((*each.array.shape, 1), np.int64) for each in empty}
        for region in self.regions:
            if region.name in symbolic:
                self._fill(region, symbolic[region.name])
        for region in self.regions:
            if region.name in symbolic:
                self._share(region, symbolic[region.name])
        self._begin(given)
        for region in self.regions:
            if region.name not in symbolic and region.array.dtype in (np.uint64, np.int64):
                self._place_addresses(region)

    def _held(self, regions: list[Region]) -> list[Region]:
        """Return the operands, because each has its own inputs."""
        return regions

    def _insert(self, segment: Any) -> None:
        super()._insert(segment)
        self.tracks[segment.start] = Track(encoded(segment.bytes)[:, 0])

    def _begin(self, given: list[Region]) -> None:
        """Make the places of operands symbols. The matrices of a batch lie at distances that the call passes, unless it
        passes their addresses."""
        apart = {each.name.removesuffix(_ADDRESSES) for each in given if each.name.endswith(_ADDRESSES)}
        batches: dict[str, Base] = {}
        for segment in self._segments:
            inside = [each for each in self.regions if segment.start <= each.start < segment.end]
            names, promise = tuple(each.name for each in inside), min(each.alignment for each in inside)
            batch, of_batch, _ = names[0].partition("[")
            base = self.bases.add(segment.start, segment.end, names, promise, batches.get(batch))
            if of_batch and batch not in apart:
                batches[batch] = base
        for batch, base in batches.items():
            self._begin_offsets(batch, base)
        for each in given:
            if not each.array.size and self.bases.of(each.start) is None:
                self.bases.add(each.start, each.start, (each.name,), each.alignment)

    def _begin_offsets(self, batch: str, base: Base) -> None:
        """Make the address that a batch's offsets are added to a place in the batch, be it that of a matrix or not."""
        arrays = {each.name: each.array for each in self.regions}
        offsets = arrays.get(f"{batch}{_OFFSETS}")
        if offsets is not None and offsets.size:
            origin = address_of(arrays[f"{batch}[0]"]) - int(offsets[0])
            if self.bases.of(origin) is None:
                self.bases.add(origin, origin, (), base.promise, base)

    def _place_addresses(self, region: Region) -> None:
        """Make the addresses in a table of them symbols."""
        array, held = region.array, self.held(region)
        for at in np.argwhere(array != 0).tolist():
            address = self.bases.of(int(array[tuple(at)]) & WORD)
            if address is not None:
                held[tuple(at)] = address.bytes(8)

    def of_code(self, address: int) -> Address:  # type: ignore[override]
        """Return an address in the code as one that a register may hold."""
        return self.bases.within(CODE, address)

    def of_stack(self, address: int) -> Address | None:
        """Return the stack pointer at entry."""
        return self.bases.of(address)

    def _fill(self, region: Region, size: int) -> None:
        """Fill the elements of an operand with new inputs of `size` bytes each."""
        track, start = self._track(region)
        shape = (*region.array.shape, region.array.itemsize // size)
        known = self.known.get(region.name)
        nodes = self.table.inputs(region.name, int(np.prod(shape)), size).reshape(shape) if known is None else known
        self.inputs[region.name] = nodes
        self.elements(region, track, start)[...] = self.table.bytes_of(nodes, size).reshape(*region.array.shape, -1)

    def _share(self, region: Region, size: int) -> None:
        """Give elements at the same address the same input: rows of an operand, and matrices of a batch, may
        overlap."""
        nodes, there = self.inputs[region.name], self.held(region)
        if not np.array_equal(self.table.bytes_of(nodes, size).reshape(there.shape), there):
            parts = there.reshape(*nodes.shape, size)
            self.inputs[region.name] = self.table.nodes_of(parts).reshape(nodes.shape)

    def named_elements(self, name: str) -> Array:
        """Return `held` of the region with this name."""
        return self.held(next(each for each in self.regions if each.name == name))

    def named(self, address: int) -> str:
        """Return the name of the operand that contains an address."""
        inside = (each.name for each in self.regions if each.start <= address < each.end)
        return next(inside, "memory")

    def undefine(self, name: str, start: int, size: int) -> None:
        """Make these bytes undefined. Their number must be a multiple of eight."""
        segment = self._segments[self._place(start)]
        nodes = self.table.inputs(name, size // 8, 8, UNDEFINED)
        at = start - segment.start
        self.tracks[segment.start].ids[at : at + size] = self.table.bytes_of(nodes, 8).reshape(-1)

    def _track(self, region: Region) -> tuple[Track, int]:
        segment = self._segments[self._place(region.start)]
        return self.tracks[segment.start], segment.start

    def _place(self, address: int) -> int:
        return int(np.searchsorted(self._starts, address, side="right")) - 1

    def elements(self, region: Region, track: Track, start: int, what: str = "ids") -> Array:
        """Return a view of the recorded facts about the bytes of each element."""
        kept = getattr(track, what)
        unit, array = kept.itemsize, region.array
        if not array.size:
            return np.empty((*array.shape, array.itemsize), kept.dtype)
        at = (address_of(array) - start) * unit
        strides = (*[stride * unit for stride in array.strides], unit)
        result: Array = np.ndarray((*array.shape, array.itemsize), kept.dtype, kept, at, strides)
        return result

    def held(self, region: Region, what: str = "ids") -> Array:
        """Return `elements` of a region: its bytes ("ids"), or who read ("read") or wrote ("writer") them."""
        if not region.array.size:
            return np.empty((*region.array.shape, region.array.itemsize), np.int64)
        return self.elements(region, *self._track(region), what)

    # Accesses

    def view(self, address: int, size: int, access: int = READ) -> Any:
        """Return the bytes at an address. Writing to them writes to memory."""
        segment, address = self._met(address, size, access)
        if self.recorder is not None:
            return self.recorder.view(segment.start, address, size, access)
        track, at = self.tracks[segment.start], address - segment.start
        if access & WRITE:
            track.writer[at : at + size] = self.at
        else:
            self._reads(track, at, size)
        return Lanes(track.ids[at : at + size, None], np.uint8, self.table)

    def _met(self, address: Any, size: int, access: int) -> tuple[Any, int]:
        """Return the memory that an access meets, and its place in this execution."""
        place = self._settled(address, size)
        segment = self._find(place, size, access)
        if isinstance(address, Address):
            address.require(self.bases.at(segment.start), "writes" if access == WRITE else "reads")
        return segment, place

    def _settled(self, address: object, size: int) -> int:
        """Return the place of an access in this execution, which is recorded if words that the call gives decide it."""
        if isinstance(address, Address):
            return address.settle(size, self.at)
        if isinstance(address, int):
            raise CannotRun(NUMBER)
        told = getattr(address, "address", None)
        return placed(address) if told is None else int(told(size, self.at))

    def _reads(self, track: Track, at: int, size: int) -> None:
        seen = track.read[at : at + size]
        seen[seen < 0] = self.at

    def load(self, address: int, size: int) -> Any:
        """Load an integer, or a `Word` if the bytes are data."""
        if self.recorder is not None:
            raise Undecided("an integer from memory in a loop on placeholders")
        segment, address = self._met(address, size, READ)
        track, at = self.tracks[segment.start], address - segment.start
        self._reads(track, at, size)
        data = track.ids[at : at + size].tolist()
        if max(data) >= 0:
            return held(tuple(data), self.table)
        return int.from_bytes(bytes([-1 - byte for byte in data]), "little")

    def store(self, address: int, size: int, value: Any) -> None:
        """Store an integer, a `Word` or a `Mask`."""
        if self.recorder is not None:
            raise Undecided("an integer to memory in a loop on placeholders")
        segment, address = self._met(address, size, WRITE)
        track, at = self.tracks[segment.start], address - segment.start
        data = [-1 - b for b in value.to_bytes(size, "little")] if isinstance(value, int) else value.bytes(size)
        if isinstance(value, int):
            self.trace ^= hash((address, *track.ids[at : at + size].tolist())) ^ hash((address, *data))
        track.ids[at : at + size] = data
        track.writer[at : at + size] = self.at

    def masked_load(self, address: int, dtype: Any, active: Any) -> Any:
        """Load the elements for which a mask is set, and zero for the others, whose bytes are not accessed."""
        chosen, dtype = _mask(active), np.dtype(dtype)
        size = dtype.itemsize
        result = Lanes(np.full((len(chosen), size), -1, np.int64), dtype, self.table)
        for first, last in _runs(chosen):
            part = self.view(address + first * size, (last - first) * size)
            result.raw[first:last] = part.raw.reshape(-1, size)
        return result

    def masked_store(self, address: int, value: Any, active: Any) -> None:
        """Store the elements for which a mask is set. If one of them must not be written, none is."""
        chosen, size = _mask(active), value.itemsize
        runs = _runs(chosen)
        for first, last in runs:
            self._met(address + first * size, (last - first) * size, WRITE)
        for first, last in runs:
            self.view(address + first * size, (last - first) * size, WRITE).view(value.dtype)[:] = value[first:last]

    def require(self, address: int, alignment: int) -> None:
        """Refuse an access that needs more than the contract promises about the address of its operand. The needs of
        accesses to the stack are remembered."""
        base = address.base if isinstance(address, Address) else None
        if base is not None and base.names == STACK_NAME:
            self.uses.needed = max(self.uses.needed, alignment)
        place = address if isinstance(address, int) else placed(address)
        for region in self.at_address(place):
            if region.alignment < alignment and region.name not in self.uses.looked:
                raise CannotRun(
                    f"the address must be a multiple of {alignment}, and {region.name} begins at a multiple "
                    f"of {region.alignment} only"
                )
        super().require(place, alignment)

    def at_address(self, address: int) -> Iterator[Region]:
        """Yield the operands that contain an address."""
        return (each for each in self.regions if each.start <= address < each.end)

    def require_whole(self, address: int, size: int, access: int) -> None:
        """Raise MemoryFault unless these bytes may be accessed."""
        if self.recorder is not None:
            raise Undecided("a masked store that needs all of its memory, in a loop on placeholders")
        self._met(address, size, access)

    def copy_back(self) -> None:
        """Do nothing: the results stay symbolic."""

    def add(
        self,
        name: str,
        start: int,
        size: int,
        access: int = READ | WRITE,
        data: bytes = b"",
        floor: Callable[[], int] | None = None,
    ) -> None:
        """Map bytes. The caller makes those of a stack undefined."""
        super().add(name, start, size, access, data, floor)
        self.bases.add(start, start + size, (name,), STACK_PROMISE if (name,) == STACK_NAME else CODE_PROMISE)


def _mask(active: Any) -> Array:
    if isinstance(active, Lanes):
        found = active.concrete()
        if found is None and active.table.words is not None:
            found = active.table.words.settled(active.raw, active.dtype)
        if found is None:
            raise undecided(active.table, active.raw.reshape(-1).tolist(), "data masks an access to memory")
        return found
    return np.asarray(active)


def _runs(mask: Array) -> list[tuple[int, int]]:
    """Return the start and end of each run of set elements."""
    padded = np.concatenate([[False], mask.astype(bool), [False]])
    edges = np.flatnonzero(padded[1:] != padded[:-1]).tolist()
    return list(zip(edges[::2], edges[1::2]))
