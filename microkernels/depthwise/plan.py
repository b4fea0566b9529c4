"""The plan of a depthwise convolution: the block of results whose sums are in registers, and the loops over blocks.

A block is a vector of channels of some rows and columns of pixels. Each vector of x that it reads is loaded once, and
multiplied by the weights of all taps that use it. Weights stay in registers while taps need them, as many as fit; the
others are operands in memory. Blocks whose taps lie alike beside the image are a loop; those at the rims of the image
have fewer taps, and code of their own. Where that is too much code, a loop runs over the rows of taps.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, refused
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE
from ..windows import Axis, shared, stretches
from .spec import DepthwiseSpec

STRAIGHT, IN_LOOP = "all taps in a row", "rows of taps in a loop"


class SumsBlock(NamedTuple):
    """The most rows and columns of a block, and the registers that hold weights."""

    rows: int
    columns: int
    weights: int


@dataclass(frozen=True)
class DepthwisePlan(Plan):
    """The blocks, and the code that computes results from sums. `resident` are its operands that are the same for
    all pixels, which have a register while a block is stored."""

    spec: DepthwiseSpec
    vector: int
    block: SumsBlock
    code: Lowered
    resident: tuple[str, ...]
    cycles: float
    looped: bool

    @cached_property
    def axes(self) -> tuple[Axis, Axis]:
        """The rows and the columns of the image."""
        return axes(self.spec)

    @property
    def registers(self) -> int:
        """The most vector registers that are held at a time, without masks."""
        block, stored = self.block, self.code.vectors + len(self.resident) + self.code.arithmetic.spare
        return block.rows * block.columns + max(block.weights + TEMPORARY, stored)

    def __str__(self) -> str:
        rows, columns, weights = self.block
        return (
            f"{self.spec}\nblocks of {rows} x {columns} pixels and a vector of {self.vector} channels, {self.way}, "
            f"{weights} weights in registers; {self.code}; {self.cycles:.0f} cycles"
        )


TEMPORARY = len(("a vector of x", "a weight that is converted"))


def axes(spec: DepthwiseSpec) -> tuple[Axis, Axis]:
    """Return the rows and the columns of the image."""
    before = tuple(each[0] for each in spec.padding)
    each = zip((spec.height, spec.width), spec.extents, spec.taps, spec.stride, before, spec.dilation)
    rows, columns = (Axis(*of) for of in each)
    return rows, columns


def candidates(spec: DepthwiseSpec, facts: Facts) -> list[DepthwisePlan | Refusal]:
    """Return the best block with all taps in a row, and with the rows of taps in a loop, or why there is none."""
    arithmetic = arithmetic_of(facts)
    for storage in {*spec.dtypes[:2]} - {spec.acc_dtype}:
        if (storage, spec.acc_dtype) not in arithmetic.loads:
            return [refused(STRAIGHT, f"{storage} computed in {spec.acc_dtype}: this target has no conversion for it")]
    search = _BlockSearch(spec, facts)
    return [search.best_of(way) for way in (STRAIGHT, IN_LOOP)]


class _BlockSearch:
    """Weighs blocks by estimated cycles, as if none were at a rim."""

    def __init__(self, spec: DepthwiseSpec, facts: Facts) -> None:
        self.spec, self.facts, self.tuning = spec, facts, facts.tuning.depthwise
        self.axes, self.arithmetic = axes(spec), arithmetic_of(facts)
        self.size = ELEMENT_BYTES[spec.dtypes[0]]
        self.vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
        outputs = spec.elementwise.expressions(self.arithmetic.tables, self.arithmetic.converts)
        self.straight = Straight.of(outputs, facts, arithmetic=self.arithmetic)
        tail, self.registers = spec.channels % self.vector, facts.vector_registers
        sizes = {ELEMENT_BYTES[each.dtype] for each in spec.elementwise.operands} | {
            ELEMENT_BYTES[t] for t in spec.dtypes
        }
        self.registers -= sum(facts.needs_mask_register(tail, each) for each in sizes) if tail else 0
        self.loads = [1 if each == spec.acc_dtype else self.tuning.converted_load for each in spec.dtypes[:2]]
        self._codes: dict[int, tuple[Lowered, tuple[str, ...]] | None] = {}

    def best_of(self, way: str) -> DepthwisePlan | Refusal:
        """Return the plan of the block with the fewest cycles for whose results the registers suffice."""
        costs = [(*self._cost(block, way), block) for block in self._blocks(way)]
        fitting = [cost for cost in costs if cost[1] <= self.tuning.most_instructions]
        alike = min(fitting)[0] * self.tuning.alike if fitting else 0.0
        for cycles, _, block in sorted(fitting, key=lambda each: (max(each[0], alike), each[1])):
            found = self._code(self.registers - block.rows * block.columns)
            if found is not None:
                looped = way == IN_LOOP
                return DepthwisePlan(self.spec, self.vector, block, *found, cycles, looped, way=way)
        return refused(
            way,
            f"{self.spec.taps[0]} x {self.spec.taps[1]} taps and their rims take more than "
            f"{self.tuning.most_instructions} instructions or {self.registers} vector registers; give x with its "
            "padding stored, so that no block is at a rim, or split the taps",
        )

    def _code(self, free: int) -> tuple[Lowered, tuple[str, ...]] | None:
        """Return the code of results in so many registers beside the sums."""
        if free not in self._codes:
            self._codes[free] = None
            first, *others = self.spec.elementwise.inputs
            for resident in dict.fromkeys(((), tuple(each.name for each in others if each.rows == 1))):
                left = free - self.arithmetic.spare - len(resident)
                code = self.straight.fitted(left, 2, first.name, resident) if left >= 0 else None
                if code is not None:
                    self._codes[free] = code, resident
        return self._codes[free]

    def _blocks(self, way: str) -> Iterator[SumsBlock]:
        """Yield blocks of a few rows and of nearly equal columns."""
        (rows, columns), taps = self.axes, self.spec.taps[1] * self.spec.depth
        for height in range(1, min(1 if way == IN_LOOP else self.tuning.most_rows, rows.results) + 1):
            every, some = taps * (1 if way == IN_LOOP else rows.taps), taps * shared(rows, height)[1]
            left = self.registers - TEMPORARY
            most = min(max(1, left // height), columns.results)
            counts = {-(-columns.results // width) for width in range(most, most // 4, -1)}
            for width in (-(-columns.results // count) for count in sorted(counts)):
                held = left - height * width
                if held >= 0:
                    yield SumsBlock(height, width, every if held >= every else min(held, some))

    def _cost(self, block: SumsBlock, way: str) -> tuple[float, float]:
        """Return the cycles of all blocks, without the code of results, and the instructions as they are written."""
        vectors, pieces = -(-self.spec.channels // self.vector), []
        for axis, most in zip(self.axes, block):
            whole, rest = divmod(axis.results, most)
            pieces.append([each for each in ((most, whole), (rest, 1)) if all(each)])
        cycles = 0.0
        for (height, down), (width, along) in product(*pieces):
            cycles += self._of_block(block, height, width, way)[1] * down * along * vectors
        kinds = len(stretches(self.axes[0], block.rows)) * len(stretches(self.axes[1], block.columns))
        bodies = 2 if self.spec.channels % self.vector and vectors > 1 else 1
        return cycles, self._of_block(block, block.rows, block.columns, way)[0] * kinds * bodies

    def _of_block(self, block: SumsBlock, height: int, width: int, way: str) -> tuple[float, float]:
        """Return the instructions of a block as they are written, and its cycles."""
        spec, facts, tuning, depth = self.spec, self.facts, self.tuning, self.spec.depth
        (rows, uses), (columns, _) = (shared(axis, count) for axis, count in zip(self.axes, (height, width)))
        sums, taps, lines = height * width, spec.taps[0] * spec.taps[1] * depth, rows * columns * depth
        products, needed = sums * taps, uses * spec.taps[1] * depth
        apart = facts.separate_loads or facts.multiply_add > 1 or self.loads[1] > 1
        in_memory = products * max(0.0, 1 - block.weights / needed)  # products with a weight that no register holds
        weights = in_memory if in_memory else taps
        others = sums * (self.straight.operations + 2) + tuning.loop_instructions
        executed = float(products * facts.multiply_add + lines * self.loads[0])
        executed += weights * self.loads[1] * (apart or not in_memory)
        written = executed / (spec.taps[0] if way == IN_LOOP else 1) + others
        executed += others + (spec.taps[0] * tuning.loop_instructions if way == IN_LOOP else 0)
        bytes_of_vector = self.vector * self.size
        row_bytes = spec.width * spec.channels * depth * self.size
        near = rows * row_bytes <= facts.l1_bytes * tuning.l1_share  # rows stay in L1 until the next block of rows
        fresh = lines * min(1.0, spec.stride[0] * height / rows) if near else lines
        split = 1 + min(1.0, bytes_of_vector / CACHE_LINE)  # loads that cross a line, of arrays that begin anywhere
        cycles = max(
            products * facts.fma_cycles(facts.widths[0]) * facts.multiply_add,
            (lines * split + weights) * facts.load_cycles(facts.widths[0]),
            executed / facts.issue_width,
        )
        return written, cycles + fresh * bytes_of_vector / CACHE_LINE * tuning.line_cycles
