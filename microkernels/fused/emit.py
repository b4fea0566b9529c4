"""Emit a fused kernel as planned; this module makes no decisions.

for each row:
    row values that need no reduction
    for each pass:  the row, vector by vector; then fold the accumulators and compute row values
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any, cast

from ..codegen.laid_by import RowSums
from ..codegen.long_sums import dynamic_in_blocks, in_blocks
from ..codegen.lowered import LoweredBody, Waiting
from ..codegen.selection import Constant
from ..contract.machine import Address, Amount, General, Lanes, Machine, Vector
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import Finder, NoRows, RowLoops
from ..eltwise.plan import EltwisePlan, RowVector
from ..expr.graph import BITS
from ..operands import CACHE_LINE, parameters
from ..reduce.ops import running
from .ahead import PIECE
from .long_sums import block_of, depth_of_sums, slots_of_sums
from .parts import PassCode, RowCode
from .passes import COLUMN_SUM, KEPT, inputs_of
from .plan import FusedPlan
from .sums import PassAccumulators

SECOND = 2


def emit(m: Machine, plan: FusedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    arguments = m.argument_registers(parameters(plan.spec.arguments))
    pointers = {operand.name: arguments.pop(operand.name) for operand in plan.spec.operands}
    emit_rows(m, plan, pointers, arguments)
    m.leave()


def emit_rows(
    m: Machine,
    plan: FusedPlan,
    pointers: dict[str, General],
    values: dict[str, General],
    finder: Finder | None = None,
    started: bool = False,
    rows: Amount | None = None,
) -> None:
    """Emit the loops over rows, without entry and return.

    pointers, values  the operands by name, and the other arguments of the call
    finder            sets pointers before each row, for rows found by an index
    started           whether reductions down the columns continue from what their results hold
    rows              the number of rows, if the call gives it
    """
    walk = _RowPasses(m, plan, pointers, values, finder)
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim(scope)
        if not started:
            walk.start()
        if rows is None:
            walk.emit()
        else:
            walk.emit_dynamic(rows)


def emit_start(m: Machine, plan: FusedPlan, pointers: dict[str, General], values: dict[str, General]) -> None:
    """Store the identity of each reduction down the columns, from which `emit_rows` continues."""
    walk = _RowPasses(m, plan, pointers, values, NoRows(tuple(pointers)))
    with m.predicates():
        walk.claim_lanes()
        walk.whole = walk.lanes[plan.vector]
        walk.start()


class _RowPasses(RowLoops):
    """The loops over rows, and the passes over each row."""

    def __init__(
        self,
        m: Machine,
        plan: FusedPlan,
        pointers: dict[str, General],
        values: dict[str, General],
        finder: Finder | None,
    ) -> None:
        more = 1 if plan.scratch else 0
        super().__init__(m, cast(EltwisePlan, plan), pointers, values, more, finder)
        self.fused = plan
        self.rows_held: list[dict[str, Vector]] = []
        self.row = 0  # which of the alternating rows is being emitted
        self.banks: list[list[Vector]] = []  # the registers that hold values of a whole row, for each of those rows
        self.walked: Collection[int] = ()
        self.streamed = ""  # the result that the current pass stores past the caches

    def claim(self, scope: ExitStack) -> None:
        """Claim all registers that stay live across the loops."""
        plan, m = self.fused, self.m
        self.claim_lanes()
        self.whole = self.lanes[plan.vector]
        self.spare = scope.enter_context(m.vectors(plan.arithmetic.spare, "conversions"))
        if plan.stored:
            (self.through,) = scope.enter_context(m.vectors(1, "values of the row on their way to memory"))
        invariant = (
            {}
            if plan.stored
            else dict(zip(plan.loop_invariant, scope.enter_context(m.vectors(len(plan.loop_invariant), "elements"))))
        )
        for _ in range(plan.interleave):
            count = 0 if plan.stored else plan.registers_of_a_row
            registers = scope.enter_context(m.vectors(count, "values of the row"))
            own, values = registers[: len(plan.per_row)], registers[len(plan.per_row) :]
            placed = {} if plan.stored else {name: values[place] for name, place in zip(plan.values, plan.places)}
            self.rows_held.append({**invariant, **dict(zip(plan.per_row, own)), **placed})
            self.banks.append(scope.enter_context(m.vectors(plan.banks.registers, "rows")))
        if plan.scratch:
            self.scratch = m.scratch(len(plan.scratch) * plan.line * plan.interleave)
            self.lines = {kept.name: at * plan.line * plan.interleave for at, kept in enumerate(plan.scratch)}
        slots = plan.slots + slots_of_sums(plan)
        self.slot_of = {name: slots + number for number, name in enumerate(plan.stored)}
        slots += len(plan.stored)
        self.waiting = Waiting(m, slots, self.whole) if slots else None
        if slots_of_sums(plan):
            self.blocks_left = m.counter("blocks")
        self.taken = [m.counter("sums of a level") for _ in range(depth_of_sums(plan) - 1)]
        if plan.laid_by is not None:
            self.whole_blocks = m.general("rows of whole blocks")
            base, names = m.scratch(plan.laid_by.bytes), [name for name, _ in plan.laid_by.sums]
            sums = {name: self.pointers[name] for name in names}
            self.between = RowSums(m, plan.laid_by).between(sums, base)
        for name in plan.loop_invariant:
            self.spread(self._held_in(name), name)
            self._lay_down(name)

    @property
    def held(self) -> dict[str, Vector]:
        """The registers of the current row, by the name of the value."""
        return self.rows_held[self.row]

    def _held_in(self, name: str) -> Vector:
        """Return the register in which a row value is computed."""
        return self.through if name in self.slot_of else self.held[name]

    def _lay_down(self, name: str) -> None:
        """Store a row value from that register, if it lies in memory."""
        if name in self.slot_of and self.waiting is not None:
            self.waiting.store(self.slot_of[name], self.through)

    # Loops

    def emit(self) -> None:
        """Emit the loop over all rows."""
        if self.fused.laid_by is not None:
            self.emit_dynamic(self.fused.rows)
            return
        loops, rest = divmod(self.fused.rows, self.fused.interleave)
        with self.m.loop(self.rows_left, loops):
            self._rows(self.fused.interleave)
            if loops > 1 or rest:
                self._next_rows(self.fused.interleave)
        if rest:
            self._rows(rest)
        if self.fused.ahead.streamed:
            self.m.shuffles().streamed()

    def emit_dynamic(self, rows: Amount) -> None:
        """Emit alternating rows while the number of rows, which a call may give, suffices for them, then single
        rows."""

        def rows_left() -> None:
            for count in sorted({self.fused.interleave, 1}, reverse=True):
                with self.m.while_at_least(self.rows_left, count):
                    self._rows(count)
                    self._next_rows(count)

        if self.fused.laid_by is None:
            self.m.copy(self.rows_left, rows)
            rows_left()
        else:
            block = self.fused.laid_by.levels.steps
            dynamic_in_blocks(self.m, block, self.whole_blocks, rows, self.rows_left, rows_left, self.between)
        if self.fused.ahead.streamed:
            self.m.shuffles().streamed()

    def start(self) -> None:
        """Initialize the results that are reductions down the columns."""
        for number, name in self.fused.spec.column_sums.items():
            self._start(self.spec.outputs[number].name, name)

    def _start(self, y: str, name: str) -> None:
        """Fill a result of one row with the identity of its reduction."""
        plan, m = self.fused, self.m
        loops, rest = divmod(min(plan.columns, self.operands[y].columns), plan.vector)
        compute, step = self.spec.compute, plan.vector * ELEMENT_BYTES[self.spec.compute]
        start = Constant(running(name, compute, plan.arithmetic, 1).start[0], BITS[compute])
        with m.vectors(1, "what changes no element") as (register,):
            plan.arithmetic.constant(m, register, start, self.whole)
            if loops:
                with m.loop(self.columns_left, loops):
                    m.store(self._address(y, RowVector(0, 0, plan.vector)), register, self.whole)
                    m.advance(self.pointers[y], step)  # alone: a vector may be narrower than a mask byte
            if rest:
                m.store(self._address(y, RowVector(0, 0, rest)), register, self.lanes[rest])
        if loops:
            m.advance(self.pointers[y], -loops * step)

    def _rows(self, count: int) -> None:
        """Emit `count` alternating rows: each part is emitted for all of them before the next part."""
        plan, m = self.fused, self.m
        if self.finder is not None:
            self.finder.find()
        for self.row in range(count):
            for name in plan.per_row:
                self.broadcast(self._held_in(name), name, self._address(name, RowVector(self.row, 0, 1)), self.whole)
                self._lay_down(name)
        for part in plan.parts:
            for self.row in range(count):
                m.note(f"level {part.cut.level}, row {self.row}")
                if isinstance(part, RowCode):
                    self._row_values(part)
                else:
                    self._pass(part)

    def _pass(self, each: PassCode) -> None:
        """Emit one pass over the row, twice if it stores a result past the caches where that is aligned."""
        stored = [self.spec.outputs[number].name for number, _ in each.cut.results]
        streamed = next((name for name in stored if name in self.fused.ahead.streamed), None)
        if streamed is None:
            self._one_pass(each)
            return
        verbs, pointer = self.m.shuffles(), self.pointers[streamed]
        with verbs.when_aligned(pointer, PIECE, True):
            self.streamed = streamed
            self._one_pass(each)
        self.streamed = ""
        with verbs.when_aligned(pointer, PIECE, False):
            self._one_pass(each)

    def _one_pass(self, each: PassCode) -> None:
        """Emit one pass over the row. The pointers end where they began."""
        plan, m = self.fused, self.m
        step = each.vectors * plan.vector
        self.walked = self._walked(each)
        loops, rest = divmod(plan.columns, step) if not plan.banks.places else (0, plan.columns)
        moved = loops > 1 or (loops and rest)
        with ExitStack() as scope:
            sums = PassAccumulators(m, plan, each, self.lanes, scope, self.waiting, self.taken)
            sums.start()
            with each.step.constants(m, self.whole, self.waiting) as body:
                self._steps(each, body, sums, loops, bool(moved))
                for first in range(0, rest // plan.vector, each.vectors):
                    self._vectors(each, body, sums, min(each.vectors, rest // plan.vector - first), first)
            if each.tail is not None:
                with each.tail.constants(m, self.whole, self.waiting) as body:
                    start = rest // plan.vector * plan.vector
                    self._along(each, body, sums.states, [RowVector(self.row, start, plan.tail)])
                    sums.add(1)
            if moved:
                self._move(-loops * step)
            sums.bring_back()
            names = [f"@a{number}" for number, _ in each.cut.reduced]
            sums.fold([self._held_in(name) for name in names])
            for name in names:
                self._lay_down(name)

    def _walked(self, each: PassCode) -> Collection[int]:
        """Return the ids of the pointer registers of everything that a pass reads, writes or prefetches."""
        cut, ahead, outputs = each.cut, self.fused.ahead, self.spec.outputs
        names = {*inputs_of(cut.values), *ahead.read(cut), *ahead.written(cut)}
        names.update(outputs[number].name for number, _ in cut.results)
        kept = self.fused.spec.passes.kept
        places = [*(number for number, _ in cut.kept), *(int(name[2:]) for name in names if name.startswith("@k"))]
        names.update(outputs[result].name for number in places if (result := kept[number].result) is not None)
        return {id(self.pointers[name]) for name in names if name in self.pointers}

    def _steps(self, each: PassCode, body: LoweredBody, sums: PassAccumulators, loops: int, moved: bool) -> None:
        """Emit the whole steps of a row, in blocks if sums have two levels."""

        def walked(count: int) -> None:
            with self.m.loop(self.columns_left, count):
                self._vectors(each, body, sums, each.vectors)
                if moved:
                    self._move(each.vectors * self.fused.vector)

        if sums.deep is not None:
            block = max(1, sums.deep.levels.steps * each.pool.accumulators // each.vectors)
            in_blocks(self.m, block, self.blocks_left, loops, walked, lambda: sums.lay_by(body))
            return
        if not sums.long:
            if loops:
                walked(loops)
            return
        block = block_of(loops)
        walked(block)
        sums.lay_by(first=True)
        if loops >= 2 * block:
            with self.m.loop(self.blocks_left, loops // block - 1):
                walked(block)
                sums.lay_by()
        if loops % block:
            walked(loops % block)

    def _vectors(self, each: PassCode, body: LoweredBody, sums: PassAccumulators, count: int, start: int = 0) -> None:
        vector = self.fused.vector
        self._prefetch(each, start * vector, count * vector)
        row_vectors = [RowVector(self.row, (start + i) * vector, vector) for i in range(count)]
        for first in range(0, count, each.step.unroll):
            own = sums.states[first % each.pool.accumulators :]
            self._along(each, body, own, row_vectors[first : first + each.step.unroll])
        sums.add(min(count, each.step.unroll))

    def _prefetch(self, each: PassCode, start: int, count: int) -> None:
        """The lines of the next elements, of results for stores, of inputs some rows ahead."""
        ahead = self.fused.ahead
        rows = dict.fromkeys(ahead.written(each.cut), 0) | dict.fromkeys(ahead.read(each.cut), self.fused.interleave)
        for name, further in rows.items():
            size = ELEMENT_BYTES[self.operands[name].dtype]
            for column in range(start, start + count, max(1, CACHE_LINE // size)):
                place = self._address(name, RowVector(self.row + further, column, 1))
                self.m.prefetch_line(place, SECOND, written=not further)

    def _along(
        self, each: PassCode, body: LoweredBody, states: Sequence[Sequence[Any]], row_vectors: list[RowVector]
    ) -> None:
        """Vectors of the row, each to an accumulator of its own, whose registers are `states`."""

        def load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
            self._load_element(name, register, row_vectors[copy])

        def store(result: int, copy: int, register: Any, lanes: Lanes) -> None:
            number, row_vector = result - each.states, row_vectors[copy]
            if number >= len(each.cut.kept):
                last = copy + 1 == len(row_vectors)
                self._store_result(each.cut.results[number - len(each.cut.kept)][0], register, row_vector, last)
            elif number >= 0:
                self._keep(each.cut.kept[number][0], register, row_vector)
            elif register != states[copy][result]:
                self.arithmetic.move(self.m, states[copy][result], register, lanes)

        given: list[Vector] = []
        for state, row_vector in zip(states, row_vectors):
            given += [*state, *(self._banked(each, name, row_vector) for name in each.banked)]
        body.run(load, store, [self.whole] * len(row_vectors), given=given, loop_invariant=list(self.held.values()))

    def _load_element(self, name: str, register: Vector, row_vector: RowVector) -> None:
        lanes = self.lanes[row_vector.count]
        if name in self.slot_of and self.waiting is not None:
            self.waiting.load(self.slot_of[name], register)
        elif name.startswith(KEPT):
            self.m.load(register, self._place(int(name[2:]), row_vector), lanes)
        elif name.startswith(COLUMN_SUM):
            y = self.spec.outputs[int(name.removeprefix(COLUMN_SUM))]
            self.m.load(register, self._address(y.name, row_vector), lanes)
        else:
            self._load(name, register, row_vector, lanes)

    def _store_result(self, number: int, register: Any, row_vector: RowVector, last: bool) -> None:
        """Store elements of a result; `last` says whether they end a byte of bits."""
        operand, lanes = self.spec.outputs[number], self.lanes[row_vector.count]
        if operand.name in self.spec.bits:
            self._store_bits(operand, register, row_vector, lanes, last)
        elif operand.name == self.streamed and row_vector.count == self.fused.vector:
            self.m.shuffles().store_streaming_pieces(self._address(operand.name, row_vector), register, lanes)
        else:
            self._store(operand, register, row_vector, lanes)

    def _keep(self, number: int, register: Vector, row_vector: RowVector) -> None:
        """Lay a kept element by, in its bank of registers or in memory."""
        if (name := f"{KEPT}{number}") not in self.fused.banks:
            self.m.store(self._place(number, row_vector), register, self.lanes[row_vector.count])
        elif register != (held := self._in_bank(name, row_vector)):
            self.arithmetic.move(self.m, held, register, self.whole)

    def _in_bank(self, name: str, row_vector: RowVector) -> Vector:
        """Return the register that holds a vector of a row between two passes."""
        return self.banks[self.row][self.fused.banks.number(name, row_vector.column // self.fused.vector)]

    def _banked(self, each: PassCode, name: str, row_vector: RowVector) -> Vector:
        """Return that register, filled from memory if this pass is the first one that reads the value."""
        held = self._in_bank(name, row_vector)
        if not name.startswith(KEPT) and each.cut.level == self.fused.banks.first[name]:
            self._load_element(name, held, row_vector)
        return held

    def _place(self, number: int, row_vector: RowVector) -> Address:
        """Return the address of a kept element."""
        kept = self.fused.spec.passes.kept[number]
        if kept.result is not None:
            return self._address(self.spec.outputs[kept.result].name, row_vector)
        column = row_vector.column * ELEMENT_BYTES[self.spec.compute]
        return self.m.at(self.scratch, self.lines[kept.name] + row_vector.row * self.fused.line + column)

    def _move(self, count: int) -> None:
        """Advance the pointers of a pass along the row, including the one to kept elements in scratch memory."""
        self._move_columns(count, self.walked)
        if self.fused.scratch:
            self.m.advance(self.scratch, count * ELEMENT_BYTES[self.spec.compute])

    # Values of the row

    def _row_values(self, part: RowCode) -> None:
        names = [name for name, _ in part.cut.values]
        computed = self.lanes[part.narrow] if part.narrow else self.whole

        def load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
            if name.startswith(COLUMN_SUM):
                self._load_element(name, register, RowVector(self.row, 0, 1))
                return
            assert self.waiting is not None
            self.waiting.load(self.slot_of[name], register)

        def store(result: int, copy: int, register: Vector, lanes: Lanes) -> None:
            if result < len(names):
                name = names[result]
                if part.narrow:
                    self.arithmetic.splat(self.m, self._held_in(name), register, BITS[self.spec.compute], self.whole)
                else:
                    self.arithmetic.move(self.m, self._held_in(name), register, lanes)
                self._lay_down(name)
                return
            y = self.spec.outputs[part.cut.results[result - len(names)][0]]
            if y.name in self.spec.bits:
                self._store_bits(y, register, RowVector(self.row, 0, 1), self.lanes[1], True)
            else:
                self._store(y, register, RowVector(self.row, 0, 1), self.lanes[1])

        with part.code.constants(self.m, computed, self.waiting) as body:
            body.run(load, store, [computed], loop_invariant=list(self.held.values()))
