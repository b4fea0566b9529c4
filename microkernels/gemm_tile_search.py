"""How a product is cut for a unit with tile registers: grids of tiles of C, and which registers they and A and B use.

    2 x 2 tiles of C: two loads for two products      1 x 6 or 6 x 1 where one dimension has a single tile

All panels and blocks are grids of tiles; what is left of a dimension has a grid of its own, in which tiles are smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .gemm_cut import Block, Panel, Product, unroll
from .units import GROUP_BYTES, TileFacts, TileShape

_ISSUE = 4  # vector instructions a cycle, about
_SIDE, _LONG = 2, 6  # tiles along a side of a square grid, and of the long side of a row of tiles


class Grid(NamedTuple):
    """Register numbers of the tiles of C by chunk and column, of X by column, of Y by chunk; and all shapes.

    X and Y of the last, shorter step of k have registers of their own, or the same numbers where there is none. Tiles
    of one shape may share a register.
    """

    c: tuple[tuple[int, ...], ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    x_rest: tuple[int, ...]
    y_rest: tuple[int, ...]
    shapes: tuple[TileShape, ...]


def grid(facts: TileFacts, chunks: tuple[int, ...], columns: tuple[int, ...], full: bool, rest: int) -> Grid | None:
    """Registers for tiles of these extents, with whole steps of k or not, and `rest` groups in the last.

    None where there are too few.
    """
    shapes: list[TileShape] = [(j, GROUP_BYTES * i) for i in chunks for j in columns]
    c = tuple(tuple(i * len(columns) + j for j in range(len(columns))) for i in range(len(chunks)))
    depths = [facts.steps] * full + [rest] * (rest > 0)
    wanted = [shape for depth in depths for shape in ([(j, GROUP_BYTES * depth) for j in columns],
                                                      [(depth, GROUP_BYTES * i) for i in chunks])]  # fmt: skip
    for shared in range(len(wanted) + 1):  # the last of them share first: Y before X, as X is loaded once a step
        order = [1, 3, 0, 2][:shared] if len(wanted) == 4 else [1, 0][:shared]
        placed: list[tuple[int, ...]] = []
        made = list(shapes)
        for number, each in enumerate(wanted):
            if number in order and len({*each}) == 1:
                placed.append((len(made),) * len(each))
                made.append(each[0])
            else:
                placed.append(tuple(range(len(made), len(made) + len(each))))
                made += each
        if len(made) <= facts.tiles:
            first, last = placed[:2], placed[-2:]
            return Grid(c, first[0], first[1], last[0], last[1], tuple(made))
    return None


class TileSearch:
    """The grids of a product."""

    def __init__(self, facts: TileFacts) -> None:
        self.facts = facts

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Panels of rows, blocks of columns, each of one grid of tiles."""
        most = self.facts.rows
        few_rows, few_columns = product.m <= most, product.n <= most
        along = _LONG if few_columns else 1 if few_rows else _SIDE
        across = _LONG if few_rows and not few_columns else 1 if few_columns else _SIDE
        panels = []
        for chunks, repeat in self._cuts(product.m, along):
            blocks = []
            for columns, times in self._cuts(product.n, across):
                if self._grid(product, chunks, columns) is None:
                    for column in dict.fromkeys(columns):
                        blocks.append((column, times * columns.count(column)))
                else:
                    blocks.append((sum(columns), times))
            panels += [
                self._panel(product, part, count, blocks)
                for part, count in self._fitting(product, chunks, repeat, blocks)
            ]
        return tuple(panels)

    def _fitting(
        self, product: Product, chunks: tuple[int, ...], repeat: int, blocks: list[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        """The chunks together if there are registers for every block, else each on its own."""
        if all(self._grid(product, chunks, split(columns, self.facts.rows)) for columns, _ in blocks):
            yield chunks, repeat
        else:
            for chunk in dict.fromkeys(chunks):
                yield (chunk,), repeat * chunks.count(chunk)

    def _grid(self, product: Product, chunks: tuple[int, ...], columns: tuple[int, ...]) -> Grid | None:
        return grid(self.facts, chunks, columns, *depths(product, self.facts))

    def _cuts(self, extent: int, most: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """(tiles side by side, how often) that cover an extent."""
        size = self.facts.rows
        full, rest = divmod(extent, size)
        groups, left = divmod(full, most)
        if groups:
            yield (size,) * most, groups
        last = (size,) * left + ((rest,) if rest else ())
        if last:
            yield last, 1

    def _panel(self, product: Product, chunks: tuple[int, ...], repeat: int, blocks: list[tuple[int, int]]) -> Panel:
        facts = self.facts
        made, cycles = [], 0.0
        for columns, times in blocks:
            tiles = len(split(columns, facts.rows))
            products = tiles * len(chunks)
            step = max(products * facts.product_cycles, (tiles + len(chunks)) * facts.load_cycles)
            cycles += times * (step * product.k + products * (facts.store_cycles + facts.load_cycles))
            instructions = 2 * products + tiles
            if product.a.steps > facts.steps:  # plain rows are interleaved
                instructions += len(chunks) * facts.steps * 3 * facts.depth
                cycles += times * product.k * len(chunks) * facts.steps * 3 * facts.depth / _ISSUE
            made.append(Block(columns, times, unroll(instructions, product.k), 1, 1, 5))
        return Panel("tile", chunks, repeat, tuple(made), repeat * cycles)


def split(extent: int, size: int) -> tuple[int, ...]:
    """Tiles of `size`, and a smaller one."""
    full, rest = divmod(extent, size)
    return (size,) * full + ((rest,) if rest else ())


def depths(product: Product, facts: TileFacts) -> tuple[bool, int]:
    """Whether there are whole steps of k, and the groups of the last one if it is not whole."""
    return product.k > 1 or not product.rest, -(-product.rest // facts.depth)
