"""The cost of a tile: the cycles of each resource for the whole matrix, and the price by which tiles are compared."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from ...encoder.records import NamedTuple, new
from ..contract.machine import Facts
from ..contract.shuffle_network import Label
from .layouts import CACHE_LINE
from .nest import spans
from .spec import TransformSpec
from .strides import StridedMatrix, nominal
from .tile import Tile
from .tile_pass import Bounds, TilePass, tile_pass


class Cost(NamedTuple):
    """Cycles for which each resource is occupied, by a tile or by a whole matrix."""

    loads: float
    stores: float
    shuffles: float
    vectors: float  # of all vector pipes, if some of them cannot shuffle; else 0
    instructions: int
    issue: float

    def plus(self, other: Cost, times: int = 1) -> Cost:
        """Return the sum with another cost, which is counted `times` times."""
        return new(Cost, [mine + times * theirs for mine, theirs in zip(self, other)])

    @property
    def cycles(self) -> float:
        """The cycles of the busiest resource."""
        return max(self.loads, self.stores, self.shuffles, self.vectors, self.issue)

    @property
    def resources(self) -> dict[str, float]:
        """The cycles of each resource, keyed by its name."""
        pipes = {"loads": self.loads, "stores": self.stores, "shuffles": self.shuffles}
        return pipes | ({"vector pipes": self.vectors} if self.vectors else {}) | {"issue": self.issue}

    @property
    def busiest(self) -> str:
        """The name of the busiest resource."""
        return max(self.resources, key=lambda name: self.resources[name])


_NOTHING = Cost(0, 0, 0, 0, 0, 0)


def clipped(tile: Tile, x: StridedMatrix, y: StridedMatrix) -> list[tuple[Bounds, int]]:
    """Return the bounds of the tiles that cover the matrix, and the number of tiles with each."""
    kinds = product(spans("i", tile, x, y).items(), spans("j", tile, x, y).items())
    return [
        (Bounds((rows.source, columns.source), (rows.result, columns.result)), row_count * column_count)
        for (rows, row_count), (columns, column_count) in kinds
    ]


def matrix_cost(tile: Tile, x: StridedMatrix, y: StridedMatrix, loop_instructions: float) -> Cost:
    """Return the cost of a whole matrix."""
    total = _NOTHING
    source, result = nominal(x), nominal(y)
    for bounds, count in clipped(tile, x, y):
        for number in range(tile.passes):
            total = total.plus(_pass_cost(tile, source, result, bounds, number, loop_instructions), count)
    return total


@lru_cache(maxsize=4096)
def _pass_cost(tile: Tile, x: StridedMatrix, y: StridedMatrix, bounds: Bounds, number: int,
               loop_instructions: float) -> Cost:  # fmt: skip
    current = tile_pass(tile, x, y, bounds, number)
    machine = tile.shuffle_set
    loads, shuffles, vectors, instructions = _load_cost(current)
    for _, step in current.live.steps:
        exchange = tile.stages[step.stage].exchange
        shuffles += exchange.cycles
        vectors += machine.vector
        copied = step.shuffle.destructive * (step.a == step.b or step.shuffle is exchange.low)
        instructions += 1 + copied
    instructions += len(current.outputs)
    stores = machine.store * len(current.outputs)
    issue = (instructions + loop_instructions) / machine.issue
    return Cost(loads, stores, shuffles, vectors, instructions, issue)


def _load_cost(current: TilePass) -> tuple[float, float, float, int]:
    """Return the cycles of load pipes, shuffle pipes and all vector pipes, and the number of instructions."""
    machine, insert = current.tile.shuffle_set, current.tile.insert
    loads = shuffles = vectors = 0.0
    instructions = 0
    for value in current.live.inputs:
        pieces = current.piece_count(value)
        instructions += pieces
        if insert is None or not pieces:
            loads += machine.load
        else:  # the first piece is at most half a register and takes no insert
            loads += machine.inserts[-1].load * (pieces - 1) + machine.load / 2
            shuffles += insert.shuffle * (pieces - 1)
            vectors += insert.vector * (pieces - 1)
    return loads, shuffles, vectors, instructions


class Prices:
    """The prices of tiles for one request: `(cycles + instruction_cycles * instructions) * weight`.

    The weight is 1, plus a fraction for each access that splits a cache line. So among tiles of about equal cycles, the
    one with the fewest instructions and with whole cache lines wins. Streaming stores of less than a cache line weigh
    twice as much. The tuning table has the numbers.
    """

    def __init__(self, spec: TransformSpec, x: StridedMatrix, y: StridedMatrix, facts: Facts, streaming: bool) -> None:
        self.tuning, self.streaming = facts.tuning.transform, streaming
        self.in_l1 = spec.bytes_moved <= facts.l1_bytes
        self.x_line, self.y_line = (
            matrix.contiguous((CACHE_LINE // min(matrix.unit, matrix.size)).bit_length() - 1) for matrix in (x, y)
        )

    def price(self, tile: Tile, cost: Cost) -> float:
        """Return the price of a tile of this cost."""
        tuning = self.tuning
        partial = self.streaming and tile.shuffle_set.bytes < CACHE_LINE
        weight = tuning.split_store_weight * _splits(tile, self.y_line)
        weight += tuning.partial_stream_weight if partial else 0
        weight += 0 if self.in_l1 else tuning.split_load_weight * self.split_loads(tile)
        return (cost.cycles + tuning.instruction_cycles * cost.instructions) * (1 + weight)

    def split_loads(self, tile: Tile) -> int:
        """Return the number of loads from a cache line of x beyond the first; other tiles do these."""
        return _splits(tile, self.x_line)


def _splits(tile: Tile, line: tuple[Label, ...]) -> int:
    """Return the number of accesses beyond the first to a cache line with these address bits."""
    return (1 << sum(label not in tile.labels for label in line)) - 1
