"""MMLA panels of a GEMM: two rows by two columns for every 128 bits of a register (contract/mmla.py).

    acc[i][g] += A[row vector i, k..] * B[k.., columns 2 g and 2 g + 1]

A sum starts as C if C = C + A B is requested, else as +0. The steps of k of all pairs of the batch are added in order.
"""

from __future__ import annotations

from contextlib import ExitStack

from ..contract.machine import Vector
from ..contract.mmla import BLOCK_BYTES, COLUMNS, ROW_BYTES, MmlaUnitOf, halves
from .block_dot import Rows, SumPanel
from .blocking import Panel, ProductBlock
from .state import KernelState


class MmlaPanel(SumPanel):
    """The blocks of columns of one panel of rows. C is handled as on a dot-product unit."""

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        super().__init__(state, panel)
        assert isinstance(state.unit, MmlaUnitOf)
        self.mmla, a = state.unit, state.product.a
        for lanes in self.row_vectors:
            self.mmla.prepare(lanes, a.place)
        self.offsets: Vector | None = None
        if a.across > 1 and a.order == "C" and self.mmla.facts.gathered > 1:
            (self.offsets,) = scope.enter_context(self.m.vectors(1, "offsets of blocks"))
            self.mmla.offsets(self.offsets, state.operands.lda)

    def block(self, block: ProductBlock) -> None:
        """Emit one block: start the accumulators, sum over the batch and k, update C."""
        state, m, columns = self.state, self.m, block.columns
        groups = -(-columns // COLUMNS)
        m.note(f"{columns} columns: {len(self.row_vectors) * groups * COLUMNS} accumulators")
        with ExitStack() as scope:
            beside = len(self.row_vectors) * (
                columns % COLUMNS
            )  # the plan's work registers include the other half of an odd column
            work = scope.enter_context(m.vectors(block.work - beside, "A and B"))
            every = [scope.enter_context(m.vectors(groups * COLUMNS, "accumulators")) for _ in self.row_vectors]
            sums = [row[:columns] for row in every]
            registers = [(acc, lanes) for lanes, row in zip(self.row_vectors, every) for acc in row]
            if state.k.long is not None:
                whole, added = self.m.lanes(state.product.dtype, self.vector), [acc for acc, _ in registers]
                state.k.long.begin(state.k.long.of_registers(added, whole, work[0], self.mmla))
            with state.sums(self.update.starts_as_c, registers):
                self._start(every, sums, work[0])
                if state.batch.count != 0:
                    with state.batch.pairs():
                        self._walk(block, every, work)
                if state.k.long is not None:
                    state.k.long.end()
                for acc, lanes in registers:
                    self.mmla.finish(acc, lanes)
                for pair in self._pairs(every):
                    self.mmla.join(pair, work[0])
            self._update(sums, work)
            if state.epilogue is not None:
                idle = [*work, *(acc for row in every for acc in row[columns:])]
                with self.mmla.closed():
                    state.epilogue.apply(self._sums(sums), idle)

    def _pairs(self, rows: Rows) -> list[list[Vector]]:
        """Return the accumulators of each row vector and two columns."""
        return [row[j : j + COLUMNS] for row in rows for j in range(0, len(row), COLUMNS)]

    def _start(self, every: Rows, sums: Rows, spare: Vector) -> None:
        if not self.update.starts_as_c:
            self._zero(every)
            return
        self._zero([row[len(sums[0]) :] for row in every])
        self._begin(sums)
        for pair in self._pairs(every):
            self.mmla.split(pair, spare)

    def _walk(self, block: ProductBlock, every: Rows, work: list[Vector]) -> None:
        state, rest = self.state, self.state.product.rest
        depth = self.mmla.facts.depth
        count = 2 * len(self.row_vectors)
        x = [work[i : i + 2] for i in range(0, count, 2)]
        y, spare = work[count], work[count + 1 :]

        def step(kk: int, elements: int) -> None:
            for i, registers in enumerate(x):
                self._load_row_vector(i, registers, kk, elements, spare)
            for g in range(0, block.columns, COLUMNS):
                self._fetch_columns(y, kk, g, min(COLUMNS, block.columns - g), elements, spare)
                for row, registers, lanes in zip(every, x, self.row_vectors):
                    self.mmla.product(row[g : g + COLUMNS], registers, y, lanes, spare)

        state.m.note(f"k: {depth} of k a step")
        state.k.start()

        def whole(kk: int, left: int) -> None:
            step(kk, depth)

        final = (lambda kk, left: step(kk, rest)) if rest else None
        state.k.walk(state.product.k, block.unroll, whole, state.operands.a_step, state.operands.b_step, final)

    def _load_row_vector(self, i: int, x: list[Vector], kk: int, elements: int, spare: list[Vector]) -> None:
        state, m, a, lanes = self.state, self.m, self.state.product.a, self.row_vectors[i]
        disp = kk * self.a_step
        if a.across > 1:
            rows = self.vector // 2
            distance = state.operands.a_row if isinstance(state.operands.a_row, int) else 0
            firsts = [(self.rows[i] + half * rows) // a.across for half in range(halves(lanes.count, self.vector))]
            places = [m.at(state.k.a, disp + first * distance) for first in firsts]
            self.mmla.load_blocks(x, places, lanes, elements, self.offsets, spare)
            return
        width = a.place
        needed = -(-elements * a.steps // self.mmla.facts.depth)
        places = [
            m.column(state.k.a, state.operands.lda, state.operands.a_multiples, e, disp + self.starts[i])
            for e in range(needed)
        ]
        self.mmla.load_rows(x, places, width, lanes, elements, spare)

    def _fetch_columns(self, y: Vector, kk: int, j: int, count: int, elements: int, spare: list[Vector]) -> None:
        state, m, b = self.state, self.m, self.state.product.b
        disp, depth = kk * self.b_step, self.mmla.facts.depth
        if b.across > 1:
            place = m.column(state.k.b, state.operands.b_column, state.operands.b_multiples, j // b.across, disp)
            self.mmla.fetch_block(y, place, elements, spare)
            return
        needed = -(-elements * b.steps // depth)
        if b.order == "C" and b.steps > 1:
            apart = [
                [
                    m.column(state.k.b, state.operands.ldb, state.operands.b_places, e, disp + each * b.place)
                    for e in range(needed)
                ]
                for each in range(j, j + count)
            ]
            self.mmla.fetch(y, apart, b.place, elements, spare)
            return
        columns = [
            m.column(state.k.b, state.operands.b_column, state.operands.b_multiples, each, disp)
            for each in range(j, j + count)
        ]
        if elements == depth:
            self.mmla.fetch(y, [[place] for place in columns], ROW_BYTES, elements, spare)
            return
        parts = [[m.further(place, e * b.place) for e in range(needed)] for place in columns]
        self.mmla.fetch(y, parts, b.place, elements, spare)

    @property
    def vector(self) -> int:
        """The number of rows of a whole row vector."""
        return self.m.facts.widths[0] // 32


assert BLOCK_BYTES == COLUMNS * ROW_BYTES
