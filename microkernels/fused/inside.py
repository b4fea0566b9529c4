"""Elementwise and fused kernels as parts of other ones: the scratch memory that they claim, and their code."""

from __future__ import annotations

from ..contract.machine import Facts, General, Machine
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.pipeline import emit_inside
from ..eltwise.plan import EltwisePlan
from .emit import emit_rows
from .plan import FusedPlan

_LINE = 64


def room_of(code: EltwisePlan | MovedPlan | FusedPlan, facts: Facts) -> int:
    """Bytes that it may claim."""
    vector = facts.widths[0] // 8
    if isinstance(code, FusedPlan):
        slots = code.slots + len(code.stored) + 16 if code.slots or code.stored or code.passes else 0
        return len(code.scratch) * code.line * code.together + slots * vector + 2 * _LINE
    return code.code.slots * vector + 2 * _LINE if code.code.slots else 0


def emit_elements(m: Machine, code: EltwisePlan | MovedPlan | FusedPlan, pointers: dict[str, General],
                  values: dict[str, General]) -> None:  # fmt: skip
    """Append the code: pointers to its operands by name, and the other arguments of a call."""
    if isinstance(code, FusedPlan):
        emit_rows(m, code, pointers, values)
    else:
        emit_inside(m, code, pointers, values)
