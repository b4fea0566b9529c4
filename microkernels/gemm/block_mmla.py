"""The panels of a GEMM on a unit of quads: two registers of rows by two columns at a time (contract/mmla.py).

    acc[i][g] += A[chunk i, k..] * B[k.., columns 2 g and 2 g + 1]

A sum starts as C where C = C + A B is asked, else as +0; every step of k of every pair of the batch follows in order.
"""

from __future__ import annotations

from contextlib import ExitStack

from ..contract.machine import Vector
from ..contract.mmla import BLOCK_BYTES, COLUMNS, ROW_BYTES, QuadUnit, halves
from .block_dot import Rows, SumPanel
from .blocking import Block, Panel
from .state import Frame


class QuadPanel(SumPanel):
    """Blocks of columns of one panel of rows; C as on any unit."""

    def __init__(self, frame: Frame, panel: Panel, scope: ExitStack) -> None:
        super().__init__(frame, panel)
        assert isinstance(frame.unit, QuadUnit)
        self.quads, a = frame.unit, frame.product.a
        for lanes in self.chunks:
            self.quads.prepare(lanes, a.place)
        self.offsets: Vector | None = None
        if a.across > 1 and a.order == "C" and self.quads.facts.packed > 1:
            (self.offsets,) = scope.enter_context(self.m.vectors(1, "offsets of blocks"))
            self.quads.offsets(self.offsets, frame.lda)

    def block(self, block: Block) -> None:
        """One block: start the accumulators, sum over the batch and k, update C."""
        frame, m, columns = self.frame, self.m, block.columns
        groups = -(-columns // COLUMNS)
        m.note(f"{columns} columns: {len(self.chunks) * groups * COLUMNS} accumulators")
        with ExitStack() as scope:
            beside = len(self.chunks) * (columns % COLUMNS)  # of the plan's work registers: the other half of a column
            work = scope.enter_context(m.vectors(block.work - beside, "A and B"))
            every = [scope.enter_context(m.vectors(groups * COLUMNS, "accumulators")) for _ in self.chunks]
            sums = [row[:columns] for row in every]
            registers = [(acc, lanes) for lanes, row in zip(self.chunks, every) for acc in row]
            with frame.sums(self.scaling.early_c, registers):
                self._start(every, sums, work[0])
                if frame.count != 0:
                    with frame.pairs():
                        self._walk(block, every, work)
                for acc, lanes in registers:
                    self.quads.finish(acc, lanes)
                for pair in self._pairs(every):
                    self.quads.join(pair, work[0])
            self._update(sums, work)
            if frame.epilogue is not None:
                idle = [*work, *(acc for row in every for acc in row[columns:])]
                with self.quads.closed():
                    frame.epilogue.apply(self._sums(sums), idle)

    def _pairs(self, rows: Rows) -> list[list[Vector]]:
        """The accumulators of each chunk and two columns."""
        return [row[j : j + COLUMNS] for row in rows for j in range(0, len(row), COLUMNS)]

    def _start(self, every: Rows, sums: Rows, spare: Vector) -> None:
        if not self.scaling.early_c:
            self._zero(every)
            return
        self._zero([row[len(sums[0]) :] for row in every])
        self._begin(sums)
        for pair in self._pairs(every):
            self.quads.split(pair, spare)

    def _walk(self, block: Block, every: Rows, work: list[Vector]) -> None:
        frame, rest = self.frame, self.frame.product.rest
        depth = self.quads.facts.depth
        count = 2 * len(self.chunks)
        x = [work[i : i + 2] for i in range(0, count, 2)]
        y, spare = work[count], work[count + 1 :]

        def step(kk: int, elements: int) -> None:
            for i, registers in enumerate(x):
                self._load_chunk(i, registers, kk, elements, spare)
            for g in range(0, block.columns, COLUMNS):
                self._fetch_columns(y, kk, g, min(COLUMNS, block.columns - g), elements, spare)
                for row, registers, lanes in zip(every, x, self.chunks):
                    self.quads.product(row[g : g + COLUMNS], registers, y, lanes, spare)

        frame.m.note(f"k: {depth} of k a step")
        frame.start_k()
        final = (lambda kk, left: step(kk, rest)) if rest else None
        frame.walk_k(frame.product.k, block.unroll, lambda kk, left: step(kk, depth), frame.a_step, frame.b_step, final)

    def _load_chunk(self, i: int, x: list[Vector], kk: int, elements: int, spare: list[Vector]) -> None:
        frame, m, a, lanes = self.frame, self.m, self.frame.product.a, self.chunks[i]
        disp = kk * self.a_step
        if a.across > 1:
            rows = self.vector // 2
            distance = frame.a_row if isinstance(frame.a_row, int) else 0
            firsts = [(self.rows[i] + half * rows) // a.across for half in range(halves(lanes.count, self.vector))]
            places = [m.at(frame.a_k, disp + first * distance) for first in firsts]
            self.quads.load_blocks(x, places, lanes, elements, self.offsets, spare)
            return
        width = a.place
        needed = -(-elements * a.steps // self.quads.facts.depth)
        places = [m.column(frame.a_k, frame.lda, frame.a_multiples, e, disp + self.starts[i]) for e in range(needed)]
        self.quads.load_rows(x, places, width, lanes, elements, spare)

    def _fetch_columns(self, y: Vector, kk: int, j: int, count: int, elements: int, spare: list[Vector]) -> None:
        frame, m, b = self.frame, self.m, self.frame.product.b
        disp, depth = kk * self.b_step, self.quads.facts.depth
        if b.across > 1:
            place = m.column(frame.b_k, frame.b_column, frame.b_multiples, j // b.across, disp)
            self.quads.fetch_block(y, place, elements, spare)
            return
        needed = -(-elements * b.steps // depth)
        if b.order == "C" and b.steps > 1:
            apart = [
                [m.column(frame.b_k, frame.ldb, frame.b_places, e, disp + each * b.place) for e in range(needed)]
                for each in range(j, j + count)
            ]
            self.quads.fetch(y, apart, b.place, elements, spare)
            return
        columns = [m.column(frame.b_k, frame.b_column, frame.b_multiples, each, disp) for each in range(j, j + count)]
        if elements == depth:
            self.quads.fetch(y, [[place] for place in columns], ROW_BYTES, elements, spare)
            return
        parts = [[m.further(place, e * b.place) for e in range(needed)] for place in columns]
        self.quads.fetch(y, parts, b.place, elements, spare)

    @property
    def vector(self) -> int:
        """Rows of a whole chunk."""
        return self.m.facts.widths[0] // 32


assert BLOCK_BYTES == COLUMNS * ROW_BYTES
