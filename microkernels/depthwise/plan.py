"""The plan of a depthwise convolution: the block of results whose sums are in registers, and the loops over blocks.

A block is a vector of channels of some rows and columns of pixels. Blocks whose taps lie alike beside the image are a
loop; those at the rims of the image have fewer taps, and code of their own.

    by pixels   each vector of x is loaded once, and multiplied by all taps that use it, whose weights are in registers
    by taps     each weight is loaded once, and multiplied by a vector of x in memory for each sum
    in a loop   the same, with one row of taps at a time in a loop: less code
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, refused
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE
from .spec import DepthwiseSpec, Pair

BY_PIXELS, BY_TAPS, IN_LOOP = "by pixels", "by taps", "in a loop over rows of taps"


class Stretch(NamedTuple):
    """Blocks along an axis that are alike: `times` blocks of `count` results. `taps` are the first tap of each result
    that lies inside the image, and the one behind the last."""

    count: int
    times: int
    taps: tuple[Pair, ...]

    @property
    def inside(self) -> int:
        """The number of taps inside the image, over all results of a block."""
        return sum(last - first for first, last in self.taps)


class Axis(NamedTuple):
    """An axis of the image: results, taps, and where a tap of a result lies in x."""

    extent: int
    results: int
    taps: int
    stride: int
    before: int
    dilation: int

    def at(self, result: int, tap: int) -> int:
        """Return the position in x of a tap, from that of the first result of a block without padding."""
        return result * self.stride - self.before + tap * self.dilation

    def inside(self, result: int) -> Pair:
        """Return the first tap of a result that lies inside the image, and the one behind the last."""
        first = -(min(0, self.at(result, 0)) // self.dilation)
        last = min(self.taps, -((self.at(result, 0) - self.extent) // self.dilation))
        return (first, last) if first < last else (0, 0)

    def stretches(self, block: int) -> list[Stretch]:
        """Return the blocks of at most so many results, in order."""
        every = [self.inside(each) for each in range(self.results)]
        patterns = (tuple(every[at : at + block]) for at in range(0, self.results, block))
        return [Stretch(len(taps), len(list(alike)), taps) for taps, alike in groupby(patterns)]

    def places(self, block: int) -> int:
        """Return how many positions in x the taps of a block inside the image have."""
        return len({self.at(result, tap) for result in range(block) for tap in range(self.taps)})

    def most_uses(self, block: int) -> int:
        """Return the most taps of a block that share a position."""
        uses = Counter(self.at(result, tap) for result in range(block) for tap in range(self.taps))
        return max(uses.values())


def axes(spec: DepthwiseSpec) -> tuple[Axis, Axis]:
    """Return the rows and the columns of the image."""
    sizes = (spec.height, spec.width), spec.extents, spec.taps, spec.stride
    before = tuple(each[0] for each in spec.padding)
    rows, columns = (Axis(*each) for each in zip(*sizes, before, spec.dilation))
    return rows, columns


class Block(NamedTuple):
    """The most rows and columns of a block, and the registers that hold weights."""

    rows: int
    columns: int
    weights: int
    order: str


@dataclass(frozen=True)
class DepthwisePlan(Plan):
    """The blocks, and the code that computes results from sums. `resident` are its operands that are the same for
    all pixels, which have a register while a block is stored."""

    spec: DepthwiseSpec
    vector: int
    block: Block
    code: Lowered
    resident: tuple[str, ...]
    cycles: float

    @cached_property
    def axes(self) -> tuple[Axis, Axis]:
        """The rows and the columns of the image."""
        return axes(self.spec)

    @property
    def registers(self) -> int:
        """The most vector registers that are held at a time, without masks."""
        block, stored = self.block, self.code.vectors + len(self.resident) + self.code.arithmetic.spare
        return block.rows * block.columns + max(block.weights + 1, stored)

    def __str__(self) -> str:
        rows, columns, weights, order = self.block
        return (
            f"{self.spec}\nblocks of {rows} x {columns} pixels and a vector of {self.vector} channels, {order}, "
            f"{weights} weights in registers; {self.code}; {self.cycles:.0f} cycles"
        )


def candidates(spec: DepthwiseSpec, facts: Facts) -> list[DepthwisePlan | Refusal]:
    """Return the best block of each order, or why it has none."""
    arithmetic = arithmetic_of(facts)
    for storage in {*spec.dtypes} - {spec.acc_dtype}:
        if (storage, spec.acc_dtype) not in arithmetic.loads:
            return [refused(BY_TAPS, f"{storage} computed in {spec.acc_dtype}: this target has no conversion for it")]
    search = _Search(spec, facts)
    return [search.best_of(order) for order in (BY_PIXELS, BY_TAPS, IN_LOOP)]


class _Cost(NamedTuple):
    """A block as it is weighed: the cycles of all blocks, without the code of results, and instructions as written."""

    cycles: float
    written: float
    block: Block


class _Search:
    """Weighs blocks by estimated cycles, as if no block were at a rim."""

    def __init__(self, spec: DepthwiseSpec, facts: Facts) -> None:
        self.spec, self.facts, self.tuning = spec, facts, facts.tuning.depthwise
        self.axes = axes(spec)
        self.arithmetic = arithmetic_of(facts)
        self.size = ELEMENT_BYTES[str(spec.dtypes[0])]
        self.vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
        self.shared = tuple(each.name for each in spec.walk.inputs[1:] if each.rows == 1)
        outputs = spec.walk.expressions(self.arithmetic.tables, self.arithmetic.converts)
        self.straight = Straight.of(outputs, facts, arithmetic=self.arithmetic)
        tail = spec.channels % self.vector
        sizes = {ELEMENT_BYTES[each.dtype] for each in spec.walk.operands} | {ELEMENT_BYTES[t] for t in spec.dtypes}
        self.registers = facts.vector_registers
        self.registers -= sum(facts.needs_mask_register(tail, each) for each in sizes) if tail else 0
        self.load_instructions = [1 if each == spec.acc_dtype else self.tuning.converted_load for each in spec.dtypes]
        self._codes: dict[int, tuple[Lowered, tuple[str, ...]] | None] = {}
        self._counted: dict[tuple[int, int], int] = {}
        self._kinds: dict[tuple[int, int], int] = {}

    def best_of(self, order: str) -> DepthwisePlan | Refusal:
        """Return the plan of the block with the fewest cycles for whose results the registers suffice."""
        costs = sorted(cost for block in self._blocks(order) if (cost := self._cost(block)) is not None)
        most = costs[0].cycles * self.tuning.alike if costs else 0.0
        for cost in sorted(costs, key=lambda each: (max(each.cycles, most), each.written)):
            found = self._code(self.registers - cost.block.rows * cost.block.columns)
            if found is not None:
                return DepthwisePlan(self.spec, self.vector, cost.block, *found, cost.cycles, way=order)
        return refused(
            order,
            f"{self.spec.taps[0]} x {self.spec.taps[1]} taps and their rims take more than "
            f"{self.tuning.most_instructions} instructions or {self.registers} vector registers; give x with its "
            "padding stored, so that no block is at a rim, or split the taps",
        )

    def _code(self, free: int) -> tuple[Lowered, tuple[str, ...]] | None:
        """Return the code of results in so many registers beside the sums."""
        if free not in self._codes:
            left = free - self.arithmetic.spare
            self._codes[free] = None
            for resident in dict.fromkeys(((), self.shared)):
                code = (
                    self.straight.fitted(left - len(resident), 2, self.sums, resident)
                    if left >= len(resident)
                    else None
                )
                if code is not None:
                    self._codes[free] = code, resident
        return self._codes[free]

    @property
    def sums(self) -> str:
        """The name of the sums."""
        return self.spec.walk.inputs[0].name

    def _blocks(self, order: str) -> Iterator[Block]:
        rows, columns = self.axes
        tap_row = self.spec.taps[1] * self.spec.depth
        for height in range(1, min(1 if order == IN_LOOP else self.tuning.most_rows, rows.results) + 1):
            held = {1, tap_row} if order == IN_LOOP else {1}
            if order == BY_PIXELS:
                held = {rows.most_uses(height) * tap_row, self.spec.taps[0] * tap_row}
            for weights in held:
                most = min((self.registers - weights - 1) // height, columns.results)
                counts = dict.fromkeys(-(-columns.results // width) for width in range(most, most // 4, -1))
                for count in counts:  # blocks of nearly equal widths
                    yield Block(height, -(-columns.results // count), weights, order)

    def _cost(self, block: Block) -> _Cost | None:
        """Return the cost of a block, or None if its code is too long."""
        vectors = -(-self.spec.channels // self.vector)
        bodies = 2 if self.spec.channels % self.vector and vectors > 1 else 1
        cycles = 0.0
        for height, down in self._pieces(0, block.rows):
            for width, along in self._pieces(1, block.columns):
                written, time = self._of_block(block, height, width)
                cycles += time * down * along * vectors
        rims = self._rims(0, block.rows) * self._rims(1, block.columns)
        instructions = self._of_block(block, block.rows, block.columns)[0] * rims * bodies
        return None if instructions > self.tuning.most_instructions else _Cost(cycles, instructions, block)

    def _pieces(self, axis: int, block: int) -> Iterator[tuple[int, int]]:
        """Yield the results of whole blocks and how many there are, then those of the rest."""
        whole, rest = divmod(self.axes[axis].results, block)
        yield from ((count, times) for count, times in ((block, whole), (rest, 1)) if count and times)

    def _of_block(self, block: Block, height: int, width: int) -> tuple[float, float]:
        """Return the instructions of a block as they are written, and its cycles."""
        spec, facts, tuning, depth = self.spec, self.facts, self.tuning, self.spec.depth
        sums, taps = height * width, spec.taps[0] * spec.taps[1] * depth
        products, rows = sums * taps, self._places(0, height)
        lines = rows * self._places(1, width) * depth
        loads = lines if block.weights > 1 else products
        weights = taps if block.weights in (1, taps) else taps * height
        x_load, w_load = self.load_instructions
        apart = block.weights > 1 or x_load > 1 or facts.loads_apart or facts.multiply_add > 1
        others = sums * (self.straight.operations + 2) + tuning.loop_instructions
        executed = products * facts.multiply_add + loads * x_load * apart + weights * w_load
        written = executed / (spec.taps[0] if block.order == IN_LOOP else 1) + others
        executed += others + (spec.taps[0] * tuning.loop_instructions if block.order == IN_LOOP else 0)
        fresh = lines * min(1.0, spec.stride[0] * height / rows) if self._near(rows) else lines
        bytes_of_vector = self.vector * self.size
        traffic = fresh * bytes_of_vector / CACHE_LINE * tuning.line_cycles
        split = 1 + min(1.0, bytes_of_vector / CACHE_LINE)  # loads that cross a line, of arrays that begin anywhere
        cycles = max(
            products * facts.fma_cycles(facts.widths[0]) * facts.multiply_add,
            (loads + weights) * facts.load_cycles(facts.widths[0]) * split,
            executed / facts.issue_width,
        )
        return written, cycles + traffic

    def _places(self, axis: int, block: int) -> int:
        """Return how many rows or columns of x a block reads."""
        found = self._counted.get((axis, block))
        if found is None:
            found = self._counted[axis, block] = self.axes[axis].places(block)
        return found

    def _rims(self, axis: int, block: int) -> int:
        """Return how many kinds of blocks there are along an axis."""
        found = self._kinds.get((axis, block))
        if found is None:
            found = self._kinds[axis, block] = len(self.axes[axis].stretches(block))
        return found

    def _near(self, rows: int) -> bool:
        """Whether so many rows of x stay in L1 until the next block of rows."""
        size = rows * self.spec.width * self.spec.channels * self.spec.depth * self.size
        return size <= self.facts.l1_bytes * self.tuning.l1_share
