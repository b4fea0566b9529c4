"""The plan of a product whose number of columns, in column-major terms, is given at the call.

Each panel of rows repeats its widest block of columns while enough columns are left, and then uses narrower blocks for
the remainder (search.py). Tile registers have a search of their own (search_tile.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..epilogue.plan import EpiloguePlan
from ..epilogue.plan import candidates as epilogue_candidates
from ..epilogue.spec import EpilogueSpec
from ..gemm.blocking import BlockedProduct, Panel, Scheme
from ..gemm.emit import registers
from ..gemm.plan import UNPACKED, AroundProduct, GemmPlan
from ..gemm.products import products, refusal, way_of
from ..gemm.spec import GemmSpec
from ..operands import NOMINAL_ROWS
from .search import (
    InsideDotSearch,
    InsideSearch,
    RowsDotSearch,
    RowsMmlaSearch,
    RowsOuterSearch,
    RowsSearch,
    counts_columns,
)

if TYPE_CHECKING:
    from ..contract.dot_and_tile import TileShape
    from ..gemm.search_tile import TileSearch
    from ..tuning.gemm import GemmTuning
    from . import search_tile

search_tile = lazy(__package__, ".search_tile")


_EXTENTS = (64, 100, 256, 1000)
"""The numbers of columns for which grids of tiles are optimised."""


@dataclass(frozen=True)
class RowsPlan(AroundProduct):
    """The register blocks of a product, for any number of columns, and what is computed on their sums."""

    spec: GemmSpec
    product: GemmPlan  # for NOMINAL_ROWS
    shifted: bool = False  # on tiles: whether the last block begins in the one before it, so that it is a whole one
    epilogue: EpiloguePlan | None = None
    along: tuple[tuple[int, GemmPlan], ...] = ()  # blocks along the lines of C, by their width: inner_plan.py

    @property
    def cycles(self) -> float:
        """Estimated cycles of a pair, and of the epilogue, with NOMINAL_ROWS."""
        if self.along:
            return self.product.cycles * NOMINAL_ROWS / self.along[0][0]
        return self.product.cycles if self.epilogue is None else self.epilogue.cycles

    @property
    def registers(self) -> int:
        """The most vector registers held at a time."""
        own = registers(self.product) if self.epilogue is None else self.epilogue.registers
        return max(own, *(registers(each) for _, each in self.along), 0)

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Empty: the tiles of the last columns have as many rows as the call leaves, so no context can configure them
        beforehand."""
        return ()

    def __str__(self) -> str:
        kind = "row-major: computed as C' = B' A'" if self.product.product.a.argument == "b" else "column-major"
        lines = [str(self.spec), f"  {kind}; {self.spec.counted} is given at the call"]
        if self.along:
            widths = [str(width) for width, _ in self.along]
            lines += [f"  {widths[0]} while they last, then of what is left {', '.join(widths[1:])}", str(self.product)]
        elif self.product.product.tile:
            lines += self._on_tiles()
        elif counts_columns(self.product.product):
            lines += [
                f"{_rows(panel)}: at most {panel.blocks[0].columns} columns at a time, as many as are left"
                for panel in self.product.panels
            ]
        else:
            lines += [_panel(panel) for panel in self.product.panels]
        if self.epilogue is not None:
            lines.append(f"  {self.epilogue.computed}")
        lines.append(f"  about {self.cycles:.0f} cycles for {self.product.product.n}")
        return "\n".join(lines)

    def _on_tiles(self) -> Iterator[str]:
        tile = self.product.product.tile
        assert tile is not None
        yield f"  {tile.name}, up to {tile.step} of k a step"
        rest = "as many that end with the last column" if self.shifted else "as many of equal parts of what is left"
        yield f"  tiles of {tile.side} columns, then {rest}; they overlap"
        for panel in self.product.panels:
            yield f"{_panel(panel)}, then what is left"


def _rows(panel: Panel) -> str:
    times = f"{panel.repeat} x " if panel.repeat > 1 else ""
    scheme = f"{panel.scheme.value}, " if panel.scheme is Scheme.ALONG_K else ""
    return f"  panel {times}{panel.rows} rows ({scheme}{'+'.join(map(str, panel.row_vectors))})"


def _panel(panel: Panel) -> str:
    widest, *narrower = (block.columns for block in panel.blocks)
    rest = f", then of what is left {', '.join(map(str, narrower))}" if narrower else ""
    return f"{_rows(panel)}: {widest} columns while they last{rest}"


