"""Emit a product whose number of columns, in column-major terms, is given at the call (plan.py)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..contract.machine import General, Machine, Slot
from ..contract.vector_verbs import claimed, held
from ..epilogue.emit import emit_on_sums
from ..epilogue.plan import EpiloguePlan
from ..epilogue.spec import EpilogueSpec
from ..epilogue.spec import parameters as epilogue_parameters
from ..epilogue.stored import begin_statistics
from ..gemm.blocking import Panel
from ..gemm.emit import emitter_of, registers, unit_opened
from ..gemm.panel_loop import PanelLoop
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec
from ..gemm.spec import parameters as gemm_parameters
from ..gemm.state import KernelState
from .panels import Panels
from .search import counts_columns

if TYPE_CHECKING:
    from . import emit_tiles, inner_emit

inner_emit = lazy(__package__, ".inner_emit")
emit_tiles = lazy(__package__, ".emit_tiles")


def emit(m: Machine, plan: GemmPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(max(map(registers, plan.along or (plan,))))
    extent, given = arguments_of(m, plan.spec)
    if plan.along:
        inner_emit.emit_blocks(m, plan, extent, given)
        m.leave()
        return
    body = partial(emit_product, m, plan, extent, list(given.values()))
    m.by_count(given, plan.without_levels, body)


def emit_with_epilogue(m: Machine, plan: EpiloguePlan) -> None:
    """Append the kernel of a product whose blocks apply an epilogue to their sums."""
    m.enter(plan.registers)
    extent, given = arguments_of(m, plan.spec)

    def body(long: bool) -> None:
        begin_statistics(m, plan.spec, given.__getitem__)
        emit_on_sums(m, plan, given, partial(emit_columns, extent=extent), long)

    m.by_count(given, plan.product.without_levels, body)


def arguments_of(m: Machine, spec: GemmSpec) -> tuple[General | Slot, dict[str, General | Slot]]:
    """Return the extent that the call gives, and the arguments that a product of known extents has too."""
    given = m.named_arguments(epilogue_parameters(spec) if isinstance(spec, EpilogueSpec) else gemm_parameters(spec))
    extent = m.in_slot(given.pop(spec.counted))
    return extent, given


def emit_product(
    m: Machine, plan: GemmPlan, extent: General | Slot, arguments: Sequence[General | Slot], long: bool = False
) -> None:
    """Emit the kernel without entering and leaving the function. long: as in KernelState."""
    state = KernelState(m, plan, arguments, long)
    if plan.product.tile is not None:
        emit_tiles.emit_panels(state, extent, plan.shifted)
        return
    emit_columns(state, extent)


def emit_columns(state: KernelState, extent: General | Slot) -> None:
    """Emit a product on vectors whose columns the call counts, with the epilogue of the state if it has one."""
    m = state.m
    left = m.counter("columns left")

    def columns(panel: Panel, emitter: PanelLoop) -> None:
        m.copy(left, extent)
        if counts_columns(state.product):
            _dynamic_grids(state, panel, emitter, left)
            return
        for block in panel.blocks:
            with m.while_at_least(left, block.columns):
                emitter.block(block)
                state.next_columns(block.columns)

    panels = Panels(state)
    with state.unless_nothing_changes(), unit_opened(state), m.unless_zero(held(extent)):
        panels.emit(state.plan.panels, emitter_of, columns)


def _dynamic_grids(state: KernelState, panel: Panel, emitter: PanelLoop, left: General | Slot) -> None:
    """Emit the grid of a panel, which has as many columns as are left, at most those of an accumulator."""
    (block,), m = panel.blocks, state.m
    now, most = m.general("columns of the grid"), claimed(state.outer_products).pointer
    emitter.dynamic = now
    with m.while_at_least(left, 1):
        m.copy(now, left)
        m.advance(now, 1)
        m.copy(most, block.columns)
        m.lower(now, most)
        with m.predicates():
            emitter.block(block)
        state.next_columns(block.columns, epilogue=False)
        m.advance(left, 1 - block.columns)
    m.release(now)
