"""The grids of a product on tile registers: the tiles of C, and the registers that they and A and B use.

    2 x 2 tiles of C: two loads for two products      1 x 6 or 6 x 1 if one dimension has a single tile

Larger grids (2 x 3, 1 x 6...), with as many tiles as the registers of X and Y leave, are tried in two cases: if the
loads of four tiles take longer than their products because rows cross cache lines, and if plain rows of Y are
interleaved again for each block of columns. The fewest cycles decide.

All panels and blocks are grids of tiles. Every tile of a kind has one shape in the whole kernel, so that tiles are
configured once. A tail tile overlaps the previous one instead of being partial, and belongs to the same grid. The last
step of k cannot be moved like that: if it is shorter, it has registers of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import GROUP_BYTES, TileShape, UnitFacts
from ..tuning.gemm import GemmTuning
from .blocking import BlockedProduct, Panel, ProductBlock, ProductOperand, Scheme, cuts, in_levels, split_extent, unroll


class TileGrid(NamedTuple):
    """The largest grid of a kernel: the tiles along rows and along columns of C, and the tiles of C at a time.

    `tiles` is less than high * wide if no panel has both extents: for example, panels of one row of tiles, and a last
    one of two rows with fewer columns.
    """

    high: int
    wide: int
    tiles: int

    def number(self, rows: int, i: int, j: int) -> int:
        """Return the register of a tile of C, in a panel with `rows` rows of tiles."""
        return i * min(self.wide, self.tiles // rows) + j


class TileRegisters(NamedTuple):
    """The register numbers of one kernel, for its largest grid. Smaller grids use some of them.

    x is indexed by column, y by row. x_rest and y_rest are for the last, shorter step of k; they equal x and y if all
    steps are equal. Equal numbers are one register, loaded again for each tile. `Grid.number` gives the registers of C.
    """

    grid: TileGrid
    x: tuple[int, ...]
    y: tuple[int, ...]
    x_rest: tuple[int, ...]
    y_rest: tuple[int, ...]
    shapes: tuple[TileShape, ...]


def extents(product: BlockedProduct, facts: UnitFacts) -> tuple[int, int]:
    """Return the rows and columns of C in a tile."""
    return min(product.m, facts.side), min(product.n, facts.side)


def largest(product: BlockedProduct, facts: UnitFacts, panels: Iterable[Panel]) -> TileGrid:
    """Return the largest grid of a plan's panels. If C has a single tile along one dimension, it uses all registers
    that X and Y leave."""
    most = tiles_of_c(product, facts)
    if product.n <= facts.side:
        return TileGrid(most, 1, most)
    if product.m <= facts.side:
        return TileGrid(1, most, most)
    sizes = [
        (len(panel.row_vectors), len(split_extent(block.columns, facts.side)))
        for panel in panels
        for block in panel.blocks
    ]
    high, wide = (max(each) for each in zip(*sizes))
    return TileGrid(high, wide, max(h * w for h, w in sizes))


def tiles_of_c(product: BlockedProduct, facts: UnitFacts) -> int:
    """Return the tiles of C that fit beside one register for each kind of tile of X and Y."""
    return facts.accumulators - 2 * len(depths(product, facts))


def is_plain(product: BlockedProduct, facts: UnitFacts) -> bool:
    """Whether Y consists of rows of single elements, which are interleaved in scratch memory at every use."""
    return product.a.steps > facts.steps


def registers(product: BlockedProduct, facts: UnitFacts, grid: TileGrid) -> TileRegisters:
    """Assign registers: tiles of C from 0 on, tiles of X and Y last. Registers in between have the shape of C.

    Kernels that use the same kinds of tiles therefore have the same configuration.
    """
    (rows, columns), (high, wide, tiles) = extents(product, facts), grid
    of_c = (columns, GROUP_BYTES * rows)
    kinds: list[tuple[TileShape, int]] = []
    for depth in depths(product, facts):
        kinds += [((columns, GROUP_BYTES * depth), wide), ((depth, GROUP_BYTES * rows), high)]
    left = facts.accumulators - tiles
    several = left >= sum(count for _, count in kinds)
    shapes: list[TileShape] = []
    places: list[tuple[int, ...]] = []
    first = facts.accumulators - sum(count if several else 1 for _, count in kinds)
    for shape, count in kinds:
        start = first + len(shapes)
        places.append(tuple(range(start, start + count)) if several else (start,) * count)
        shapes += [shape] * (count if several else 1)
    return TileRegisters(grid, places[0], places[1], places[-2], places[-1], (*(of_c,) * first, *shapes))


class TileSearch:
    """The grids of a product. `most` limits the tiles along a dimension."""

    def __init__(self, facts: UnitFacts, tuning: GemmTuning, most: int | None = None) -> None:
        self.facts, self.tuning, self.most = facts, tuning, most or facts.accumulators

    def panels(self, product: BlockedProduct) -> tuple[Panel, ...]:
        """Return panels of rows with blocks of columns, each of one grid of tiles, in the grid size with the fewest
        cycles."""
        return min((self._of_grid(product, *grid) for grid in self._grids(product)), key=_cycles)

    def _grids(self, product: BlockedProduct) -> list[tuple[int, int]]:
        """Return the grid sizes to try, as tiles along rows and along columns. A single column of tiles has no place
        for a tail."""
        most, side, size = min(self.most, tiles_of_c(product, self.facts)), self.tuning.tile_grid_side, self.facts.side
        if min(product.m, product.n) <= size:
            return [(most, 1) if product.n <= size else (1, most)]
        if self.most < self.facts.accumulators:
            return [(side, side)]
        others = [
            (high, most // high)
            for high in range(1, most + 1)
            if most % high == 0 and (high < most or product.n % size == 0)
        ]
        return [(side, side), *(others if self._waits(product) else ())]

    def _waits(self, product: BlockedProduct) -> bool:
        """Whether products wait for the loads of the usual grid."""
        loads = self.tuning.tile_grid_side * (self._load(product.a) + self._load(product.b))
        return is_plain(product, self.facts) or loads > self.tuning.tile_grid_side**2 * self.facts.product_cycles

    def _of_grid(self, product: BlockedProduct, along: int, across: int) -> tuple[Panel, ...]:
        """Return the panels of a grid with `along` tiles along rows and `across` tiles along columns."""
        panels, grid = self.row_cuts(product, along, across)
        made = []
        for row_vectors, repeat, wide in panels:
            blocks = [(sum(columns), times) for columns, times in cuts(product.n, self.facts.side, wide, overlaps=True)]
            made.append(self._panel(product, row_vectors, repeat, blocks, grid))
        return tuple(made)

    def row_cuts(
        self, product: BlockedProduct, along: int, across: int
    ) -> tuple[list[tuple[tuple[int, ...], int, int]], TileGrid]:
        """Return (tiles along rows, repetitions, most tiles along columns) of each panel of a grid, and the largest
        grid.

        If there is one tile along rows, a tail of rows is added to the last panel, which then has two tiles along rows
        and is half as wide.
        """
        size = self.facts.side
        tail = product.m % size if along == 1 and product.m > size else 0
        made = [*cuts(product.m - tail, size, along, overlaps=True)]
        if tail:
            (whole, repeat), made = made[0], [((size, tail), 1)]
            made = [*([(whole, repeat - 1)] if repeat > 1 else []), *made]
        grid = TileGrid(along + bool(tail), across, along * across)
        return [(*each, across // len(each[0]) if tail else across) for each in made], grid

    def _panel(
        self,
        product: BlockedProduct,
        row_vectors: tuple[int, ...],
        repeat: int,
        blocks: list[tuple[int, int]],
        grid: TileGrid,
    ) -> Panel:
        facts, plain = self.facts, is_plain(product, self.facts)
        made, cycles = [], 0.0
        x, y, c = (self._load(operand) for operand in (product.b, product.a, product.c))
        y = facts.load_cycles if plain else y  # interleaved rows begin at cache lines
        of_x = registers(product, facts, grid).x
        pairs = (
            max(1, product.pairs) if isinstance(product.pairs, int) else self.tuning.likely_pairs
        )  # pairs share the costs that arise once
        for columns, times in blocks:
            tiles = len(split_extent(columns, facts.side))
            products = tiles * len(row_vectors)
            again = (len(row_vectors) - 1) * (tiles - 1) if len({*of_x}) < len(of_x) else 0  # all X share one register
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
            made.append(ProductBlock(columns, times, self._unroll(instructions, product), 1, 1, 5))
        return Panel(Scheme.TILE, row_vectors, repeat, tuple(made), repeat * cycles)

    def _unroll(self, instructions: float, product: BlockedProduct) -> int:
        """Return the steps in a loop body."""
        return in_levels(product.k, unroll(self.tuning, instructions, product.k))

    def _load(self, operand: ProductOperand) -> float:
        """Estimate the cycles to load a tile of an operand that begins at a cache line. They grow with the share of
        rows that cross a line."""
        facts, line = self.facts, self.facts.row_bytes
        apart = operand.leading * operand.place if isinstance(operand.leading, int) else line
        if not apart or line % apart == 0:
            return facts.load_cycles
        crossing = sum(row * apart % line != 0 for row in range(facts.side)) / facts.side
        return facts.load_cycles + crossing * (facts.split_cycles - facts.load_cycles)


def _cycles(panels: tuple[Panel, ...]) -> float:
    return sum(panel.cycles for panel in panels)


def depths(product: BlockedProduct, facts: UnitFacts) -> tuple[int, ...]:
    """Return the groups of a whole step of k, if there is one, and of the last step if it is not whole."""
    whole = (facts.steps,) if product.k > 1 or not product.rest else ()
    last = -(-product.rest // facts.depth)
    return (*whole, last) if last and last not in whole else whole
