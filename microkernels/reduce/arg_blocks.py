"""Searches along long rows, and of all elements: the best of each block of vectors, then its place.

A maximum takes far fewer instructions than one that keeps its place. So the best of a block of vectors is found first,
and only that is compared with the best so far, with the block's place beside it. When the elements of rows are folded,
the block that has the best one, the first of them, is read again for the first element that is as good. The last block
ends with the row, and may begin within the one before it: what was there before is no better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.linear_scan import Body
from ..contract.machine import Lanes, Machine, Vector
from ..contract.values import claimed
from ..expr.graph import BITS, FLOAT_OF
from .plan import BODY, ReducePlan
from .rows import Rows
from .tree import folded


class Blocks(Rows):
    """Blocks of vectors of a row, to one accumulator."""

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        super().__init__(m, plan)
        assert plan.places is not None and plan.places.found is not None
        self.found, self.block = plan.places.found, plan.together * plan.vector
        self.element_bytes = BITS[plan.spec.compute] // 8
        self.row, self.best, self.place = (m.general(role) for role in ("row", "best elements", "place"))
        self.last_line = (plan.lines - 1) * self.line_bytes

    def _claim_lanes(self) -> None:
        super()._claim_lanes()
        compute = self.spec.compute
        self.floats = self.m.lanes(FLOAT_OF.get(compute, compute), self.plan.vector)  # broadcasts are of floats

    def _along(self) -> None:
        """All blocks of a row; leaves the pointer where it was."""
        m, plan, block = self.m, self.plan, self.block
        blocks, further = divmod(plan.columns, block)
        together = min(blocks, max(1, BODY // plan.together))
        loops, rest = divmod(blocks, together)
        moved = loops * together * block if loops > 1 else 0
        m.note(f"{loops} times {together} blocks of {block} elements, {rest}, {further} elements")
        self._count_from(0, 0)
        with self._part(plan.step) as body:
            with m.loop(self.columns_left, loops):
                for number in range(together):
                    self._block(body, number * block)
                if moved:
                    self._move("x", together * block)
            for number in range(loops * together, blocks):
                self._block(body, number * block - moved)
            if further:
                self._count_from(0, plan.columns - block)
                self._block(body, plan.columns - block - moved)
        if moved:
            self._move("x", -moved)

    def _block(self, body: Body, column: int) -> None:
        self._take(body, [(0, column * self.size)], self.states, [self.whole])
        self._forward()

    def _result(self, number: int, value: Sequence[Vector], lanes: Lanes) -> None:
        """value: the best element of each row, and its block. Those are read again, and the places in them folded."""
        m, rows = self.m, lanes.count
        for part, register in enumerate(value):
            m.store(m.at(claimed(self.scratch), self.last_line + part * self.vector_bytes), register, self.whole)
        m.copy(self.row, self.pointers["x"])
        m.advance(self.row, self.stride, -rows)
        m.copy(self.best, claimed(self.scratch))
        m.advance(self.best, self.last_line)
        if self.line is not None:
            m.copy(self.line, claimed(self.scratch))
        place, best, *free = self.pool
        with self._part(self.found.look) as body, m.loop(self.columns_left, rows):
            self._look(body, place, best)
            if self.line is not None:
                m.store(m.at(self.line), place, self.whole)
                m.advance(self.line, self.line_bytes)
            m.advance(self.row, self.stride)
            m.advance(self.best, self.element_bytes)
        if self.line is None:
            folded(self, [self.found.lowest], [[[place]]], free)
        else:
            (place,) = self._of_lines(self.found.lowest, rows, 0)
        block = next(register for register in self.pool if register != place)
        m.load(block, m.at(claimed(self.scratch), self.last_line + self.vector_bytes), self.whole)
        self._run(self.found.add, [[place, block]], self.whole)
        super()._result(number, [block, place], lanes)

    def _look(self, body: Body, place: Vector, best: Vector) -> None:
        """Places in a row's best block, of elements as good as its best: the first in each place of the register."""
        m = self.m
        m.broadcast(best, m.at(self.best), self.floats)
        m.load_index(self.place, self.best, self.vector_bytes, self.element_bytes)
        m.advance(self.place, self.place, self.size - 1)
        m.advance(self.place, self.row)

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            disp = int(name[1:]) * self.plan.vector * self.size
            self._load(register, m.at(self.place, disp), self.spec.dtype, those)

        def store(result: int, copy: int, register: Any, those: Lanes) -> None:
            if register != place:
                self.arithmetic.move(m, place, register, those)

        body.run(load, store, [self.whole], given=[place], loop_invariant=[best])
