"""The panels of a GEMM on tile registers with an epilogue that reads the sums from a buffer, grid by grid.

    products of a grid   |   epilogue of the grid before, a few lines after each load and product
    tiles to a buffer    |
    ...
    epilogue of the last grid of the panel, in a loop over its columns

The pairs of a batch each take some of the columns, in one loop, until all columns are done. Further pairs take none.

The pointers to C and to the epilogue's operands stay at the first column whose epilogue is due: the epilogue advances
them, not the product. The buffer holds one grid, column by column. If both run side by side, there are two buffers,
which are swapped after each grid, so that no tile overwrites sums that are still to be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import cast

from ..contract.machine import Address, Vector
from ..contract.vector_verbs import held, known
from ..dtypes import ELEMENT_BYTES
from ..gemm.block_tile import TilePanel
from ..gemm.blocking import Panel, ProductBlock
from ..gemm.epilogue_hook import ColumnSums
from ..gemm.state import KernelState
from .on_tiles import OnTiles
from .tile_plan import columns_of_pair


class FusedTilePanel(TilePanel):
    """The blocks of columns of one panel of rows, each with the epilogue of the one before."""

    epilogue: OnTiles

    def __init__(self, kernel: KernelState, panel: Panel, scope: ExitStack) -> None:
        super().__init__(kernel, panel, scope)
        self.epilogue = cast(OnTiles, kernel.epilogue)  # the only epilogue whose panels these are
        self.stores_at_once = self.epilogue.ready
        self.pending: int = 0  # columns whose sums are in the buffer
        self.stream: Iterator[None] = iter(())
        self.quota: int = 0  # lines of the epilogue after each load and product
        row_bytes, size = self.facts.row_bytes, ELEMENT_BYTES[kernel.product.dtype]
        places = [
            ColumnSums(start, i * row_bytes + hidden * size, count)
            for i, (start, hidden, count) in enumerate(zip(self.first_rows, self.hidden, panel.row_vectors))
        ]
        scope.enter_context(self.epilogue.opened(places, self.tile_state.line))

    def blocks(self, panel: Panel, last: bool) -> None:
        """Emit all columns. The first block of a kind is emitted outside the loop if its predecessor has other columns,
        or none."""
        for block in panel.blocks:
            again = block.repeat
            if self.epilogue.interleaved and self.pending != block.columns:
                self.block(block)
                again -= 1
            if again:
                with self.m.loop(self.state.column_counter, again):
                    self.block(block)
        self._drain()

    def block(self, block: ProductBlock) -> None:
        """Emit one grid: its products with the epilogue of the one before, and then its sums to the buffer."""
        super().block(block)
        kernel = self.state
        places = -(-block.columns // kernel.product.b.across)
        self.m.advance(kernel.operands.b, kernel.operands.b_column, places)
        self.pending = block.columns
        if self.epilogue.interleaved:
            self.epilogue.swap()
        else:
            self._drain()

    def _drain(self) -> None:
        if self.pending:
            self.epilogue.all_columns(self.pending, self._zero)
        self.pending = 0

    def _zero(self) -> None:
        """Zero an accumulator that was stored: for processors it is a product, behind which the vector port that
        products close stays closed."""
        self.unit.zero(self.number(0, 0))

    @contextmanager
    def _vectors(self) -> Iterator[Sequence[Vector]]:
        """Registers of the epilogue hold nothing while it does not run."""
        if len(self.epilogue.free) >= 2:
            yield self.epilogue.free[:2]
            return
        with super()._vectors() as registers:
            yield registers

    # Places

    def _c_place(self, i: int, j: int) -> Address:
        """Return the place of the tile's own results in C, after the columns whose epilogue is due."""
        disp = self.pending * known(self.state.operands.ldc)
        return self.m.further(super()._c_place(i, j), disp) if disp else super()._c_place(i, j)

    def _store(self, i: int, j: int, tile: int) -> None:
        disp = self._first_column(j) * self.tile_state.line + i * self.facts.row_bytes
        self.unit.store(self.epilogue.buffer(disp), self.tile_state.buffer_stride, tile)

    # Products and epilogue side by side

    def _beside(self) -> None:
        for _ in range(self.quota):
            if next(self.stream, self) is self:
                return

    def sum_over_pairs(self, block: ProductBlock) -> None:
        """Emit the products of all pairs, beside the columns that are due."""
        batch, pending = self.state.batch, self.pending
        if not (batch.several and pending and self.epilogue.interleaved):
            super().sum_over_pairs(block)
            return
        if batch.may_be_empty:
            self._first_pair_with_columns(block)
            return
        pairs = known(batch.count)
        together = columns_of_pair(pending, pairs)
        shared = pending // together
        batch.first_pair()
        with batch.next_pairs(shared):
            self.m.note(f"k, and the epilogue of {together} of the {pending} columns before")
            self.state.k.start()
            self._with_columns(block, together, -(-together // self.state.product.k), 0)
            self.epilogue.forward(together, buffer=True)
        self.epilogue.rewind(pending)
        self.pending = 0
        if pairs > shared:
            with batch.next_pairs(pairs - shared):
                self.pair(block)

    def _first_pair_with_columns(self, block: ProductBlock) -> None:
        """Emit a batch whose size is given at the call. The first pair runs beside all columns of the epilogue; an
        empty batch runs the epilogue alone."""
        batch, pending, m = self.state.batch, self.pending, self.m
        nothing, left = self.tile_state.of_pairs
        m.copy(nothing, 1)
        with m.unless_zero(held(batch.count)):
            m.copy(nothing, 0)
            batch.first_pair()
            self.pair(block)
            self.pending = 0
            with batch.other_pairs(left):
                self.pair(block)
        with m.unless_zero(nothing):
            self.epilogue.all_columns(pending)

    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the steps of k, beside the columns that are due."""
        if not self.pending:
            super().sum_over_k(block)
            return
        kernel, steps, k = self.state, self.state.product.k, self.state.k
        together = -(-self.pending // steps)
        self.m.note(f"k, and the epilogue of the {self.pending} columns before, {together} columns a step")
        looped = 0
        if self.epilogue.looped and k.a is not kernel.batch.a:
            looped = min(self.pending // together, steps - 1)
            with self.m.loop(k.counter, looped):
                self._shared(0, 0, together, False)
                self.epilogue.forward(together, buffer=True)
                for pointer, distance in zip((k.a, k.b), self.distances):
                    self.m.advance(pointer, distance)
        left = self.pending - looped * together
        self._with_columns(block, left, together, looped)
        self.epilogue.forward(left)
        self.epilogue.rewind(looped * together)

    def _with_columns(self, block: ProductBlock, columns: int, together: int, done: int) -> None:
        """Emit the steps of k from `done` on. The first of them run beside `columns` columns of the epilogue,
        `together` at a time."""
        steps, at, first = self.state.product.k, 0, 0
        while first < columns:
            count = min(together, columns - first)
            self._shared(at, first, count, done == steps - 1)
            first, at, done = first + count, at + 1, done + 1
            if done < steps:
                self.advance(1, known_distances=False)
        if done < steps:
            self._others(block, at, steps - done)

    def _others(self, block: ProductBlock, at: int, count: int) -> None:
        """Emit the steps after those that the epilogue shares."""
        k = self.state.k
        if k.a is self.state.batch.a:
            for kk in range(at, at + count - 1):
                self._whole_step(kk, 1)
            self.last_step(at + count - 1, 1)
            return
        self.advance(at, known_distances=True)
        k.walk(count, min(count, block.unroll), self._whole_step, *self.distances, self.last_step)

    def _whole_step(self, kk: int, left: int) -> None:
        self.step(kk, left, self.facts.step)

    def _shared(self, kk: int, first: int, columns: int, last: bool) -> None:
        """Emit one step of k and some columns of the epilogue."""
        self.stream = self.epilogue.columns(first, columns)
        products, loads = len(self.row_vectors) * len(self.columns), len(self.row_vectors) + len(self.columns)
        self.quota = -(-self.epilogue.lines_of(columns) // (products + loads))
        if last and self.ends_apart:
            self.last_step(kk, 1)
        else:
            self._whole_step(kk, 1)
        for _ in self.stream:
            pass
        self.quota = 0
