"""Emit a product on tile registers whose number of columns is given at the call, in the order of search_tile.py."""

from __future__ import annotations

from contextlib import ExitStack

from ..contract.machine import General, Slot
from ..contract.vector_verbs import held
from ..gemm.state import KernelState
from .tile_panel import DynamicTilePanel, DynamicTileState


def emit_panels(kernel: KernelState, extent: General | Slot, shifted: bool) -> None:
    """Emit all panels, for whole blocks of columns and for what is left. `extent`: the number of columns."""
    assert kernel.product.tile is not None
    state = kernel.tile = DynamicTileState(kernel, kernel.product.tile)
    kernel.row_counter = kernel.row_counter or kernel.m.counter("rows")
    with kernel.m.unless_zero(held(extent)), state.opened(extent, shifted):
        _panels(kernel, state)


def _panels(kernel: KernelState, state: DynamicTileState) -> None:
    """Emit the panels of all blocks. After the last one the pointers are at the first row behind the blocks."""
    m, operands, product, panels = kernel.m, kernel.operands, kernel.product, kernel.plan.panels
    if not state.alone:
        m.copy(state.first_b, operands.b)
        m.copy(state.first_c, operands.c)
    rows = 0
    for number, panel in enumerate(panels):
        last = number == len(panels) - 1
        m.note(f"panel of {panel.rows} rows ({panel.scheme.value}, {'+'.join(map(str, panel.row_vectors))})")
        with ExitStack() as scope:
            scope.enter_context(m.predicates())
            emitter = DynamicTilePanel(kernel, panel, scope)
            with m.loop(kernel.row_counter, panel.repeat):
                if not state.alone:
                    m.copy(operands.b, state.first_b)
                    m.copy(operands.c, state.first_c)
                with m.loop(state.left, state.blocks):
                    emitter.block(panel.blocks[0])
                    emitter.next_block()
                if not state.alone:
                    m.advance(state.first_c, panel.rows * product.c.place)
                    m.advance(operands.a, operands.a_row, panel.rows // product.a.across)
        rows += panel.repeat * panel.rows
        if last and not state.alone:
            m.advance(operands.c, (panel.rows - rows) * product.c.place)
            m.advance(operands.a, operands.a_row, -(rows // product.a.across))
