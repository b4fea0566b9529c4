"""A product on tile registers whose columns the call counts: its blocks in the order of the search (search_tile.py)."""

from __future__ import annotations

from ..contract.machine import General, Slot
from ..contract.vector_verbs import held
from ..gemm.blocking import Panel
from ..gemm.state import KernelState
from .emit import Panels
from .tile_panel import CountedTilePanel, CountedTileState


def emit_panels(kernel: KernelState, extent: General | Slot) -> None:
    """All panels of so many columns, under one configuration."""
    m, tile = kernel.m, kernel.product.tile
    assert tile is not None
    state = kernel.tile = CountedTileState(kernel, tile)
    left, panels = m.counter("columns left"), Panels(kernel)

    def columns(panel: Panel, emitter: CountedTilePanel) -> None:
        m.copy(left, state.total)
        state.first()
        for block in panel.blocks:
            with m.while_at_least(left, block.columns):
                emitter.block(block)
                emitter.next_columns(block.columns // tile.rows)

    with m.unless_zero(held(extent)):
        state.count(extent)
        with state.configured():
            panels.emit(lambda kernel, panel: CountedTilePanel, columns)
