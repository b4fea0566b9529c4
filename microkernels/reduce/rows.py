"""Reductions along rows, one after the other, and of all elements.

A few accumulators take turns, so that additions do not wait for each other; at the end of a row they are settled and
folded into one, which goes to scratch memory. The vectors of a group of rows are then folded by a tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.linear_scan import Body
from ..contract.machine import Address, Lanes, Machine, Vector
from ..contract.values import claimed
from ..expr.graph import BITS
from .emitter import Walk
from .plan import BODY, STRAIGHT, Output, ReducePlan
from .tree import folded, levels, met


class Rows(Walk):
    """Along rows, or all elements."""

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        super().__init__(m, plan)
        self.vector_bytes = plan.vector * BITS[plan.spec.compute] // 8
        self.line_bytes = sum(each.parts for each in plan.outputs) * self.vector_bytes
        self.rows_left = m.general("rows")
        self.groups_left = m.general("groups") if plan.spec.axis == 1 else None
        self.scratch = m.scratch(plan.lines * self.line_bytes) if plan.lines else None
        self.line = m.general("line") if plan.group > 1 else None

    def emit(self) -> None:
        """Groups of rows; of all elements, the accumulators go on from row to row."""
        m, plan = self.m, self.plan
        if self.spec.axis is None:
            if plan.first is None:
                self._start(self.used)
            with m.loop(self.rows_left, plan.rows):
                self._along()
                m.advance(self.pointers["x"], self.stride)
            self._fold(1)
            return
        loops, rest = divmod(plan.rows, plan.group)
        assert self.groups_left is not None
        with m.loop(self.groups_left, loops):
            self._group(plan.group)
        if rest:
            self._group(rest)

    @property
    def used(self) -> int:
        """Accumulators that a row reaches."""
        return min(self.plan.accumulators, -(-self.plan.columns // (self.plan.vector * self.plan.together)))

    def _group(self, rows: int) -> None:
        """A vector of each row to scratch memory, then their elements are folded."""
        m, plan = self.m, self.plan
        if self.line is not None:
            m.copy(self.line, claimed(self.scratch))
        with m.loop(self.rows_left, rows):
            if plan.first is None:
                self._start(self.used)
            self._along()
            if self.line is not None:
                self._keep()
                m.advance(self.line, self.line_bytes)
            m.advance(self.pointers["x"], self.stride)
        self._fold(rows)
        self._move_results(rows)

    def _along(self) -> None:
        """One row to the accumulators; leaves the pointer where it was."""
        m, vector, plan = self.m, self.plan.vector, self.plan
        self._count_from(0, tuple(range(vector)))
        turn = plan.step.unroll * plan.together
        start = turn if plan.first is not None else 0
        if plan.first is not None:
            with self._part(plan.first) as body:
                self._turn(body, 0, plan.step.unroll)
        vectors, last = divmod(plan.columns - start * vector, vector)
        body_vectors = vectors if vectors <= STRAIGHT else max(1, BODY // turn) * turn
        loops, rest = divmod(vectors, body_vectors) if vectors else (0, 0)
        m.note(f"{loops} times {body_vectors} vectors, {rest}, {last} elements")
        if loops:
            with m.loop(self.columns_left, loops):
                self._vectors(start * vector * self.size, body_vectors)
                if loops > 1:
                    self._move("x", body_vectors * vector)
        begun = loops * body_vectors if loops > 1 else 0
        disp = (start + vectors - rest - begun) * vector * self.size
        unit = self._vectors(disp, rest) if rest else -(-vectors // plan.together) % plan.accumulators
        if last:
            assert plan.tail is not None
            disp = (start + vectors - begun) * vector * self.size
            with self._part(plan.tail) as body:
                self._take(body, [(0, disp)], [self.states[unit % self.used]], [self.whole], self.lanes[last])
        if begun:
            self._move("x", -begun * vector)

    def _vectors(self, disp: int, count: int) -> int:
        """Whole vectors, to the accumulators in turn from the first on; the number of the next accumulator."""
        plan, step = self.plan, self.plan.vector * self.size
        units, alone = divmod(count, plan.together)
        with self._part(plan.step) as body:
            for first in range(0, units, plan.step.unroll):
                self._turn(body, disp + first * plan.together * step, min(plan.step.unroll, units - first))
        if alone:
            with self._part(plan.single) as body:
                state = self.states[units % plan.accumulators]
                self._take(body, [(0, disp + units * plan.together * step)], [state], [self.whole])
        return (units + alone) % plan.accumulators

    def _turn(self, body: Body, disp: int, count: int) -> None:
        """The first accumulators, each with the vectors behind those of the one before."""
        each = self.plan.together * self.plan.vector * self.size
        places = [(0, disp + copy * each) for copy in range(count)]
        self._take(body, places, self.states[:count], [self.whole] * count)
        if count == self.plan.step.unroll:
            self._forward()

    def _at(self, row: int, disp: int) -> Address:
        return self.m.at(self.pointers["x"], disp)

    def _joined(self, output: Output) -> list[Vector]:
        """All accumulators of an output, joined or folded into the first, and settled."""
        states = self.states[: self.used]
        for later, state in zip(self.plan.places.later if self.plan.places else (), states[1:]):
            self._run(later, [self._own(output, state)[1:]], self.whole)
        if output.join is not None:
            self.paired(output.join, [self._own(output, each) for each in states])
            return self._settled(output, states[:1])[0]
        return list(self.paired(output.fold, self._settled(output, states)))

    def _keep(self) -> None:
        """A row's vectors to its line."""
        place = 0
        for output in self.plan.outputs:
            for register in self._joined(output):
                self.m.store(self.m.at(claimed(self.line), place), register, self.whole)
                place += self.vector_bytes

    def _fold(self, rows: int) -> None:
        """The elements of all lines, or of the accumulators where one row is all; results to memory."""
        outputs = self.plan.outputs
        if self.line is None:
            values = [[self._joined(output)] for output in outputs]
            free = [register for register in self.pool if all(register not in row for (row,) in values)]
            folded(self, outputs, values, free)
            for number, (value,) in enumerate(values):
                self._result(number, value, self.lanes[1])
            return
        place = 0
        for number, output in enumerate(outputs):
            self._result(number, self._of_lines(output, rows, place), self.lanes[rows])
            place += output.parts

    def _of_lines(self, output: Output, rows: int, place: int) -> Sequence[Vector]:
        """The vectors of an output, folded."""
        free = list(self.pool)
        lines = _Lines(self, output, rows, place, [free.pop() for _ in range(output.parts)], free)
        return lines.folded(levels(self.whole), 0)

    def _result(self, number: int, value: Sequence[Vector], lanes: Lanes) -> None:
        with self._part(self.plan.outputs[number].result) as body:
            self._finish(body, number, value, lanes)


class _Lines:
    """Vectors of rows in scratch memory, folded in pairs, deepest pairs first, so that few are loaded at a time."""

    def __init__(self, walk: Rows, output: Output, rows: int, place: int, low: Sequence[Vector],
                 free: list[Vector]) -> None:  # fmt: skip
        self.walk, self.output, self.rows, self.low, self.free = walk, output, rows, low, free
        self.place = place  # vector of a line

    def folded(self, level: int, row: int) -> Sequence[Vector]:
        """The vectors of 2^level rows from `row` on, as one; those beyond the last row are any."""
        if level == 0:
            return self._line(row)
        x = self.folded(level - 1, row)
        further = row + (1 << level - 1)
        y = self.folded(level - 1, further) if further < self.rows else x
        met(self.walk, self.output, level - 1, x, y, self.low, self.walk.whole)
        if y is not x:
            self.free += y
        return x

    def _line(self, row: int) -> Sequence[Vector]:
        walk, m = self.walk, self.walk.m
        registers = [self.free.pop() for _ in range(self.output.parts)]
        for i, register in enumerate(registers):
            disp = row * walk.line_bytes + (self.place + i) * walk.vector_bytes
            m.load(register, m.at(claimed(walk.scratch), disp), walk.whole)
        return registers
