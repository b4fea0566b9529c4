"""Emit a walk over all rows in strips of columns as its plan says (columns_plan.py). No decisions are made here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, cast

from ..codegen.long_sums import Between, LongSums, dynamic_in_blocks, rest_and_blocks
from ..codegen.lowered import VECTOR
from ..codegen.selection import Constant
from ..contract.machine import General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import claimed
from ..eltwise.emit import RowLoops
from ..eltwise.plan import EltwisePlan, RowVector
from ..expr.graph import BITS
from ..reduce.ops import running
from .columns_plan import ColumnsPlan

INTERLEAVED_ROWS = 2
"""Rows per step of the loop."""
LONG = 4
"""The vectors of a strip from which on a step has one row if the call counts the rows: two rows would have three times
the code, and took as long (batch_mean of 100 and 384 columns, batchnorm_training of 100, an Emerald Rapids)."""


def emit_columns(
    m: Machine, plan: ColumnsPlan, pointers: dict[str, General], values: dict[str, General], rows: General | None = None
) -> None:
    """Append the walk.

    pointers  to its operands, keyed by name
    values    the other arguments of the call
    rows      the number of rows, if it differs from the plan's
    """
    walk = Strips(m, plan, pointers, values, rows)
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim(scope)
        walk.emit()


class Strips(RowLoops):
    """The loop over strips of columns, and in each strip over the rows."""

    def __init__(
        self,
        m: Machine,
        plan: ColumnsPlan,
        pointers: dict[str, General],
        values: dict[str, General],
        rows: General | None,
    ) -> None:
        super().__init__(m, cast(EltwisePlan, plan), pointers, values)
        self.strips, self.count = plan, rows
        self.long: LongSums | None = None
        if plan.levels is not None:
            self.long = LongSums(m, plan.levels, m.scratch(plan.bytes_of_scratch))
            self.blocks_left = m.counter("blocks of rows") if rows is None else m.general("rows of whole blocks")

    def claim(self, scope: ExitStack) -> None:
        """Claim all registers, before any loop."""
        plan, m = self.strips, self.m
        self.claim_lanes()
        self.spare = scope.enter_context(m.vectors(plan.arithmetic.spare, "conversions"))
        self.loop_invariant = scope.enter_context(m.vectors(len(plan.loop_invariant), "single elements"))
        self.per_row = scope.enter_context(m.vectors(len(plan.per_row), "elements of the row"))
        strip = range(plan.interleave)
        self.held = self.claim_held(scope)
        self.states = [scope.enter_context(m.vectors(len(plan.reduced), "reductions")) for _ in strip]
        self.body = scope.enter_context(plan.code.constants(m, self.widest))
        for name, register in zip(plan.loop_invariant, self.loop_invariant):
            self.spread(register, name)

    def claim_held(self, scope: ExitStack) -> list[list[Vector]]:
        """Claim the registers of the rows that each vector of a strip holds."""
        plan = self.strips
        return [scope.enter_context(self.m.vectors(len(plan.held), "single rows")) for _ in range(plan.interleave)]

    def emit(self) -> None:
        """Emit all columns."""
        plan, step = self.strips, self.strips.interleave * self.strips.vector
        loops, rest = divmod(plan.columns, step)
        if loops:
            with self.m.loop(self.columns_left, loops):
                self._strip(step)
                if loops > 1 or rest:
                    self._move_columns(step)
        if rest:
            self._strip(rest)

    def _strip(self, columns: int) -> None:
        """Emit `columns` columns of all rows. The pointers are restored afterwards."""
        plan = self.strips
        places = [RowVector(0, start, min(plan.vector, columns - start)) for start in range(0, columns, plan.vector)]
        for place, held, states in zip(places, self.held, self.states):
            self._load_held(held, place)
            self._start(states)
        if self.count is not None:
            self._dynamic_rows(places)
        else:
            self._all_rows(places)
        for place, states in zip(places, self.states):
            self._store_reduced(states, place)

    def _load_held(self, held: list[Vector], place: RowVector) -> None:
        for name, register in zip(self.strips.held, held):
            self._load(name, register, place, self.lanes[place.count])

    def _start(self, states: list[Vector]) -> None:
        plan = self.strips
        for (_, name), register in zip(plan.reduced, states):
            start = running(name, self.spec.compute, plan.arithmetic, 1).start[0]
            plan.arithmetic.constant(self.m, register, Constant(start, BITS[self.spec.compute]), self.widest)

    def _store_reduced(self, states: list[Vector], place: RowVector) -> None:
        for (number, _), register in zip(self.strips.reduced, states):
            self._store(self.spec.outputs[number], register, place, self.lanes[place.count])

    def _all_rows(self, places: list[RowVector]) -> None:
        """Emit the plan's number of rows."""
        interleaved_rows = INTERLEAVED_ROWS if all(isinstance(stride, int) for stride in self.strides.values()) else 1

        def loop(count: int) -> None:
            with self.m.loop(self.rows_left, count):
                self._rows(places, interleaved_rows)
                self._next_rows(interleaved_rows)

        def some(rows: int) -> None:
            if rows // interleaved_rows:
                loop(rows // interleaved_rows)
            if rows % interleaved_rows:
                self._rows(places, rows % interleaved_rows)
                self._next_rows(rows % interleaved_rows)

        loops, rest = divmod(self.strips.rows, interleaved_rows)
        if self.long is None:
            loop(loops)
            if rest:
                self._rows(places, rest)
            self._next_rows(-loops * interleaved_rows)
        else:
            self._rest_and_blocks(some, len(places))
            self._next_rows(-self.strips.rows)

    # Long sums

    def _sums(self, vectors: int) -> list[Vector]:
        """Return the registers of the sums of the first vectors of a strip."""
        return [states[place] for states in self.states[:vectors] for place in self.strips.sums]

    @property
    def _free(self) -> list[Vector]:
        """Registers that hold nothing between two rows."""
        return [self.body.registers[VECTOR][number] for number in self.strips.code.changing]

    def _between(self, long: LongSums, vectors: int) -> Between:
        """Return what is emitted between blocks of rows."""
        sums, lanes = self._sums(vectors), self.widest
        return Between(
            lambda: long.clear(sums, lanes),
            lambda: long.lay_by(sums, lanes, self._free),
            lambda: long.bring_back(sums, lanes, self._free),
        )

    def _rest_and_blocks(self, rows: Callable[[int], None], vectors: int) -> None:
        """Emit all rows in blocks, between which long sums are laid by. `rows` emits some rows."""
        long = claimed(self.long)
        between = self._between(long, vectors)
        rest_and_blocks(self.m, long.levels.steps, self.blocks_left, self.strips.rows, rows, between)

    # Rows that the call counts

    def _dynamic_rows(self, places: list[RowVector]) -> None:
        """Emit the number of rows that the call gives."""
        m, count = self.m, self.count
        assert count is not None
        if self.long is None:
            m.copy(self.rows_left, count)
            self._rows_left(places)
        else:
            assert not isinstance(self.blocks_left, Slot)
            dynamic_in_blocks(
                m,
                self.long.levels.steps,
                self.blocks_left,
                count,
                self.rows_left,
                lambda: self._rows_left(places),
                self._between(self.long, len(places)),
            )
        for name in self.moving:
            stride = self.strides[name]
            assert isinstance(stride, int), "the planner has strips where the distance of rows is known"
            m.advance(self.pointers[name], count, -stride)

    def _rows_left(self, places: list[RowVector]) -> None:
        """Emit the rows that are left of a block, or of all."""
        for rows in dict.fromkeys((INTERLEAVED_ROWS if len(places) < LONG else 1, 1)):
            with self.m.while_at_least(self.rows_left, rows):
                self._rows(places, rows)
                self._next_rows(rows)

    def _rows(self, places: list[RowVector], rows: int) -> None:
        """Emit the vectors of some rows."""
        for row in range(rows):
            for name, register in zip(self.strips.per_row, self.per_row):
                self.broadcast(register, name, self._address(name, RowVector(row, 0, 1)), self.widest)
            for number, place in enumerate(places):
                self._vector(number, RowVector(row, place.column, place.count))

    def _vector(self, number: int, *places: RowVector) -> None:
        """Emit the vector of this number, or as many neighbours of it as there are places."""
        plan, m = self.strips, self.m
        states = self.states[number : number + len(places)]
        reduced = len(plan.reduced)

        def load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
            self._load(name, register, places[copy], self.lanes[places[copy].count])

        def store(result: int, copy: int, register: Any, lanes: Lanes) -> None:
            if result >= reduced:
                operand = self.spec.outputs[plan.stored[result - reduced]]
                self._store(operand, register, places[copy], self.lanes[places[copy].count])
            elif register != states[copy][result]:
                plan.arithmetic.move(m, states[copy][result], register, lanes)

        stay = [*self.loop_invariant, *self.per_row, *self.held[number]]
        given = [register for state in states for register in state]
        self.body.run(load, store, [self.widest] * len(places), given=given, loop_invariant=stay)
