"""Blocks of tiles for a number of columns that is given at the call: their shared state, and their emitter.

The code runs twice: first for all blocks of whole tiles, then for the columns that are left, with fewer columns in each
tile or, where a block is small and C is not read, for a block that ends with them. The state holds these numbers in
registers or stack slots:

    rest     the columns that are left behind whole blocks
    blocks   the blocks to multiply now: those of whole tiles, then one if columns are left
    lines    the columns of a tile: sixteen, then those that are left over the tiles, rounded up
    own      the columns of an odd tile that the tile before it does not have, and of an even one if there are four
    apart    the bytes from an even tile to the odd one behind it, and from the first pair of tiles to the second

Tiles that cannot be loaded or stored in place go through scratch memory, one line at a time, in loops with trip counts
from the call. If a tile of C overlaps the previous one, both store the same bits there. But if C is read when sums are
stored, only the tile's own last lines are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import UnitFacts
from ..contract.machine import Address, Amount, General, Slot
from ..contract.vector_verbs import claimed
from ..gemm.block_tile import TilePanel
from ..gemm.state import KernelState
from ..gemm.tile_state import TileState

HALVES = 2
"""The tiles of a pair."""

KEPT = 1
"""The general registers that the state leaves to others."""

_LONGEST_PRODUCT = (1 << 31) - 1
"""The largest line distance in bytes that is multiplied by a number of lines. Larger distances, and those in registers,
are added line by line."""


class TileStride(NamedTuple):
    """The bytes between tiles if columns are `distance` bytes apart."""

    distance: Amount
    odd: General | Slot | None  # from an even tile to the odd one behind it, if there are two tiles
    pair: General | Slot | None  # from the first pair of tiles to the second, if there are four tiles


class DynamicTileState(TileState):
    """The state of a kernel whose number of columns is given at the call, with the places of the current tiles."""

    dynamic = True

    def __init__(self, kernel: KernelState, facts: UnitFacts) -> None:
        m, self.kernel = kernel.m, kernel
        self.m = m
        self.line_of_scratch: General | None = None
        super().__init__(kernel, facts)
        (self.step,) = {block.columns for panel in kernel.plan.panels for block in panel.blocks}
        self.across = self.step // facts.side
        self.high = max(len(panel.row_vectors) for panel in kernel.plan.panels)
        pairs, two = self.across > HALVES, self.across >= HALVES
        self.tile_strides: list[TileStride] = []
        for each in (kernel.operands.b_column, kernel.operands.ldc):
            if all(each != other.distance for other in self.tile_strides):
                self.tile_strides.append(
                    TileStride(each, self._held("apart") if two else None, self._held("pairs apart") if pairs else None)
                )
        self.blocks, self.rest = self._held("blocks"), self._held("columns left")
        by_lines = self.line_of_scratch is not None
        self.lines = m.counter("lines") if by_lines else None
        self.own = m.counter("own lines") if two and by_lines and self.update.reads_c else None
        self.own_of_pair = m.counter("own lines of a pair") if self.own is not None and pairs else None
        self.counter, self.dynamic_lines = m.counter("lines left"), m.counter("lines between tiles")
        self.alone = sum(panel.repeat for panel in kernel.plan.panels) == 1  # then no pointer returns to a first column
        self.left = self.blocks if self.alone else self._held("blocks left")
        self.first_c = self.left if self.alone else self._held("first c")
        self.first_b = self.left if self.alone else self._held("first b")

    def _held(self, role: str) -> General | Slot:
        """Return a register, while some are left, or a counter."""
        return self.m.general(role) if self.m.generals_left() > KEPT else self.m.counter(role)

    def _claim_scratch(self, kernel: KernelState) -> None:
        super()._claim_scratch(kernel)
        if self.partial or not self.direct:
            self.line_of_scratch = kernel.m.general("line in scratch memory")

    @contextmanager
    def opened(self, extent: General | Slot, shifted: bool) -> Iterator[None]:
        """A scope whose body is the code of all panels. It runs for the whole blocks among `extent` columns, then for
        the columns that are left. shifted: whether the last block of several begins in the one before it."""
        m, spare, twice = self.m, claimed(self.spare), self.m.counter("whole blocks, or what is left")
        place = m.at(claimed(self.scratch), self.saved)
        with self.tiles.opened_dynamic(self.grid.shapes, place):
            m.copy(spare, extent)
            m.copy(self.rest, spare)
            self._whole(spare)
            m.copy(self.blocks, spare)
            m.advance(self.rest, spare, -self.step)
            if shifted:
                m.copy(spare, self.rest)
                with m.unless_zero(self.blocks):
                    m.copy(spare, self.step)
                self._divide(place)
            else:
                m.copy(spare, self.step)
            with m.loop(twice, 2):
                with m.unless_zero(self.blocks):
                    if not shifted:
                        self._divide(place)
                    yield
                    if shifted:
                        self._move_back()
                m.copy(spare, self.rest)
                m.advance(spare, self.step - 1)
                self._whole(spare)
                m.copy(self.blocks, spare)
                if not shifted:
                    m.copy(spare, self.rest)

    def _whole(self, columns: General) -> None:
        """Replace a number of columns by the number of whole blocks among them."""
        self.m.shift_right(columns, self.step.bit_length() - 1)

    def _move_back(self) -> None:
        """Let the block behind the whole ones end with the columns that are left."""
        operands = self.kernel.operands
        for pointer, distance in ((operands.b, operands.b_column), (operands.c, operands.ldc)):
            self.m.advance(pointer, distance, -self.step)
            self.add_lines(pointer, distance, self.rest)

    def _dynamic_tiles(self) -> list[int]:
        """Return the registers of tiles of C and X."""
        return [*range(self.high * self.across), *sorted({*self.grid.x, *self.grid.x_rest})]

    def _divide(self, place: Address) -> None:
        """Place the tiles among as many columns as the spare register says, and configure them. Each half of the
        columns, rounded up, begins or ends with them; so do the halves of a half. `place`: of the configuration."""
        m, lines = self.m, claimed(self.spare)
        if self.across > HALVES:
            self._halve(lines, "pair", self.own_of_pair)
        if self.across >= HALVES:
            self._halve(lines, "odd", self.own)
        if self.own_of_pair is not None:  # the first tile of the second pair follows the second tile of the first one
            m.advance(self.own_of_pair, claimed(self.own), -1)
        if self.lines is not None:
            m.copy(self.lines, lines)
        self.tiles.configure_dynamic(self._dynamic_tiles(), lines, place)

    def _halve(self, lines: General, which: str, own: General | Slot | None) -> None:
        """Halve a number of lines, rounded up. Set `own` to the lines before the second half, and the bytes between the
        halves, if lines are as far apart as the columns of an operand."""
        m, first = self.m, getattr(self.tile_strides[0], which)
        m.copy(first, lines)
        m.advance(lines, 1)
        m.shift_right(lines, 1)
        m.advance(first, lines, -1)
        if own is not None:
            m.copy(own, first)
        for each in reversed(self.tile_strides):
            apart = getattr(each, which)
            if apart is not first:
                m.copy(apart, 0)
                self.add_lines(apart, each.distance, first)
            elif isinstance(each.distance, int) and each.distance <= _LONGEST_PRODUCT:
                m.advance(first, first, each.distance - 1)
            else:
                m.copy(self.dynamic_lines, first)
                m.copy(first, 0)
                self.add_lines(first, each.distance, self.dynamic_lines)

    def add_lines(self, dst: General | Slot, distance: Amount, lines: General | Slot, times: int = 1) -> None:
        """dst += lines * distance * times; times is 1 or -1."""
        if isinstance(distance, int) and distance <= _LONGEST_PRODUCT:
            self.m.advance(dst, lines, times * distance)
            return
        with self.m.unless_zero(lines), self.m.loop(self.counter, lines):
            self.m.advance(dst, distance, times)

    def tile_stride_of(self, distance: Amount) -> TileStride:
        """Return the bytes between tiles whose columns are `distance` bytes apart."""
        return next(each for each in self.tile_strides if each.distance == distance)


class DynamicTilePanel(TilePanel):
    """The emitter of the blocks of one panel of rows."""

    tile_state: DynamicTileState

    def next_block(self) -> None:
        """Advance b and c past a block of whole tiles."""
        operands = self.state.operands
        for pointer, distance in ((operands.b, operands.b_column), (operands.c, operands.ldc)):
            self.m.advance(pointer, distance, self.tile_state.step)

    # Places

    def _place(self, base: General, distance: Amount, column: int, disp: int) -> Address:
        """Return the address of a tile's first column. The places of all tiles but the first depend on the call."""
        j = column // self.facts.side
        if not j:
            return self.m.at(base, disp)
        spare = claimed(self.tile_state.spare)
        self._point(spare, base, distance, j)
        return self.m.at(spare, disp)

    def _point(self, pointer: General, base: General, distance: Amount, j: int) -> None:
        """Set `pointer` to the first column of tile j behind `base`."""
        apart = self.tile_state.tile_stride_of(distance)
        self.m.copy(pointer, base)
        if j >= HALVES:
            assert apart.pair is not None
            self.m.advance(pointer, apart.pair)
        if j % HALVES:
            self.m.advance(pointer, claimed(apart.odd))

    def lines(
        self, base: General, distance: Amount, j: int, first: int, own: bool = False
    ) -> Iterator[tuple[Address, Address]]:
        """Yield the places of each line of tile j, in a loop, in which the spare pointer is at the line's place behind
        `base`. If C is read, a line that previous tiles have must not be added twice; else all lines are stored."""
        m, state = self.m, self.tile_state
        own = own and j > 0 and self.update.reads_c
        line, place = claimed(state.line_of_scratch), claimed(state.spare)
        lines = claimed(state.lines if not own else state.own if j % HALVES else state.own_of_pair)
        self._point(place, base, distance, j)
        m.copy(line, claimed(state.scratch))
        m.advance(line, first)
        with ExitStack() as scope:
            if own:  # its own lines begin where the previous tile ends
                for pointer, apart in ((line, self.facts.row_bytes), (place, distance)):
                    state.add_lines(pointer, apart, claimed(state.lines))
                    state.add_lines(pointer, apart, lines, -1)
                scope.enter_context(m.unless_zero(lines))
            scope.enter_context(m.loop(state.counter, lines))
            yield m.at(place), m.at(line)
            m.advance(line, self.facts.row_bytes)
            m.advance(place, distance)

    def together(self, tiles: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, list[int]]]:
        """Yield all tiles of the same columns, whose lines one loop visits."""
        every = [*tiles]
        for j in range(len(self.columns)):
            row_vectors = [i for i, column, _ in every if column == j]
            if row_vectors:
                yield j, row_vectors
