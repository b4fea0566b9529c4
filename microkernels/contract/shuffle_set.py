"""A machine's shuffles: one `ShuffleSet` for each register width, which planners read, with costs in cycles; and
`ShuffleVerbs`, which emit them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Generic, TypeAlias

from ...encoder.records import NamedTuple, dataclass
from .shuffle_network import Exchange, Shuffle, permuted, table_of
from .vector_verbs import Address, AddressT, Factor, FactorT, General, GeneralT, Lanes, LanesT, Vector, VectorVerbsOf

_COPY = 1 / 64  # cycles of copying a source: decides only between shuffles that cost the same otherwise


class Insert(NamedTuple):
    """A register is loaded in pieces: the first by an ordinary load, each of the others inserted from memory."""

    piece: int  # bytes
    load: float  # cycles of the load pipes for one inserted piece
    shuffle: float  # cycles of the shuffle pipes for one inserted piece
    vector: float = 0.0  # cycles of all vector pipes, where some of them blend but do not shuffle


class TableRow(NamedTuple):
    """An instruction that takes the indices of its elements from a register."""

    mnemonic: str
    unit: int  # bytes of the elements that it moves
    entry: int  # bytes of an index
    lane: int  # bytes within which it moves them
    pair: bool  # whether it has two sources
    cycles: float
    destructive: bool = False  # the result replaces the first source


@dataclass(frozen=True, eq=False)
class ShuffleSet:
    """The shuffles of registers of one width. There is one object for each target and width, compared by identity."""

    bytes: int
    registers: int
    exchanges: tuple[Exchange, ...]
    tables: tuple[TableRow, ...]
    inserts: tuple[Insert, ...]
    load: float  # cycles of the load pipes for a register
    store: float  # cycles of the store pipes for a register
    issue: int  # instructions a cycle
    shuffle_pipes: int = 0  # pipes that shuffle; 0: all vector pipes do
    vector: float = 0.0  # cycles of all vector pipes for a shuffle, where some of them blend but do not shuffle
    lanes: bool = False  # only exchanges of units of 16 bytes, and single shuffles, move elements between 16-byte lanes

    def __repr__(self) -> str:
        return f"<shuffles of {8 * self.bytes} bits>"

    def by_table(self, unit: int, sources: Sequence[int], pair: bool) -> Exchange | None:
        """The cheapest shuffles by table that permute address bits as `sources` says; None if the machine has none.

        With `pair` two registers are exchanged, otherwise one is permuted.
        """
        return _by_table(self, unit, tuple(sources), pair)

    def _of_row(self, row: TableRow, unit: int, sources: Sequence[int]) -> Exchange | None:
        lane_bits, fixed = (row.lane // unit).bit_length() - 1, max(0, (row.unit // unit).bit_length() - 1)
        lanes_stay = row.lane == self.bytes or all(source == k for k, source in enumerate(sources) if k >= lane_bits)
        if not lanes_stay or list(sources[:fixed]) != list(range(fixed)):
            return None
        index = permuted(sources)
        per = 1 << fixed
        index = tuple(source // per for source in index[::per])
        shuffles = [self._shuffle(row, max(unit, row.unit), half) for half in _halves(index, row.pair)]
        return Exchange(shuffles[0], shuffles[1] if row.pair else None, row.cycles + row.destructive * _COPY)

    def _shuffle(self, row: TableRow, unit: int, index: tuple[int, ...]) -> Shuffle:
        per_lane = row.lane // unit
        inside = index if row.lane == self.bytes else tuple(source % per_lane for source in index)
        return Shuffle(row.mnemonic, unit, index, None, table_of(inside, unit, row.entry), row.destructive)


@lru_cache(maxsize=4096)
def _by_table(shuffle_set: ShuffleSet, unit: int, sources: tuple[int, ...], pair: bool) -> Exchange | None:
    for row in sorted(shuffle_set.tables, key=lambda row: (row.cycles, -row.unit)):
        if row.pair == pair and (exchange := shuffle_set._of_row(row, unit, sources)) is not None:
            return exchange
    return None


def _halves(index: tuple[int, ...], pair: bool) -> list[tuple[int, ...]]:
    half = len(index) // 2
    return [index[:half], index[half:]] if pair else [index]


class ShuffleVerbsOf(ABC, Generic[GeneralT, AddressT, LanesT, FactorT]):
    """What transforms ask of a machine, beside the verbs of the contract."""

    def __init__(self, m: VectorVerbsOf[GeneralT, AddressT, LanesT, FactorT]) -> None:
        self.m = m

    @abstractmethod
    def table(self, dst: Vector, shuffle: Shuffle) -> None:
        """dst = the indices of a table shuffle."""

    @abstractmethod
    def move(self, dst: Vector, src: Vector, size: int) -> None:
        """dst = src, registers of `size` bytes."""

    @abstractmethod
    def shuffle(self, dst: Vector, shuffle: Shuffle, a: Vector, b: Vector, table: Vector | None) -> None:
        """dst = the shuffle of a and b. dst may be a or b; of a destructive shuffle it may only be a."""

    @abstractmethod
    def insert(self, dst: Vector, number: int, address: AddressT, lanes: LanesT, piece: int, spare: Vector) -> None:
        """Elements in memory become piece `number` > 0 (of `piece` bytes) of dst. `spare` may be overwritten."""

    @abstractmethod
    def store_streaming(self, address: AddressT, src: Vector, lanes: LanesT) -> None:
        """Store a whole register past the caches, to an address that is a multiple of its size."""

    @abstractmethod
    def streamed(self) -> None:
        """Order the streaming stores before all stores that follow."""

    @abstractmethod
    def when_aligned(self, pointer: GeneralT, boundary: int, aligned: bool) -> AbstractContextManager[None]:
        """The body runs if the pointer is a multiple of `boundary`; with `aligned` false, if it is not."""

    @abstractmethod
    def to_boundary(self, dst: GeneralT, pointer: GeneralT, boundary: int) -> None:
        """dst = bytes from the pointer to the next multiple of `boundary`, a power of two; 0 if it is one."""

    @abstractmethod
    def prefetch(self, address: AddressT) -> None:
        """Prefetch the cache line of an address into the first cache. It never faults."""


ShuffleVerbs: TypeAlias = ShuffleVerbsOf[General, Address, Lanes, Factor]


class Shuffles(NamedTuple):
    """What a machine's facts hold of its shuffles. They are made at their first use."""

    sets: Callable[[], tuple[ShuffleSet, ...]]  # the widest registers first
    streaming_bytes: int = 0  # bytes of x and y from which on streaming stores pay; 0: the machine has none
