"""The grids of a product on tile registers: tiles of C, and which registers they and A and B use.

    2 x 2 tiles of C: two loads for two products      1 x 6 or 6 x 1 where one dimension has a single tile

Where the loads of four tiles take longer than their products, since rows cross cache lines, or plain rows of Y are
interleaved anew for each block of columns, grids of as many tiles as the registers of X and Y leave are tried as well
(2 x 3, 1 x 6...), and the fewest cycles decide.

All panels and blocks are grids of tiles, and every tile of a kind has one shape in the whole kernel, so that it is
configured once. A tail tile overlaps the previous one instead of being partial, and belongs to the same grid. The last
step of k cannot be moved: it has registers of its own where it is shorter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import GROUP_BYTES, TileFacts, TileShape
from ..tuning.gemm import GemmTuning
from .blocking import Block, Operand, Panel, Product, Scheme, unroll


class Grid(NamedTuple):
    """The largest grid of a kernel: tiles along rows and along columns of C, and tiles of C at a time.

    Fewer than all of high x wide where no panel has both: panels of one row of tiles, and a last one of two.
    """

    high: int
    wide: int
    tiles: int

    def number(self, rows: int, i: int, j: int) -> int:
        """The register of a tile of C, in a panel of so many rows of tiles."""
        return i * min(self.wide, self.tiles // rows) + j


class TileRegisters(NamedTuple):
    """Numbers of the registers of one kernel, for its largest grid; smaller ones use some of them.

    x by column, y by row; x_rest and y_rest for the last, shorter step of k, the same as x and y where all steps are
    alike. Equal numbers are one register, loaded again for each. Those of C: `Grid.number`.
    """

    grid: Grid
    x: tuple[int, ...]
    y: tuple[int, ...]
    x_rest: tuple[int, ...]
    y_rest: tuple[int, ...]
    shapes: tuple[TileShape, ...]


def extents(product: Product, facts: TileFacts) -> tuple[int, int]:
    """Rows and columns of C in a tile."""
    return min(product.m, facts.rows), min(product.n, facts.rows)


def largest(product: Product, facts: TileFacts, panels: Iterable[Panel]) -> Grid:
    """The largest grid of a plan's panels: all that X and Y leave, where C has a single tile along one dimension."""
    most = _most(product, facts)
    if product.n <= facts.rows:
        return Grid(most, 1, most)
    if product.m <= facts.rows:
        return Grid(1, most, most)
    sizes = [
        (len(panel.row_vectors), len(split(block.columns, facts.rows))) for panel in panels for block in panel.blocks
    ]
    high, wide = (max(each) for each in zip(*sizes))
    return Grid(high, wide, max(h * w for h, w in sizes))


def _most(product: Product, facts: TileFacts) -> int:
    """Tiles of C beside one register for each kind of tile of X and Y."""
    return facts.tiles - 2 * len(depths(product, facts))


def is_plain(product: Product, facts: TileFacts) -> bool:
    """Whether Y lies in rows of single elements, which are interleaved in scratch memory at every use."""
    return product.a.steps > facts.steps


def registers(product: Product, facts: TileFacts, grid: Grid) -> TileRegisters:
    """Tiles of C from 0 on; those of X and Y are the last, and what is between has the shape of C.

    So kernels that use the same kinds of tiles have the same configuration.
    """
    (rows, columns), (high, wide, tiles) = extents(product, facts), grid
    of_c = (columns, GROUP_BYTES * rows)
    kinds: list[tuple[TileShape, int]] = []
    for depth in depths(product, facts):
        kinds += [((columns, GROUP_BYTES * depth), wide), ((depth, GROUP_BYTES * rows), high)]
    left = facts.tiles - tiles
    several = left >= sum(count for _, count in kinds)
    shapes: list[TileShape] = []
    places: list[tuple[int, ...]] = []
    first = facts.tiles - sum(count if several else 1 for _, count in kinds)
    for shape, count in kinds:
        start = first + len(shapes)
        places.append(tuple(range(start, start + count)) if several else (start,) * count)
        shapes += [shape] * (count if several else 1)
    return TileRegisters(grid, places[0], places[1], places[-2], places[-1], (*(of_c,) * first, *shapes))


