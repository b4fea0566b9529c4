"""Transposes and changes of layout: which plan and which code serve a request."""

from __future__ import annotations

from ..contract.machine import Facts, Machine
from . import emit as transform
from . import in_place as transpose_square
from . import plan as transform_plan
from .in_place import SquarePlan
from .plan import TransformPlan
from .spec import TransformSpec
from .streaming import Stream


def plan(spec: TransformSpec, facts: Facts) -> TransformPlan | SquarePlan:
    """In blocks through scratch memory where x and y may be one array."""
    return transpose_square.plan(spec, facts) if spec.square else transform_plan.plan(spec, facts)


def emit(m: Machine, plan: TransformPlan | SquarePlan) -> None:
    """Append the kernel to the machine's assembler."""
    if isinstance(plan, SquarePlan):
        transpose_square.emit(m, plan)
    else:
        transform.emit(m, plan, Stream if plan.streaming else None)
