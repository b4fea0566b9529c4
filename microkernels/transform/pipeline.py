"""The pipeline of transposes and changes of layout."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, attempt
from ..contract.machine import Facts, Machine
from . import emit, in_place, plan
from .in_place import InPlacePlan
from .plan import TransformPlan
from .spec import TransformSpec
from .streaming import Stream


def _candidates(spec: TransformSpec, facts: Facts) -> list[Plan | Refusal]:
    """In blocks through scratch memory where x and y may be one array."""
    if spec.square:
        return [attempt("blocks through scratch memory", lambda: in_place.plan(spec, facts))]
    return [attempt("tiles from x to y", lambda: plan.plan(spec, facts))]


def _emit(m: Machine, plan: TransformPlan) -> None:
    emit.emit(m, plan, Stream if plan.streaming else None)


TRANSFORM = Pipeline(_candidates, {TransformPlan: _emit, InPlacePlan: in_place.emit})
