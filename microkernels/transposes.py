"""Transposes and changes of layout: which plan and which code serve a request."""

from __future__ import annotations

from . import transform, transform_plan, transpose_square
from .machine import Facts, Machine
from .transform_plan import TransformPlan
from .transform_spec import TransformSpec
from .transform_stream import Stream
from .transpose_square import SquarePlan


def plan(spec: TransformSpec, facts: Facts) -> TransformPlan | SquarePlan:
    """In blocks through scratch memory where x and y may be one array."""
    return transpose_square.plan(spec, facts) if spec.square else transform_plan.plan(spec, facts)


def emit(m: Machine, plan: TransformPlan | SquarePlan) -> None:
    """Append the kernel to the machine's assembler."""
    if isinstance(plan, SquarePlan):
        transpose_square.emit(m, plan)
    else:
        transform.emit(m, plan, Stream if plan.streaming else None)
