"""Batch-reduce GEMM: emits what the plan says, and decides nothing.

    C = beta * C + alpha * sum_i A_i @ B_i

in column-major terms: panels of rows, in them blocks of columns that stay in registers, inside these the batch and k.
The kinds of block, outer products, dot products along k and products on a tensor unit, are described in gemm/plan.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

from ...encoder.deferred import deferred
from ..contract.machine import Machine
from .block_fma import FmaPanel
from .blocking import Panel, Scheme
from .plan import GemmPlan
from .state import KernelState

Emitted = Callable[..., Any]


@deferred
def _along_k() -> Emitted:
    from .block_along_k import AlongKPanel

    return AlongKPanel


@deferred
def _dot() -> Emitted:
    from .block_dot import DotPanel

    return DotPanel


@deferred
def _dot_opened() -> Emitted:
    from .block_dot import opened

    return opened


@deferred
def _tile() -> Emitted:
    from .block_tile import TilePanel

    return TilePanel


@deferred
def _fused_tile() -> Emitted:
    from .fused_tile import FusedTilePanel

    return FusedTilePanel


@deferred
def _tile_opened() -> Emitted:
    from .block_tile import opened

    return opened


@deferred
def _outer() -> Emitted:
    from .block_outer import OuterProductPanel

    return OuterProductPanel


@deferred
def _outer_opened() -> Emitted:
    from .block_outer import outer_product_opened

    return outer_product_opened


@deferred
def _mmla() -> Emitted:
    from .block_mmla import MmlaPanel

    return MmlaPanel


_PANELS: dict[Scheme, Callable[[], Emitted]] = {
    Scheme.FMA: lambda: FmaPanel,
    Scheme.ALONG_K: _along_k,
    Scheme.DOT: _dot,
    Scheme.TILE: _tile,
    Scheme.OUTER_PRODUCT: _outer,
    Scheme.MMLA: _mmla,
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

    products: the loop over the products of a stack; what serves all of them, masks of a single panel, is set up before.
    """
    m, plan = state.m, state.plan
    unit = _unit_opened(state)
    once = plan.set_up_once
    with state.unless_nothing_changes(), unit, nullcontext() if once else products():
        for number, panel in enumerate(plan.panels):
            last = number == len(plan.panels) - 1 and panel.repeat == 1
            m.note(f"panel of {panel.rows} rows ({panel.scheme.value}, {'+'.join(map(str, panel.row_vectors))})")
            with ExitStack() as scope:
                scope.enter_context(m.predicates())
                emitter = _emitter(state, panel)(state, panel, scope)
                with products() if once else nullcontext(), m.loop(state.row_counter, panel.repeat):
                    _panel(state, panel, emitter, last)
                    if not last:
                        state.next_rows(panel.rows)
    if "c" in plan.hints.streaming:  # what was stored past the caches comes before all later stores
        m.shuffles().streamed()


def _emitter(state: KernelState, panel: Panel) -> Emitted:
    """What emits the blocks of a panel; tiles with an epilogue have blocks that depend on the one before."""
    fused = panel.scheme is Scheme.TILE and state.epilogue is not None
    return _fused_tile() if fused else _PANELS[panel.scheme]()


def _unit_opened(state: KernelState) -> AbstractContextManager[Any]:
    """A scope in which the unit of the product may be used; what tiles need is claimed at once, before any loop."""
    product = state.product
    if not state.plan.panels:
        return nullcontext()
    if product.tile is not None:
        return _tile_opened()(state)  # type: ignore[no-any-return]
    if product.unit is not None:
        return _dot_opened()(state)  # type: ignore[no-any-return]
    return nullcontext() if product.outer_product is None else _outer_opened()(state)


def _panel(state: KernelState, panel: Panel, emitter: Any, last: bool) -> None:
    """All columns of one panel; leaves b and c behind the last column unless nothing follows."""
    m = state.m
    if panel.scheme is Scheme.TILE and state.epilogue is not None:
        emitter.blocks()
        return
    for number, block in enumerate(panel.blocks):
        with m.loop(state.column_counter, block.repeat):
            emitter.block(block)
            if not (last and number == len(panel.blocks) - 1 and block.repeat == 1):
                state.next_columns(block.columns)
