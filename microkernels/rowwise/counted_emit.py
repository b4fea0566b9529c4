"""Emit columns whose length is given at the call, exactly as planned (counted_plan.py).

The strides lead from the end of a column's last moved vector to the next column, so no pointer is moved back.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from ..contract.machine import Amount, General, Machine
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import Walk
from ..eltwise.plan import RowVector
from .counted_plan import CountedPlan
from .spec import parameters_of


def emit(m: Machine, plan: CountedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    names = [name for _, name in parameters_of(plan.spec)]
    given = {name: m.in_register(value, name) for name, value in zip(names, m.arguments(len(names)))}
    pointers = {each.name: given.pop(each.name) for each in plan.code.spec.operands}
    emit_columns(m, plan, pointers, given, given.pop(plan.spec.extent))
    m.leave()


def emit_columns(m: Machine, plan: CountedPlan, pointers: dict[str, General], values: dict[str, General],
                 count: General, exact: Sequence[int] = ()) -> None:  # fmt: skip
    """Emit the walk without the function around it.

    pointers  to the operands, keyed by name
    values    the strides of columns
    count     the number of elements per column
    exact     the numbers of elements for which the remainder of a column has code without a mask
    """
    walk = _Columns(m, plan, pointers, values, count, exact if plan.masked and plan.code.rows > 1 else ())
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim_lanes()
        walk.loop_invariant = scope.enter_context(m.vectors(len(plan.code.loop_invariant), "single elements"))
        walk.per_row = scope.enter_context(m.vectors(len(plan.code.per_row), "elements of the column"))
        walk.spare = scope.enter_context(m.vectors(plan.code.arithmetic.spare, "conversions"))
        walk.body = scope.enter_context(plan.code.code.constants(m, walk.widest))
        for name, register in zip(plan.code.loop_invariant, walk.loop_invariant):
            walk.spread(register, name)
        walk.emit()


class _Columns(Walk):
    """The walk over all columns in order. To the base class they are the rows of the transposed matrices."""

    def __init__(self, m: Machine, plan: CountedPlan, pointers: dict[str, General], values: dict[str, General],
                 count: General, exact: Sequence[int] = ()) -> None:  # fmt: skip
        super().__init__(m, plan.code, pointers, values)
        self.counted, self.count, self.exact = plan, count, exact
        if plan.row:
            rows = m.general("rows of the call")
            m.copy(rows, count)
            m.copy(count, 0)
            m.advance(count, rows, plan.row)
        self.rest = m.general("elements behind whole vectors")
        self.alone = bool(plan.row) or plan.code.rows == 1  # then the pointers stay where the column ends
        self.all: Amount = self._joined() if plan.joins and not self.alone else plan.code.rows
        if plan.shorter:
            m.copy(self.rest, count)
            m.modulo(self.rest, plan.code.vector)
        if not self.alone:
            self._from_the_end()

    def _joined(self) -> General:
        """Return a register with the number of columns to process: 1, of all elements, if no operand has gaps between
        its columns. In this case `count` becomes the number of all elements."""
        m, columns = self.m, self.plan.rows
        count, found = self.rest, m.general("columns of the call")
        m.copy(count, self.count)
        m.copy(self.count, 0)
        m.advance(self.count, count, columns)
        m.copy(found, 1)
        gaps, size = self.columns_left, 0  # no gap is negative, so their sum is 0 if all are
        m.copy(gaps, 0)
        for name, operand in self.moving.items():
            if not self.spec.narrow(operand):
                m.advance(gaps, self.strides[name])
                size += ELEMENT_BYTES[operand.dtype]
        m.advance(gaps, count, -size)
        with m.unless_zero(gaps):
            m.copy(found, columns)
            m.copy(self.count, count)
        return found

    def emit(self) -> None:
        """Emit the loop over all columns."""
        if self.alone:
            self._row(1)
            return
        with self.m.loop(self.rows_left, self.all):
            self._row(1)
            self._next_rows(1)

    def _from_the_end(self) -> None:
        """Reduce the strides by the bytes that pointers move within a column."""
        m, moved = self.m, self.columns_left
        m.copy(moved, self.count)
        if self.counted.masked:
            m.advance(moved, self.rest, -1)
        for name, operand in self.moving.items():
            if not self.spec.narrow(operand):
                stride = self.strides[name]
                if isinstance(stride, int):
                    register = m.general(f"distance of {name}")
                    m.copy(register, stride)
                    self.strides[name] = stride = register
                m.advance(stride, moved, -ELEMENT_BYTES[operand.dtype])

    @property
    def counts(self) -> list[int]:
        """The numbers of elements per vector, of whole and of shorter ones."""
        return sorted({self.plan.vector, *self.counted.shorter, *self.exact})

    def claim_lanes(self) -> None:
        """Claim the lanes of all vectors. The mask of the remainder comes from the call."""
        if self.counted.masked and self.counted.shorter:
            self._mask()
        super().claim_lanes()

    def _mask(self) -> None:
        """Set the mask of the short vector from the number of elements in `rest`."""
        for dtype in dict.fromkeys((self.spec.compute, *(each.dtype for each in self.spec.operands))):
            self.m.counted_lanes(dtype, self.plan.vector - 1, self.rest)

    def _row(self, rows: int) -> None:
        """Emit one column."""
        m, vector, left = self.m, self.plan.vector, self.columns_left
        for name, register in zip(self.plan.per_row, self.per_row):
            self.spread(register, name)
        m.copy(left, self.count)
        for vectors in dict.fromkeys((self.counted.step, 1)):
            with m.while_at_least(left, vectors * vector):
                self._some(vectors * vector)
        if self.counted.masked and self.counted.shorter:
            for elements in self.exact:
                with m.within(left, elements + 1), m.beyond(left, elements):
                    self._body([RowVector(0, 0, elements)])
                    m.copy(left, 0)
            with m.unless_zero(left):
                self._body([RowVector(0, 0, vector - 1)])
        else:
            for elements in self.counted.shorter:
                with m.while_at_least(left, elements):
                    self._some(elements)

    def _some(self, elements: int) -> None:
        self._body(self.plan.row_vectors(1, elements))
        self._move_columns(elements)
