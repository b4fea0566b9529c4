"""Blocks of tiles for a number of columns that is given at the call: their shared state, and their emitter.

The state holds these numbers in registers or stack slots:

    rest     the columns of the last or only tile that no other tile has: 1 to 16
    lines    the columns of a tile: sixteen, or `rest` if there is a single tile
    odd      nonzero if the number of tiles is odd: then all panels multiply the first tile alone
    total    the columns of the other tiles, counted as sixteen each
    apart    bytes from the previous tile to the last tile of a block with several tiles: those of `rest` columns in the
             first block of a panel, of sixteen columns in the others

Tiles that cannot be loaded or stored in place go through scratch memory, one line at a time, in loops with trip counts
from the call. If a tile of C overlaps the previous one, only its own last lines are moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from ..contract.dot_and_tile import TileFacts
from ..contract.machine import Address, Amount, General, Slot, Vector
from ..contract.vector_verbs import claimed
from ..dtypes import ELEMENT_BYTES
from ..gemm.block_tile import TilePanel
from ..gemm.blocking import Panel
from ..gemm.state import KernelState
from ..gemm.tile_state import TileState

_LONGEST_PRODUCT = (1 << 31) - 1
"""The largest line distance in bytes that is multiplied by a number of lines. Larger distances, and those in registers,
are added line by line."""


class CountedTileState(TileState):
    """The state of a kernel whose number of columns is given at the call, with the place of the last tile of the
    current block."""

    counted = True

    def __init__(self, kernel: KernelState, facts: TileFacts) -> None:
        m = self.m = kernel.m
        self.line_of_scratch: General | None = None
        super().__init__(kernel, facts)
        self.rest, self.lines, self.total = (m.counter(role) for role in ("rest", "lines", "columns of tiles"))
        self.odd = m.counter("odd tile")
        self.own, self.hidden, self.counter = (m.counter(role) for role in ("own lines", "hidden lines", "lines left"))
        distances = kernel.operands.b_column, kernel.operands.ldc
        self.apart: list[tuple[Amount, General | Slot]] = []
        for each in distances:
            if all(each != other for other, _ in self.apart):
                self.apart.append((each, m.counter("apart")))

    def _claim_scratch(self, kernel: KernelState) -> None:
        super()._claim_scratch(kernel)
        if self.partial or not self.direct:
            self.line_of_scratch = kernel.m.general("line in scratch memory")

    def count(self, extent: General | Slot) -> None:
        """Compute `rest`, `lines`, `odd` and `total` (see the module's docstring) from `extent`, the columns of the
        call, which is at least 1."""
        m, size, spare = self.m, self.facts.rows, claimed(self.spare)
        m.copy(spare, extent)
        m.advance(spare, -1)
        m.modulo(spare, size)
        m.advance(spare, 1)
        m.copy(self.rest, spare)
        m.copy(self.lines, spare)
        m.copy(self.total, extent)
        m.advance(self.total, spare, -1)
        with m.unless_zero(self.total):
            m.copy(self.lines, size)
        m.advance(self.total, size)
        m.copy(spare, self.total)
        m.modulo(spare, 2 * size)
        m.copy(self.odd, spare)
        m.advance(self.total, spare, -1)

    def configured(self) -> AbstractContextManager[None]:
        """Return a scope in which the tiles of C and X are configured with `lines` lines."""
        grid = self.grid
        of_factors = {*grid.x, *grid.y, *grid.x_rest, *grid.y_rest}
        counted = [*range(min(of_factors)), *sorted({*grid.x, *grid.x_rest})]
        place = self.m.at(claimed(self.scratch), self.saved)
        return self.tiles.opened_counted(grid.shapes, counted, self.lines, place)

    def first(self) -> None:
        """Set the state for the first block of a panel: its last tile has `rest` lines of its own."""
        m, line = self.m, self.facts.row_bytes
        m.copy(self.own, self.rest)
        m.copy(self.hidden, line * self.facts.rows)
        m.advance(self.hidden, self.rest, -line)
        for distance, apart in self.apart:
            m.copy(apart, 0)
            if isinstance(distance, int) and distance <= _LONGEST_PRODUCT:
                m.advance(apart, self.rest, distance)
            else:
                with m.loop(self.counter, self.rest):
                    m.advance(apart, distance)

    def others(self) -> None:
        """Set the state for the blocks after the first one: all their tiles are whole."""
        m, size = self.m, self.facts.rows
        m.copy(self.own, size)
        m.copy(self.hidden, 0)
        for distance, apart in self.apart:
            m.copy(apart, 0)
            m.advance(apart, distance, size)

    def apart_of(self, distance: Amount) -> General | Slot:
        """Return the bytes from the previous tile to the last tile of the current block, if columns are `distance`
        bytes apart."""
        return next(apart for each, apart in self.apart if each == distance)


class CountedTilePanel(TilePanel):
    """The emitter of the blocks of one panel of rows."""

    state: CountedTileState

    def __init__(self, kernel: KernelState, panel: Panel, scope: ExitStack) -> None:
        super().__init__(kernel, panel, scope)
        rows = range(len(panel.row_vectors))  # more than the grid has if there is a single tile along columns
        y, rest = (tuple(each[i % len(each)] for i in rows) for each in (self.grid.y, self.grid.y_rest))
        self.grid = self.grid._replace(y=y, y_rest=rest)

    def next_columns(self, tiles: int) -> None:
        """Advance b and c past a block of `tiles` tiles, at least two."""
        state, operands, size = self.state, self.kernel.operands, self.facts.rows
        for pointer, distance in ((operands.b, operands.b_column), (operands.c, operands.ldc)):
            self.m.advance(pointer, distance, (tiles - 1) * size)
            self.m.advance(pointer, state.apart_of(distance))
        state.others()

    # Places

    def _is_last_of_several(self, j: int) -> bool:
        return 0 < j == len(self.columns) - 1

    def _place(self, base: General, distance: Amount, column: int, disp: int) -> Address:
        """Return the address of a column. That of the last of several tiles depends on the call."""
        size = self.facts.rows
        if not self._is_last_of_several(column // size):
            return super()._place(base, distance, column, disp)
        spare = claimed(self.state.spare)
        self._point(spare, base, distance, column // size)
        return self.m.at(spare, disp)

    def _point(self, pointer: General, base: General, distance: Amount, j: int) -> None:
        """Set `pointer` to the first column of tile j behind `base`."""
        size, last = self.facts.rows, self._is_last_of_several(j)
        self.m.copy(pointer, base)
        self.m.advance(pointer, distance, (j - last) * size)
        if last:
            self.m.advance(pointer, self.state.apart_of(distance))

    @contextmanager
    def _each_line(self, base: General, distance: Amount, j: int, first: int, own: bool) -> Iterator[General]:
        """Run the body for each line of tile j or, with `own`, only for the lines that no previous tile has. The spare
        pointer is at the line's place behind `base`. The yielded pointer is at the same line of a tile in scratch
        memory that begins at byte `first`."""
        m, state, last = self.m, self.state, self._is_last_of_several(j) and own
        line, place = claimed(state.line_of_scratch), claimed(state.spare)
        m.copy(line, claimed(state.scratch))
        m.advance(line, first)
        if last:  # its own lines begin where the previous tile ends
            m.advance(line, state.hidden)
            m.copy(place, base)
            m.advance(place, distance, j * self.facts.rows)
        else:
            self._point(place, base, distance, j)
        with m.loop(state.counter, state.own if last else state.lines):
            yield line
            m.advance(line, self.facts.row_bytes)
            m.advance(place, distance)

    # The last step of k

    def _copy_rest_of_x(self, kk: int, row: Vector) -> None:
        m, kernel, state = self.m, self.kernel, self.state
        for j in range(len(self.columns)):
            first = state.x_scratch + j * self._tile_bytes
            with self._each_line(kernel.k.b, kernel.operands.b_column, j, first, own=False) as line:
                m.load(row, m.at(claimed(state.spare), self._x_disp(kk)), self.x_lanes)
                m.store(m.at(line), row, self.wide)

    # C through scratch memory

    @property
    def _tile_bytes(self) -> int:
        return self.facts.rows * self.facts.row_bytes

    def _c_line(self, i: int) -> Address:
        """Return the address of the rows of tile i in the current line of C."""
        return self.m.at(claimed(self.state.spare), self.starts[i] * self.kernel.product.c.place)

    def _sums(self, line: General, i: int, j: int) -> Address:
        """Return the address of the sums of a tile in the current line of scratch memory."""
        disp = ELEMENT_BYTES[self.kernel.product.dtype] * self.hidden[i]
        return self.m.at(line, self._tile(i, j) * self._tile_bytes + disp)

    def _lines_of_c(self, j: int) -> AbstractContextManager[General]:
        operands = self.kernel.operands
        return self._each_line(operands.c, operands.ldc, j, self.state.c_scratch, own=True)

    def _rows_of_c(self, tiles: Iterable[tuple[int, int, int]], visit: Any) -> None:
        every = [*tiles]
        for j in range(len(self.columns)):
            rows = [i for i, column, _ in every if column == j]
            if rows:
                with self.m.vectors(5, "C") as work, self._lines_of_c(j) as line:
                    for i in rows:
                        visit(i, self._sums(line, i, j), self._c_line(i), work)

    def _store_beside(self, first: int, count: int, j: int) -> None:
        lanes = self.lanes[first]
        with self.m.vectors(count + 1, "C") as (factor, *sums):
            self.state.update.load_alpha(factor, lanes)
            with self._lines_of_c(j) as line:
                tiles = [self._sums(line, first + each, j) for each in range(count)]
                self._store_together(tiles, self._c_line(first), factor, sums, lanes)
