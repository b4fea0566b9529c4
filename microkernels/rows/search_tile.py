"""The grids of a product on tile registers whose number of columns is given at the call.

Each sixteen columns of the call, and the remainder, take one tile along the columns. If the number of these tiles is
odd, the first one is multiplied alone, in the `narrow` panels: these have as many rows of tiles as there are registers
for sums. An even number of tiles is left for the `wide` panels. Their widest block has the largest even number of tiles
that the grid allows, and each further block has two tiles less, down to two.

The remaining columns that do not fill a tile belong to the last tile of the first wide block. This tile overlaps the
previous one, like the tail of a known number of columns. A call with at most sixteen columns has a single tile along
them, and the tile has that number of columns.
"""

from __future__ import annotations

from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import TileFacts
from ..gemm.blocking import Panel, Product
from ..gemm.search_tile import TileSearch, is_plain
from ..tuning.gemm import GemmTuning


class CountedPanels(NamedTuple):
    """The panels of all rows for an even number of tiles along columns, and the panels for a single tile."""

    wide: tuple[Panel, ...]
    narrow: tuple[Panel, ...]

    @property
    def cycles(self) -> float:
        """Estimated cycles for the likely number of columns."""
        return sum(panel.cycles for panels in self for panel in panels)


class RowsTileSearch(TileSearch):
    """The search for panels whose blocks handle any number of columns."""

    def __init__(self, facts: TileFacts, tuning: GemmTuning, extents: tuple[int, ...]) -> None:
        """extents: the numbers of columns for which the grid is optimised."""
        super().__init__(facts, tuning)
        self.extents = extents

    def counted(self, product: Product) -> CountedPanels:
        """Return the panels of the cheapest grid that has several columns of tiles."""
        grids = [(high, wide) for high, wide in self._grids(product) if wide > 1]
        return min((self._of_grids(product, *grid) for grid in grids), key=lambda panels: panels.cycles)

    def _of_grids(self, product: Product, high: int, wide: int) -> CountedPanels:
        cuts, grid = self.row_cuts(product, high, wide)
        rows = max(len(row_vectors) for row_vectors, *_ in cuts)
        # in this case Y goes through scratch memory, which has room only for the rows of tiles of the grid
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
        """Return the cycles for the likely number of columns, scaled from the cycles of each of `extents`."""
        return sum(each / extent for each, extent in zip(cycles, self.extents)) / len(self.extents) * product.n

    def _is_odd(self, extent: int) -> bool:
        return -(-extent // self.facts.rows) % 2 == 1

    def _times(self, extent: int, widths: list[int]) -> list[tuple[int, int]]:
        """Return (columns, repetitions) of the block of each width, for a call with `extent` columns."""
        size = self.facts.rows
        left, found = -(-extent // size) // 2 * 2, []
        for width in widths:
            times, left = divmod(left, width)
            found.append((width * size, times))
        return found
