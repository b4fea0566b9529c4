"""The walk of an elementwise kernel over its matrices: the vectors, how many are computed at once, and the loops.

A body is the expression for a few vectors at once: vectors of one row if it is long, else of several rows. If no
operand has gaps and only single elements are broadcast, the walk treats all rows as one.

The ways differ in the unroll factor, which is the number of vectors per body. More vectors hide more latency, fewer
leave registers for constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan, Refusal, choose
from ..codegen.fitting import Straight, Unrolling, too_few_registers
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic, arithmetic_of, stored_together
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.coordinates import ROW
from ..expr.graph import Expr, ordered
from ..operands import BYTE as BYTE
from ..operands import RUNTIME, Operand
from .spec import EltwiseSpec


@dataclass(frozen=True)
class RowVector:
    """One vector of a body: its first element, relative to the body's first element, and its number of elements."""

    row: int
    column: int
    count: int


@dataclass(frozen=True)
class EltwisePlan(Plan):
    """The rows and columns of the walk, the code of a body, and the broadcast inputs that stay in registers."""

    spec: EltwiseSpec
    rows: int
    columns: int
    vector: int  # elements of a whole vector
    code: Lowered
    loop_invariant: tuple[str, ...]  # inputs of one element
    per_row: tuple[str, ...]  # inputs of one element per row, loaded for each row
    instruction_cycles: float  # cycles of one instruction, on average

    @property
    def arithmetic(self) -> Arithmetic:
        """The operations that the code consists of."""
        return self.code.arithmetic

    @property
    def vectors(self) -> int:
        """The number of vectors of the walk, over all rows."""
        return self.rows * -(-self.columns // self.vector)

    @property
    def cycles(self) -> float:
        """Estimated cycles on a busy machine, where only the number of instructions counts."""
        return max(1.0, self.vectors * (self.code.operations * self.instruction_cycles))

    @property
    def call_cycles(self) -> float:
        """The estimate by which unroll factors are compared. It includes latency, and constants that have no
        register."""
        return self.vectors * self.code.time * self.instruction_cycles

    @property
    def rows_of_body(self) -> int:
        """The number of rows of a body."""
        row_vectors = -(-self.columns // self.vector)
        runtime = any(operand.view.leading is RUNTIME for operand in self.spec.operands)
        one = any(y.rows < self.spec.m for y in self.spec.outputs)  # the statistics of an epilogue, row by row
        return 1 if self.per_row or runtime or one else max(1, min(self.rows, self.code.unroll // row_vectors))

    @property
    def repeats(self) -> int:
        """How often the code runs per body: the vectors whose bits share a byte may be more than its registers can
        hold."""
        return max(1, BYTE // (self.code.unroll * self.vector)) if self.spec.bits else 1

    @property
    def columns_of_body(self) -> int:
        """The number of columns of a body: several whole vectors, or the whole row."""
        return min(self.columns, self.repeats * self.code.unroll * self.vector)

    @property
    def codes(self) -> list[Lowered]:
        """The straight-line code, in a list as that of plans with several."""
        return [self.code]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time, without masks."""
        return self.code.vectors + len(self.loop_invariant) + len(self.per_row) + self.code.arithmetic.spare

    def row_vectors(self, rows: int, columns: int) -> list[RowVector]:
        """Return the vectors of a body."""
        starts = range(0, columns, self.vector)
        return [RowVector(row, start, min(self.vector, columns - start)) for row in range(rows) for start in starts]

    @cached_property
    def counts(self) -> list[int]:
        """All numbers of elements that a vector of some body has."""
        tail = self.columns % self.vector
        return sorted({count for count in (self.vector if self.columns >= self.vector else 0, tail) if count})

    def __str__(self) -> str:
        fields = f"{self.rows} x {self.columns} in vectors of {self.vector}, {self.code.unroll} at a time"
        fields += f", {self.rows_of_body} rows together"
        return f"{self.spec}\n{fields}; {self.code}; {self.cycles:.0f} cycles{self.spec.schedule.summary}"


def plan(spec: EltwiseSpec, facts: Facts) -> EltwisePlan:
    """Return the fastest way."""
    return cast(EltwisePlan, choose(candidates(spec, facts)))


class Hoisted(NamedTuple):
    """Results in terms of values that the kernel computes once, or once per row. Their names are among the inputs of
    the results, and they stay in registers."""

    values: tuple[str, ...]
    outputs: tuple[Expr, ...]

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs of the results."""
        return [each.value for each in ordered(self.outputs) if each.op == "input"]


def candidates(
    spec: EltwiseSpec, facts: Facts, by_rows: bool = False, hoisted: Hoisted | None = None
) -> list[Plan | Refusal]:
    """Return a plan or a refusal for each unroll factor that may pay.

    Broadcast inputs stay in registers. Only if the expression then does not fit with any number of vectors, they are
    loaded with each vector.

    by_rows  whether rows without gaps stay rows, because the call counts them
    hoisted  the results, if the kernel computes some values once; None: the expressions of the request
    """
    arithmetic = arithmetic_of(facts, spec.numerics)
    # first, because its refusals explain errors in the request
    outputs = hoisted.outputs if hoisted else spec.expressions(arithmetic.tables, arithmetic.converts)
    check_types(spec, arithmetic, wide=True)
    fields = _common_fields(spec, facts, arithmetic, by_rows, hoisted)
    together = _interleave_factors(spec, facts, fields, arithmetic)
    if any(count > 1 for count in together):
        arithmetic = arithmetic.joining or arithmetic
        fields = _common_fields(spec, facts, arithmetic, by_rows, hoisted)
    overwritten = spec.in_place if len(outputs) > 1 else ()
    plain, straight = (
        Straight.of(outputs, facts, overwritten, arithmetic=each, together=together)
        for each in (arithmetic, arithmetic.neighbours or arithmetic)
    )
    refusals: list[Plan | Refusal] = []
    for resident in (True, False) if (fields.loop_invariant or fields.per_row) and not hoisted else (True,):
        ways = list(
            _ways(spec, facts, fields if resident else fields._replace(loop_invariant=(), per_row=()), straight)
        )
        if any(isinstance(way, Plan) for way in ways):
            return refusals + ways
        refusals += ways
    spilled = None if hoisted else _spilled(spec, facts, fields._replace(loop_invariant=(), per_row=()), plain)
    if spilled is not None:
        return [*refusals, spilled]
    shortage = too_few_registers(fields.registers, arithmetic)
    raise UnsupportedError(f"{spec.name}: the expression {shortage}: split it into several kernels")


class _CommonFields(NamedTuple):
    """The fields that all ways have in common: see `EltwisePlan`."""

    rows: int
    columns: int
    vector: int
    registers: int  # vector registers for the expression and its broadcast inputs
    loop_invariant: tuple[str, ...]
    per_row: tuple[str, ...]


def _interleave_factors(spec: EltwiseSpec, facts: Facts, fields: _CommonFields, arithmetic: Arithmetic) -> list[int]:
    """Return for each result the number of vectors that are stored as one."""
    if fields.vector * ELEMENT_BYTES[spec.compute] * 8 < facts.widths[0]:
        return []
    most, joined = fields.columns // fields.vector, arithmetic.joining.joined if arithmetic.joining else {}
    several = [y.name not in spec.bits and (y.dtype, spec.compute) in joined for y in spec.outputs]
    return [
        stored_together(arithmetic, y.dtype, spec.compute, facts, most) if found else 1
        for y, found in zip(spec.outputs, several)
    ]


def _common_fields(
    spec: EltwiseSpec, facts: Facts, arithmetic: Arithmetic, by_rows: bool, hoisted: Hoisted | None
) -> _CommonFields:
    # a vector has as many elements as a register holds of the widest type among operands and arithmetic
    size = max(ELEMENT_BYTES[dtype] for dtype in (spec.compute, *(operand.dtype for operand in spec.operands)))
    rows, columns = (spec.m, spec.n) if by_rows else flat(spec)
    vector = facts.widths[0] // 8 // size
    used = hoisted.inputs if hoisted else [name for name, _ in spec.program.inputs]
    narrow = [x for x in spec.inputs if spec.narrow(x) and (x.name in used or not hoisted)]
    loop_invariant = [x.name for x in narrow if x.rows == 1] + [*spec.program.number_words]
    loop_invariant += hoisted.values if hoisted else ()
    per_row = [x.name for x in narrow if x.rows > 1 and columns > vector]
    per_row += [ROW] if ROW in used and columns > vector else []
    counts = {min(vector, columns), columns % vector or vector}
    sizes = {size, ELEMENT_BYTES[spec.compute]}
    sizes |= {ELEMENT_BYTES[operand.dtype] for operand in spec.operands if arithmetic.packed}
    masks = sum(facts.needs_mask_register(count, size) for count in counts for size in sizes if size > 2)
    registers = facts.vector_registers - masks - arithmetic.spare
    return _CommonFields(rows, columns, vector, registers, tuple(loop_invariant), tuple(per_row))


def _ways(spec: EltwiseSpec, facts: Facts, fields: _CommonFields, straight: Straight) -> Iterator[Plan | Refusal]:
    """Yield one way for each unroll factor."""
    wide_cycles = max(1.0, facts.fma_cycles(facts.widths[0]) * 2)  # more than 1 if a register takes several passes
    instruction_cycles = wide_cycles / facts.tuning.eltwise.instructions_per_cycle
    names = (*fields.loop_invariant, *fields.per_row)
    registers = fields.registers - len(names)
    broadcast = " beside the broadcast inputs" if names else ""
    for unroll, code in _unrollings(spec, facts, fields, straight, registers, names):
        way = f"{unroll} vectors at a time" if unroll > 1 else "1 vector at a time"
        if code is None:
            yield Refusal(f"{way}{broadcast}", UnsupportedError(too_few_registers(registers, straight.arithmetic)))
            continue
        if code.missing:
            way += f", {code.missing} constants not in registers"
        yield EltwisePlan(
            spec,
            fields.rows,
            fields.columns,
            fields.vector,
            code,
            fields.loop_invariant,
            fields.per_row,
            instruction_cycles,
            way=way,
        )


def _spilled(spec: EltwiseSpec, facts: Facts, fields: _CommonFields, straight: Straight) -> EltwisePlan | None:
    """Return the plan if nothing else fits: one vector at a time, with spilled values in scratch memory."""
    code = straight.spilled(fields.registers)
    cycles = max(1.0, facts.fma_cycles(facts.widths[0]) * 2) / facts.tuning.eltwise.instructions_per_cycle
    if code is None:
        return None
    return EltwisePlan(
        spec, fields.rows, fields.columns, fields.vector, code, (), (), cycles, way="values wait in scratch memory"
    )


def _unrollings(
    spec: EltwiseSpec, facts: Facts, fields: _CommonFields, straight: Straight, registers: int, names: tuple[str, ...]
) -> Iterator[Unrolling]:
    """Yield the unroll factors that may pay. If the bits of several vectors share a byte, these vectors form a body,
    and the code computes as many of them at once as the registers allow."""
    if spec.bits and fields.vector < BYTE:
        count, code = BYTE // fields.vector, None
        while count and code is None:
            code = straight.allocated(registers, count, loop_invariant=names)
            yield Unrolling(count, code)
            count //= 2
    else:
        yield from straight.unrollings(registers, facts.tuning.eltwise.unroll, loop_invariant=names)


def flat(spec: EltwiseSpec) -> tuple[int, int]:
    """Return the rows and columns of the walk: one row, if no operand distinguishes rows."""
    shapes = {(spec.m, spec.n), (spec.m, -(-spec.n // BYTE))}
    if spec.placed:
        return spec.m, spec.n
    matrices = [
        operand for operand in spec.operands if (operand.rows, operand.columns) != (1, 1) or operand.name in spec.bits
    ]
    dense = all(_without_gaps(operand) and (operand.rows, operand.columns) in shapes for operand in matrices)
    numbers = [operand for operand in matrices if operand.name not in spec.bits]
    not_broadcast = all((operand.rows, operand.columns) == (spec.m, spec.n) for operand in numbers)
    if dense and not_broadcast and not (spec.bits and spec.m > 1 and spec.n % BYTE):
        return 1, spec.m * spec.n
    return spec.m, spec.n


def _without_gaps(operand: Operand) -> bool:
    return operand.view.leading == operand.columns or operand.rows == 1


def check_types(spec: EltwiseSpec, arithmetic: Arithmetic, wide: bool = False) -> None:
    """Raise UnsupportedError unless every element type has its load or store. wide: whether types may be wider than the
    arithmetic."""
    compute = spec.compute
    for operand in spec.operands:
        if operand.name in spec.bits or operand.dtype == compute:
            continue
        verb = "store" if operand.output else "load"
        table = arithmetic.stores if operand.output else arithmetic.loads
        wide_table = arithmetic.wide_stores if operand.output else arithmetic.wide_loads
        pair = operand.dtype, compute
        if pair in wide_table and not wide:
            raise UnsupportedError(
                f"{operand.name}: {operand.dtype} is wider than {compute}, the type "
                f"of the arithmetic; use {compute} or a narrower type, or convert "
                "with a separate kernel"
            )
        if pair not in table and pair not in wide_table:
            others = ", ".join(sorted({stored for stored, computed in table if computed == compute} | {compute}))
            raise UnsupportedError(
                f"{operand.name}: this target cannot {verb} {operand.dtype} in {compute} arithmetic; it can {verb} "
                f"{others}"
            )
