"""Batch-reduce GEMM: emits what the plan says, and decides nothing.

    C = beta * C + alpha * sum_i A_i @ B_i

in column-major terms: panels of rows, in them blocks of columns that stay in registers, inside these the batch and k.
The kinds of block, outer products, dot products along k and products on a tensor unit, are described in gemm/plan.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from ..contract.machine import Machine
from .block_along_k import DotPanel
from .block_dot import UnitPanel, opened
from .block_fma import OuterPanel
from .block_mmla import QuadPanel
from .block_outer import SquarePanel, squared
from .block_tile import TilePanel, claim_tiles
from .blocking import Panel
from .plan import GemmPlan
from .state import Frame

_PANELS: dict[str, Callable[..., Any]] = {
    "outer": OuterPanel,
    "dot": DotPanel,
    "unit": UnitPanel,
    "tile": TilePanel,
    "square": SquarePanel,
    "quad": QuadPanel,
}


def emit(m: Machine, plan: GemmPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(registers(plan))
    emit_product(Frame(m, plan))
    m.leave()


def registers(plan: GemmPlan) -> int:
    """The most vector registers that a block holds."""
    return max((panel.registers for panel in plan.panels), default=0)


def emit_product(frame: Frame) -> None:
    """The kernel without its first and last instructions."""
    m, plan = frame.m, frame.plan
    claim_tiles(frame)
    with frame.unless_nothing_changes(), opened(frame), squared(frame):
        for number, panel in enumerate(plan.panels):
            last = number == len(plan.panels) - 1 and panel.repeat == 1
            m.note(f"panel of {panel.rows} rows ({panel.scheme} {'+'.join(map(str, panel.chunks))})")
            with ExitStack() as scope:
                scope.enter_context(m.predicates())
                emitter = _PANELS[panel.scheme](frame, panel, scope)
                with m.loop(frame.row_counter, panel.repeat):
                    _panel(frame, panel, emitter, last)
                    if not last:
                        frame.next_rows(panel.rows)


def _panel(frame: Frame, panel: Panel, emitter: Any, last: bool) -> None:
    """All columns of one panel; leaves b and c behind the last column unless nothing follows."""
    m = frame.m
    for number, block in enumerate(panel.blocks):
        with m.loop(frame.column_counter, block.repeat):
            emitter.block(block)
            if not (last and number == len(panel.blocks) - 1 and block.repeat == 1):
                frame.next_columns(block.columns)