def unpacked_plans(spec: GemmSpec, facts: Facts, inside: tuple[int, ...] | None = None) -> list[RowsPlan | Refusal]:
    """Return the plans that take unpacked operands, and the refusals. The extent of the call runs across vector
    registers or tiles, never along them. inside: of a product inside a longer kernel, the numbers of columns whose
    products bound its code; () if nothing does."""
    made: list[RowsPlan | Refusal] = []
    every = list(products(spec.likely, facts))
    if spec.mixed and not any(isinstance(each, BlockedProduct) for each in every):
        return [
            refused(UNPACKED, refusal(spec.likely, facts)),
            *(each for each in every if isinstance(each, Refusal)),
        ]
    for each in every:
        if isinstance(each, Refusal):
            made.append(each)
        elif each.a.argument == spec.shared:
            made.append(refused(way_of(each), f"{spec.counted} is given at the call and would fill vector registers"))
        else:
            made.append(_blocked(spec, facts, each, inside))
    if not any(isinstance(each, RowsPlan) for each in made):
        other, order, along = ("b", "C", "n") if spec.counted == "m" else ("a", "F", "m")
        made.insert(
            0,
            refused(
                UNPACKED,
                f"{spec}: {spec.counted} of any number wants vectors along {along}, so "
                f'{other} of order "{order}", and vector units; ts.transpose makes a copy',
            ),
        )
    return made


def _blocked(
    spec: GemmSpec, facts: Facts, product: BlockedProduct, inside: tuple[int, ...] | None
) -> RowsPlan | Refusal:
    panels = _panels(spec, facts, product, inside)
    if not panels or not all(panel.blocks for panel in panels):
        return refused(way_of(product), f"no block of it fits into {facts.vector_registers} vector registers")
    tuning = facts.tuning.gemm
    shortest = 2 if facts.separate_loads else 0
    early = spec.mixed or product.outer_product is not None
    late = spec.alpha == spec.beta == 1 and shortest <= product.k <= tuning.longest_late_c and not early
    late = late or spec.late
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    cycles = sum(panel.cycles for panel in panels)
    plan = GemmPlan(spec.likely, product, panels, late, vector, cycles, tuning, way=way_of(product))
    return RowsPlan(spec, plan, product.tile is not None and _shifted(spec, panels, product.n, tuning), way=plan.way)


def _shifted(spec: GemmSpec, panels: tuple[Panel, ...], columns: int, tuning: GemmTuning) -> bool:
    """Whether the columns that are left take a whole block that ends with them, which computes some columns again. That
    is possible unless C is read, and quicker than another configuration of the tiles if a block takes few cycles."""
    cycles = sum(panel.cycles for panel in panels) / columns * panels[0].blocks[0].columns
    return spec.beta == 0 and cycles <= tuning.most_shifted_cycles


def _panels(spec: GemmSpec, facts: Facts, product: BlockedProduct, inside: tuple[int, ...] | None) -> tuple[Panel, ...]:
    if product.tile is None:
        return _search(spec, facts, product, inside).panels(product)
    ends = spec.beta == 0 and spec.alpha == 1 and spec.dtype == spec.acc_dtype
    search: TileSearch = search_tile.RowsTileSearch(product.tile, facts.tuning.gemm, _EXTENTS, ends)
    return search.panels(product)


def _search(
    spec: GemmSpec, facts: Facts, product: BlockedProduct, inside: tuple[int, ...] | None
) -> RowsSearch | RowsOuterSearch:
    if product.outer_product is not None:
        return RowsOuterSearch(product.outer_product, facts.tuning.gemm)
    if product.unit is None:
        return RowsSearch(facts, spec.likely) if inside is None else InsideSearch(facts, spec.likely, inside)
    if product.unit.columns > 1:
        return RowsMmlaSearch(facts, spec.likely)
    return RowsDotSearch(facts, spec.likely) if inside is None else InsideDotSearch(facts, spec.likely, inside)


def plans_with_epilogue(spec: EpilogueSpec, facts: Facts) -> list[RowsPlan | Refusal]:
    """Return the plans whose blocks apply the epilogue to their sums in vector registers, and the refusals, those of
    epilogues first."""
    made: list[RowsPlan | Refusal] = []
    without: list[RowsPlan | Refusal] = []
    for each in unpacked_plans(spec.product, facts):
        if isinstance(each, Refusal):
            without.append(each)
            continue
        for found in epilogue_candidates(spec, facts, each.product):
            if isinstance(found, EpiloguePlan):
                made.append(replace(each, spec=spec, epilogue=found))
            elif isinstance(found, Refusal):
                made.append(found)
    return [*made, *without]
