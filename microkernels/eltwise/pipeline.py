"""The pipeline of elementwise kernels: walks, one way for each unroll factor, or tiles where orders differ."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal
from ..contract.machine import Facts
from . import emit, moved_emit, moved_plan, orders, plan
from .moved_plan import MovedPlan
from .plan import EltwisePlan
from .spec import EltwiseSpec


def _candidates(spec: EltwiseSpec, facts: Facts) -> list[Plan | Refusal]:
    if not spec.layouts:
        return plan.candidates(spec, facts)
    moved = orders.moved(spec)
    return moved_plan.candidates(spec, facts, moved) if moved else plan.candidates(orders.mirrored(spec), facts)


ELTWISE = Pipeline(_candidates, {EltwisePlan: emit.emit, MovedPlan: moved_emit.emit})
