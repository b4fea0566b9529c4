"""The plan of a product whose number of columns, in column-major terms, is given at the call.

Each panel of rows repeats its widest block of columns while enough columns are left, and then uses narrower blocks for
the remainder (search.py). Tile registers have a search of their own (search_tile.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..choice import Plan, Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..epilogue.plan import candidates as epilogue_candidates
from ..epilogue.spec import EpilogueSpec
from ..gemm.blocking import BlockedProduct, Panel
from ..gemm.plan import UNPACKED, GemmPlan
from ..gemm.products import products, refusal, way_of
from ..gemm.spec import GemmSpec
from .search import (
    InsideDotSearch,
    InsideSearch,
    RowsDotSearch,
    RowsMmlaSearch,
    RowsOuterSearch,
    RowsSearch,
)

if TYPE_CHECKING:
    from ..gemm.search_tile import TileSearch
    from ..tuning.gemm import GemmTuning
    from . import search_tile

search_tile = lazy(__package__, ".search_tile")


_EXTENTS = (64, 100, 256, 1000)
"""The numbers of columns for which grids of tiles are optimised."""


def unpacked_plans(spec: GemmSpec, facts: Facts, inside: tuple[int, ...] | None = None) -> list[GemmPlan | Refusal]:
    """Return the plans that take unpacked operands, and the refusals. The extent of the call runs across vector
    registers or tiles, never along them. inside: of a product inside a longer kernel, the numbers of columns whose
    products bound its code; () if nothing does."""
    made: list[GemmPlan | Refusal] = []
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
    if not any(isinstance(each, GemmPlan) for each in made):
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
) -> GemmPlan | Refusal:
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
    shifted = product.tile is not None and _shifted(spec, panels, product.n, tuning)
    return GemmPlan(spec, product, panels, late, vector, cycles, tuning, shifted=shifted, way=way_of(product))


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


def plans_with_epilogue(spec: EpilogueSpec, facts: Facts) -> list[Plan | Refusal]:
    """Return the plans whose blocks apply the epilogue to their sums in vector registers, and the refusals, those of
    epilogues first."""
    products = unpacked_plans(spec.product, facts)
    made = [
        found for each in products if isinstance(each, GemmPlan) for found in epilogue_candidates(spec, facts, each)
    ]
    return [*made, *(each for each in products if isinstance(each, Refusal))]
