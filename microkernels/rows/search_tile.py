"""The grids of a product on tile registers whose columns the call counts.

A tile of sixteen columns stands for each sixteen columns of the call, and for what is left. Where their number is odd
the first of them is multiplied alone, by as many rows of tiles as there are registers for sums: these panels are
`narrow`. The others are multiplied by panels that have blocks of 2 tiles of columns, or of as many as the grid is wide,
then of two less, and so on. The last tile of the first of these blocks ends with the columns that fill no tile of their
own, so it overlaps the one before, as tails of a number of columns that is known do. Where the call has at most sixteen
columns there is a single tile along them, and it has as many.
"""

from __future__ import annotations

from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import TileFacts
from ..gemm.blocking import Panel, Product
from ..gemm.search_tile import TileSearch, is_plain
from ..tuning.gemm import GemmTuning


class CountedPanels(NamedTuple):
    """The panels of all rows for an even number of tiles along columns, and those for a single one."""

    wide: tuple[Panel, ...]
    narrow: tuple[Panel, ...]

    @property
    def cycles(self) -> float:
        """The estimate for a likely number of columns."""
        return sum(panel.cycles for panels in self for panel in panels)


class RowsTileSearch(TileSearch):
    """The search for panels that have blocks for any number of columns."""

    def __init__(self, facts: TileFacts, tuning: GemmTuning, extents: tuple[int, ...]) -> None:
        """extents: the numbers of columns for which a grid is chosen."""
        super().__init__(facts, tuning)
        self.extents = extents

    def counted(self, product: Product) -> CountedPanels:
        """The panels of the cheapest grid: one of several columns of tiles."""
        grids = [(high, wide) for high, wide in self._grids(product) if wide > 1]
        return min((self._of_grids(product, *grid) for grid in grids), key=lambda panels: panels.cycles)

    def _of_grids(self, product: Product, high: int, wide: int) -> CountedPanels:
        cuts, grid = self.row_cuts(product, high, wide)
        rows = max(len(row_vectors) for row_vectors, *_ in cuts)
        # Y goes through scratch memory that has room for the rows of the grid
        through_memory = is_plain(product, self.facts) or product.rest % self.facts.depth
        most = rows if through_memory else grid.tiles
        made = []
        for row_vectors, repeat, across in cuts:
            widths = [*range(across // 2 * 2, 0, -2)]
            panels = [
                self._panel(product, row_vectors, repeat, [(width * self.facts.rows, 1) for width in widths], grid)
            ]
            panels += [self._panel(product, row_vectors, repeat, self._times(extent, widths), grid)
                       for extent in self.extents]  # fmt: skip
            made.append(panels[0]._replace(cycles=self._likely(product, [panel.cycles for panel in panels[1:]])))
        looped = any(block.unroll < product.k for panel in made for block in panel.blocks)
        narrow = []
        for row_vectors, repeat in self._cuts(product.m, most):
            panel = self._panel(product, row_vectors, repeat, [(self.facts.rows, 1)], grid)
            (block,) = panel.blocks
            cycles = self._likely(product, [panel.cycles * self._is_odd(extent) for extent in self.extents])
            narrow.append(panel._replace(
                blocks=(block if looped else block._replace(unroll=product.k),), cycles=cycles))  # fmt: skip
        return CountedPanels(tuple(made), tuple(narrow))

    def _likely(self, product: Product, cycles: list[float]) -> float:
        """Of the likely number of columns, from those of each of the numbers."""
        return sum(each / extent for each, extent in zip(cycles, self.extents)) / len(self.extents) * product.n

    def _is_odd(self, extent: int) -> bool:
        return -(-extent // self.facts.rows) % 2 == 1

    def _times(self, extent: int, widths: list[int]) -> list[tuple[int, int]]:
        """(columns, how often) of each block for so many columns."""
        size = self.facts.rows
        left, found = -(-extent // size) // 2 * 2, []
        for width in widths:
            times, left = divmod(left, width)
            found.append((width * size, times))
        return found
