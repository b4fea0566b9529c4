"""The plan of a depthwise convolution: the block of results whose sums are in registers, and the loops over blocks.

A block is a vector of channels of some rows and columns of pixels. Blocks whose taps lie alike beside the image are a
loop; those at the rims of the image have fewer taps, and code of their own.

    by pixels   each vector of x is loaded once, and multiplied by all taps that use it, whose weights are in registers
    by taps     each weight is loaded once, and multiplied by a vector of x in memory for each sum
    in a loop   the same, with one row of taps at a time in a loop: less code
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, best, refused
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
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
        starts = range(0, self.results, block)
        patterns = [tuple(self.inside(each) for each in range(at, min(at + block, self.results))) for at in starts]
        return [Stretch(len(taps), len(list(alike)), taps) for taps, alike in groupby(patterns)]


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


class _Search:
    """Weighs blocks by estimated cycles."""

    def __init__(self, spec: DepthwiseSpec, facts: Facts) -> None:
        self.spec, self.facts, self.tuning = spec, facts, facts.tuning.depthwise
        self.arithmetic = arithmetic_of(facts)
        self.axes = axes(spec)
        size = ELEMENT_BYTES[spec.acc_dtype]
        self.vector = facts.widths[0] // 8 // size
        self.steps = -(-spec.channels // self.vector)
        outputs = spec.walk.expressions(self.arithmetic.tables, self.arithmetic.converts)
        self.straight = Straight.of(outputs, facts, arithmetic=self.arithmetic)
        self.sums = spec.walk.inputs[0].name
        shared = tuple(each.name for each in spec.walk.inputs[1:] if each.rows == 1)
        self.shared = shared
        tail = spec.channels % self.vector
        sizes = {ELEMENT_BYTES[each.dtype] for each in spec.walk.operands} | {ELEMENT_BYTES[t] for t in spec.dtypes}
        self.masks = sum(facts.needs_mask_register(tail, each) for each in sizes) if tail else 0
        self.registers = facts.vector_registers - self.masks
        terms = [spec.dtypes[0] != spec.acc_dtype, spec.dtypes[1] != spec.acc_dtype]
        self.load_instructions = [1 + 2 * converts for converts in terms]
        self.by_code = {free: self._code(free) for free in range(1, self.registers)}

    def _code(self, free: int) -> tuple[Lowered, tuple[str, ...]] | None:
        """Return the code of results in so many registers beside the sums."""
        free -= self.arithmetic.spare
        for resident in dict.fromkeys((self.shared, ())):
            left = free - len(resident)
            code = self.straight.fitted(left, 2, self.sums, resident) if left >= 0 else None
            if code is not None:
                return code, resident
        return None

    def best_of(self, order: str) -> DepthwisePlan | Refusal:
        """Return the plan of the block with the fewest cycles."""
        plans = [made for block in self._blocks(order) if (made := self._plan(block)) is not None]
        if not plans:
            return refused(
                order,
                f"{self.spec.taps[0]} x {self.spec.taps[1]} taps and their rims take more than "
                f"{self.tuning.most_instructions} instructions or {self.registers} vector registers; give x with its "
                "padding stored, so that no block is at a rim, or split the taps",
            )
        return best(plans)

    def _blocks(self, order: str) -> Iterator[Block]:
        rows, columns = self.axes
        for height in range(1, min(1 if order == IN_LOOP else self.tuning.most_rows, rows.results) + 1):
            held = {1} if order != BY_PIXELS else {self._weights_of_row(height), self._weights}
            if order == IN_LOOP:
                held.add(self.spec.taps[1] * self.spec.depth)
            for weights in held:
                most = (self.registers - weights - 1) // height
                for width in range(1, min(most, columns.results) + 1):
                    yield Block(height, width, weights, order)

    @property
    def _weights(self) -> int:
        return self.spec.taps[0] * self.spec.taps[1] * self.spec.depth

    def _weights_of_row(self, height: int) -> int:
        """Return the most weights by which a row of x is multiplied."""
        rows = self.axes[0]
        used: dict[int, int] = {}
        for result in range(height):
            for tap in range(rows.taps):
                at = rows.at(result, tap)
                used[at] = used.get(at, 0) + 1
        return max(used.values()) * self.spec.taps[1] * self.spec.depth

    def _plan(self, block: Block) -> DepthwisePlan | None:
        found = self.by_code.get(self.registers - block.rows * block.columns)
        if found is None:
            return None
        cycles, written = 0.0, 0.0
        for rows in self.axes[0].stretches(block.rows):
            for columns in self.axes[1].stretches(block.columns):
                instructions, time = self._of_block(block, rows, columns, found[0])
                cycles += time * rows.times * columns.times * self.steps
                written += instructions * (2 if self.spec.channels % self.vector and self.steps > 1 else 1)
        if written > self.tuning.most_instructions:
            return None
        return DepthwisePlan(self.spec, self.vector, block, *found, cycles, way=block.order)

    def _of_block(self, block: Block, rows: Stretch, columns: Stretch, code: Lowered) -> tuple[float, float]:
        """Return the instructions of a block as they are written, and its cycles."""
        spec, facts, depth = self.spec, self.facts, self.spec.depth
        sums, products = rows.count * columns.count, rows.inside * columns.inside * depth
        lines = self._places(0, rows) * self._places(1, columns) * depth
        pixels = rows.taps[0][1] - rows.taps[0][0] if block.order == IN_LOOP else 1
        if block.weights == 1:
            loads, weights = products, self._places(0, rows, False) * spec.taps[1] * depth
        else:
            loads = lines
            weights = self._weights if block.weights >= self._weights else rows.inside * spec.taps[1] * depth
        x_load, w_load = self.load_instructions
        separate = block.weights > 1 or x_load > 1 or facts.loads_apart or facts.multiply_add > 1
        bits = facts.widths[0]
        others = sums * (code.operations + 1) + self.tuning.loop_instructions
        executed = products * facts.multiply_add + loads * x_load * separate + weights * w_load + others
        looped = block.order == IN_LOOP and pixels > 1
        written = (executed - others) / max(1, pixels if looped else 1) + others
        if looped:
            executed += pixels * self.tuning.loop_instructions
        near = self._near(block)
        fresh = lines if not near else lines * min(1.0, spec.stride[0] * rows.count / max(1, self._places(0, rows)))
        traffic = fresh * self.vector * ELEMENT_BYTES[str(spec.dtypes[0])] / 64 * self.tuning.line_cycles
        cycles = max(
            products * facts.fma_cycles(bits) * facts.multiply_add,
            (loads + weights) * facts.load_cycles(bits),
            executed / facts.issue_width,
        )
        return written, cycles + traffic

    def _places(self, axis: int, stretch: Stretch, of_x: bool = True) -> int:
        """Return how many rows or columns of x a block reads; of_x=False: how many taps."""
        return _places(self.axes[axis]._replace(extent=0, results=0), stretch.taps, of_x)

    def _near(self, block: Block) -> bool:
        """Whether the rows of x of a block stay in L1 until the next block of rows."""
        rows = (block.rows - 1) * self.spec.stride[0] + (self.spec.taps[0] - 1) * self.spec.dilation[0] + 1
        size = rows * self.spec.width * self.spec.channels * self.spec.depth * ELEMENT_BYTES[str(self.spec.dtypes[0])]
        return size <= self.facts.l1_bytes * self.tuning.l1_share


@cache
def _places(axis: Axis, taps: Sequence[Pair], of_x: bool) -> int:
    every = {(axis.at(result, tap), tap) for result, each in enumerate(taps) for tap in range(*each)}
    return len({place if of_x else tap for place, tap in every})
