"""Reductions along rows, one row after the other, and reductions of all elements.

A few accumulators take turns, so that operations do not wait for each other. At the end of a row they are joined or
folded into one, which is stored in a line of scratch memory. The lines of a group of rows are then folded by a tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..codegen.long_sums import LongSums
from ..codegen.lowered import LoweredBody
from ..contract.machine import Address, General, Lanes, Machine, Vector
from ..contract.vector_verbs import claimed
from ..expr.graph import BITS
from .code import Output
from .emitter import Traversal
from .plan import ReducePlan
from .tree import combine, fold_rows, levels


class RowByRow(Traversal):
    """Walks one row after the other."""

    def __init__(self, m: Machine, plan: ReducePlan, arguments: dict[str, General]) -> None:
        super().__init__(m, plan, arguments)
        self.vector_bytes = plan.vector * BITS[plan.spec.compute] // 8
        self.line_bytes = sum(output.parts for output in plan.outputs) * self.vector_bytes
        self.rows_left = m.general("rows")
        self.groups_left = m.general("groups") if plan.spec.axis == 1 else None
        self._claim_scratch()
        self.line = m.general("line") if plan.group > 1 else None

    def emit(self) -> None:
        """Emit the groups of rows. If all elements are reduced, the accumulators go on from row to row instead."""
        m, plan = self.m, self.plan
        if self.spec.axis is None:
            self._begin()
            self._repeat(self._some_rows, plan.rows, plan.steps_of_row, self._lay_by)
            self._fold(1)
            return
        loops, rest = divmod(plan.rows, plan.group)
        assert self.groups_left is not None
        with m.loop(self.groups_left, loops):
            self._group(plan.group)
        if rest:
            self._group(rest)

    def _some_rows(self, rows: int) -> None:
        """Emit a loop that adds rows to the accumulators."""
        if rows:
            with self.m.loop(self.rows_left, rows):
                self._along()
                self.m.advance(self.pointers["x"], self.stride)

    def _begin(self) -> None:
        """Set the accumulators and the levels of long sums to the identity, before a row or before all."""
        if self.long is not None:
            self.long.clear(self._sums(1), self.whole)
        if self.plan.first is None:
            self._start(self.used)

    def _lay_by(self, long: LongSums) -> None:
        """Join the accumulators, add their sums to the levels, and start again."""
        for output in self.plan.outputs:
            self._joined(output)
        long.lay_by(self._sums(1), self.whole)
        self._start(self.used)

    @property
    def used(self) -> int:
        """The number of accumulators that a row reaches."""
        plan = self.plan
        return min(plan.accumulators, -(-plan.columns // (plan.vector * plan.vectors_per_step)))

    def _group(self, rows: int) -> None:
        """Reduce a group of rows: store the accumulators of each row in scratch memory, then fold their lanes."""
        m = self.m
        if self.line is not None:
            m.copy(self.line, claimed(self.scratch))
        with m.loop(self.rows_left, rows):
            self._begin()
            self._along()
            if self.line is not None:
                self._store_line()
                m.advance(self.line, self.line_bytes)
            m.advance(self.pointers["x"], self.stride)
        self._fold(rows)
        self._move_results(rows)

    def _along(self) -> None:
        """Accumulate one row; leaves the pointer where it was."""
        m, vector, plan = self.m, self.plan.vector, self.plan
        self._set_index(0, tuple(range(vector)))
        turn = plan.step.unroll * plan.vectors_per_step
        start = turn if plan.first is not None else 0
        if plan.first is not None:
            with self._body(plan.first) as body:
                self._turn(body, 0, plan.step.unroll)
        vectors, tail = divmod(plan.columns - start * vector, vector)
        straight = vectors <= (turn if plan.in_loops else self.tuning.straight_vectors)
        longest = turn if plan.in_loops else self.tuning.body_vectors
        body_vectors = vectors if straight else max(1, longest // turn) * turn
        loops, rest = divmod(vectors, body_vectors) if vectors else (0, 0)
        m.note(f"{loops} times {body_vectors} vectors, {rest}, {tail} elements")

        def traverse(count: int) -> None:
            if count:
                with m.loop(self.columns_left, count):
                    self._vectors(start * vector * self.size, body_vectors)
                    if loops > 1:
                        self._move("x", body_vectors * vector)

        self._repeat(traverse, loops, -(-body_vectors // plan.step.unroll), self._lay_by)
        moved = loops * body_vectors if loops > 1 else 0
        disp = (start + vectors - rest - moved) * vector * self.size
        following = self._vectors(disp, rest) if rest else -(-vectors // plan.vectors_per_step) % plan.accumulators
        if tail:
            assert plan.tail is not None
            disp = (start + vectors - moved) * vector * self.size
            state = self.states[following % self.used]
            with self._body(plan.tail) as body:
                self._accumulate(body, [(0, disp)], [state], [self.whole], self.lanes[tail])
        if moved:
            self._move("x", -moved * vector)

    def _vectors(self, disp: int, count: int) -> int:
        """Accumulate `count` whole vectors in the accumulators in turn, starting with the first. Return the number of
        the accumulator whose turn is next."""
        plan, vector_bytes = self.plan, self.plan.vector * self.size
        steps, left_over = divmod(count, plan.vectors_per_step)
        with self._body(plan.step) as body:
            for first in range(0, steps, plan.step.unroll):
                first_disp = disp + first * plan.vectors_per_step * vector_bytes
                self._turn(body, first_disp, min(plan.step.unroll, steps - first))
        if left_over:
            with self._body(plan.single) as body:
                state = self.states[steps % plan.accumulators]
                left_disp = disp + steps * plan.vectors_per_step * vector_bytes
                self._accumulate(body, [(0, left_disp)], [state], [self.whole])
        return (steps + left_over) % plan.accumulators

    def _turn(self, body: LoweredBody, disp: int, count: int) -> None:
        """Accumulate one step in each of the first `count` accumulators; the steps follow each other in the row."""
        step_bytes = self.plan.vectors_per_step * self.plan.vector * self.size
        positions = [(0, disp + copy * step_bytes) for copy in range(count)]
        self._accumulate(body, positions, self.states[:count], [self.whole] * count)
        if count == self.plan.step.unroll:
            self._advance_index()

    def _at(self, row: int, disp: int) -> Address:
        return self.m.at(self.pointers["x"], disp)

    def _joined(self, output: Output) -> list[Vector]:
        """Join or fold all accumulators of an output into the first one, and return its settled registers."""
        states = self.states[: self.used]
        for later, state in zip(self.plan.index.later if self.plan.index else (), states[1:]):
            self._run(later, [self._own(output, state)[1:]], self.whole)
        if output.join is not None:
            self.combined(output.join, [self._own(output, state) for state in states])
            return self._settled(output, states[:1])[0]
        return list(self.combined(output.fold, self._settled(output, states)))

    def _finished(self) -> Iterator[list[Vector]]:
        """Yield the joined accumulators of each output, with the levels of long sums."""
        joined: Iterator[list[Vector]] = map(self._joined, self.plan.outputs)
        if self.long is not None:
            joined = iter(list(joined))
            self.long.bring_back(self._sums(1), self.whole)
        yield from joined

    def _store_line(self) -> None:
        """Store a row's vectors in its line of scratch memory."""
        disp = 0
        for registers in self._finished():
            for register in registers:
                self.m.store(self.m.at(claimed(self.line), disp), register, self.whole)
                disp += self.vector_bytes

    def _fold(self, rows: int) -> None:
        """Fold the lanes of all lines, or of the accumulators if there is only one row, and store the results."""
        outputs = self.plan.outputs
        if self.line is None:
            values = [[registers] for registers in self._finished()]
            free = [register for register in self.pool if all(register not in row for (row,) in values)]
            fold_rows(self, outputs, values, free)
            for number, (value,) in enumerate(values):
                self._result(number, value, self.lanes[1])
            return
        first_vector = 0
        for number, output in enumerate(outputs):
            self._result(number, self._folded_lines(output, rows, first_vector), self.lanes[rows])
            first_vector += output.parts

    def _folded_lines(self, output: Output, rows: int, first_vector: int) -> Sequence[Vector]:
        """Return the folded vectors of an output, which start at vector `first_vector` of each line."""
        free = list(self.pool)
        lines = _Lines(self, output, rows, first_vector, [free.pop() for _ in range(output.parts)], free)
        return lines.folded(levels(self.whole), 0)

    def _result(self, number: int, value: Sequence[Vector], lanes: Lanes) -> None:
        with self._body(self.plan.outputs[number].result) as body:
            self._finish(body, number, value, lanes)


