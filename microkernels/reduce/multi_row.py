"""Reductions along interleaved rows: each row has one accumulator, and all of them advance together.

Nothing is joined at the end of a row, and only long sums need scratch memory: the accumulators are halved until they
have no more elements than there are rows, and are then folded in registers by a tree of shuffles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.lowered import LoweredBody
from ..contract.machine import Address, General, Lanes, Machine
from ..contract.vector_verbs import claimed
from .code import Exact, Output
from .emitter import Traversal
from .plan import ReducePlan
from .tree import fold_rows


class InterleavedRows(Traversal):
    """Walks blocks of interleaved rows."""

    def __init__(self, m: Machine, plan: ReducePlan, arguments: dict[str, General]) -> None:
        super().__init__(m, plan, arguments)
        self.row_blocks_left = m.general("bands")
        self.multiples = m.multiples(self.stride, plan.interleaved_rows)
        if plan.levels is not None:
            self._claim_scratch()

    def emit(self) -> None:
        """Emit the blocks of the larger height, then those of the smaller one."""
        for rows, times in self.plan.row_blocks:
            with self.m.loop(self.row_blocks_left, times):
                self._along(rows)
                if self.plan.exact is not None:
                    with self._again_exactly(self.whole):
                        self._exactly(self.plan.exact, rows)
                self._fold(rows)
                self.m.advance(self.pointers["x"], self.stride, rows)
                self._move_results(rows)

    def _along(self, rows: int) -> None:
        """Accumulate a block of rows from start to end; leaves the pointer where it was."""
        m, plan, step = self.m, self.plan, self.plan.vectors_per_step
        vectors, tail = divmod(plan.columns, plan.vector)
        started = step if plan.first is not None else 0
        turns, left_over = divmod(vectors - started, step)
        body_turns = max(1, min(turns, self.tuning.interleaved_body // (rows * step)))
        loops, rest = divmod(turns, body_turns)
        moved = loops * body_turns * step if loops > 1 else 0
        m.note(f"{rows} rows, {loops} times {body_turns} of {step} vectors, {rest}, {left_over}, {tail} elements")
        self._set_index(0, tuple(range(plan.vector)))
        if self.long is not None:
            self.long.clear(self._sums(rows), self.whole)
        if plan.first is None:
            self._start(rows)
        else:
            with self._body(plan.first) as body:
                self._turn(body, rows, 0)

        def traverse(loops: int, behind: Sequence[int] = ()) -> None:
            with self._body(plan.step) as body:
                if loops:
                    with m.loop(self.columns_left, loops):
                        for turn in range(body_turns):
                            self._turn(body, rows, started + turn * step)
                        if moved:
                            self._move("x", body_turns * step * plan.vector)
                for turn in behind:
                    self._turn(body, rows, started + turn * step - moved)

        behind = range(loops * body_turns, turns)
        if self.long is None:
            traverse(loops, behind)
        else:
            sums = self._sums(rows)
            self._repeat(traverse, loops, body_turns * step, lambda long: long.lay_by(sums, self.whole))
            traverse(0, behind)
            self.long.bring_back(sums, self.whole)
        if left_over:
            with self._body(plan.single) as body:
                self._turn(body, rows, vectors - 1 - moved)
        if tail:
            assert plan.tail is not None
            if plan.exact is not None:
                self._set_index(0, tuple(range(vectors * plan.vector, (vectors + 1) * plan.vector)))
            with self._body(plan.tail) as body:
                self._turn(body, rows, vectors - moved, self.lanes[tail])
        if moved:
            self._move("x", -moved * plan.vector)

    def _exactly(self, exact: Exact, rows: int) -> None:
        """Do the same as `_along` with the exact code, one vector of each row at a time."""
        vectors, tail = divmod(self.plan.columns, self.plan.vector)
        self._start(rows)
        self._set_index(0, tuple(range(self.plan.vector)))
        if vectors:
            with self._body(exact.step) as body, self.m.loop(self.columns_left, vectors):
                self._turn(body, rows, 0)
                self._move("x", self.plan.vector)
        if tail:
            with self._body(claimed(exact.tail)) as body:
                self._turn(body, rows, 0, self.lanes[tail])
        self._move("x", -vectors * self.plan.vector)

    def _turn(self, body: LoweredBody, rows: int, vector: int, loaded: Lanes | None = None) -> None:
        """Accumulate the vectors of one step of all rows."""
        disp = vector * self.plan.vector * self.size
        for first in range(0, rows, body.code.unroll):
            step_rows = range(first, min(first + body.code.unroll, rows))
            states = [self.states[row] for row in step_rows]
            self._accumulate(body, [(row, disp) for row in step_rows], states, [self.whole] * len(step_rows), loaded)
        self._advance_index()

    def _at(self, row: int, disp: int) -> Address:
        return self.m.column(self.pointers["x"], self.stride, self.multiples, row, disp)

    def _fold(self, rows: int) -> None:
        """Fold the accumulators and store the results, at most a register of them at a time."""
        held = {register for state in self.states for register in state}
        free = [register for register in self.pool if register not in held]
        outputs = self.plan.outputs
        values = [self._settled(output, self.states[:rows]) for output in outputs]
        most = fold_rows(self, outputs, values, free).count
        for number, (output, row_values) in enumerate(zip(outputs, values)):
            with self._body(output.result) as body:
                for first in range(0, rows, most):
                    stored = range(first, min(first + most, rows))
                    registers = [*row_values[first], *self._row_mask(output, stored)]
                    self._finish(body, number, registers, self.lanes[len(stored)], first)

    def _row_mask(self, output: Output, rows: Sequence[int]) -> list[Any]:
        """If folding leaves out the masks of the rows, return a mask with one bit per row, else an empty list."""
        if output.masked_fold is None:
            return []
        masks = [self._own(output, self.states[row])[1] for row in rows]
        output.masked_fold.rows(self.m, masks, masks[0], self.whole)
        return masks[:1]
