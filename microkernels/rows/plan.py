"""The plan of a product whose columns, in column-major terms, the call counts.

Each panel of rows has a widest block of columns, which repeats while columns last, and narrower ones of 1, 2, 4...
columns: of what is left each takes part at most once. Tiles, whose registers have one shape for a whole call, have
blocks of their own (search_tile.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from ...encoder.deferred import deferred
from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.blocking import Block, Panel, Product, Search
from ..gemm.plan import AS_THEY_LIE, AroundProduct, GemmPlan
from ..gemm.products import mixed, products, refusal, way_of
from ..gemm.search_dot import DotSearch
from ..gemm.search_mmla import MmlaSearch
from ..gemm.search_outer import OuterProductSearch, cuts, split, turned
from .spec import RowsSpec

if TYPE_CHECKING:
    from ..contract.dot_and_tile import TileShape
    from .search_tile import CountedPanels


@deferred
def _search_tile() -> ModuleType:
    from . import search_tile

    return search_tile


_EXTENTS = (64, 100, 256, 1000)
"""Numbers of columns for which the widest block is chosen."""

_SHORT = 16
"""Columns of all steps of k in the loop body of a narrower block, at least."""


FEW = 4
"""Columns of a grid between a whole accumulator and one column: each further width takes predicates, of which there are
seven for all grids."""


class RowsSearch(Search):
    """The search for panels of which each has blocks for any number of columns."""

    step = 1
    """Columns of the widest block are a multiple of it."""

    def _along_k_rows(self) -> set[int]:
        return {0}

    def _make_fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        costs = self._costs(row_vectors)
        best: tuple[float, tuple[Block, ...]] = (float("inf"), ())
        for group in self._groupings:
            made = [self._block(costs, columns, group) for columns in range(1, self._most_columns(costs, group) + 1)]
            for columns in range(max(1, len(made) // 2), len(made) + 1):
                if columns % self.step and columns > 1:
                    continue
                chain = [columns, *_powers(columns)]
                cycles = sum(_cycles(extent, chain, made) / extent for extent in _EXTENTS) / len(_EXTENTS)
                if cycles < best[0]:
                    widest = made[columns - 1][1]._replace(repeat=max(2, self.product.n // columns))
                    best = cycles, (widest, *(self._short(made[each - 1][1]) for each in chain[1:]))
        return Panel(self.scheme, row_vectors, 1, best[1], best[0] * self.product.n, self._held())

    def _short(self, block: Block) -> Block:
        """A narrower block in less code: it runs at most once in a panel, so few steps of k are unrolled."""
        if self.product.unit is not None and self.product.unit.block:
            return block  # its steps are those of a block of the sum
        steps = block.split * block.group
        while steps * block.columns < _SHORT and steps < block.unroll:
            steps *= 2
        return block._replace(unroll=steps) if steps < block.unroll else block


class RowsDotSearch(RowsSearch, DotSearch):
    """On dot-product units."""


class RowsMmlaSearch(RowsSearch, MmlaSearch):
    """On MMLA units, which take columns two by two."""

    step = 2


class RowsOuterSearch(OuterProductSearch):
    """On outer-product accumulators: the widest grid of a panel, and narrower ones."""

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Each with blocks for any number of columns."""
        made, side = [], self.facts.side
        for row_vectors, repeat in cuts(product.m, side, self._along(product)):
            wide = 1 if turned(product)[0] else self._free(product) // len(row_vectors)
            chain = sorted({side * wide, side, min(side, FEW), 1}, reverse=True)
            grids = [(split(columns, side), max(1, product.n // columns) if columns == chain[0] else 1)
                     for columns in chain]  # fmt: skip
            made.append(self._panel(product, row_vectors, repeat, iter(grids)))
        return tuple(made)


def _powers(most: int) -> list[int]:
    """Powers of two below a number, the largest first."""
    return [1 << bit for bit in reversed(range((most - 1).bit_length()))]


def _cycles(extent: int, chain: list[int], made: list[tuple[float, Block]]) -> float:
    """What so many columns cost in these blocks; made: (cycles, block) of 1, 2, 3... columns."""
    total = 0.0
    for columns in chain:
        count, extent = divmod(extent, columns)
        total += count * made[columns - 1][0]
    return total


@dataclass(frozen=True)
class RowsPlan(AroundProduct):
    """The register blocks of a product, for any number of columns."""

    spec: RowsSpec
    product: GemmPlan
    narrow: tuple[Panel, ...] = ()  # on tiles: for the first of an odd number of tiles along columns

    @property
    def cycles(self) -> float:
        """The estimate for a likely number."""
        return self.product.cycles

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Empty: their rows are the columns of the call where these are few, so no context configures them."""
        return ()

    @property
    def configure_cycles(self) -> float:
        """The estimate for configuring tile registers, where they are used."""
        return self.product.configure_cycles

    def __str__(self) -> str:
        kind = "row-major: computed as C' = B' A'" if self.product.product.a.argument == "b" else "column-major"
        lines = [str(self.spec), f"  {kind}; {self.spec.outer} is given at the call"]
        lines += [_panel(panel) for panel in self.product.panels] if not self.narrow else self._on_tiles()
        lines.append(f"  about {self.cycles:.0f} cycles for {self.product.product.n}")
        return "\n".join(lines)

    def _on_tiles(self) -> Iterator[str]:
        tile = self.product.product.tile
        assert tile is not None
        yield f"  {tile.name}, up to {tile.depth * tile.steps} of k a step"
        yield f"  tiles of {tile.rows} columns, or of {self.spec.outer} where it is less; a tail overlaps"
        for panel in self.narrow:
            yield f"{_rows(panel)}: the first {tile.rows} columns where the number of tiles is odd"
        for panel in self.product.panels:
            yield _panel(panel)


def _rows(panel: Panel) -> str:
    times = f"{panel.repeat} x " if panel.repeat > 1 else ""
    return f"  panel {times}{panel.rows} rows ({'+'.join(map(str, panel.row_vectors))})"


def _panel(panel: Panel) -> str:
    widest, *narrower = (block.columns for block in panel.blocks)
    rest = f", then of what is left {', '.join(map(str, narrower))}" if narrower else ""
    return f"{_rows(panel)}: {widest} columns while they last{rest}"


def lying(spec: RowsSpec, facts: Facts) -> list[RowsPlan | Refusal]:
    """The products with the extent across vector registers or tiles, of operands as they lie."""
    made: list[RowsPlan | Refusal] = []
    every = list(products(spec.product, facts))
    if mixed(spec.product) and not any(isinstance(each, Product) for each in every):
        return [refused(AS_THEY_LIE, refusal(spec.product, facts)), *(each for each in every
                                                                      if isinstance(each, Refusal))]  # fmt: skip
    for each in every:
        if isinstance(each, Refusal):
            made.append(each)
        elif each.a.argument == spec.shared:
            made.append(refused(way_of(each), f"{spec.outer} is given at the call and would fill vector registers"))
        else:
            made.append(_blocked(spec, facts, each))
    if not any(isinstance(each, RowsPlan) for each in made):
        other, order, along = ("b", "C", "n") if spec.outer == "m" else ("a", "F", "m")
        made.insert(0, refused(AS_THEY_LIE, f"{spec}: {spec.outer} of any number wants vectors along {along}, so "
                               f'{other} of order "{order}", and vector units; ts.transpose makes a copy'))  # fmt: skip
    return made


def _blocked(spec: RowsSpec, facts: Facts, product: Product) -> RowsPlan | Refusal:
    panels, narrow = _panels(spec, facts, product)
    if not panels or not all(panel.blocks for panel in panels):
        return refused(way_of(product), f"no block of it fits into {facts.vector_registers} vector registers")
    tuning = facts.tuning.gemm
    shortest = 2 if facts.loads_apart else 0
    early = mixed(spec.product) or product.outer_product is not None
    late = spec.alpha == spec.beta == 1 and shortest <= product.k <= tuning.longest_late_c and not early
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    cycles = sum(panel.cycles for panel in (*panels, *narrow))
    plan = GemmPlan(spec.product, product, panels, late, vector, cycles, tuning, way=way_of(product))
    return RowsPlan(spec, plan, narrow, way=plan.way)


def _panels(spec: RowsSpec, facts: Facts, product: Product) -> tuple[tuple[Panel, ...], tuple[Panel, ...]]:
    """Those of the product, and on tiles those of a single tile along columns."""
    if product.tile is None:
        return _search(spec, facts, product).panels(product), ()
    found: CountedPanels = _search_tile().RowsTileSearch(product.tile, facts.tuning.gemm, _EXTENTS).counted(product)
    return found


def _search(spec: RowsSpec, facts: Facts, product: Product) -> RowsSearch | RowsOuterSearch:
    if product.outer_product is not None:
        return RowsOuterSearch(product.outer_product, facts.tuning.gemm)
    if product.unit is None:
        return RowsSearch(facts, spec.product)
    return (RowsMmlaSearch if product.unit.columns > 1 else RowsDotSearch)(facts, spec.product)
