"""A walk over all rows in strips of columns: values that all rows of a strip share stay in registers.

    for each strip of columns:
        load the rows (gamma, a mean); start the reductions
        for each row:   the vectors of the strip
        store the reductions

A walk along whole rows loads each vector of a single row again for every row, and stores the reductions down the
columns just as often. Strips do neither, but they access memory in short pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, Way, refused
from ..codegen.fitting import Straight, too_few_registers
from ..codegen.long_sums import DYNAMIC_TERMS, Levels, levels_of
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic, arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import check_types
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN, SCAN
from ..expr.conversions import narrowed, widened
from ..expr.graph import BITS, FLOATS, Expr, expand, expressions
from ..functions.activations import ACTIVATIONS
from ..fused.passes import COLUMN_SUM, added
from ..fused.sweeps import Sweep
from ..operands import RUNTIME

MOST = 8
"""The most vectors of a strip."""
PAIR = 2
"""Vectors whose instructions are interleaved if a strip loads its single rows: the code of such walks is long."""
MOST_GENERALS = 8
"""The most pointers and row distances: a machine may have 14 general registers, some of which loops take."""


@dataclass(frozen=True)
class ColumnsPlan(Plan):
    """A strip of `interleave` vectors; `code` computes one of them, or a pair."""

    spec: EltwiseSpec
    rows: int
    columns: int
    vector: int
    arithmetic: Arithmetic
    loop_invariant: tuple[str, ...]  # inputs of one element
    held: tuple[str, ...]  # inputs of one row
    reduced: tuple[tuple[int, str], ...]  # results that are reductions down the columns, with the reduction's name
    stored: tuple[int, ...]  # other results
    interleave: int
    code: Lowered
    instruction_cycles: float

    per_row: tuple[str, ...] = ()  # inputs of one element per row
    levels: Levels | None = None  # of sums of many rows

    @property
    def sums(self) -> tuple[int, ...]:
        """The places of the sums among the reductions."""
        return tuple(place for place, (_, name) in enumerate(self.reduced) if name == "sum")

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory: the levels of long sums."""
        if self.levels is None:
            return 0
        return self.levels.bytes(self.interleave * len(self.sums), self.vector * ELEMENT_BYTES[self.spec.compute])

    @property
    def tail(self) -> int:
        """The number of elements of a row's last vector if they do not fill it, else 0."""
        return self.columns % self.vector

    @property
    def counts(self) -> list[int]:
        """All numbers of elements that a vector may have."""
        return sorted({self.vector, self.tail} - {0})

    @property
    def codes(self) -> list[Lowered]:
        """The straight-line code, in a list as that of plans with several."""
        return [self.code]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time, without masks."""
        strip = self.interleave * (len(self.held) + len(self.reduced)) + _lacking(self.code, self.levels)
        return len(self.loop_invariant) + len(self.per_row) + strip + self.code.vectors + self.arithmetic.spare

    @property
    def cycles(self) -> float:
        """Estimated cycles on a busy machine, where only the number of instructions counts."""
        vectors = -(-self.columns // self.vector)
        return max(1.0, self.rows * vectors * (self.code.operations + 3 / self.interleave) * self.instruction_cycles)

    def __str__(self) -> str:
        kept = [*self.held, *(self.spec.outputs[number].name for number, _ in self.reduced)]
        levels = f", {self.levels}" if self.levels is not None else ""
        return (
            f"{self.spec}\n{self.rows} rows in strips of {self.interleave} vectors of {self.vector}, "
            f"{', '.join(kept)} in registers{levels}; {self.code}; {self.cycles:.0f} cycles"
        )


def _lacking(code: Lowered, levels: Levels | None) -> int:
    """Return the registers that additions to levels need beside those of the code."""
    return 1 if levels is not None and not code.changing else 0


def candidates(
    sweep: Sweep | None,
    spec: EltwiseSpec,
    facts: Facts,
    regular: bool = True,
    elements: bool = False,
    dynamic: bool = False,
) -> Iterator[Way | Refusal]:
    """Yield strips, or a refusal with the reason why there are none.

    sweep     the walk; None if it is the only one
    regular   whether the request gives the number of rows, and no row is located by an index
    elements  whether an input may have one element per row, which is broadcast for each row of a strip
    dynamic   whether the call gives the number of rows
    """
    reason = _reason(sweep, spec, facts, regular)
    if any(each.rows > 1 and each.columns == 1 for each in (spec.outputs if elements else spec.operands)):
        reason = reason or "elements of whole rows"
    if spec.n > 1 and any(each.columns == 1 for each in spec.outputs):
        reason = reason or "a result has one column, and a strip stores all columns"
    if reason:
        yield refused("strips of columns", reason)
        return
    yield Way("strips of columns", partial(_planned, spec, facts, rows=DYNAMIC_TERMS if dynamic else spec.m))
    if elements:
        yield Way("strips of columns, single rows in memory", partial(_of_rows_in_memory, spec, facts))


def _reason(sweep: Sweep | None, spec: EltwiseSpec, facts: Facts, regular: bool) -> str:
    """Return the reason why there are no strips, or an empty string."""
    if (sweep is not None and not sweep.whole) or spec.m == 1:
        return "one row"
    if any(step.op in (ALONG, SCAN) for step in spec.program.steps):
        return "the walk has reductions or scans along whole rows"
    if spec.bits or spec.placed or spec.numbers:
        return "the walk has bit masks or uses the row or column of an element"
    distances = sum(each.view.leading is RUNTIME for each in spec.operands)
    if distances and not regular:
        return "the row stride and the number of rows are given at the call, or an index finds the rows"
    if distances and distances + len(spec.operands) > MOST_GENERALS:
        return "the row strides, which are given at the call, and the pointers need more registers than there are"
    widest = max(each.columns * ELEMENT_BYTES[each.dtype] for each in spec.operands)
    most = facts.tuning.fused.strip_row_bytes
    return f"rows have {widest} bytes, and beyond {most} the pieces of a strip are too short" if widest > most else ""


def _of_rows_in_memory(spec: EltwiseSpec, facts: Facts) -> ColumnsPlan:
    """Return a plan whose single rows are loaded for each row of a strip, as are constants that have no register."""
    plan = _planned(spec, facts, facts.tuning.fused.vectors_of_loaded_rows, spec.m)
    most = facts.tuning.fused.instructions_of_loaded_rows
    if plan.code.instructions > most:
        raise UnsupportedError(
            f"a vector takes {plan.code.instructions} instructions; beyond {most} no other vector hides its latency"
        )
    return plan


def _planned(spec: EltwiseSpec, facts: Facts, loaded: int = 0, rows: int = 0) -> ColumnsPlan:
    """Return the plan with as many vectors as fit into the registers.

    loaded  the most vectors of a strip whose single rows and some constants are loaded where they are used; 0: they are
            in registers
    rows    the most rows of a call
    """
    arithmetic = arithmetic_of(facts, spec.numerics)
    check_types(spec, arithmetic)
    size = max(ELEMENT_BYTES[dtype] for dtype in (spec.compute, *(each.dtype for each in spec.operands)))
    vector = facts.widths[0] // 8 // size
    single = tuple(x.name for x in spec.inputs if spec.narrow(x) and x.rows == 1)
    per_row = tuple(x.name for x in spec.inputs if spec.narrow(x) and x.rows > 1)
    held = tuple(x.name for x in spec.inputs if x.rows == 1 and x.name not in single and not loaded)
    results = expressions(spec.program)
    reduced = tuple((number, y.value) for number, y in enumerate(results) if y.op == DOWN)
    stored = tuple(number for number, y in enumerate(results) if y.op != DOWN)
    sums = spec.compute in FLOATS and any(name == "sum" for _, name in reduced)
    levels = levels_of(rows, 1) if sums else None
    straight = Straight.of(_values(spec, arithmetic), facts, spec.in_place, arithmetic=arithmetic)
    given = [f"{COLUMN_SUM}{number}" for number, _ in reduced]
    left = facts.vector_registers - masks(spec, facts, vector) - arithmetic.spare - len(single) - len(per_row)
    vectors = -(-spec.n // vector)
    for interleave in range(min(loaded or MOST, vectors), 0, -1):
        budget = left - interleave * (len(held) + len(reduced))
        unroll = min(PAIR, interleave) if loaded else 1
        code = straight.allocated(budget, unroll, given, (*single, *per_row, *held)) if budget > 0 else None
        fits = code is not None and code.vectors + _lacking(code, levels) <= budget
        if code is not None and fits and (loaded or not code.missing) and (interleave > 1 or vectors == 1):
            cycles = max(1.0, facts.fma_cycles(facts.widths[0]) * 2) / facts.tuning.eltwise.instructions_per_cycle
            return ColumnsPlan(
                spec,
                spec.m,
                spec.n,
                vector,
                arithmetic,
                single,
                held,
                reduced,
                stored,
                interleave,
                code,
                cycles,
                per_row,
                levels,
            )
    raise UnsupportedError(f"two vectors of each row and reduction {too_few_registers(left, arithmetic)}")


def masks(spec: EltwiseSpec, facts: Facts, vector: int) -> int:
    """Return the vector registers for masks of a tail, on machines whose masks are vector registers."""
    sizes = {BITS[spec.compute] // 8} | {ELEMENT_BYTES[each.dtype] for each in spec.operands}
    tail = spec.n % vector
    return sum(facts.needs_mask_register(tail, size) for size in sizes if size > 2) if tail else 0


def _values(spec: EltwiseSpec, arithmetic: Arithmetic) -> tuple[Expr, ...]:
    """Return the updated reductions after one more element, then the other results in the types that stores take."""
    results = expressions(spec.program)
    sums = [added(number, y.value, y.args[0]) for number, y in enumerate(results) if y.op == DOWN]
    others = [(spec.outputs[number].dtype, y) for number, y in enumerate(results) if y.op != DOWN]
    plain = expand(
        [*sums, *(y for _, y in others)],
        ACTIVATIONS,
        accuracy=spec.accuracy_of_functions,
        tables=spec.usable(arithmetic.tables),
    )
    loaded = widened(plain, {x.name: x.dtype for x in spec.inputs})
    stored = (
        narrowed(y, dtype, (dtype, spec.compute) in arithmetic.converts)
        for (dtype, _), y in zip(others, loaded[len(sums) :])
    )
    return (*loaded[: len(sums)], *stored)