class _Lines:
    """Folds vectors of rows in scratch memory in pairs, the deepest pairs first, so that few are loaded at a time."""

    def __init__(
        self, walk: RowByRow, output: Output, rows: int, first_vector: int, spare: Sequence[Vector], free: list[Vector]
    ) -> None:
        self.walk, self.output, self.rows, self.spare, self.free = walk, output, rows, spare, free
        self.first_vector = first_vector

    def folded(self, level: int, row: int) -> Sequence[Vector]:
        """Return the folded vectors of 2^level rows from `row` on; the lanes of rows after the last are undefined."""
        if level == 0:
            return self._line(row)
        x = self.folded(level - 1, row)
        further = row + (1 << level - 1)
        y = self.folded(level - 1, further) if further < self.rows else x
        combine(self.walk, self.output, level - 1, x, y, self.spare, self.walk.whole)
        if y is not x:
            self.free += y
        return x

    def _line(self, row: int) -> Sequence[Vector]:
        walk, m = self.walk, self.walk.m
        registers = [self.free.pop() for _ in range(self.output.parts)]
        for i, register in enumerate(registers):
            disp = row * walk.line_bytes + (self.first_vector + i) * walk.vector_bytes
            m.load(register, m.at(claimed(walk.scratch), disp), walk.whole)
        return registers
