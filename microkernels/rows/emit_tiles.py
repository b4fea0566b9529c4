"""Emit a product on tile registers whose number of columns is given at the call, in the order of search_tile.py."""

from __future__ import annotations

from ..contract.machine import General, Slot
from ..contract.vector_verbs import held
from ..gemm.blocking import Panel
from ..gemm.state import KernelState
from .panels import Panels
from .tile_panel import CountedTilePanel, CountedTileState


def emit_panels(kernel: KernelState, narrow: tuple[Panel, ...], extent: General | Slot) -> None:
    """Emit all panels under one tile configuration. `narrow` has the panels of a single tile along columns, `extent`
    the number of columns."""
    m, operands, tile = kernel.m, kernel.operands, kernel.product.tile
    assert tile is not None
    state = kernel.tile = CountedTileState(kernel, tile)
    kernel.row_counter = kernel.row_counter or m.counter("rows")
    left, first_a, top_c, panels = (
        m.counter("columns left"),
        m.counter("first a"),
        m.counter("top of c"),
        Panels(kernel),
    )
    m.copy(first_a, operands.a)
    m.copy(top_c, operands.c)

    def single(panel: Panel, emitter: CountedTilePanel) -> None:
        emitter.block(panel.blocks[0])

    def several(panel: Panel, emitter: CountedTilePanel) -> None:
        m.copy(left, state.total)
        state.first()
        for block in panel.blocks:
            with m.while_at_least(left, block.columns):
                emitter.block(block)
                emitter.next_columns(block.columns // tile.rows)

    def emitter_of(kernel: KernelState, panel: Panel) -> type[CountedTilePanel]:
        return CountedTilePanel

    with m.unless_zero(held(extent)):
        state.count(extent)
        with state.configured():
            with m.unless_zero(state.odd):
                panels.emit(narrow, emitter_of, single)
                m.copy(operands.a, first_a)
                m.copy(panels.first_c, top_c)
                m.advance(panels.first_c, operands.ldc, tile.rows)
                m.advance(panels.first_b, operands.b_column, tile.rows)
                m.copy(operands.b, panels.first_b)
                m.copy(operands.c, panels.first_c)
            with m.unless_zero(state.total):
                panels.emit(kernel.plan.panels, emitter_of, several)
