"""Elementwise kernels: emits what the plan says, and decides nothing.

    y[i, j] = f(x0[i, j], x1[i, j], ...)        where an input has one row, one column or one element, that one is used

Loops over rows, in them over bodies of several vectors, and a body for what is left of a row.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

from ..codegen.linear_scan import Body
from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector
from ..dtypes import ELEMENT_BYTES
from ..expr.coordinates import COLUMN, ROW, number_word
from ..operands import RUNTIME, Operand, parameters
from .plan import EltwisePlan, RowVector

FEW_POINTERS = 8
"""Pointers and strides beside which registers are left for both loops."""


def emit(m: Machine, plan: EltwisePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    names = [name for _, name in parameters(plan.spec.arguments)]
    given = dict(zip(names, m.arguments(len(names))))
    pointers = {each.name: _register(m, given[each.name], each.name) for each in plan.spec.operands}
    values = {name: _register(m, value, name) for name, value in given.items() if name not in pointers}
    emit_walk(m, plan, pointers, values)
    m.leave()


def emit_walk(m: Machine, plan: EltwisePlan, pointers: dict[str, General], values: dict[str, General]) -> None:
    """The walk alone: pointers to the operands by name, and what else is given at the call: leading dimensions ("ldx")
    and numbers ("seed")."""
    arithmetic = plan.code.arithmetic
    walk = _Walk(m, plan, pointers, values)
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim_lanes()
        walk.loop_invariant = scope.enter_context(m.vectors(len(plan.loop_invariant), "single elements"))
        walk.per_row = scope.enter_context(m.vectors(len(plan.per_row), "elements of the row"))
        walk.spare = scope.enter_context(m.vectors(arithmetic.spare, "conversions"))
        walk.body = scope.enter_context(plan.code.constants(m, walk.widest))
        for name, register in zip(plan.loop_invariant, walk.loop_invariant):
            walk.spread(register, name)
        walk.rows()


def _register(m: Machine, value: General | Slot, role: str) -> General:
    """The value in a register."""
    if not isinstance(value, Slot):
        return value
    register = m.general(role)
    m.copy(register, value)
    return register


class _Walk:
    """Pointers to the current row of each operand, and the loops that move them."""

    body: Body
    loop_invariant: list[Vector]
    per_row: list[Vector]
    spare: list[Vector]

    def __init__(self, m: Machine, plan: EltwisePlan, pointers: dict[str, General], values: dict[str, General]) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.arithmetic = plan.code.arithmetic
        self.loads = {**self.arithmetic.loads, **self.arithmetic.wide_loads}
        self.stores = {**self.arithmetic.stores, **self.arithmetic.wide_stores}
        self.operands = {each.name: each for each in plan.spec.operands}
        self.pointers, self.values = pointers, values
        self.strides: dict[str, Amount] = {name: self._stride(each) for name, each in self.operands.items()}
        self.columns_left = m.general("columns")
        few = len(pointers) + len(values) <= FEW_POINTERS
        self.rows_left = m.general("rows") if few else m.counter("rows")
        self.collected = m.general("bits") if plan.spec.bits else None
        self.place = {name: self._origin(name) for name, _ in self.spec.program.inputs if name in (ROW, COLUMN)}

    def _origin(self, name: str) -> General:
        """The row or column of the first element, in a register that the walk may change."""
        given = self.values.get(name.removeprefix("@"))
        if given is None:
            given = self.m.general(name)
            self.m.copy(given, 0)
        return given

    def _stride(self, each: Operand) -> Amount:
        """Bytes from row to row; 0 where there is one row for all."""
        size = ELEMENT_BYTES[each.dtype]
        if each.rows == 1 and self.spec.m > 1:
            return 0
        if each.view.leading is RUNTIME:
            register = self.values[f"ld{each.name}"]
            self.m.shift_left(register, size.bit_length() - 1)
            return register
        assert isinstance(each.view.leading, int)
        return each.view.leading * size

    # Amounts of elements

    def claim_lanes(self) -> None:
        """Every amount that is needed, before any loop."""
        plan, m = self.plan, self.m
        self.lanes = {count: m.lanes(self.spec.compute, count) for count in plan.counts}
        self.widest = max(self.lanes.values(), key=lambda lanes: lanes.capacity)
        for each in self.operands.values():
            if self._is_splat(each):
                m.lanes(each.dtype, 1)
                m.lanes(self.spec.compute, 1)
        computed = ELEMENT_BYTES[self.spec.compute]
        for each in self.operands.values():
            # a type of the same size is moved in the lanes of the computation
            apart = self.arithmetic.packed or ELEMENT_BYTES[each.dtype] > computed
            if apart and ELEMENT_BYTES[each.dtype] != computed and each.name not in self.spec.bits:
                for count in plan.counts:
                    m.lanes(each.dtype, count)

    # Loops

    def rows(self) -> None:
        """All rows."""
        plan = self.plan
        together = plan.rows_together
        loops, rest = divmod(plan.rows, together)
        with self.m.loop(self.rows_left, loops):
            self._row(together)
            if loops > 1 or rest:
                self._next_rows(together)
        if rest:
            self._row(rest)

    def _row(self, rows: int) -> None:
        """One row, or a few short ones; leaves the pointers where it found them."""
        plan, m = self.plan, self.m
        for name, register in zip(plan.per_row, self.per_row):
            self.spread(register, name)
        step = plan.columns_together
        loops, rest = divmod(plan.columns, step)
        moved = loops > 1 or (loops and rest)
        with m.loop(self.columns_left, loops):
            self._body(plan.row_vectors(rows, step))
            if moved:
                self._move_columns(step)
        if rest:
            self._body(plan.row_vectors(rows, rest))
        if moved and plan.rows > rows:
            self._move_columns(-loops * step)

    def _move_columns(self, count: int) -> None:
        if COLUMN in self.place:
            self.m.advance(self.place[COLUMN], count)
        for name, each in self.operands.items():
            if not self.spec.narrow(each):
                self.m.advance(self.pointers[name], self._column_bytes(each, count))

    def _is_splat(self, each: Operand) -> bool:
        """Whether one element is loaded and then copied to all places, because no load does both."""
        return self.spec.narrow(each) and not (each.dtype == self.spec.compute and each.dtype in ("f32", "f64"))

    def _column_bytes(self, each: Operand, column: int) -> int:
        return column // 8 if each.name in self.spec.bits else column * ELEMENT_BYTES[each.dtype]

    def _next_rows(self, rows: int) -> None:
        if ROW in self.place:
            self.m.advance(self.place[ROW], rows)
        for name in self.operands:
            if self.strides[name] != 0:
                self.m.advance(self.pointers[name], self.strides[name], rows)

    # Bodies

    def _body(self, row_vectors: list[RowVector]) -> None:
        self.m.note(f"{len(row_vectors)} vectors, {sum(row_vector.count for row_vector in row_vectors)} elements")
        lanes = [self.lanes[row_vector.count] for row_vector in row_vectors]

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            if name not in self.operands:
                self.numbers(register, name, row_vectors[copy], those)
                return
            each, place = self.operands[name], self._place(name, row_vectors[copy])
            if name in self.spec.bits:
                self.arithmetic.load_bits(self.m, register, place, row_vectors[copy].column % 8, those, self.spare)
            elif self.spec.narrow(each):
                self.broadcast(register, name, place, those)
            elif each.dtype == self.spec.compute:
                self.m.load(register, place, those)
            else:
                self.loads[each.dtype, self.spec.compute](self.m, register, place, those)

        def store(result: int, copy: int, register: Vector, those: Lanes) -> None:
            each, row_vector = self.spec.outputs[result], row_vectors[copy]
            place = self._place(each.name, row_vector)
            if each.name in self.spec.bits:
                last = copy + 1 == len(row_vectors) or row_vectors[copy + 1].row != row_vector.row
                at = self._place(each.name, replace(row_vector, column=row_vector.column // 8 * 8))
                store_bits = self.arithmetic.store_bits
                store_bits(self.m, at, register, row_vector.column % 8, those, self.collected, last, self.spare)
            elif each.dtype == self.spec.compute:
                self.m.store(place, register, those)
            else:
                self.stores[each.dtype, self.spec.compute](self.m, place, register, those, self.spare)

        self.body.run(load, store, lanes, loop_invariant=[*self.loop_invariant, *self.per_row])

    def _place(self, name: str, row_vector: RowVector) -> Address:
        each, stride = self.operands[name], self.strides[name]
        column = 0 if self.spec.narrow(each) else self._column_bytes(each, row_vector.column)
        row = row_vector.row * stride if isinstance(stride, int) else 0  # with strides in registers a body has one row
        return self.m.at(self.pointers[name], row + column)

    def spread(self, register: Vector, name: str) -> None:
        """An input that is the same for a whole row, or for all."""
        if name in self.operands:
            self.broadcast(register, name, self.m.at(self.pointers[name]), self.widest)
        else:
            self.numbers(register, name, RowVector(0, 0, 0), self.widest)

    def numbers(self, register: Vector, name: str, row_vector: RowVector, lanes: Lanes) -> None:
        """An input that no memory holds: a row, columns, or a word of a number given at the call."""
        word = number_word(name)
        if word:
            source, first, addend, step = self.values[word[0]], 32 * word[1], 0, 0
        else:
            addend = row_vector.row if name == ROW else row_vector.column
            source, first, step = self.place[name], 0, int(name == COLUMN)
        self.arithmetic.places(self.m, register, source, first, addend, step, lanes, self.spare)

    def broadcast(self, register: Vector, name: str, place: Address, lanes: Lanes) -> None:
        """Every element of a register = one of memory, in the type of the computation."""
        each = self.operands[name]
        if not self._is_splat(each):
            self.m.broadcast(register, place, lanes)
            return
        one = self.m.lanes(each.dtype, 1)
        if each.dtype == self.spec.compute:
            self.m.load(register, place, one)
        else:
            load = self.loads[each.dtype, self.spec.compute]
            load(self.m, register, place, self.m.lanes(self.spec.compute, 1))
        self.arithmetic.splat(self.m, register, 8 * ELEMENT_BYTES[self.spec.compute], lanes)
