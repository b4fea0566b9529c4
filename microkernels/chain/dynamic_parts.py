"""The plans of the stages of a band whose number of rows is given at the call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from math import lcm
from typing import Any

from ..choice import choose
from ..contract.machine import Facts
from ..eltwise import plan as elementwise
from ..eltwise.spec import EltwiseSpec
from ..epilogue import plan as epilogues
from ..epilogue.spec import EpilogueSpec
from ..errors import UnsupportedError
from ..fused.plan import FusedPlan
from ..gemm.blocking import Panel
from ..gemm.plan import AroundProduct, GemmPlan
from ..gemm.spec import GemmSpec
from ..operands import NOMINAL_ROWS
from ..rows import ways
from .bands import BandBuffers
from .cut import StageProduct
from .parts import PlannedBlocks, PlannedStage, StagePlanner
from .spec import ChainSpec


@lru_cache(maxsize=64)
def _any_rows(spec: GemmSpec, facts: Facts, bounds: tuple[int, ...]) -> GemmPlan:
    """Plan a product inside a band. The plan does not depend on the rows of the band, and several heights are tried."""
    found = choose(ways.candidates(spec, facts, inside=bounds))
    if not isinstance(found, GemmPlan):
        raise UnsupportedError("a right factor is packed for every band, whose code has a known number of rows")
    return found


class DynamicPlanner(StagePlanner):
    """Plans the stages of a band of at most `rows` rows. Products have the register blocks of rows given at the call,
    and walks over elements have a loop over rows."""

    def __init__(
        self, spec: ChainSpec, facts: Facts, rows: int, bands: BandBuffers, columns: int, bounds: tuple[int, ...]
    ) -> None:
        """bounds: the numbers of rows whose products bound the code of a product for any number; () if nothing does."""
        super().__init__(spec, facts, rows, bands, columns)
        self.bounds = bounds

    def _alone(self, stage: StageProduct) -> GemmPlan:
        return self._any_rows(self._product(stage))

    def _any_rows(self, asked: GemmSpec) -> GemmPlan:
        """Plan this product for any number of rows, on the unpacked operands."""
        found = _any_rows(asked.with_counted("m"), self.facts, self.bounds)
        cycles = found.product_cycles * self.rows / NOMINAL_ROWS
        return replace(found, product_cycles=cycles, panels=tuple(map(self._of_band, found.panels)))

    def _of_band(self, panel: Panel) -> Panel:
        """Return the panel with the number of its widest blocks in a band, from which epilogues are estimated."""
        widest, *narrower = panel.blocks
        times = max(1, self.rows // widest.columns)
        return panel._replace(blocks=(widest._replace(repeat=times), *narrower))

    def _on_sums(self, request: EpilogueSpec) -> Iterable[Any]:
        return epilogues.candidates(request, self.facts, self._any_rows(request.product))

    def _elements(self, spec: EltwiseSpec) -> Any:
        return choose(elementwise.candidates(spec, self.facts, by_rows=True))


def rows_of_blocks(parts: Iterable[PlannedStage]) -> int:
    """Return the least number of rows that all stages compute in whole blocks: a band of a multiple of it gives each
    row to the same code as a longer band does."""
    return lcm(*(_rows_of_block(part.code) for part in parts))


def _rows_of_block(code: Any) -> int:
    if isinstance(code, PlannedBlocks):
        return rows_of_blocks(code.parts)
    if isinstance(code, FusedPlan):
        return code.interleave
    product = code.product if isinstance(code, AroundProduct) else code
    panels: tuple[Panel, ...] = getattr(product, "panels", ())
    return lcm(*(panel.blocks[0].columns for panel in panels))  # rows of a row-major product are columns
