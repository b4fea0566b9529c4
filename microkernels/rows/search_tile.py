"""The grids of a product on tile registers whose columns the call counts.

A panel of rows has blocks of 2 tiles of columns, or of as many as the grid is wide, then of what is left 2 and 1. All
tiles have sixteen columns. The last tile of the first block with several ends with the columns that fill no tile of
their own, so it overlaps the one before, as tails of a number of columns that is known do: what is left behind it are
whole tiles. Where the call has at most sixteen columns there is a single tile along them, and it has as many.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contract.dot_and_tile import TileFacts
from ..gemm.blocking import Panel, Product
from ..gemm.search_tile import TileSearch
from ..tuning.gemm import GemmTuning


class RowsTileSearch(TileSearch):
    """The search for panels of which each has blocks for any number of columns."""

    def __init__(self, facts: TileFacts, tuning: GemmTuning, extents: tuple[int, ...]) -> None:
        """extents: the numbers of columns for which a grid is chosen."""
        super().__init__(facts, tuning)
        self.extents = extents

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """The panels of the cheapest grid: one of several columns of tiles, for tails."""
        grids = [(high, wide) for high, wide in self._grids(product) if wide > 1]
        return min((self._counted(product, *grid) for grid in grids),
                   key=lambda panels: sum(panel.cycles for panel in panels))  # fmt: skip

    def _counted(self, product: Product, high: int, wide: int) -> tuple[Panel, ...]:
        made = []
        cuts, grid = self.row_cuts(product, high, wide)
        for row_vectors, repeat, across in cuts:
            widths = sorted({across, 2, 1}, reverse=True)
            panels = [self._panel(product, row_vectors, repeat, blocks, grid) for blocks in self._blocks(widths)]
            cycles = [panel.cycles / extent for panel, extent in zip(panels[1:], self.extents)]
            made.append(panels[0]._replace(cycles=sum(cycles) / len(cycles) * product.n))
        return tuple(made)

    def _blocks(self, widths: list[int]) -> Iterator[list[tuple[int, int]]]:
        """(columns, times) of the blocks in code, and of those executed for each number of columns."""
        size = self.facts.rows
        yield [(width * size, 1) for width in widths]
        for extent in self.extents:
            left, found = -(-extent // size), []
            for width in widths:
                times, left = divmod(left, width)
                found.append((width * size, times))
            yield found
