"""Reductions down columns: blocks of columns are accumulators while all rows go by."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.linear_scan import Body
from ..contract.machine import Address, Lanes, Machine
from .emitter import Walk
from .plan import ReducePlan

LINE = 64
"""Bytes that one prefetch asks for."""


class Columns(Walk):
    """Down columns."""

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        super().__init__(m, plan)
        assert plan.places is None or plan.runs == 1 or plan.deep == 1, "rows are counted once"
        self.row = m.general("row")
        self.rows_left = m.general("rows")
        self.next_row = m.general("next row") if plan.ahead else None
        self.multiples = m.multiples(self.stride, plan.deep * plan.together)

    def emit(self) -> None:
        """Blocks of columns."""
        step = self.plan.accumulators * self.plan.vector
        loops, rest = divmod(self.plan.columns, step)
        if loops:
            with self.m.loop(self.columns_left, loops):
                self._block(step)
                if loops > 1 or rest:
                    self._move("x", step)
                    self._move_results(step)
        if rest:
            self._block(rest)

    def _block(self, columns: int) -> None:
        m, plan, vector = self.m, self.plan, self.plan.vector
        lanes = [self.lanes[min(vector, columns - first)] for first in range(0, columns, vector)]
        m.copy(self.row, self.pointers["x"])
        if self.next_row is not None:
            m.copy(self.next_row, self.row)
            m.advance(self.next_row, self.stride)
        m.note(f"{len(lanes)} vectors of each row")
        each, left = plan.together, plan.rows
        self._count_from(0, 0)
        if plan.first is None:
            self._start(len(lanes))
        else:
            left -= each
            with self._part(plan.first) as body:
                self._rows(body, lanes, each, each)
        if left % each:
            with self._part(plan.single) as body:
                self._rows(body, lanes, 1, 1)
        loops, rest = divmod(left // each, plan.deep)
        with self._part(plan.step) as body:
            if rest:
                self._rows(body, lanes, rest * each, each)
            if loops:
                with m.loop(self.rows_left, loops):
                    self._rows(body, lanes, plan.deep * each, each)
        for number, output in enumerate(plan.outputs):
            with self._part(output.result) as body:
                for copy, those in enumerate(lanes):
                    self._finish(body, number, self._own(output, self.states[copy]), those, copy * vector)

    def _rows(self, body: Body, lanes: Sequence[Lanes], rows: int, each: int) -> None:
        """Rows of the block, `each` at a time by the step, or from nothing: a few columns, then the next ones."""
        m, unroll = self.m, body.code.unroll
        for first in range(0, len(lanes), unroll):
            some = lanes[first : first + unroll]
            disps = [(first + copy) * self.plan.vector * self.size for copy in range(len(some))]
            for row in range(0, rows, each):
                self._take(body, [(row, disp) for disp in disps], self.states[first : first + unroll], some)
                if first + unroll >= len(lanes):
                    self._forward()
            self._ask(disps[0], sum(each.count * self.size for each in some))
        m.advance(self.row, self.stride, rows)
        if self.next_row is not None:
            m.prefetch(self.next_row, sum(each.count for each in lanes) * self.size - 1)  # where rows begin amid a line
            m.advance(self.next_row, self.stride, rows)

    def _at(self, row: int, disp: int) -> Address:
        return self.m.column(self.row, self.stride, self.multiples, row, disp)

    def _next(self, row: int, disp: int, number: int) -> Address:
        """The same columns of the next rows."""
        return self._at(row + number, disp)

    def _ask(self, disp: int, count: int) -> None:
        """The same bytes of the next row, a line at a time; beyond the last row that does no harm."""
        if self.next_row is not None:
            for line in range(-(-disp // LINE) * LINE, disp + count, LINE):
                self.m.prefetch(self.next_row, line)
