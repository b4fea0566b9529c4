"""The grids of a product on tile registers: tiles of C, and which registers they and A and B use.

    2 x 2 tiles of C: two loads for two products      1 x 6 or 6 x 1 where one dimension has a single tile

All panels and blocks are grids of tiles, and every tile of a kind has one shape in the whole kernel, so that it is
configured once. A tail tile overlaps the previous one instead of being partial, and belongs to the same grid. The last
step of k cannot be moved: it has registers of its own where it is shorter.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import GROUP_BYTES, TileFacts, TileShape
from ..tuning.gemm import GemmTuning
from .blocking import Block, Operand, Panel, Product, Scheme, unroll


class TileRegisters(NamedTuple):
    """Numbers of the registers of one kernel, for its largest grid; smaller ones use some of them.

    c by row and column of the grid, x by column, y by row; x_rest and y_rest for the last, shorter step of k, the same
    as x and y where all steps are alike. Equal numbers are one register, loaded again for each.
    """

    c: tuple[tuple[int, ...], ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    x_rest: tuple[int, ...]
    y_rest: tuple[int, ...]
    shapes: tuple[TileShape, ...]


def extents(product: Product, facts: TileFacts) -> tuple[int, int]:
    """Rows and columns of C in a tile."""
    return min(product.m, facts.rows), min(product.n, facts.rows)


def largest(product: Product, facts: TileFacts, side: int) -> tuple[int, int]:
    """Tiles of the largest grid, along rows and along columns of C; `side` of both where C has several of either."""
    kinds = len(depths(product, facts))
    if product.n <= facts.rows:
        return facts.tiles - 2 * kinds, 1
    if product.m <= facts.rows:
        return 1, facts.tiles - 2 * kinds
    return side, side


def registers(product: Product, facts: TileFacts, side: int) -> TileRegisters:
    """Tiles of C from 0 on; those of X and Y are the last, and what is between has the shape of C.

    So kernels that use the same kinds of tiles have the same configuration.
    """
    (rows, columns), (high, wide) = extents(product, facts), largest(product, facts, side)
    of_c = (columns, GROUP_BYTES * rows)
    kinds: list[tuple[TileShape, int]] = []
    for depth in depths(product, facts):
        kinds += [((columns, GROUP_BYTES * depth), wide), ((depth, GROUP_BYTES * rows), high)]
    left = facts.tiles - high * wide
    several = left >= sum(count for _, count in kinds)
    shapes: list[TileShape] = []
    places: list[tuple[int, ...]] = []
    first = facts.tiles - sum(count if several else 1 for _, count in kinds)
    for shape, count in kinds:
        start = first + len(shapes)
        places.append(tuple(range(start, start + count)) if several else (start,) * count)
        shapes += [shape] * (count if several else 1)
    c = tuple(tuple(i * wide + j for j in range(wide)) for i in range(high))
    return TileRegisters(c, places[0], places[1], places[-2], places[-1], (*(of_c,) * first, *shapes))


class TileSearch:
    """The grids of a product, of at most so many tiles along a dimension."""

    def __init__(self, facts: TileFacts, tuning: GemmTuning, most: int | None = None) -> None:
        self.facts, self.tuning, self.most = facts, tuning, most or facts.tiles

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Panels of rows, blocks of columns, each of one grid of tiles."""
        along, across = (min(self.most, x) for x in largest(product, self.facts, self.tuning.tile_grid_side))
        blocks = [(sum(columns), times) for columns, times in self._cuts(product.n, across)]
        return tuple(
            self._panel(product, row_vectors, repeat, blocks) for row_vectors, repeat in self._cuts(product.m, along)
        )

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
        self, product: Product, row_vectors: tuple[int, ...], repeat: int, blocks: list[tuple[int, int]]
    ) -> Panel:
        facts = self.facts
        made, cycles = [], 0.0
        x, y, c = (self._load(operand) for operand in (product.b, product.a, product.c))
        pairs = (
            max(1, product.pairs) if isinstance(product.pairs, int) else self.tuning.likely_pairs
        )  # share what is done once
        for columns, times in blocks:
            tiles = len(split(columns, facts.rows))
            products = tiles * len(row_vectors)
            step = max(products * facts.product_cycles, tiles * x + len(row_vectors) * y)
            once = products * (facts.store_cycles * (1 + (c > facts.load_cycles)) + c) + facts.latency
            cycles += times * (step * product.k + once / pairs)
            instructions = 2 * products + tiles
            if product.a.steps > facts.steps:  # plain rows are interleaved
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

    def _load(self, operand: Operand) -> int:
        """Cycles of a tile of an operand that begins at a cache line: of one row, or of two where rows lie so."""
        line = self.facts.row_bytes
        apart = operand.leading * operand.place if isinstance(operand.leading, int) else line
        return self.facts.split_cycles if apart % line and line % apart else self.facts.load_cycles


def split(extent: int, size: int) -> tuple[int, ...]:
    """Tiles of `size`, and the tail."""
    full, rest = divmod(extent, size)
    return (size,) * full + ((rest,) if rest else ())


def depths(product: Product, facts: TileFacts) -> tuple[int, ...]:
    """The groups of a whole step of k, if there is one, and of the last one if it is not whole."""
    whole = (facts.steps,) if product.k > 1 or not product.rest else ()
    last = -(-product.rest // facts.depth)
    return (*whole, last) if last and last not in whole else whole
