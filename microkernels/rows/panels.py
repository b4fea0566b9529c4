"""The loop over the panels of a product whose number of columns is given at the call, for vectors and for tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from ..gemm.blocking import Panel
from ..gemm.emit import PanelOf
from ..gemm.panel_loop import PanelLoop
from ..gemm.state import KernelState


class Panels:
    """The loop over the panels of rows. The constructor claims the counters."""

    def __init__(self, state: KernelState) -> None:
        self.state, m = state, state.m
        self.first_b, self.first_c = m.counter("first b"), m.counter("first c")
        m.copy(self.first_b, state.operands.b)
        m.copy(self.first_c, state.operands.c)
        if state.epilogue is not None:
            state.epilogue.at_first_column()

    def emit(
        self,
        panels: Sequence[Panel],
        emitter_of: Callable[[KernelState, Panel], PanelOf],
        columns: Callable[[Panel, PanelLoop], None],
    ) -> None:
        """Emit all panels. `columns(panel, emitter)` emits the blocks of one panel for all columns of the call."""
        state, m, operands, product = self.state, self.state.m, self.state.operands, self.state.product
        for number, panel in enumerate(panels):
            more = number < len(panels) - 1 or panel.repeat > 1
            m.note(f"panel of {panel.rows} rows ({panel.scheme.value}, {'+'.join(map(str, panel.row_vectors))})")
            with ExitStack() as scope:
                scope.enter_context(m.predicates())
                emitter = emitter_of(state, panel)(state, panel, scope)
                if state.epilogue is not None:
                    state.epilogue.begin_panel(panel)
                with m.loop(state.row_counter, panel.repeat):
                    columns(panel, emitter)
                    if state.epilogue is not None:
                        state.epilogue.end_of_panel()
                    if more:
                        m.copy(operands.b, self.first_b)
                        m.advance(self.first_c, panel.rows * product.c.place)
                        m.copy(operands.c, self.first_c)
                        m.advance(operands.a, operands.a_row, panel.rows // product.a.across)
                        if state.epilogue is not None:
                            state.epilogue.next_panel(panel.rows)
