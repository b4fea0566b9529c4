"""A product whose columns the call counts: emits what the plan says (plan.py)."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from ..contract.machine import Machine, Slot
from ..contract.vector_verbs import held
from ..gemm.blocking import Panel
from ..gemm.emit import emitter_of, registers, unit_opened
from ..gemm.spec import parameters as gemm_parameters
from ..gemm.state import KernelState
from .plan import RowsPlan
from .spec import parameters


def emit(m: Machine, plan: RowsPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(registers(plan.product))
    names = [name for _, name in parameters(plan.spec)]
    given = dict(zip(names, m.arguments(len(names))))
    extent = given[plan.spec.outer]
    extent = extent if isinstance(extent, Slot) else m.park(extent)
    state = KernelState(m, plan.product, [given[name] for _, name in gemm_parameters(plan.spec.product)])
    operands, product, panels = state.operands, state.product, plan.product.panels
    left, first_b, first_c = m.counter("columns left"), m.counter("first b"), m.counter("first c")
    m.copy(first_b, operands.b)
    m.copy(first_c, operands.c)
    with unit_opened(state), m.unless_zero(held(extent)):
        for number, panel in enumerate(panels):
            more = number < len(panels) - 1 or panel.repeat > 1
            m.note(f"panel of {panel.rows} rows ({panel.scheme.value}, {'+'.join(map(str, panel.row_vectors))})")
            with ExitStack() as scope:
                scope.enter_context(m.predicates())
                emitter = emitter_of(state, panel)(state, panel, scope)
                with m.loop(state.row_counter, panel.repeat):
                    m.copy(left, extent)
                    _columns(state, panel, emitter, left)
                    if more:
                        m.copy(operands.b, first_b)
                        m.advance(first_c, panel.rows * product.c.place)
                        m.copy(operands.c, first_c)
                        m.advance(operands.a, operands.a_row, panel.rows // product.a.across)
    m.leave()


def _columns(state: KernelState, panel: Panel, emitter: Any, left: Any) -> None:
    """The widest block while columns last, then of each narrower one what is left."""
    for block in panel.blocks:
        with state.m.while_at_least(left, block.columns):
            emitter.block(block)
            state.next_columns(block.columns)
