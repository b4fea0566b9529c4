"""A tile: a block of 2^a rows and 2^b columns that one shuffle network moves from loads to stores.

Every bit of a row or column number has one stride in x and one in y. The bits of the smallest strides are inside
registers; the other bits distinguish registers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..contract.shuffle_network import ExchangeStage, Label, Network, Shuffle
from ..contract.shuffle_set import Insert, ShuffleSet


class Loading(NamedTuple):
    """How registers are loaded: the shuffle set of their width, and whether they are loaded whole or in pieces."""

    shuffle_set: ShuffleSet
    insert: Insert | None  # None: whole

    def __str__(self) -> str:
        how = f"loaded in pieces of {self.insert.piece} bytes" if self.insert else "loaded whole"
        return f"registers of {8 * self.shuffle_set.bytes} bits {how}"


@dataclass(frozen=True, eq=False)
class ShuffledTile:
    """A tile with its network. Tiles are compared by identity."""

    loading: Loading
    unit: int
    start: tuple[Label, ...]  # address bits inside a register when it is loaded, lowest first
    across: tuple[Label, ...]  # bits that distinguish the loaded registers
    goal: tuple[Label, ...]  # bits inside a register when it is stored
    stages: tuple[ExchangeStage, ...]
    passes: int  # groups of outputs; each pass loads what its group needs

    @property
    def shuffle_set(self) -> ShuffleSet:
        """The shuffles of the tile's register width."""
        return self.loading.shuffle_set

    @property
    def insert(self) -> Insert | None:
        """How pieces of registers are loaded; None if registers are loaded whole."""
        return self.loading.insert

    @property
    def piece_bits(self) -> int:
        """The number of labels of `start` that one load fills."""
        size = self.insert.piece if self.insert else self.shuffle_set.bytes
        return (size // self.unit).bit_length() - 1

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """All address bits of the tile."""
        return (*self.start, *self.across)

    @cached_property
    def extents(self) -> dict[str, int]:
        """The number of rows ("i") and columns ("j")."""
        return {dim: 1 << sum(label[0] == dim for label in self.labels) for dim in "ij"}

    @property
    def registers(self) -> int:
        """The number of registers that loads fill."""
        return 1 << sum(label[0] != "_" for label in self.across)

    @property
    def connected(self) -> bool:
        """Whether the stages connect all registers. A tile that was widened is several separate networks."""
        entering = {stage.entering for stage in self.stages}
        return entering.issuperset(label for label in self.across if label[0] != "_")

    @cached_property
    def tables(self) -> list[Shuffle]:
        """The shuffles whose indices are in registers, one for each table."""
        shuffles = [half for stage in self.stages for half in (stage.exchange.low, stage.exchange.high) if half]
        return list({shuffle.table: shuffle for shuffle in shuffles if shuffle.table is not None}.values())

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return f"{self.registers} {self.loading}, {self.stages_text}"

    @property
    def stages_text(self) -> str:
        """The number of stages, as a plan prints it."""
        count = len(self.stages)
        return f"{count} stage{'s' * (count != 1)} of shuffles"


@lru_cache(maxsize=512)
def variant(tile: ShuffledTile, across: tuple[Label, ...], passes: int) -> ShuffledTile:
    """Return the tile with other registers or passes. Equal variants are one object, so that caches find their
    results."""
    return replace(tile, across=across, passes=passes)


@lru_cache(maxsize=256)
def network(tile: ShuffledTile) -> Network:
    """Return the network of a whole tile."""
    return Network(tile.unit, tile.start, tile.across, tile.stages)
