"""The panels of a GEMM on tile registers.

    C (j, i) += X (j, k) @ Y (k, i)         a step of k is one product for each tile of C

X are columns of the product's B, Y is a panel of its packed A. A sum starts as C where C = C + A B is asked, else as
+0. What a tile cannot take as it lies in memory goes through scratch memory: C of 16 bits, factors other than 0 and 1,
and the last step of k where it ends amid a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from .dtypes import ELEMENT_BYTES
from .gemm_cut import Block, Panel
from .gemm_frame import Frame
from .gemm_tile_search import Grid, depths, grid, split
from .gemm_update import Scaling
from .machine import Address, Amount, General
from .units import GROUP_BYTES, TileFacts, Tiles


class TileState:
    """What the panels of one kernel share: strides in registers, scratch memory, the tiles' configuration."""

    def __init__(self, frame: Frame, facts: TileFacts) -> None:
        m, product, spec = frame.m, frame.product, frame.plan.spec
        dtypes = dict(zip("abc", spec.dtypes))
        self.facts = facts
        self.tiles: Tiles = m.tiles(dtypes[product.b.argument], dtypes[product.a.argument])
        self.result = m.result(spec.dtype, product.dtype)
        self.scaling = Scaling(frame, early_c=spec.starts_as_c)
        self.direct = spec.dtype == product.dtype and spec.alpha == 1 and not self.scaling.reads_c
        self.partial = product.rest % facts.depth
        grids = [self.grid_of(frame, panel, block) for panel in frame.plan.panels for block in panel.blocks]
        self.one = len({each.shapes for each in grids}) == 1
        size = facts.rows * facts.row_bytes
        of_c = 0 if self.direct else max(len(each) * len(each[0]) for each in (g.c for g in grids)) * size
        of_x = max(len(each.x) for each in grids) * size if self.partial else 0
        self.plain = product.a.steps > facts.steps  # Y lies in rows of single elements: interleaved in scratch memory
        of_y = max(len(each.y) for each in grids) * size if self.partial or self.plain else 0
        self.c_scratch, self.x_scratch, self.y_scratch = 0, of_c, of_c + of_x
        self.scratch = m.scratch(of_c + of_x + of_y) if of_c + of_x + of_y else None
        distances = (frame.b_column, frame.lda, frame.ldc)
        moving = any(not isinstance(each, int) for each in distances)
        self.spare = m.general("place of a tile") if moving else None
        self.shapes = grids[0].shapes
        known: dict[int, Amount] = {}
        self.x_stride, self.y_stride, self.c_stride = (self._stride(frame, known, each) for each in distances)
        self.row = self._stride(frame, known, facts.row_bytes) if self.scratch is not None else 0

    @staticmethod
    def _stride(frame: Frame, known: dict[int, Amount], amount: Amount) -> Amount:
        """A number in a register while there are any: equal ones share it."""
        if not isinstance(amount, int):
            return amount
        if amount not in known:
            known[amount] = amount
            if frame.m.generals_left():
                known[amount] = frame.m.general("stride")
                frame.m.copy(known[amount], amount)
        return known[amount]

    def grid_of(self, frame: Frame, panel: Panel, block: Block) -> Grid:
        """The registers of a block."""
        made = grid(self.facts, panel.chunks, split(block.columns, self.facts.rows), *depths(frame.product, self.facts))
        assert made is not None, "the planner made sure"
        return made


def claim_tiles(frame: Frame) -> None:
    """What a kernel on tiles needs from its beginning."""
    if frame.product.tile and frame.plan.panels:
        frame.tile = TileState(frame, frame.product.tile)


@contextmanager
def tiled(frame: Frame) -> Iterator[None]:
    """A scope with configured tiles."""
    state: TileState = frame.tile
    if state.one:
        state.tiles.configure(state.shapes)
    yield
    state.tiles.release()


