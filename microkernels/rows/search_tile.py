"""The grids of a product on tile registers whose number of columns is given at the call.

All panels of rows have one block of columns, a grid of two or four tiles across, or of one tile in short products. It
repeats with tiles of sixteen columns while columns last. The columns that are left, fewer than the grid has, take the
same code once more. The tiles are configured again, with as many columns as an equal part of what is left, rounded up,
and neighbouring tiles overlap where the parts are not whole. If a block is small and C is not read, the block ends with
the last column instead, and begins in the block before it (`GemmPlan.shifted`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contract.dot_and_tile import UnitFacts
from ..gemm.blocking import BlockedProduct, Panel
from ..gemm.search_tile import TileSearch, is_plain, tiles_of_c
from ..tuning.gemm import GemmTuning

ACROSS = (2, 4)
"""The tiles across a grid: powers of two, so that halves of the columns that are left are halved again."""


class RowsTileSearch(TileSearch):
    """The search for panels whose block handles any number of columns."""

    def __init__(self, facts: UnitFacts, tuning: GemmTuning, extents: tuple[int, ...], ends: bool) -> None:
        """extents: the numbers of columns for which the grid is optimised. ends: whether C is neither read nor
        converted, so that the last block may end with the last column."""
        super().__init__(facts, tuning)
        self.extents, self.ends = extents, ends

    def panels(self, product: BlockedProduct) -> tuple[Panel, ...]:
        """Return the panels of the cheapest grid."""
        made = [self._of_grid(product, *grid) for grid in self._dynamic_grids(product)]
        return min(made, key=lambda panels: sum(panel.cycles for panel in panels))

    def _dynamic_grids(self, product: BlockedProduct) -> Iterator[tuple[int, int]]:
        """Yield grids as tiles along rows and across. One tile along rows leaves no room for a tail of rows."""
        most, size, side = tiles_of_c(product, self.facts), self.facts.side, self.tuning.tile_grid_side
        if self._alone(product):
            yield min(2, -(-product.m // size)), 1
            return
        for wide in ACROSS:
            if product.m <= size:
                yield 1, wide
            elif wide == side:
                yield side, side
            if product.m > size and self._waits(product):
                yield from ((high, wide) for high in range(1, most // wide + 1) if high > 1 or product.m % size == 0)

    def _alone(self, product: BlockedProduct) -> bool:
        """Whether a block has one tile across. Then columns that are left take one more tile, which ends with the last
        column, as in a kernel for their number. Few steps of k have few loads, which a wider grid would save."""
        tuning, rows = self.tuning, product.m
        if not self.ends or product.pairs != 1 or is_plain(product, self.facts) or product.rest % self.facts.depth:
            return False  # each block would interleave Y, or wait for lines in scratch memory whose last group is short
        if rows > self.facts.side:
            return product.k <= tuning.most_steps_of_pairs and not product.rest
        return product.k == 1 or (rows <= tuning.most_rows_alone and product.k <= tuning.most_steps_alone)

    def _of_grid(self, product: BlockedProduct, along: int, across: int) -> tuple[Panel, ...]:
        cuts, grid = self.row_cuts(product, along, across)
        columns, made = across * self.facts.side, []
        for row_vectors, repeat, _ in cuts:
            panel = self._panel(product, row_vectors, repeat, [(columns, 1)], grid)
            shares = [-(-extent // columns) / extent for extent in self.extents]
            made.append(panel._replace(cycles=panel.cycles * sum(shares) / len(shares) * product.n))
        return tuple(made)
