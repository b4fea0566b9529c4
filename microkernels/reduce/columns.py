"""Reductions down columns: the accumulators hold the results of a block of columns while all rows are added to them."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.lowered import LoweredBody
from ..contract.machine import Address, General, Lanes, Machine
from .code import Exact
from .emitter import Traversal
from .plan import ReducePlan


class Columns(Traversal):
    """Walks blocks of columns from the first row to the last."""

    def __init__(self, m: Machine, plan: ReducePlan, arguments: dict[str, General]) -> None:
        super().__init__(m, plan, arguments)
        assert plan.index is None or plan.steps_per_block == 1 or plan.steps_per_turn == 1, "each row is counted once"
        self.row = m.general("row")
        self.rows_left = m.general("rows")
        self.next_rows = [m.general("next row") for _ in range(plan.vectors_per_step)] if plan.prefetches else []
        self.multiples = m.multiples(self.stride, plan.steps_per_turn * plan.vectors_per_step)
        if plan.levels is not None:
            self._claim_scratch()

    def emit(self) -> None:
        """Emit the blocks of columns."""
        step = self.plan.accumulators * self.plan.vector
        loops, rest = divmod(self.plan.columns, step)
        if loops:
            with self.m.loop(self.columns_left, loops):
                self._block(step)
                if loops > 1 or rest:
                    self._move("x", step)
                    self._move_results(step)
        tail = rest % self.plan.vector
        if self.plan.exact is not None and tail < rest:  # the masks of a block's vectors have equally many lanes
            self._block(rest - tail)
            if tail:
                self._move("x", rest - tail)
                self._move_results(rest - tail)
            rest = tail
        if rest:
            self._block(rest)

    def _block(self, columns: int) -> None:
        """Reduce a block of columns from the first row to the last, and store the results."""
        m, plan, vector = self.m, self.plan, self.plan.vector
        lanes = [self.lanes[min(vector, columns - start)] for start in range(0, columns, vector)]
        m.note(f"{len(lanes)} vectors of each row")
        self._first_row()
        rows_per_step, left = plan.vectors_per_step, plan.rows
        self._set_index(0, 0)
        if self.long is not None:
            self.long.clear(self._sums(len(lanes)), self.whole)
        if plan.first is None:
            self._start(len(lanes))
        else:
            left -= rows_per_step
            with self._body(plan.first) as body:
                self._rows(body, lanes, rows_per_step, rows_per_step)
        if left % rows_per_step:
            with self._body(plan.single) as body:
                self._rows(body, lanes, 1, 1)
            if plan.exact is not None:
                self._set_index(0, 1)
        loops, rest = divmod(left // rows_per_step, plan.steps_per_turn)
        rows_per_turn = plan.steps_per_turn * rows_per_step

        def traverse(turns: int, before: int = 0) -> None:
            with self._body(plan.step) as body:
                if before:
                    self._rows(body, lanes, before * rows_per_step, rows_per_step)
                if turns:
                    with m.loop(self.rows_left, turns):
                        self._rows(body, lanes, rows_per_turn, rows_per_step)

        if self.long is None:
            traverse(loops, rest)
        else:
            sums = self._sums(len(lanes))
            traverse(0, rest)
            self._repeat(traverse, loops, rows_per_turn, lambda long: long.lay_by(sums, self.whole))
            self.long.bring_back(sums, self.whole)
        if plan.exact is not None:
            with self._again_exactly(lanes[0]):
                self._exactly(plan.exact, lanes)
        for number, output in enumerate(plan.outputs):
            with self._body(output.result) as body:
                for copy, copy_lanes in enumerate(lanes):
                    self._finish(body, number, self._own(output, self.states[copy]), copy_lanes, copy * vector)

    def _first_row(self) -> None:
        """Point at the first row of the block."""
        self.m.copy(self.row, self.pointers["x"])
        for number, next_row in enumerate(self.next_rows):
            self.m.copy(next_row, self.row)
            self.m.advance(next_row, self.stride, len(self.next_rows) + number)

    def _exactly(self, exact: Exact, lanes: Sequence[Lanes]) -> None:
        """Reduce the block with the exact code, one row at a time."""
        self._first_row()
        self._start(len(lanes))
        self._set_index(0, 0)
        with self._body(exact.step) as body, self.m.loop(self.rows_left, self.plan.rows):
            self._rows(body, lanes, 1, 1)

    def _rows(self, body: LoweredBody, lanes: Sequence[Lanes], rows: int, rows_per_step: int) -> None:
        """Accumulate rows of the block, `rows_per_step` at a time: all rows of a few columns, then of the next ones."""
        m, unroll = self.m, body.code.unroll
        for first in range(0, len(lanes), unroll):
            step_lanes = lanes[first : first + unroll]
            disps = [(first + copy) * self.plan.vector * self.size for copy in range(len(step_lanes))]
            for row in range(0, rows, rows_per_step):
                self._accumulate(body, [(row, disp) for disp in disps], self.states[first : first + unroll], step_lanes)
                if first + unroll >= len(lanes):
                    self._advance_index()
            self._prefetch(disps[0], sum(lanes.count * self.size for lanes in step_lanes))
        m.advance(self.row, self.stride, rows)
        for next_row in self.next_rows:
            # prefetch the last byte too, because rows may start in the middle of a cache line
            m.prefetch(next_row, sum(vector.count for vector in lanes) * self.size - 1)
            m.advance(next_row, self.stride, rows)

    def _at(self, row: int, disp: int) -> Address:
        return self.m.column(self.row, self.stride, self.multiples, row, disp)

    def _vector_at(self, row: int, disp: int, number: int) -> Address:
        """Return the address of vector `number` of a step: the same columns, `number` rows further down."""
        return self._at(row + number, disp)

    def _prefetch(self, disp: int, count: int) -> None:
        """Prefetch the same bytes of the next rows, line by line; beyond the last row this does no harm."""
        line_bytes = self.tuning.line_bytes
        for next_row in self.next_rows:
            for line in range(-(-disp // line_bytes) * line_bytes, disp + count, line_bytes):
                self.m.prefetch(next_row, line)