class TilePanel:
    """Blocks of columns of one panel of rows."""

    def __init__(self, frame: Frame, panel: Panel, scope: ExitStack) -> None:
        assert isinstance(frame.tile, TileState)
        self.frame, self.m, self.panel, self.state = frame, frame.m, panel, frame.tile
        self.tiles, self.facts = frame.tile.tiles, frame.tile.facts
        product, spec = frame.product, frame.plan.spec
        self.chunks = panel.chunks
        self.starts = [sum(panel.chunks[:i]) for i in range(len(panel.chunks))]
        if not self.state.direct:
            scaled = frame.tile.result.scaled or product.dtype
            self.lanes = [frame.m.lanes(scaled, count) for count in panel.chunks]
            self.of_c = [frame.m.lanes(spec.dtype, count) for count in panel.chunks]
        self.wide = frame.m.lanes("i32", self.facts.row_bytes // GROUP_BYTES)
        self.y_rows = [frame.m.lanes("i32", count) for count in panel.chunks]
        if self.state.plain:
            for lanes in self.y_rows:
                self.tiles.prepare(lanes)
        if self.state.partial:
            self._prepare_rest()

    def prepare(self, block: Block) -> None:
        """Before a loop over blocks like this one."""
        if not self.state.one:
            self.tiles.configure(self.state.grid_of(self.frame, self.panel, block).shapes)

    def block(self, block: Block) -> None:
        """One grid of tiles: start it, sum over the batch and k, update C."""
        frame, m, state = self.frame, self.m, self.state
        self.grid = state.grid_of(frame, self.panel, block)
        self.columns = split(block.columns, self.facts.rows)
        m.note(f"{len(self.chunks)} x {len(self.columns)} tiles of C")
        self._start()
        stored = False
        if frame.count != 0:
            with frame.pairs():
                stored = state.direct and not frame.batched
                self._sum_over_k(block, stored)
        if not stored:
            self._finish()

    def _each(self) -> Iterator[tuple[int, int, int]]:
        """(chunk, column, register) of each tile of C."""
        for i, row in enumerate(self.grid.c):
            for j, tile in enumerate(row):
                yield i, j, tile

    def _place(self, base: General, distance: Amount, j: int, disp: int) -> Address:
        """base + the distance of column tile j + disp bytes."""
        times = self.facts.rows * j
        if isinstance(distance, int):
            return self.m.at(base, times * distance + disp)
        if j == 0:
            return self.m.at(base, disp)
        self.m.copy(self.state.spare, base)
        self.m.advance(self.state.spare, distance, times)
        return self.m.at(self.state.spare, disp)

    def _c_place(self, i: int, j: int) -> Address:
        return self._place(self.frame.c, self.frame.ldc, j, self.starts[i] * self.frame.product.c.place)

    def _scratch_place(self, first: int, number: int, row: int = 0) -> Address:
        size = self.facts.rows * self.facts.row_bytes
        return self.m.at(self.state.scratch, first + number * size + row * self.facts.row_bytes)

    # The sum

    def _start(self) -> None:
        state = self.state
        if not state.scaling.early_c:
            for _, _, tile in self._each():
                self.tiles.zero(tile)
            return
        if not state.direct:
            self._rows_of_c(self._load_row)
        for i, j, tile in self._each():
            if state.direct:
                self.tiles.load(tile, self._c_place(i, j), state.c_stride)
            else:
                self.tiles.load(tile, self._scratch_place(state.c_scratch, tile), state.row)

    def _sum_over_k(self, block: Block, store: bool) -> None:
        frame, rest, whole = self.frame, self.frame.product.rest, self.facts.steps * self.facts.depth

        def step(kk: int, left: int) -> None:
            self._step(kk, whole, self.grid.x, self.grid.y, False)

        def final(kk: int, left: int) -> None:
            x, y = (self.grid.x_rest, self.grid.y_rest) if rest else (self.grid.x, self.grid.y)
            if self.state.partial:
                self._copy_rest(kk)
            self._step(kk, rest or whole, x, y, store, scratch=bool(self.state.partial))

        last = final if rest or store else None
        self.m.note(f"k: {len(self.chunks) * len(self.columns)} products a step")
        frame.start_k()
        frame.walk_k(frame.product.k, block.unroll, step, frame.a_step, frame.b_step, last)

    def _step(
        self, kk: int, elements: int, x: Sequence[int], y: Sequence[int], store: bool, *, scratch: bool = False
    ) -> None:
        """One product for each tile of C, each right behind the loads that it needs; back and forth along columns."""
        held: dict[int, tuple[str, int]] = {}
        for i, row in enumerate(self.grid.c):
            self._fetch(held, y[i], ("y", i), kk, elements, scratch)
            for j in range(len(row)) if i % 2 == 0 else reversed(range(len(row))):
                self._fetch(held, x[j], ("x", j), kk, elements, scratch)
                self.tiles.product(row[j], x[j], y[i])
                if store:
                    self.tiles.store(self._c_place(i, j), self.state.c_stride, row[j])

    def _fetch(
        self, held: dict[int, tuple[str, int]], tile: int, what: tuple[str, int], kk: int, elements: int, scratch: bool
    ) -> None:
        """Load a tile of X or Y unless its register holds it."""
        if held.get(tile) == what:
            return
        held[tile] = what
        frame, state, (side, number) = self.frame, self.state, what
        a_step, b_step = (each if isinstance(each, int) else 0 for each in (frame.a_step, frame.b_step))
        if scratch or (side == "y" and state.plain):
            first = state.x_scratch if side == "x" else state.y_scratch
            if side == "y" and state.plain:
                self._interleave(kk, number, elements)
            self.tiles.load(tile, self._scratch_place(first, number), state.row)
        elif side == "x":
            self.tiles.load(tile, self._place(frame.b_k, frame.b_column, number, kk * b_step), state.x_stride)
        else:
            disp = kk * a_step + self.starts[number] * frame.product.a.place
            self.tiles.load(tile, self.m.at(frame.a_k, disp), state.y_stride)

    def _interleave(self, kk: int, number: int, elements: int) -> None:
        """A tile of Y in scratch memory, from plain rows."""
        frame, m, depth = self.frame, self.m, self.facts.depth
        a_step = frame.a_step if isinstance(frame.a_step, int) else 0
        disp = kk * a_step + self.starts[number] * frame.product.a.place
        row_at = self._walker(frame.a_k, frame.lda, 0, disp)
        with m.vectors(2, "rows of Y") as (row, spare):
            for line in range(-(-elements // depth)):
                rows = range(line * depth, min(elements, (line + 1) * depth))
                self.tiles.interleave(row, (row_at(each) for each in rows), self.y_rows[number], spare)
                m.store(self._scratch_place(self.state.y_scratch, number, line), row, self.wide)

    # The last step of k where it ends amid a group: X and Y filled up with zeros in scratch memory

    def _prepare_rest(self) -> None:
        m, product, spec = self.m, self.frame.product, self.frame.plan.spec
        dtypes = dict(zip("abc", spec.dtypes))
        self.x_lanes = m.lanes(dtypes[product.b.argument], product.rest)
        self.y_lanes = [m.lanes(dtypes[product.a.argument], count * self.facts.depth) for count in self.chunks]

    def _copy_rest(self, kk: int) -> None:
        """Rows of X end with the last element; of Y the last group keeps as many elements."""
        frame, m, state = self.frame, self.m, self.state
        a_step, b_step = (each if isinstance(each, int) else 0 for each in (frame.a_step, frame.b_step))
        groups = -(-frame.product.rest // self.facts.depth)
        with m.vectors(1, "rest of k") as (row,):
            for j, count in enumerate(self.columns):
                pointer = self._walker(frame.b_k, frame.b_column, j * self.facts.rows, kk * b_step)
                for line in range(count):
                    m.load(row, pointer(line), self.x_lanes)
                    m.store(self._scratch_place(state.x_scratch, j, line), row, self.wide)
            for i, lanes in enumerate([] if state.plain else self.y_lanes):
                pointer = self._walker(frame.a_k, frame.lda, 0, kk * a_step + self.starts[i] * frame.product.a.place)
                for line in range(groups):
                    m.load(row, pointer(line), lanes)
                    if line == groups - 1:
                        size = ELEMENT_BYTES[self.y_lanes[0].dtype]
                        m.keep_low(row, 8 * size * state.partial, self.wide)
                    m.store(self._scratch_place(state.y_scratch, i, line), row, self.wide)

    def _walker(self, base: General, distance: Amount, first: int, disp: int) -> Any:
        """The address of line 0, 1, 2... of those from `first` on; ask for them in order."""
        m = self.m
        if isinstance(distance, int):
            return lambda line: m.at(base, (first + line) * distance + disp)
        place = self.state.spare
        m.copy(place, base)
        m.advance(place, distance, first)

        def line_at(line: int) -> Address:
            if line:
                m.advance(place, distance)
            return m.at(place, disp)

        return line_at

    # C through scratch memory

    def _finish(self) -> None:
        state = self.state
        self.m.note("C")
        for i, j, tile in self._each():
            if state.direct:
                self.tiles.store(self._c_place(i, j), state.c_stride, tile)
            else:
                self.tiles.store(self._scratch_place(state.c_scratch, tile), state.row, tile)
        if not state.direct:
            self._rows_of_c(self._store_row)

    def _rows_of_c(self, visit: Any) -> None:
        """visit(chunk, place in scratch memory, place in C, registers) for each row of each tile."""
        frame, m = self.frame, self.m
        with m.vectors(5, "C") as work:
            for i, j, tile in self._each():
                pointer = self._walker(frame.c, frame.ldc, j * self.facts.rows, self.starts[i] * frame.product.c.place)
                for line in range(self.columns[j]):
                    visit(i, self._scratch_place(self.state.c_scratch, tile, line), pointer(line), work)

    def _load_row(self, i: int, scratch: Address, place: Address, work: Sequence[int]) -> None:
        self.state.result.load(work[0], place, self.of_c[i], self.lanes[i])
        self.m.store(scratch, work[0], self.lanes[i])

    def _store_row(self, i: int, scratch: Address, place: Address, work: Sequence[int]) -> None:
        m, scaling, lanes, acc = self.m, self.state.scaling, self.lanes[i], work[4]
        m.load(acc, scratch, lanes)
        if self.state.result.scaled:
            self.state.result.convert(acc, lanes)
        if scaling.alpha != 1:
            m.constant(work[1], scaling.alpha, lanes)
            m.mul(acc, acc, work[1], lanes)
        if scaling.reads_c:
            self.state.result.load(work[1], place, self.of_c[i], lanes)
            if scaling.beta == 1:
                m.add(acc, acc, work[1], lanes)
            else:
                m.constant(work[2], scaling.beta, lanes)
                m.fma(acc, work[1], work[2], lanes)
        self.state.result.store(place, acc, self.of_c[i], lanes, work[:4])
