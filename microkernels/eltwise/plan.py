"""How an elementwise kernel walks its matrices: vectors, how many at a time, loops.

A body is the expression for a few vectors at once: of one row where it is long, else of several rows. Where no operand
has gaps and none is broadcast but single elements, all rows are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...encoder.forks import cached_property
from ..choice import Plan
from ..codegen.linear_scan import Lowered, fitted, lower
from ..codegen.selection import Arithmetic, arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.coordinates import ROW, number_word
from ..expr.graph import Expr
from ..operands import RUNTIME, Operand
from .spec import EltwiseSpec

MOST_UNROLLED = 4
"""Vectors at a time beside a product, where registers allow."""
IN_A_WALK = 8
"""The same where nothing else needs registers. Eight vectors of ten operations take 0.94 of the time of four (Zen 4),
each one step behind the one before: neighbouring instructions then need different units."""
BYTE = 8


@dataclass(frozen=True)
class RowVector:
    """One vector of a body: where it begins, from the body's first element, and its elements."""

    row: int
    column: int
    count: int


@dataclass(frozen=True)
class EltwisePlan(Plan):
    """Rows and columns as they are walked; the code of a body; broadcast inputs that stay in registers."""

    spec: EltwiseSpec
    rows: int
    columns: int
    vector: int  # elements of a whole vector
    bits: int  # of its register
    code: Lowered
    loop_invariant: tuple[str, ...]  # inputs of one element
    per_row: tuple[str, ...]  # inputs of one element a row, loaded for each row
    cycles: float

    @property
    def rows_together(self) -> int:
        """Rows of a body."""
        across = -(-self.columns // self.vector)
        runtime = any(each.view.leading is RUNTIME for each in self.spec.operands)
        return 1 if self.per_row or runtime else max(1, min(self.rows, self.code.unroll // across))

    @property
    def columns_together(self) -> int:
        """Columns of a body: several whole vectors, or the whole row."""
        return min(self.columns, self.code.unroll * self.vector)

    @property
    def registers(self) -> int:
        """Vector registers held at a time, without masks."""
        return self.code.vectors + len(self.loop_invariant) + len(self.per_row) + self.code.arithmetic.spare

    def row_vectors(self, rows: int, columns: int) -> list[RowVector]:
        """The vectors of a body."""
        starts = range(0, columns, self.vector)
        return [RowVector(row, start, min(self.vector, columns - start)) for row in range(rows) for start in starts]

    @cached_property
    def counts(self) -> list[int]:
        """Every number of elements that a vector of some body has."""
        rest = self.columns % self.vector
        return sorted({each for each in (self.vector if self.columns >= self.vector else 0, rest) if each})

    def __str__(self) -> str:
        walk = f"{self.rows} x {self.columns} in vectors of {self.vector}, {self.code.unroll} at a time"
        return f"{self.spec}\n{walk}, {self.rows_together} rows together; {self.code}; {self.cycles:.0f} cycles"


def plan(spec: EltwiseSpec, facts: Facts) -> EltwisePlan:
    """How the kernel is built on a machine with these facts."""
    arithmetic = arithmetic_of(facts)
    outputs = spec.expressions(arithmetic.tables)  # raises what is wrong with it before anything else does
    check_types(spec, arithmetic, wide=True)
    # of elements wider than computed as many at a time as their own register holds
    size = max(ELEMENT_BYTES[each] for each in (spec.compute, *(each.dtype for each in spec.operands)))
    rows, columns = flat(spec)
    width = facts.widths[0] if columns * size * 8 >= facts.widths[0] else facts.lanes_bits(columns, size)
    vector = facts.widths[0] // 8 // size
    narrow = [x for x in spec.inputs if spec.narrow(x)]
    single = [x.name for x in narrow if x.rows == 1]
    of_row = [x.name for x in narrow if x.rows > 1 and columns > vector]
    used = [name for name, _ in spec.program.inputs]
    single += [name for name in used if number_word(name)]
    of_row += [ROW] if ROW in used and columns > vector else []
    counts = {min(vector, columns), columns % vector or vector}
    sizes = {size, ELEMENT_BYTES[spec.compute]}
    sizes |= {ELEMENT_BYTES[each.dtype] for each in spec.operands if arithmetic.packed}
    masks = sum(facts.needs_mask_register(count, each) for count in counts for each in sizes if each > 2)
    registers = facts.vector_registers - masks - arithmetic.spare
    loop_invariant, per_row, code = _lowered(spec, outputs, arithmetic, registers, single, of_row, vector)
    vectors = rows * -(-columns // vector)
    made = EltwisePlan(spec, rows, columns, vector, width, code, tuple(loop_invariant), tuple(per_row), 0)
    per_vector = code.operations * max(1.0, facts.fma_cycles(facts.widths[0]) * 2) / 3
    return replace(made, cycles=max(1.0, vectors * per_vector))


def _lowered(spec: EltwiseSpec, outputs: Sequence[Expr], arithmetic: Arithmetic, registers: int, single: list[str],
             of_row: list[str], vector: int) -> tuple[list[str], list[str], Lowered]:  # fmt: skip
    """(single elements in registers, elements of rows in registers, the code): all of them, or none."""
    bytewise = bool(spec.bits) and vector < BYTE  # a byte of bits takes several vectors: all or none
    for loop_invariant, per_row in ((single, of_row), ([], [])):
        room, names = registers - len(loop_invariant) - len(per_row), (*loop_invariant, *per_row)
        try:
            if not bytewise:
                return loop_invariant, per_row, fitted(outputs, arithmetic, room, IN_A_WALK, loop_invariant=names)
            code = lower(outputs, arithmetic, room, BYTE // vector, loop_invariant=names)
            if code is not None:
                return loop_invariant, per_row, code
        except UnsupportedError:
            if not names:
                raise
    raise UnsupportedError(f"{spec.name}: a byte of bits takes {BYTE // vector} vectors at a time, which need more "
                           f"than {registers} registers; split the expression")  # fmt: skip


def flat(spec: EltwiseSpec) -> tuple[int, int]:
    """Rows and columns of the walk: one row where nothing depends on which row it is."""
    shapes = {(spec.m, spec.n), (spec.m, -(-spec.n // BYTE))}
    if spec.placed:
        return spec.m, spec.n
    whole = [each for each in spec.operands if (each.rows, each.columns) != (1, 1) or each.name in spec.bits]
    dense = all(_without_gaps(each) and (each.rows, each.columns) in shapes for each in whole)
    plain = all((each.rows, each.columns) == (spec.m, spec.n) for each in whole if each.name not in spec.bits)
    if dense and plain and not (spec.bits and spec.m > 1 and spec.n % BYTE):
        return 1, spec.m * spec.n
    return spec.m, spec.n


def _without_gaps(operand: Operand) -> bool:
    return operand.view.leading == operand.columns or operand.rows == 1


def check_types(spec: EltwiseSpec, arithmetic: Arithmetic, wide: bool = False) -> None:
    """Every element type must have its load and store. wide: one that is wider than computed may."""
    compute = spec.compute
    for each in spec.operands:
        if each.name in spec.bits or each.dtype == compute:
            continue
        verb = "store" if each.output else "load"
        table = arithmetic.stores if each.output else arithmetic.loads
        of_wide = arithmetic.wide_stores if each.output else arithmetic.wide_loads
        pair = each.dtype, compute
        if pair in of_wide and not wide:
            raise UnsupportedError(f"{each.name}: {each.dtype} is wider than {compute}, which is computed with here; "
                                   f"{compute} and narrower types work, or a kernel of its own")  # fmt: skip
        if pair not in table and pair not in of_wide:
            raise UnsupportedError(f"{each.name}: this target has no {verb} of {each.dtype} for {compute}")
