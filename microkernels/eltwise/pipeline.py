"""The pipeline of elementwise kernels: walks, one way for each unroll factor, or tiles where orders differ."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, choose
from ..contract.machine import Facts, General, Machine
from . import emit, moved_emit, moved_plan, orders, plan
from .mirror import mirrored
from .moved_plan import MovedPlan
from .plan import EltwisePlan
from .spec import EltwiseSpec


def candidates(spec: EltwiseSpec, facts: Facts) -> list[Plan | Refusal]:
    if not spec.layouts:
        return plan.candidates(spec, facts)
    moved = orders.moved(spec)
    return moved_plan.candidates(spec, facts, moved) if moved else plan.candidates(mirrored(spec), facts)


def planned(spec: EltwiseSpec, facts: Facts) -> EltwisePlan | MovedPlan:
    """The best way; UnsupportedError where there is none."""
    chosen = choose(candidates(spec, facts))
    assert isinstance(chosen, (EltwisePlan, MovedPlan))
    return chosen


def emit_inside(m: Machine, plan: EltwisePlan | MovedPlan, pointers: dict[str, General],
                values: dict[str, General]) -> None:  # fmt: skip
    """Append the plan's code inside another kernel: pointers to its operands by name, and other arguments of a call."""
    if isinstance(plan, MovedPlan):
        moved_emit.emit_tiles(m, plan, {**pointers, **values})
    else:
        emit.emit_walk(m, plan, pointers, values)


ELTWISE = Pipeline(candidates, {EltwisePlan: emit.emit, MovedPlan: moved_emit.emit})
