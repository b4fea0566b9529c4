"""Reductions along rows that are walked side by side: each has one accumulator, and they wait for each other's loads.

Nothing is joined at a row's end, and no scratch memory is needed: the accumulators are halved until they have no more
elements than there are rows, and folded by a tree where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.linear_scan import Body
from ..contract.machine import Address, Lanes, Machine
from .emitter import Walk
from .plan import UNITS, Output, ReducePlan
from .tree import folded


class RowBlock(Walk):
    """Bands of rows."""

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        super().__init__(m, plan)
        self.row_blocks_left = m.general("bands")
        self.multiples = m.multiples(self.stride, plan.interleaved_rows)

    def emit(self) -> None:
        """Bands of one height, then of another."""
        for rows, times in self.plan.row_blocks:
            with self.m.loop(self.row_blocks_left, times):
                self._along(rows)
                self._fold(rows)
                self.m.advance(self.pointers["x"], self.stride, rows)
                self._move_results(rows)

    def _along(self, rows: int) -> None:
        """Rows from their beginnings to their ends; leaves the pointer where it was."""
        m, plan, each = self.m, self.plan, self.plan.together
        vectors, last = divmod(plan.columns, plan.vector)
        begun = each if plan.first is not None else 0
        turns, alone = divmod(vectors - begun, each)
        body_turns = max(1, min(turns, UNITS // (rows * each)))
        loops, rest = divmod(turns, body_turns)
        moved = loops * body_turns * each if loops > 1 else 0
        m.note(f"{rows} rows, {loops} times {body_turns} of {each} vectors, {rest}, {alone}, {last} elements")
        self._count_from(0, tuple(range(plan.vector)))
        if plan.first is None:
            self._start(rows)
        else:
            with self._part(plan.first) as body:
                self._turn(body, rows, 0)
        with self._part(plan.step) as body:
            if loops:
                with m.loop(self.columns_left, loops):
                    for turn in range(body_turns):
                        self._turn(body, rows, begun + turn * each)
                    if moved:
                        self._move("x", body_turns * each * plan.vector)
            for turn in range(loops * body_turns, turns):
                self._turn(body, rows, begun + turn * each - moved)
        if alone:
            with self._part(plan.single) as body:
                self._turn(body, rows, vectors - 1 - moved)
        if last:
            assert plan.tail is not None
            with self._part(plan.tail) as body:
                self._turn(body, rows, vectors - moved, self.lanes[last])
        if moved:
            self._move("x", -moved * plan.vector)

    def _turn(self, body: Body, rows: int, vector: int, loaded: Lanes | None = None) -> None:
        """The same vectors of all rows."""
        disp = vector * self.plan.vector * self.size
        for first in range(0, rows, body.code.unroll):
            some = range(first, min(first + body.code.unroll, rows))
            states = [self.states[row] for row in some]
            self._take(body, [(row, disp) for row in some], states, [self.whole] * len(some), loaded)
        self._forward()

    def _at(self, row: int, disp: int) -> Address:
        return self.m.column(self.pointers["x"], self.stride, self.multiples, row, disp)

    def _fold(self, rows: int) -> None:
        """Results to memory, as many at a time as a register has elements."""
        held = {register for state in self.states for register in state}
        free = [register for register in self.pool if register not in held]
        outputs = self.plan.outputs
        values = [self._settled(output, self.states[:rows]) for output in outputs]
        most = folded(self, outputs, values, free).count
        for number, (output, rest) in enumerate(zip(outputs, values)):
            with self._part(output.result) as body:
                for first in range(0, rows, most):
                    some = range(first, min(first + most, rows))
                    registers = [*rest[first], *self._masks(output, some)]
                    self._finish(body, number, registers, self.lanes[len(some)], first)

    def _masks(self, output: Output, rows: Sequence[int]) -> list[Any]:
        """A mask with a bit for each of the rows, where their masks were not folded."""
        if output.apart is None:
            return []
        masks = [self._own(output, self.states[row])[1] for row in rows]
        output.apart.rows(self.m, masks, masks[0], self.whole)
        return masks[:1]
