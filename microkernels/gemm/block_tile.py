"""The panels of a GEMM on tile registers.

Y is a panel of the product's packed A. Data that a tile cannot load directly goes through scratch memory: a C of 16
bits, factors other than 0 and 1, and the last step of k if it ends within a group.

A tail tile overlaps the previous one instead of being partial (gemm/search_tile.py). Both belong to one grid, and a
grid loads all its tiles of C before it stores any. So both tiles compute and store the same bits where they overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from ..codegen.long_sums import Between
from ..contract.dot_and_tile import GROUP_BYTES, Result, Tiles
from ..contract.machine import Address, Amount, General, Vector
from ..contract.vector_verbs import claimed
from ..dtypes import ELEMENT_BYTES
from .blocking import Panel, ProductBlock
from .grid_panel import GridPanel
from .hints import TileHints
from .long_products import LongProducts
from .panel_loop import vectors_together
from .state import KernelState
from .tile_state import TileState


class TilePanel(GridPanel):
    """The blocks of columns of one panel of rows."""

    unit: Tiles

    def __init__(self, kernel: KernelState, panel: Panel, scope: ExitStack) -> None:
        assert isinstance(kernel.tile, TileState)
        super().__init__(kernel, panel, kernel.tile.update)
        self.tile_state, self.unit, self.grid = kernel.tile, kernel.tile.tiles, kernel.tile.grid
        self.stores_at_once = self.direct  # right after a tile's last product
        self.hidden = [self.tile_state.rows - count for count in panel.row_vectors]  # rows of the previous tile
        self.lanes_of_c()
        self.hints = TileHints(kernel, self.unit)
        self.wide = kernel.m.lanes("i32", self.facts.row_bytes // GROUP_BYTES)
        if self.tile_state.plain:
            self.y_row = kernel.m.lanes("i32", self.tile_state.rows)
            self.unit.prepare(self.y_row)
        if self.tile_state.partial:
            self._prepare_rest()

    def claim(self, block: ProductBlock, scope: ExitStack) -> None:
        """Divide the columns among tiles, and prefetch their C."""
        self.divide(block, "tiles of C")
        self.ahead = [self.tile_state.columns - count for count in self.columns]
        self.stored = False
        self.hints.begin((self._c_place(i, j) for i, j, _ in self.each()), self.tile_state.columns)

    def store_c(self) -> None:
        """Store the tiles, unless their last products did, and update C from them."""
        if not self.stored:
            self.m.note("C")
            for i, j, tile in self.each():
                self._store(i, j, tile)
        if not self.direct:
            self._store_rows()

    def sum_over_pairs(self, block: ProductBlock) -> None:
        """Emit the products of all pairs, the last of which may store their sums, too."""
        batch = self.state.batch
        self.stored = self.stores_at_once and not batch.several and batch.long is None
        super().sum_over_pairs(block)

    def number(self, i: int, j: int) -> int:
        """Return the tile register of a row vector and of columns."""
        return self.grid.grid.number(len(self.row_vectors), i, j)

    def levels(self, long: LongProducts) -> Between:
        """Return the additions of the rows of all tiles to their levels in memory, below which the tiles themselves are
        stored."""
        m, sums, facts = self.m, long.sums, self.facts
        lanes = m.lanes(self.state.product.dtype, facts.row_bytes // ELEMENT_BYTES[self.state.product.dtype])
        tiles = [tile for _, _, tile in self.each()]
        count = len(tiles) * facts.side

        def at(number: int) -> Address:
            return sums.place(0, number * facts.side, count, lanes)

        def store() -> None:
            for number, tile in enumerate(tiles):
                self.unit.store(at(number), facts.row_bytes, tile)

        def clear() -> None:
            with self._vectors() as (zero, _):
                sums.clear([zero] * count, lanes)

        def lay_by() -> None:
            store()
            with self._vectors() as (acc, other):
                sums.into(1, [acc] * count, other, lanes)
            self.clear_grid()

        def bring_back() -> None:
            store()
            with self._vectors() as (acc, other):

                def add(number: int) -> None:
                    m.load(acc, sums.place(0, number, count, lanes), lanes)
                    for level in range(1, sums.levels.depth):
                        m.load(other, sums.place(level, number, count, lanes), lanes)
                        m.add(acc, acc, other, lanes)
                    m.store(sums.place(0, number, count, lanes), acc, lanes)

                sums.each(count, lanes, add)
            for number, tile in enumerate(tiles):
                self.unit.load(tile, at(number), facts.row_bytes)

        return Between(clear, lay_by, bring_back)

    @contextmanager
    def _vectors(self) -> Iterator[Sequence[Vector]]:
        """A scope with two vector registers for the rows of tiles."""
        with self.m.vectors(2, "rows of tiles") as claimed_vectors:
            yield claimed_vectors

    # Places

    def _place(self, base: General, distance: Amount, column: int, disp: int) -> Address:
        """Return the address base + column * distance + disp bytes."""
        if isinstance(distance, int):
            return self.m.at(base, column * distance + disp)
        if column == 0:
            return self.m.at(base, disp)
        spare = claimed(self.tile_state.spare)
        self.m.copy(spare, base)
        self.m.advance(spare, distance, column)
        return self.m.at(spare, disp)

    def _first_column(self, j: int) -> int:
        return j * self.facts.side - self.ahead[j]

    def _first_row(self, i: int, place: int) -> int:
        """Return the offset of a tile's first row, in bytes."""
        return (self.first_rows[i] - self.hidden[i]) * place

    def _c_place(self, i: int, j: int) -> Address:
        kernel = self.state
        return self._place(
            kernel.operands.c, kernel.operands.ldc, self._first_column(j), self._first_row(i, kernel.product.c.place)
        )

    def _y_disp(self, kk: int, i: int) -> int:
        return kk * self.a_step + self._first_row(i, self.state.product.a.place)

    def _x_disp(self, kk: int) -> int:
        return kk * self.b_step

    @property
    def tile_bytes(self) -> int:
        """The bytes of a tile in scratch memory."""
        return self.facts.side * self.facts.row_bytes

    def _scratch_place(self, first: int, number: int, row: int = 0) -> Address:
        disp = first + number * self.tile_bytes + row * self.facts.row_bytes
        return self.m.at(claimed(self.tile_state.scratch), disp)

    # The sum

    def load_c(self, block: ProductBlock) -> None:
        """Start the tiles as C or zeros, unless their first product does, in steps that are written out once."""
        batch, k = self.state.batch, self.state.product.k
        straight = batch.count != 0 and not batch.several and block.unroll >= k and not self.update.starts_as_c
        self.unstarted = {tile for _, _, tile in self.each()} if straight else set[int]()
        if not straight:
            super().load_c(block)

    def load_grid(self) -> None:
        """Load the tiles from C, or from scratch memory after its rows."""
        state = self.tile_state
        if not self.direct:
            with self.m.vectors(5, "C") as work:
                for i, scratch, place in self._rows_of_c(self.each()):
                    claimed(self.state.result).load(work[0], place, self.of_c[i], self.lanes[i])
                    self.m.store(scratch, work[0], self.lanes[i])
        for i, j, tile in self.each():
            if self.direct:
                self.unit.load(tile, self._c_place(i, j), state.c_stride)
            else:
                self.unit.load(tile, self._scratch_place(state.c_scratch, tile), state.row)

    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the steps of k of one pair."""
        self.m.note(f"k: {len(self.row_vectors) * len(self.columns)} products a step")
        self.walk(block, self.facts.step, False, [True])

    @property
    def ends_apart(self) -> bool:
        """Whether the last step is shorter, or stores the sums."""
        return self.state.product.rest > 0 or self.stored

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit a whole step."""
        self._step(kk, elements, self.grid.x, self.grid.y, False)

    def last_step(self, kk: int, left: int) -> None:
        """Emit the last step, which may be shorter."""
        rest, partial = self.state.product.rest, self.tile_state.partial
        x, y = (self.grid.x_rest, self.grid.y_rest) if rest else (self.grid.x, self.grid.y)
        if partial:
            self._copy_rest(kk)
        self._step(kk, rest or self.facts.step, x, y, self.stored, scratch=partial > 0)

    def _step(
        self, kk: int, elements: int, x: Sequence[int], y: Sequence[int], store: bool, *, scratch: bool = False
    ) -> None:
        """Emit one product for each tile of C, right after the loads that it needs.

        If tiles of X share a register, columns are walked back and forth, so that the last tile is used twice. Plain
        rows of Y are interleaved before all products, since a load that follows a store to the same memory has to wait
        for it.
        """
        for i in range(len(self.row_vectors) if self.tile_state.plain else 0):
            self._interleave(kk, i, elements)
        held: dict[int, tuple[str, int]] = {}
        forth = range(len(self.columns))
        shared = len({*x}) < len(x)
        for i in range(len(self.row_vectors)):
            self._fetch(held, y[i], ("y", i), kk, elements, scratch)
            for j in reversed(forth) if shared and i % 2 else forth:
                self._fetch(held, x[j], ("x", j), kk, elements, scratch)
                tile = self.number(i, j)
                if tile in self.unstarted:
                    self.unit.zero(tile)
                    self.unstarted.remove(tile)
                self.unit.product(tile, x[j], y[i])
                self._beside()
                if store:
                    self._store(i, j, tile)

    def _beside(self) -> None:
        """Called after each load and product of a step, to emit instructions that the tiles do not wait for
        (epilogue/tile_panel.py)."""

    def _fetch(
        self, held: dict[int, tuple[str, int]], tile: int, what: tuple[str, int], kk: int, elements: int, scratch: bool
    ) -> None:
        """Load a tile of X or Y unless its register already holds it."""
        if held.get(tile) == what:
            return
        held[tile] = what
        kernel, state, (side, number) = self.state, self.tile_state, what
        if scratch or (side == "y" and state.plain):
            first = state.x_scratch if side == "x" else state.y_scratch
            self.unit.load(tile, self._scratch_place(first, number), state.row)
        elif side == "x":
            place = self._place(kernel.k.b, kernel.operands.b_column, self._first_column(number), self._x_disp(kk))
            self.hints.load(tile, place, state.x_stride, "b", state.columns)
        else:
            place = self.m.at(kernel.k.a, self._y_disp(kk, number))
            self.hints.load(tile, place, state.y_stride, "a", self.facts.steps)
        self._beside()

    def _interleave(self, kk: int, number: int, elements: int) -> None:
        """Build a tile of Y in scratch memory from plain rows."""
        kernel, m, depth = self.state, self.m, self.facts.depth
        row_at = self._walker(kernel.k.a, kernel.operands.lda, 0, self._y_disp(kk, number))
        with m.vectors(2, "rows of Y") as (row, spare):
            for line in range(-(-elements // depth)):
                rows = range(line * depth, min(elements, (line + 1) * depth))
                self.unit.interleave(row, (row_at(each) for each in rows), self.y_row, spare)
                m.store(self._scratch_place(self.tile_state.y_scratch, number, line), row, self.wide)

    # The last step of k, if it ends within a group: X and Y are zero-padded in scratch memory

    def _prepare_rest(self) -> None:
        m, product, of = self.m, self.state.product, dict(zip("abc", self.state.plan.spec.dtypes))
        self.x_lanes = m.lanes(of[product.b.argument], product.rest)
        self.y_lanes = m.lanes(of[product.a.argument], self.tile_state.rows * self.facts.depth)

    def _copy_rest(self, kk: int) -> None:
        """Copy the last step. Rows of X end with the last element; in Y the last group keeps the same number of
        elements."""
        kernel, m, state = self.state, self.m, self.tile_state
        groups = -(-kernel.product.rest // self.facts.depth)
        with m.vectors(1, "rest of k") as (row,):
            self._copy_rest_of_x(kk, row)
            for i in range(0 if state.plain else len(self.row_vectors)):
                pointer = self._walker(kernel.k.a, kernel.operands.lda, 0, self._y_disp(kk, i))
                for line in range(groups):
                    m.load(row, pointer(line), self.y_lanes)
                    if line == groups - 1:
                        size = ELEMENT_BYTES[self.y_lanes.dtype]
                        m.keep_low(row, 8 * size * state.partial, self.wide)
                    m.store(self._scratch_place(state.y_scratch, i, line), row, self.wide)

    def _copy_rest_of_x(self, kk: int, row: Vector) -> None:
        k, operands, m, size = self.state.k, self.state.operands, self.m, self.tile_bytes
        for j in range(len(self.columns)):
            first = self.tile_state.x_scratch + j * size
            for place, scratch in self.lines(k.b, operands.b_column, j, first):
                m.load(row, m.further(place, self._x_disp(kk)), self.x_lanes)
                m.store(scratch, row, self.wide)

    def lines(
        self, base: General, distance: Amount, j: int, first: int, own: bool = False
    ) -> Iterator[tuple[Address, Address]]:
        """Yield the places of each line of a tile of columns behind `base`, and behind byte `first` of scratch memory.
        own: without the lines that the previous tile has, too."""
        ahead = self.ahead[j] if own else 0
        line_at = self._walker(base, distance, self._first_column(j) + ahead, 0)
        for line in range(ahead, self.tile_state.columns):
            scratch = self.m.at(claimed(self.tile_state.scratch), first + line * self.facts.row_bytes)
            yield line_at(line - ahead), scratch

    def _walker(self, base: General, distance: Amount, first: int, disp: int) -> Any:
        """Return a function that gives the address of line 0, 1, 2... counted from `first`. Lines must be requested in
        order."""
        m, place = self.m, self.tile_state.spare
        if isinstance(distance, int):
            return lambda line: m.at(base, (first + line) * distance + disp)
        assert place is not None
        m.copy(place, base)
        m.advance(place, distance, first)

        def line_at(line: int) -> Address:
            if line:
                m.advance(place, distance)
            return m.at(place, disp)

        return line_at

    # C through scratch memory
    def _store(self, i: int, j: int, tile: int) -> None:
        """Store a tile to C, or to scratch memory on its way to C."""
        of_c, there = self.direct, self.tile_state.c_scratch
        place = self._c_place(i, j) if of_c else self._scratch_place(there, tile)
        self.unit.store(place, self.tile_state.c_stride if of_c else self.tile_state.row, tile)

    def _rows_of_c(self, tiles: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, Address, Address]]:
        """Yield (row vector, place in scratch memory, place in C) of each row, without overlapping ones."""
        operands, first = self.state.operands, self.tile_state.c_scratch
        for j, row_vectors in self.together(tiles):
            for place, scratch in self.lines(operands.c, operands.ldc, j, first, own=True):
                for i in row_vectors:
                    yield i, self._sums(scratch, i, j), self._row_of_c(place, i)

    def together(self, tiles: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, list[int]]]:
        """Yield (columns, row vectors) of the tiles whose lines are visited side by side: each by itself."""
        for i, j, _ in tiles:
            yield j, [i]

    def _sums(self, scratch: Address, i: int, j: int) -> Address:
        """Return the place of the sums of a tile beside a line of scratch memory."""
        disp = ELEMENT_BYTES[self.state.product.dtype] * self.hidden[i]
        return self.m.further(scratch, self.number(i, j) * self.tile_bytes + disp)

    def _row_of_c(self, place: Address, i: int) -> Address:
        """Return the place of the rows of a row vector in a column of C."""
        return self.m.further(place, self.first_rows[i] * self.state.product.c.place)

    def _store_rows(self) -> None:
        """Store the rows of C. Rows of neighbouring tiles are stored together if their results fill a register."""
        result, reads_c = claimed(self.state.result), self.update.reads_c
        beside = [] if reads_c else vectors_together(result, self.lanes, self.m.facts.widths[0])
        for first in beside:
            for j in range(len(self.columns)):
                self._store_beside(result, first, j)
        alone = {*range(len(self.row_vectors))} - {i + each for i in beside for each in range(result.together)}
        with self.m.vectors(5, "C") as work:
            for i, scratch, place in self._rows_of_c(tile for tile in self.each() if tile[0] in alone):
                self.update.from_memory(scratch, place, self.of_c[i], self.lanes[i], work)

    def _store_beside(self, result: Result, first: int, j: int) -> None:
        """Store the columns of neighbouring tiles, each as one vector."""
        operands, update, lanes, count = self.state.operands, self.update, self.lanes[first], result.together
        with self.m.vectors(count + 1, "C") as (factor, *sums):
            update.load_alpha(factor, lanes)
            for place, scratch in self.lines(operands.c, operands.ldc, j, self.tile_state.c_scratch, own=True):
                for i, acc in enumerate(sums, first):
                    self.m.load(acc, self._sums(scratch, i, j), lanes)
                    update.convert(acc, lanes)
                    update.scale(acc, factor, lanes)
                result.store_together(self._row_of_c(place, first), sums, lanes)
