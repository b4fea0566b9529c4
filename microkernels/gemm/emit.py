"""Batch-reduce GEMM: emits what the plan says, and decides nothing.

    C = beta * C + alpha * sum_i A_i @ B_i

in column-major terms: panels of rows, in them blocks of columns that stay in registers, inside these the batch and k.
The kinds of block, outer products, dot products along k and products on a tensor unit, are described in gemm/plan.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

from ..contract.machine import Machine
from .block_along_k import AlongKPanel
from .block_dot import DotPanel, opened
from .block_fma import FmaPanel
from .block_mmla import MmlaPanel
from .block_outer import OuterProductPanel, outer_product_opened
from .block_tile import TilePanel, claim_tiles
from .blocking import Panel, Scheme
from .plan import GemmPlan
from .state import KernelState

_PANELS: dict[Scheme, Callable[..., Any]] = {
    Scheme.FMA: FmaPanel,
    Scheme.ALONG_K: AlongKPanel,
    Scheme.DOT: DotPanel,
    Scheme.TILE: TilePanel,
    Scheme.OUTER_PRODUCT: OuterProductPanel,
    Scheme.MMLA: MmlaPanel,
}


def emit(m: Machine, plan: GemmPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(registers(plan))
    emit_product(KernelState(m, plan))
    m.leave()


def registers(plan: GemmPlan) -> int:
    """The most vector registers that a block holds."""
    return max((panel.registers for panel in plan.panels), default=0)


def emit_product(state: KernelState, products: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
    """The kernel without its first and last instructions.

    products: the loop over the products of a stack; what a single panel sets up, its masks, is set up before it.
    """
    m, plan = state.m, state.plan
    claim_tiles(state)
    once = len(plan.panels) == 1
    with state.unless_nothing_changes(), opened(state), outer_product_opened(state):
        with nullcontext() if once else products():
            for number, panel in enumerate(plan.panels):
                last = number == len(plan.panels) - 1 and panel.repeat == 1
                m.note(f"panel of {panel.rows} rows ({panel.scheme.value}, {'+'.join(map(str, panel.row_vectors))})")
                with ExitStack() as scope:
                    scope.enter_context(m.predicates())
                    emitter = _PANELS[panel.scheme](state, panel, scope)
                    with products() if once else nullcontext(), m.loop(state.row_counter, panel.repeat):
                        _panel(state, panel, emitter, last)
                        if not last:
                            state.next_rows(panel.rows)


def _panel(state: KernelState, panel: Panel, emitter: Any, last: bool) -> None:
    """All columns of one panel; leaves b and c behind the last column unless nothing follows."""
    m = state.m
    for number, block in enumerate(panel.blocks):
        with m.loop(state.column_counter, block.repeat):
            emitter.block(block)
            if not (last and number == len(panel.blocks) - 1 and block.repeat == 1):
                state.next_columns(block.columns)
