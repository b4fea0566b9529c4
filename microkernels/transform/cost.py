"""The cost of a tile: the cycles of each resource for the whole matrix, and the price by which tiles are compared."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

from ...encoder.records import NamedTuple, new
from ..contract.machine import Facts
from ..contract.shuffle_network import Label
from ..operands import CACHE_LINE
from .nest import spans
from .spec import TransformSpec
from .strides import StridedMatrix, nominal
from .tile import ShuffledTile, network
from .tile_pass import Bounds, TilePass, tile_pass


class TileCost(NamedTuple):
    """Cycles for which each resource is occupied, by a tile or by a whole matrix."""

    loads: float
    stores: float
    shuffles: float
    vectors: float  # of all vector pipes, if some of them cannot shuffle; else 0
    instructions: int
    issue: float

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


def clipped(tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix) -> list[tuple[Bounds, int]]:
    """Return the bounds of the tiles that cover the matrix, and the number of tiles with each."""
    kinds = product(spans("i", tile, x, y).items(), spans("j", tile, x, y).items())
    return [
        (new(Bounds, ((high, wide), (result_high, result_wide))), row_count * column_count)
        for ((high, result_high), row_count), ((wide, result_wide), column_count) in kinds
    ]


def matrix_cost(tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, loop_instructions: float) -> TileCost:
    """Return the cost of a whole matrix."""
    source, result = nominal(x), nominal(y)
    total: list[Any] = [0] * len(TileCost._fields)
    for bounds, count in clipped(tile, x, y):
        for number in range(tile.passes):
            cost = _pass_cost(tile, source, result, bounds, number, loop_instructions)
            total = [before + count * each for before, each in zip(total, cost)]
    return new(TileCost, total)


class _Work(NamedTuple):
    """What one pass does: the inputs that it loads, in how many pieces, the live steps of each stage, those of them
    that also copy a register, and the outputs."""

    inputs: int
    pieces: int
    steps: tuple[int, ...]
    copies: int
    outputs: int


@lru_cache(maxsize=4096)
def _pass_cost(
    tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, bounds: Bounds, number: int, loop_instructions: float
) -> TileCost:
    plain = tile.passes == 1 and bounds.source == bounds.result
    work = counted(tile, bounds) if plain else walked(tile_pass(tile, x, y, bounds, number))
    machine, insert = tile.shuffle_set, tile.insert
    loads, shuffles = machine.load * work.inputs, 0.0
    if insert is not None:  # the first piece is at most half a register and takes no insert
        more = work.pieces - work.inputs
        loads = machine.inserts[-1].load * more + machine.load / 2 * work.inputs
        shuffles = insert.shuffle * more
    for stage, steps in zip(tile.stages, work.steps):
        shuffles += stage.exchange.cycles * steps
    vectors = machine.vector * sum(work.steps)
    vectors += insert.vector * (work.pieces - work.inputs) if insert is not None else 0.0
    instructions = work.pieces + sum(work.steps) + work.copies + work.outputs
    issue = (instructions + loop_instructions) / machine.issue
    return TileCost(loads, machine.store * work.outputs, shuffles, vectors, instructions, issue)


def walked(current: TilePass) -> _Work:
    """Return the work of a pass, counted value by value."""
    stages, live = current.tile.stages, current.live
    steps, copies = [0] * len(stages), 0
    for _, step in live.steps:
        steps[step.stage] += 1
        low = step.shuffle is stages[step.stage].exchange.low
        copies += step.shuffle.destructive * (step.a == step.b or low)
    pieces = sum([current.piece_count(value) for value in live.inputs])
    return _Work(len(live.inputs), pieces, tuple(steps), copies, len(current.outputs))


def counted(tile: ShuffledTile, bounds: Bounds) -> _Work:
    """Return the work of the only pass over a tile without padding, from the numbers of its registers.

    A value is live if its first element lies within the bounds, since each element reaches one output. In each
    dimension, the values with that property are the sums of address bits below the bound.
    """
    made = network(tile)
    rows, columns = bounds.source
    across, steps, copies = tile.across, [], 0
    for (exchange, entering), (left, after) in zip(tile.stages, made.exchanges):
        low, high = exchange.low, exchange.high
        if left is None or high is None or entering is None:
            steps.append(_within(across, rows, columns))
            copies += steps[-1] * low.destructive
            continue
        rest = tuple([label for label in across if label != entering])
        lows, highs = _within(rest, rows, columns), _within(rest, rows, columns, left)
        steps.append(lows + highs)
        copies += lows * low.destructive
        if high.destructive:  # a shuffle with one live source has it twice
            copies += highs - _within(rest, rows, columns, left, entering)
        across = after
    pieces = _within((*tile.start[tile.piece_bits :], *tile.across), rows, columns)
    return _Work(_within(tile.across, rows, columns), pieces, tuple(steps), copies, _within(across, rows, columns))


def _within(labels: tuple[Label, ...], rows: int, columns: int, *besides: Label) -> int:
    """Return how many sums of these address bits lie within the bounds, also after each of the bits `besides` is added
    alone."""
    row_bits, column_bits, units = _bits(labels)
    row_step = column_step = 0
    for label in besides:
        if label[0] == "_":
            return 0
        of_row, of_column, _ = _bits((label,))
        row_step, column_step = max((row_step, *of_row)), max((column_step, *of_column))
    return _below(row_bits, rows - row_step) * _below(column_bits, columns - column_step) * units


@lru_cache(maxsize=1024)
def _bits(labels: tuple[Label, ...]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return the address bits that are of rows and of columns, the largest first, and the number of sums of those that
    are of units."""
    rows, columns = (sorted([1 << int(label[1:]) for label in labels if label[0] == dim], reverse=True) for dim in "ij")
    return tuple(rows), tuple(columns), 1 << sum([label[0] == "e" for label in labels])


@lru_cache(maxsize=1024)
def _below(bits: tuple[int, ...], end: int) -> int:
    """Return how many sums of different powers of two, the largest first, are less than `end`."""
    count = 0
    for number, bit in enumerate(bits, 1):
        if end > bit:  # all sums without this bit, and some of those with it
            count += 1 << len(bits) - number
            end -= bit
    return count + (end > 0)


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

    def price(self, tile: ShuffledTile, cost: TileCost) -> float:
        """Return the price of a tile of this cost."""
        tuning = self.tuning
        partial = self.streaming and tile.shuffle_set.bytes < CACHE_LINE
        weight = tuning.split_store_weight * _splits(tile, self.y_line)
        weight += tuning.partial_stream_weight if partial else 0
        weight += 0 if self.in_l1 else tuning.split_load_weight * self.split_loads(tile)
        return (cost.cycles + tuning.instruction_cycles * cost.instructions) * (1 + weight)

    def split_loads(self, tile: ShuffledTile) -> int:
        """Return the number of loads from a cache line of x beyond the first; other tiles do these."""
        return _splits(tile, self.x_line)


@lru_cache(maxsize=1024)
def _splits(tile: ShuffledTile, line: tuple[Label, ...]) -> int:
    """Return the number of accesses beyond the first to a cache line with these address bits."""
    return (1 << sum(label not in tile.labels for label in line)) - 1
