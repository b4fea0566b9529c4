"""A machine's shuffles. Planners read one `ShuffleSet` for each register width, with costs in cycles; `ShuffleVerbs`
emit the shuffles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Generic, TypeAlias

from ...encoder.records import NamedTuple, dataclass
from .shuffle_network import Exchange, Shuffle, permuted, table_of
from .vector_verbs import Address, AddressT, Factor, FactorT, General, GeneralT, Lanes, LanesT, Vector, VectorVerbsOf

_COPY = 1 / 64  # cycles of copying a source: only breaks ties between shuffles of equal cost


class Insert(NamedTuple):
    """How a register is loaded in pieces: the first by an ordinary load, each other one inserted from memory."""

    piece: int  # bytes
    load: float  # cycles of the load pipes for one inserted piece
    shuffle: float  # cycles of the shuffle pipes for one inserted piece
    vector: float = 0.0  # cycles of all vector pipes, on machines where some of them blend but do not shuffle


class TableRow(NamedTuple):
    """An instruction that takes its element indices from a register."""

    mnemonic: str
    unit: int  # bytes of the elements that it moves
    entry: int  # bytes of an index
    lane: int  # bytes of the lane within which it moves elements
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
    shuffle_pipes: int = 0  # pipes that can shuffle; 0: all vector pipes
    # cycles of all vector pipes for a shuffle, on machines where some of them blend but do not shuffle
    vector: float = 0.0
    lanes: bool = False  # only exchanges of units of 16 bytes, and single shuffles, move elements between 16-byte lanes

    def __repr__(self) -> str:
        return f"<shuffles of {8 * self.bytes} bits>"

    def by_table(self, unit: int, sources: Sequence[int], pair: bool) -> Exchange | None:
        """Return the cheapest table shuffles that permute address bits by `sources`; None if the machine has none.

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
    """The verbs that transforms need from a machine, beside those of the contract."""

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
        """dst = the shuffle of a and b. dst may be a or b; if the shuffle is destructive, dst may be a but not b."""

    @abstractmethod
    def insert(self, dst: Vector, number: int, address: AddressT, lanes: LanesT, piece: int, spare: Vector) -> None:
        """Load elements from memory into piece `number` > 0 (of `piece` bytes) of dst. `spare` may be overwritten."""

    @abstractmethod
    def store_streaming(self, address: AddressT, src: Vector, lanes: LanesT) -> None:
        """Store a whole register to memory, bypassing the caches, at a multiple of the register's size."""

    @abstractmethod
    def store_streaming_pieces(self, address: AddressT, src: Vector, lanes: LanesT) -> None:
        """Do the same at a multiple of 16 bytes: the pieces of 16 bytes are stored one after the other."""

    @abstractmethod
    def streamed(self) -> None:
        """Emit a barrier that orders the streaming stores before all stores that follow."""

    @abstractmethod
    def when_aligned(self, pointer: GeneralT, boundary: int, aligned: bool) -> AbstractContextManager[None]:
        """Run the body if the pointer is a multiple of `boundary`, or, if not `aligned`, if it is not."""

    @abstractmethod
    def to_boundary(self, dst: GeneralT, pointer: GeneralT, boundary: int) -> None:
        """dst = the bytes from the pointer to the next multiple of `boundary`, a power of two; 0 at a multiple."""

    @abstractmethod
    def prefetch(self, address: AddressT) -> None:
        """Prefetch the cache line of an address into L1. It never faults."""


ShuffleVerbs: TypeAlias = ShuffleVerbsOf[General, Address, Lanes, Factor]


class Shuffles(NamedTuple):
    """The shuffles in a machine's facts. They are made on first use."""

    sets: Callable[[], tuple[ShuffleSet, ...]]  # the widest registers first
    streaming_bytes: int = 0  # sum of the bytes of x and y from which streaming stores pay off; 0: the machine has none
