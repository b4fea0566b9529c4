"""Emit columns whose length is given at the call, exactly as planned (dynamic_plan.py).

The strides lead from the end of a column's last moved vector to the next column, so no pointer is moved back.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import accumulate

from ..codegen.lowered import MASK, VECTOR
from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import RowLoops
from ..eltwise.plan import EltwisePlan, RowVector
from ..operands import RUNTIME, Operand
from .dynamic_plan import joins
from .loop_invariant import LoopInvariant
from .plan import DynamicColumns, RowwisePlan

WORD = 8
"""Bytes of the stores that clear a vector in scratch memory. A vector of bytes may have fewer."""


def emit(m: Machine, plan: RowwisePlan) -> None:
    """Append the kernel, but for its entry and its end."""
    given = m.argument_registers(plan.spec.interface.parameters())
    pointers = {each.name: given.pop(each.name) for each in plan.blocks[0].code.spec.operands}
    emit_columns(m, plan, pointers, given, given.pop(plan.spec.extent))


def emit_columns(
    m: Machine,
    plan: RowwisePlan,
    pointers: dict[str, General],
    values: dict[str, General],
    count: General,
    exact: Sequence[int] = (),
) -> None:
    """Emit the walk without the function around it.

    pointers  to the operands, keyed by name
    values    the strides of columns
    count     the number of elements per column
    exact     the numbers of elements for which the remainder of a column has code without a mask
    """
    columns, code = plan.columns, plan.blocks[0].code
    assert columns is not None and isinstance(code, EltwisePlan)
    walk = _Columns(m, columns, code, pointers, values, count, exact if columns.masked and code.rows > 1 else ())
    once = columns.invariant
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim_lanes()
        walk.loop_invariant = scope.enter_context(m.vectors(len(code.loop_invariant), "single elements"))
        walk.per_row = scope.enter_context(m.vectors(len(code.per_row), "elements of the column"))
        walk.spare = scope.enter_context(m.vectors(code.arithmetic.spare, "conversions"))
        walk.body = scope.enter_context(code.code.constants(m, walk.widest))
        for name, register in zip(code.loop_invariant, walk.loop_invariant):
            if once is None or name not in once.names:
                walk.spread(register, name)
        if once is not None and not once.per_column:
            walk.compute_invariant(once)
        walk.emit()


class _Columns(RowLoops):
    """The walk over all columns in order. To the base class they are the rows of the transposed matrices."""

    def __init__(
        self,
        m: Machine,
        columns: DynamicColumns,
        code: EltwisePlan,
        pointers: dict[str, General],
        values: dict[str, General],
        count: General,
        exact: Sequence[int] = (),
    ) -> None:
        super().__init__(m, code, pointers, values)
        self.dynamic, self.count, self.exact = columns, count, exact
        if columns.row:
            rows = m.general("rows of the call")
            m.copy(rows, count)
            m.copy(count, 0)
            m.advance(count, rows, columns.row)
        if isinstance(self.columns_left, Slot):  # it is compared, which takes a register
            self.columns_left = m.general("columns")
        self.rest = m.general("elements behind whole vectors")
        self.alone = bool(columns.row) or code.rows == 1  # then the pointers stay where the column ends
        self.all: Amount = self._joined() if joins(code.spec) and not self.alone else code.rows
        self.scratch_offsets: dict[str, int] = {}  # the places of operands in scratch memory
        if columns.aside:
            *places, end = accumulate((columns.aside * ELEMENT_BYTES[each.dtype] for each in self._wide()), initial=0)
            self.scratch_offsets = {each.name: place for each, place in zip(self._wide(), places)}
            self.scratch = m.scratch(end)
        self.inside = False  # whether addresses are those of the elements in scratch memory
        if columns.masked and columns.shorter:
            m.copy(self.rest, count)
            m.modulo(self.rest, columns.vector)
        if not self.alone:
            self._from_the_end()

    def _wide(self) -> list[Operand]:
        """Return the operands that have more than one element per column."""
        return [each for each in self.operands.values() if not self.spec.narrow(each)]

    def _joined(self) -> General | Slot:
        """Return the loop's counter with the number of columns to process: 1, of all elements, if no operand has gaps
        between its columns. In this case `count` becomes the number of all elements."""
        m, columns = self.m, self.plan.rows
        found = self.rows_left
        m.copy(found, columns)
        gaps = self.columns_left  # no gap is negative, so their sum is 0 if all are
        first, *others = [self.strides[each.name] for each in self._wide()]
        m.copy(gaps, first)
        for stride in others:
            m.advance(gaps, stride)
        m.advance(gaps, self.count, -len(self._wide()))
        with m.within(gaps, 1):
            m.copy(found, 1)
            m.advance(self.count, self.count, columns - 1)
        return found

    def emit(self) -> None:
        """Emit the loop over all columns."""
        if self.alone:
            self._row(1)
            return
        with self.m.loop(self.rows_left, self.all):
            self._row(1)
            self._next_rows(1)

    def _stride(self, operand: Operand) -> Amount:
        """Return the elements between adjacent columns if the call gives them. `_from_the_end` makes them bytes."""
        if operand.view.leading is RUNTIME and not (operand.rows == 1 and self.spec.m > 1):
            return self.values[f"ld{operand.name}"]
        return super()._stride(operand)

    def _from_the_end(self) -> None:
        """Reduce the strides by the elements that pointers move within a column, and turn them into bytes."""
        m, moved = self.m, self.count
        if self.dynamic.masked:
            moved = self.columns_left
            m.copy(moved, self.count)
            m.advance(moved, self.rest, -1)
        for name, operand in self.operands.items():
            stride, size = self.strides[name], ELEMENT_BYTES[operand.dtype]
            wide = not self.spec.narrow(operand) and name in self.moving
            if isinstance(stride, int):
                if wide:
                    self.strides[name] = register = m.general(f"distance of {name}")
                    m.copy(register, stride)
                    m.advance(register, moved, -size)
                continue
            assert not isinstance(stride, Slot)
            if wide:
                m.advance(stride, moved, -1)
            if size > 1:
                m.shift_left(stride, size.bit_length() - 1)

    @property
    def counts(self) -> list[int]:
        """The numbers of elements per vector, of whole and of shorter ones."""
        aside = {self.dynamic.aside} - {0}
        return sorted({self.plan.vector, *self.dynamic.shorter, *self.exact, *aside})

    def claim_lanes(self) -> None:
        """Claim the lanes of all vectors. The mask of the remainder comes from the call."""
        if self.dynamic.masked and self.dynamic.shorter:
            self._mask()
        super().claim_lanes()

    def _mask(self) -> None:
        """Set the mask of the short vector from the number of elements in `rest`."""
        for dtype in dict.fromkeys((self.spec.compute, *(each.dtype for each in self.spec.operands))):
            self.m.dynamic_lanes(dtype, self.plan.vector - 1, self.rest)

    def compute_invariant(self, invariant: LoopInvariant) -> None:
        """Compute the values that all vectors share, in the registers of the code of a vector."""
        m, held = self.m, dict(zip(self.plan.loop_invariant, self.loop_invariant))
        vectors = [self.body.registers[VECTOR][number] for number in invariant.registers]
        masks = self.body.registers[MASK]

        def load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
            self.broadcast(register, name, self._address(name, RowVector(0, 0, 1)), lanes)

        def store(result: int, copy: int, register: Vector, lanes: Lanes) -> None:
            self.arithmetic.move(m, held[invariant.names[result]], register, lanes)

        with m.vectors(invariant.more, "values computed once") as more:
            invariant.code.on(m, [*vectors, *more], masks, self.widest).run(load, store, [self.widest])

    def _row(self, rows: int) -> None:
        """Emit one column."""
        m, vector, left = self.m, self.plan.vector, self.columns_left
        for name, register in zip(self.plan.per_row, self.per_row):
            self.spread(register, name)
        if self.dynamic.invariant is not None and self.dynamic.invariant.per_column:
            self.compute_invariant(self.dynamic.invariant)
        m.copy(left, self.count)
        for vectors in dict.fromkeys((self.dynamic.step, self.dynamic.alone)):
            with m.while_at_least(left, vectors * vector):
                self._some(vectors * vector)
        if self.dynamic.masked and self.dynamic.shorter:
            for elements in self.exact:
                with m.within(left, elements + 1), m.beyond(left, elements):
                    self._body([RowVector(0, 0, elements)])
                    m.copy(left, 0)
            with m.unless_zero(left):
                self._body([RowVector(0, 0, vector - 1)])
            return
        for elements in self.dynamic.shorter:
            with m.if_bit(left, elements):
                self._some(elements)
        if self.scratch_offsets:
            if self.dynamic.shorter:
                m.modulo(left, self.dynamic.aside)
            with m.unless_zero(left):
                self._some_in_scratch()

    def _some_in_scratch(self) -> None:
        """Copy the elements that are left to scratch memory, process a vector there, and copy its results back. The
        other elements are zeros, or results of zeros."""
        m, wide = self.m, self._wide()
        m.zero_element()
        for each in wide:
            for at in range(0, 0 if each.output else self.dynamic.aside * ELEMENT_BYTES[each.dtype], WORD):
                m.store_element(self.scratch, None, self.scratch_offsets[each.name] + at, WORD)
        for each in wide:
            if not each.output:
                self._copy_elements(each)
        self.inside = True
        self._body([RowVector(0, 0, self.dynamic.aside)])
        self.inside = False
        for each in wide:
            if each.output:
                self._copy_elements(each)
        for each in wide:
            m.advance(self.pointers[each.name], self.columns_left, ELEMENT_BYTES[each.dtype])

    def _copy_elements(self, operand: Operand) -> None:
        """Copy the elements that are left from an input to scratch memory, or from there to a result."""
        m, size, place = self.m, ELEMENT_BYTES[operand.dtype], self.scratch_offsets[operand.name]
        pointer = self.pointers[operand.name]
        with m.index_loop(self.rest, self.columns_left):
            if operand.output:
                m.load_element(self.scratch, self.rest, place, size)
                m.store_element(pointer, self.rest, 0, size)
            else:
                m.load_element(pointer, self.rest, 0, size)
                m.store_element(self.scratch, self.rest, place, size)

    def _address(self, name: str, row_vector: RowVector) -> Address:
        """Return the address of an operand's elements for one vector, or that in scratch memory."""
        if self.inside and name in self.scratch_offsets:
            return self.m.at(self.scratch, self.scratch_offsets[name])
        return super()._address(name, row_vector)

    def _some(self, elements: int) -> None:
        self._body(self.plan.row_vectors(1, elements))
        self._move_columns(elements)
