"""Emit an elementwise kernel as its plan says. No decisions are made here.

    y[i, j] = f(x0[i, j], x1[i, j], ...)        an input of one row, one column or one element is broadcast

The loops run over rows, and in them over bodies of several vectors. The tail of a row has a body of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, nullcontext
from typing import Protocol

from ...encoder.records import NamedTuple
from ..codegen.long_sums import Between, rest_and_blocks
from ..codegen.lowered import VECTOR, LoweredBody
from ..codegen.selection import BitStore, Iota
from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import breadth
from ..dtypes import ELEMENT_BYTES
from ..expr.coordinates import COLUMN, ROW, number_word
from ..operands import RUNTIME, Operand, parameters
from .plan import BYTE, EltwisePlan, RowVector

MOST_REGISTERS = 13
"""The number of claimed general registers up to which another one counts the columns of a row. Some machines have
14."""


def emit(m: Machine, plan: EltwisePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    arguments = m.named_arguments(parameters(plan.spec.arguments))
    pointers = {operand.name: m.in_register(arguments[operand.name], operand.name) for operand in plan.spec.operands}
    values = {name: m.in_register(value, name) for name, value in arguments.items() if name not in pointers}
    emit_elementwise(m, plan, pointers, values)
    m.leave()


def emit_elementwise(
    m: Machine,
    plan: EltwisePlan,
    pointers: dict[str, General],
    values: dict[str, General],
    finder: Finder | None = None,
    rows: Amount | None = None,
    least: int = 1,
    long: LongRows | None = None,
) -> None:
    """Append the walk without the kernel's prologue and epilogue.

    pointers  to the operands, keyed by name
    values    the other arguments of the call: leading dimensions ("ldx") and numbers ("seed")
    finder    locates rows that are not adjacent in memory
    rows      the number of rows, if the call gives it; the plan is then one by rows
    least     the least number of rows that the call may give, 0 or 1
    long      long sums, if the plan has all rows
    """
    walk = RowLoops(m, plan, pointers, values, finder=finder)
    walk.long_rows = long
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim_lanes()
        walk.loop_invariant = scope.enter_context(m.vectors(len(plan.loop_invariant), "single elements"))
        walk.per_row = scope.enter_context(m.vectors(len(plan.per_row), "elements of the row"))
        walk.spare = scope.enter_context(m.vectors(plan.arithmetic.spare, "conversions"))
        walk.body = scope.enter_context(plan.code.constants(m, walk.widest))
        for name, register in zip(plan.loop_invariant, walk.loop_invariant):
            walk.spread(register, name)
        if rows is None:
            walk.emit()
            return
        with nullcontext() if least or isinstance(rows, int) else m.unless_zero(rows):
            walk.emit_dynamic(rows)


class Finder(Protocol):
    """Sets pointers to the current row of some operands, before each row is walked."""

    @property
    def names(self) -> Collection[str]:
        """The operands whose pointers it sets."""

    def find(self) -> None:
        """Append the instructions that set the pointers."""


class LongRows(NamedTuple):
    """Results of one row to which so many rows are added that they are laid by (codegen/long_sums.py).

    steps        rows between two times
    blocks_left  a counter
    between      gives what is emitted then, with vector registers that are free
    """

    steps: int
    blocks_left: General | Slot
    between: Callable[[Sequence[Vector]], Between]


class NoRows(NamedTuple):
    """A finder for no rows."""

    names: Collection[str]

    def find(self) -> None:
        """Do nothing."""


class RowLoops:
    """Pointers to the current row of each operand, and the loops that advance them."""

    body: LoweredBody
    loop_invariant: list[Vector]
    per_row: list[Vector]
    spare: list[Vector]
    long_rows: LongRows | None = None

    def __init__(
        self,
        m: Machine,
        plan: EltwisePlan,
        pointers: dict[str, General],
        values: dict[str, General],
        more: int = 0,
        finder: Finder | None = None,
    ) -> None:
        """more: the number of general registers that a walk with further pointers claims after these."""
        self.m, self.plan, self.spec, self.finder = m, plan, plan.spec, finder
        self.arithmetic = plan.arithmetic
        self.loads = {**self.arithmetic.loads, **self.arithmetic.wide_loads}
        self.stores = {**self.arithmetic.stores, **self.arithmetic.wide_stores}
        self.operands = {operand.name: operand for operand in plan.spec.operands}
        self.pointers, self.values = pointers, values
        registers = {id(register): name for name, register in reversed(pointers.items())}
        self.moving = {name: each for name, each in self.operands.items() if name in registers.values()}
        self.strides: dict[str, Amount] = {name: self._stride(operand) for name, operand in self.operands.items()}
        used = [name for name, _ in self.spec.program.inputs]
        placed = [name for name in used if name in (ROW, COLUMN)]
        claimed = len(pointers) + len(values) + len(placed) + len(plan.spec.bits) + more
        self.columns_left = m.general("columns") if claimed <= MOST_REGISTERS else m.counter("columns")
        in_registers = len(pointers) + len(values) <= m.facts.tuning.eltwise.register_arguments
        self.rows_left = m.general("rows") if in_registers else m.counter("rows")
        self.gathered_bits = {y.name: m.general("bits") for y in plan.spec.outputs if y.name in plan.spec.bits}
        self.coordinates = {name: self._origin(name) for name in placed}

    def _origin(self, name: str) -> General:
        """Return the row or column of the first element, in a register that the walk may change."""
        register = self.values.get(name.removeprefix("@"))
        if register is None:
            register = self.m.general(name)
            self.m.copy(register, 0)
        return register

    def _stride(self, operand: Operand) -> Amount:
        """Return the bytes between adjacent rows, or 0 if a single row is used for all."""
        size = ELEMENT_BYTES[operand.dtype]
        found = self.finder is not None and operand.name in self.finder.names
        if found or (operand.rows == 1 and self.spec.m > 1):
            return 0
        if operand.view.leading is RUNTIME:
            register = self.values[f"ld{operand.name}"]
            self.m.shift_left(register, size.bit_length() - 1)
            return register
        assert isinstance(operand.view.leading, int)
        return operand.view.leading * size

    # Lanes

    @property
    def counts(self) -> list[int]:
        """All numbers of elements that a vector of some body has."""
        return self.plan.counts

    def claim_lanes(self) -> None:
        """Claim the lanes for every number of elements in a vector, before any loop."""
        m = self.m
        self.lanes = {count: m.lanes(self.spec.compute, count) for count in self.counts}
        self.widest = max(self.lanes.values(), key=breadth)
        for operand in self.operands.values():
            if self._is_splat(operand):
                m.lanes(operand.dtype, 1)
                m.lanes(self.spec.compute, 1)
        compute_bytes = ELEMENT_BYTES[self.spec.compute]
        for operand in self.operands.values():
            # elements of the arithmetic's size are moved in its lanes
            size = ELEMENT_BYTES[operand.dtype]
            own_lanes = self.arithmetic.packed or size > compute_bytes
            if own_lanes and size != compute_bytes and operand.name not in self.spec.bits:
                for count in self.counts:
                    m.lanes(operand.dtype, count)

    # Loops

    def emit(self) -> None:
        """Emit all rows."""
        plan = self.plan
        together = plan.rows_of_body
        if self.long_rows is not None:
            self._long(self.long_rows)
            return
        loops, rest = divmod(plan.rows, together)
        with self.m.loop(self.rows_left, loops):
            self._row(together)
            if loops > 1 or rest:
                self._next_rows(together)
        if rest:
            self._row(rest)

    def _long(self, long: LongRows) -> None:
        """Emit all rows in blocks, between which long sums are laid by."""
        registers = self.body.registers[VECTOR]

        def rows(count: int) -> None:
            with self.m.loop(self.rows_left, count):
                self._row(1)
                self._next_rows(1)

        between = long.between([registers[number] for number in self.plan.code.changing])
        rest_and_blocks(self.m, long.steps, long.blocks_left, self.plan.rows, rows, between)

    def emit_dynamic(self, rows: Amount) -> None:
        """Emit a loop over the call's number of rows: several short rows in a body while they last, then one at a
        time."""
        together = self.plan.rows_of_body
        if together > 1:
            self._several(together, rows)
            return
        with self.m.loop(self.rows_left, rows):
            self._row(1)
            self._next_rows(1)

    def _several(self, together: int, rows: Amount) -> None:
        self.m.copy(self.rows_left, rows)
        for count in (together, 1):
            with self.m.while_at_least(self.rows_left, count):
                self._row(count)
                self._next_rows(count)

    def _row(self, rows: int) -> None:
        """Emit one row, or a few short ones. The pointers are restored afterwards."""
        plan, m = self.plan, self.m
        if self.finder is not None:
            self.finder.find()
        for name, register in zip(plan.per_row, self.per_row):
            self.spread(register, name)
        step = plan.columns_of_body
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

    def _move_columns(self, count: int, walked: Collection[int] | None = None) -> None:
        """Advance the pointers along a row. walked: ids of the registers to advance; None: all."""
        if COLUMN in self.coordinates:
            self.m.advance(self.coordinates[COLUMN], count)
        for name, operand in self.moving.items():
            if not self.spec.narrow(operand) and (walked is None or id(self.pointers[name]) in walked):
                self.m.advance(self.pointers[name], self._column_bytes(operand, count))

    def _is_splat(self, operand: Operand) -> bool:
        """Whether one element is loaded and then copied to all lanes, because no load does both."""
        one_load = operand.dtype == self.spec.compute and operand.dtype in ("f32", "f64")
        return self.spec.narrow(operand) and not one_load

    def _column_bytes(self, operand: Operand, column: int) -> int:
        return column // BYTE if operand.name in self.spec.bits else column * ELEMENT_BYTES[operand.dtype]

    def _next_rows(self, rows: int) -> None:
        if ROW in self.coordinates:
            self.m.advance(self.coordinates[ROW], rows)
        for name in self.moving:
            if self.strides[name] != 0:
                self.m.advance(self.pointers[name], self.strides[name], rows)

    # Bodies

    def _body(self, row_vectors: list[RowVector]) -> None:
        self.m.note(f"{len(row_vectors)} vectors, {sum(row_vector.count for row_vector in row_vectors)} elements")
        together = -(-len(row_vectors) // self.plan.repeats)
        for first in range(0, len(row_vectors), together):
            self._turn(row_vectors, first, together)

    def _turn(self, body: list[RowVector], first: int, together: int) -> None:
        """Emit some vectors of a body, as many as the code computes at once."""
        row_vectors = body[first : first + together]
        lanes = [self.lanes[row_vector.count] for row_vector in row_vectors]

        def load(name: str, copy: int, register: Vector, copy_lanes: Lanes) -> None:
            self._load(name, register, row_vectors[copy], copy_lanes)

        def store(result: int, copy: int, register: Vector, copy_lanes: Lanes) -> None:
            operand, row_vector = self.spec.outputs[result], row_vectors[copy]
            if operand.name in self.spec.bits:
                behind = body[first + copy + 1 : first + copy + 2]
                last = not behind or behind[0].row != row_vector.row
                self._store_bits(operand, register, row_vector, copy_lanes, last)
            else:
                self._store(operand, register, row_vector, copy_lanes)

        def join(result: int, first: int, registers: Sequence[Vector]) -> bool:
            return self._join(self.spec.outputs[result], row_vectors[first : first + len(registers)], registers)

        self.body.run(load, store, lanes, loop_invariant=[*self.loop_invariant, *self.per_row], join=join)

    def _load(self, name: str, register: Vector, row_vector: RowVector, lanes: Lanes) -> None:
        """Load an input of the expression for one vector."""
        if name not in self.operands:
            self.numbers(register, name, row_vector, lanes)
            return
        operand, address = self.operands[name], self._address(name, row_vector)
        if name in self.spec.bits:
            self.arithmetic.load_bits(self.m, register, address, row_vector.column % BYTE, lanes, self.spare)
        elif self.spec.narrow(operand):
            self.broadcast(register, name, address, lanes)
        elif operand.dtype == self.spec.compute:
            self.m.load(register, address, lanes)
        else:
            self.loads[operand.dtype, self.spec.compute](self.m, register, address, lanes)

    def _store(self, operand: Operand, register: Vector, row_vector: RowVector, lanes: Lanes) -> None:
        """Store a result for one vector."""
        address = self._address(operand.name, row_vector)
        if operand.dtype == self.spec.compute:
            self.m.store(address, register, lanes)
        else:
            self.stores[operand.dtype, self.spec.compute](self.m, address, register, lanes, self.spare)

    def _join(self, operand: Operand, row_vectors: list[RowVector], registers: Sequence[Vector]) -> bool:
        """Store results of neighbouring vectors as one vector, if a row has enough of them. Returns whether it did."""
        joined = self.arithmetic.joined[operand.dtype, self.spec.compute]
        first, whole = row_vectors[0], self.plan.vector
        if len(row_vectors) < joined.vectors or any(x.row != first.row or x.count < whole for x in row_vectors):
            return False
        address = self._address(operand.name, first)
        joined.store(self.m, address, registers, self.lanes[whole], self.spare)
        return True

    def _store_bits(self, operand: Operand, mask: Vector, row_vector: RowVector, lanes: Lanes, last: bool) -> None:
        """Store a mask for one vector."""
        whole_bytes, first_bit = divmod(row_vector.column, BYTE)
        address = self._address(operand.name, RowVector(row_vector.row, whole_bytes * BYTE, row_vector.count))
        bits = BitStore(address, mask, first_bit, lanes, self.gathered_bits[operand.name], last, self.spare)
        self.arithmetic.store_bits(self.m, bits)

    def _address(self, name: str, row_vector: RowVector) -> Address:
        """Return the address of an operand's elements for one vector."""
        operand, stride = self.operands[name], self.strides[name]
        column = 0 if self.spec.narrow(operand) else self._column_bytes(operand, row_vector.column)
        row = row_vector.row * stride if isinstance(stride, int) else 0  # with strides in registers, a body has one row
        return self.m.at(self.pointers[name], row + column)

    def spread(self, register: Vector, name: str) -> None:
        """Broadcast an input that is the same for a whole row, or for all elements."""
        if name in self.operands:
            self.broadcast(register, name, self.m.at(self.pointers[name]), self.widest)
        else:
            self.numbers(register, name, RowVector(0, 0, 0), self.widest)

    def numbers(self, register: Vector, name: str, row_vector: RowVector, lanes: Lanes) -> None:
        """Compute an input that is not in memory: a row, columns, or a word of a number given at the call."""
        word = number_word(name)
        if word:
            numbers = Iota(self.values[word[0]], first_bit=32 * word[1])
        else:
            addend = row_vector.row if name == ROW else row_vector.column
            numbers = Iota(self.coordinates[name], addend=addend, step=int(name == COLUMN))
        self.arithmetic.iota(self.m, register, numbers, lanes, self.spare)

    def broadcast(self, register: Vector, name: str, address: Address, lanes: Lanes) -> None:
        """Set every element of a register to one element of memory, in the type of the arithmetic."""
        operand = self.operands[name]
        if not self._is_splat(operand):
            self.m.broadcast(register, address, lanes)
            return
        one = self.m.lanes(operand.dtype, 1)
        if operand.dtype == self.spec.compute:
            self.m.load(register, address, one)
        else:
            load = self.loads[operand.dtype, self.spec.compute]
            load(self.m, register, address, self.m.lanes(self.spec.compute, 1))
        self.arithmetic.splat(self.m, register, register, 8 * ELEMENT_BYTES[self.spec.compute], lanes)