class TileSearch:
    """The grids of a product, of at most so many tiles along a dimension."""

    def __init__(self, facts: TileFacts, tuning: GemmTuning, most: int | None = None) -> None:
        self.facts, self.tuning, self.most = facts, tuning, most or facts.tiles

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Panels of rows, blocks of columns, each of one grid of tiles: of the size with the fewest cycles."""
        return min((self._of_grid(product, *grid) for grid in self._grids(product)), key=_cycles)

    def _grids(self, product: Product) -> list[tuple[int, int]]:
        """Tiles along rows and along columns of the grids to be tried. One column of tiles has no place for a tail."""
        most, side, size = min(self.most, _most(product, self.facts)), self.tuning.tile_grid_side, self.facts.rows
        if min(product.m, product.n) <= size:
            return [(most, 1) if product.n <= size else (1, most)]
        if self.most < self.facts.tiles:
            return [(side, side)]
        others = [
            (high, most // high)
            for high in range(1, most + 1)
            if most % high == 0 and (high < most or product.n % size == 0)
        ]
        loads = side * (self._load(product.a) + self._load(product.b))
        waits = is_plain(product, self.facts) or loads > side * side * self.facts.product_cycles
        return [(side, side), *(others if waits else ())]

    def _of_grid(self, product: Product, along: int, across: int) -> tuple[Panel, ...]:
        """Panels of so many rows of tiles."""
        cuts, grid = self.row_cuts(product, along, across)
        made = []
        for row_vectors, repeat, wide in cuts:
            blocks = [(sum(columns), times) for columns, times in self._cuts(product.n, wide)]
            made.append(self._panel(product, row_vectors, repeat, blocks, grid))
        return tuple(made)

    def row_cuts(
        self, product: Product, along: int, across: int
    ) -> tuple[list[tuple[tuple[int, ...], int, int]], Grid]:
        """(tiles along rows, how often, most tiles along columns) of each panel of a grid, and the largest grid.

        Where tiles along rows are one, a tail of rows makes two of the last, and panels half as wide.
        """
        size = self.facts.rows
        tail = product.m % size if along == 1 and product.m > size else 0
        cuts = [*self._cuts(product.m - tail, along)]
        if tail:
            (whole, repeat), cuts = cuts[0], [((size, tail), 1)]
            cuts = [*([(whole, repeat - 1)] if repeat > 1 else []), *cuts]
        grid = Grid(along + bool(tail), across, along * across)
        wide = [across // len(row_vectors) if tail else across for row_vectors, _ in cuts]
        return [(*cut, most) for cut, most in zip(cuts, wide)], grid

    def _cuts(self, extent: int, most: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """(tiles side by side, how often) that cover an extent; a tail tile is beside the last whole one."""
        size = self.facts.rows
        full, rest = divmod(extent, size)
        groups, left = divmod(full, most)
        alone = bool(groups and rest and not left)
        if groups > alone:
            yield (size,) * most, groups - alone
        if alone:
            yield (size,) * (most - 1), 1
        last = (size,) * (left + alone) + ((rest,) if rest else ())
        if last:
            yield last, 1

    def _panel(
        self,
        product: Product,
        row_vectors: tuple[int, ...],
        repeat: int,
        blocks: list[tuple[int, int]],
        grid: Grid,
    ) -> Panel:
        facts, plain = self.facts, is_plain(product, self.facts)
        made, cycles = [], 0.0
        x, y, c = (self._load(operand) for operand in (product.b, product.a, product.c))
        y = facts.load_cycles if plain else y  # interleaved rows begin at cache lines
        of_x = registers(product, facts, grid).x
        pairs = (
            max(1, product.pairs) if isinstance(product.pairs, int) else self.tuning.likely_pairs
        )  # share what is done once
        for columns, times in blocks:
            tiles = len(split(columns, facts.rows))
            products = tiles * len(row_vectors)
            again = (len(row_vectors) - 1) * (tiles - 1) if len({*of_x}) < len(of_x) else 0  # one register for all X
            loads = (tiles + again) * x + len(row_vectors) * y
            step = max(products * facts.product_cycles, loads, facts.latency)  # each tile of C waits for its last sum
            crossing = (c - facts.load_cycles) / (facts.split_cycles - facts.load_cycles)
            once = products * (facts.store_cycles * (1 + crossing) + c) + facts.latency
            cycles += times * (step * product.k + once / pairs)
            instructions = 2 * products + tiles
            if plain:
                each = facts.steps * 3 * facts.depth
                instructions += len(row_vectors) * each
                cycles += (
                    times
                    * product.k
                    * len(row_vectors)
                    * (each / self.tuning.vector_instructions_a_cycle + self.tuning.store_wait_cycles)
                )
            made.append(Block(columns, times, unroll(self.tuning, instructions, product.k), 1, 1, 5))
        return Panel(Scheme.TILE, row_vectors, repeat, tuple(made), repeat * cycles)

    def _load(self, operand: Operand) -> float:
        """Cycles of a tile of an operand that begins at a cache line: more, the more of its rows cross one."""
        facts, line = self.facts, self.facts.row_bytes
        apart = operand.leading * operand.place if isinstance(operand.leading, int) else line
        if line % apart == 0:
            return facts.load_cycles
        crossing = sum(row * apart % line != 0 for row in range(facts.rows)) / facts.rows
        return facts.load_cycles + crossing * (facts.split_cycles - facts.load_cycles)


def _cycles(panels: tuple[Panel, ...]) -> float:
    return sum(panel.cycles for panel in panels)


def split(extent: int, size: int) -> tuple[int, ...]:
    """Tiles of `size`, and the tail."""
    full, rest = divmod(extent, size)
    return (size,) * full + ((rest,) if rest else ())


def depths(product: Product, facts: TileFacts) -> tuple[int, ...]:
    """The groups of a whole step of k, if there is one, and of the last one if it is not whole."""
    whole = (facts.steps,) if product.k > 1 or not product.rest else ()
    last = -(-product.rest // facts.depth)
    return (*whole, last) if last and last not in whole else whole
