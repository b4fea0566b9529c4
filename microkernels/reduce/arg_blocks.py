"""Index searches along long rows or over all elements: they find the best element of each block of vectors first, then
its index.

A maximum takes far fewer instructions than a maximum that keeps its index. So the best element of a block of vectors is
found first, and only this element is compared with the best so far, whose block index is kept beside it. When the lanes
of rows are folded, the first block that contains the best element is read again to find the first element that is as
good. The last block ends with the row and may overlap the block before it: the elements that it repeats are no better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.lowered import LoweredBody
from ..contract.machine import General, Lanes, Machine, Vector
from ..contract.vector_verbs import claimed
from ..expr.graph import BITS, FLOAT_OF
from .plan import ReducePlan
from .rows import RowByRow
from .tree import fold_rows


class ArgBlocks(RowByRow):
    """Walks a row in blocks of vectors, with one accumulator.

    row, best, position     general registers: the addresses of a row, of its best element in scratch memory, and of its
                            best block
    """

    def __init__(self, m: Machine, plan: ReducePlan, arguments: dict[str, General]) -> None:
        super().__init__(m, plan, arguments)
        assert plan.index is not None and plan.index.first_match is not None
        self.match, self.block = plan.index.first_match, plan.vectors_per_step * plan.vector
        self.element_bytes = BITS[plan.spec.compute] // 8
        self.row, self.best, self.position = (m.general(role) for role in ("row", "best elements", "place"))
        self.last_line = (plan.lines - 1) * self.line_bytes

    def _claim_lanes(self) -> None:
        super()._claim_lanes()
        compute = self.spec.compute
        self.floats = self.m.lanes(FLOAT_OF.get(compute, compute), self.plan.vector)  # broadcasts take floats

    def _along(self) -> None:
        """Search all blocks of a row; leaves the pointer where it was."""
        m, plan, block = self.m, self.plan, self.block
        blocks, left_over = divmod(plan.columns, block)
        together = min(blocks, max(1, self.tuning.body_vectors // plan.vectors_per_step))
        loops, rest = divmod(blocks, together)
        moved = loops * together * block if loops > 1 else 0
        m.note(f"{loops} times {together} blocks of {block} elements, {rest}, {left_over} elements")
        self._set_index(0, 0)
        with self._body(plan.step) as body:
            with m.loop(self.columns_left, loops):
                for number in range(together):
                    self._block(body, number * block)
                if moved:
                    self._move("x", together * block)
            for number in range(loops * together, blocks):
                self._block(body, number * block - moved)
            if left_over:
                self._set_index(0, plan.columns - block)
                self._block(body, plan.columns - block - moved)
        if moved:
            self._move("x", -moved)

    def _block(self, body: LoweredBody, column: int) -> None:
        self._accumulate(body, [(0, column * self.size)], self.states, [self.whole])
        self._advance_index()

    def _result(self, number: int, value: Sequence[Vector], lanes: Lanes) -> None:
        """Read the best block of each row again, fold the indices of the matches in it, and store the results. `value`
        holds the best element of each row and the index of its block."""
        m, rows = self.m, lanes.count
        for part, register in enumerate(value):
            m.store(m.at(claimed(self.scratch), self.last_line + part * self.vector_bytes), register, self.whole)
        m.copy(self.row, self.pointers["x"])
        m.advance(self.row, self.stride, -rows)
        m.copy(self.best, claimed(self.scratch))
        m.advance(self.best, self.last_line)
        if self.line is not None:
            m.copy(self.line, claimed(self.scratch))
        index, best, *free = self.pool
        with self._body(self.match.look) as body, m.loop(self.columns_left, rows):
            self._look(body, index, best)
            if self.line is not None:
                m.store(m.at(self.line), index, self.whole)
                m.advance(self.line, self.line_bytes)
            m.advance(self.row, self.stride)
            m.advance(self.best, self.element_bytes)
        if self.line is None:
            fold_rows(self, [self.match.lowest], [[[index]]], free)
        else:
            (index,) = self._folded_lines(self.match.lowest, rows, 0)
        block = next(register for register in self.pool if register != index)
        m.load(block, m.at(claimed(self.scratch), self.last_line + self.vector_bytes), self.whole)
        self._run(self.match.add, [[index, block]], self.whole)
        super()._result(number, [block, index], lanes)

    def _look(self, body: LoweredBody, index: Vector, best: Vector) -> None:
        """Set each lane of `index` to the position, within the row's best block, of the lane's first element that is as
        good as the row's best element."""
        m = self.m
        m.broadcast(best, m.at(self.best), self.floats)
        m.load_index(self.position, self.best, self.vector_bytes, self.element_bytes)
        m.advance(self.position, self.position, self.size - 1)
        m.advance(self.position, self.row)

        def load(name: str, copy: int, register: Vector, copy_lanes: Lanes) -> None:
            disp = int(name[1:]) * self.plan.vector * self.size
            self._load(register, m.at(self.position, disp), self.spec.dtype, copy_lanes)

        def store(result: int, copy: int, register: Any, copy_lanes: Lanes) -> None:
            if register != index:
                self.arithmetic.move(m, index, register, copy_lanes)

        body.run(load, store, [self.whole], given=[index], loop_invariant=[best])
