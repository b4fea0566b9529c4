"""A machine's shuffles: what planners read (`Repertoire`, one for each register width, with costs in cycles) and the
verbs that emit them (`ShuffleVerbs`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeAlias

from .shuffle_network import Exchange, Shuffle, permuted, table_of
from .values import Address, AddressT, Factor, FactorT, General, GeneralT, Lanes, LanesT, Vector
from .vector_verbs import VectorVerbsOf

_COPY = 1 / 64  # cycles: between equals, the shuffle that needs no copy of a source


class Insert(NamedTuple):
    """Loads of pieces of a register: the first piece is an ordinary load, the others are inserted from memory."""

    piece: int  # bytes
    load: float  # cycles of the load pipes for one inserted piece
    shuffle: float  # cycles of the shuffle pipes for one inserted piece
    vector: float = 0.0  # cycles of all vector pipes, where these are others


class TableRow(NamedTuple):
    """An instruction that takes indices from a register."""

    mnemonic: str
    unit: int  # bytes of the elements that it moves
    entry: int  # bytes of an index
    lane: int  # bytes within which it moves them
    pair: bool  # of two sources
    cycles: float
    destructive: bool = False


@dataclass(frozen=True, eq=False)
class Repertoire:
    """The shuffles of registers of one width. One object for each target and width, compared as such."""

    bytes: int
    registers: int
    exchanges: tuple[Exchange, ...]
    tables: tuple[TableRow, ...]
    inserts: tuple[Insert, ...]
    load: float  # cycles of the load pipes for a register
    store: float  # cycles of the store pipe for a register
    issue: int  # instructions a cycle
    shuffle_pipes: int = 0  # 0: any vector pipe shuffles
    vector: float = 0.0  # cycles of all vector pipes for a shuffle, where some pipes do not shuffle but insert
    lanes: bool = False  # only exchanges of units of 16 bytes, and single shuffles, go from one 16 bytes to another

    def __repr__(self) -> str:
        return f"<shuffles of {8 * self.bytes} bits>"

    def by_table(self, unit: int, sources: Sequence[int], pair: bool) -> Exchange | None:
        """The cheapest instruction pair, or single instruction, that renames bits so; None if there is none."""
        return _by_table(self, unit, tuple(sources), pair)

    def _of_row(self, row: TableRow, unit: int, sources: Sequence[int]) -> Exchange | None:
        lane_bits, fixed = (row.lane // unit).bit_length() - 1, max(0, (row.unit // unit).bit_length() - 1)
        lanes_stay = row.lane == self.bytes or all(source == k for k, source in enumerate(sources) if k >= lane_bits)
        if not lanes_stay or list(sources[:fixed]) != list(range(fixed)):
            return None
        index = permuted(sources)
        per = 1 << fixed
        index = tuple(source // per for source in index[::per])
        shuffles = [self._shuffle(row, max(unit, row.unit), part) for part in _halves(index, row.pair)]
        return Exchange(shuffles[0], shuffles[1] if row.pair else None, row.cycles + row.destructive * _COPY)

    def _shuffle(self, row: TableRow, unit: int, index: tuple[int, ...]) -> Shuffle:
        per_lane = row.lane // unit
        inside = index if row.lane == self.bytes else tuple(source % per_lane for source in index)
        entries = table_of(inside, unit, row.entry)
        return Shuffle(row.mnemonic, unit, index, None, entries, row.destructive)


@lru_cache(maxsize=4096)
def _by_table(repertoire: Repertoire, unit: int, sources: tuple[int, ...], pair: bool) -> Exchange | None:
    for row in sorted(repertoire.tables, key=lambda row: (row.cycles, -row.unit)):
        if row.pair == pair and (found := repertoire._of_row(row, unit, sources)) is not None:
            return found
    return None


def _halves(index: tuple[int, ...], pair: bool) -> list[tuple[int, ...]]:
    half = len(index) // 2
    return [index[:half], index[half:]] if pair else [index]


class ShuffleVerbsOf(ABC, Generic[GeneralT, AddressT, LanesT, FactorT]):
    """What kernels of shuffles ask of a machine, beside the verbs of the contract."""

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
        """dst = the shuffle of a and b; dst may be a or b, of a destructive one only a."""

    @abstractmethod
    def insert(self, dst: Vector, place: int, address: AddressT, lanes: LanesT, piece: int, spare: Vector) -> None:
        """The elements of memory become piece number `place` > 0 (of `piece` bytes) of dst; may destroy `spare`."""

    @abstractmethod
    def store_streaming(self, address: AddressT, src: Vector, lanes: LanesT) -> None:
        """A whole register, past the caches, to an address that is a multiple of its size."""

    @abstractmethod
    def streamed(self) -> None:
        """Order streaming stores before what follows."""

    @abstractmethod
    def when_aligned(self, pointer: GeneralT, boundary: int, aligned: bool) -> AbstractContextManager[None]:
        """The body if the pointer is a multiple of `boundary`, or if it is not."""

    @abstractmethod
    def to_boundary(self, dst: GeneralT, pointer: GeneralT, boundary: int) -> None:
        """dst = bytes from the pointer to the next multiple of `boundary`, a power of two; 0 if it is one."""

    @abstractmethod
    def prefetch(self, address: AddressT) -> None:
        """Ask for the cache line of an address."""


ShuffleVerbs: TypeAlias = ShuffleVerbsOf[General, Address, Lanes, Factor]


class Shuffles(NamedTuple):
    """What a machine's facts hold of its shuffles; made when they are needed."""

    repertoires: Callable[[], tuple[Repertoire, ...]]  # the widest first
    first_cache: int  # bytes
    streaming: int = 0  # bytes of x and y from which on stores past the caches pay; 0: there are none
