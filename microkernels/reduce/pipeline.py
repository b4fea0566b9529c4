"""The pipeline of reductions."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, attempt
from ..contract.machine import Facts
from . import candidates, emit
from .plan import ReducePlan
from .spec import ReduceSpec


def _candidates(spec: ReduceSpec, facts: Facts) -> list[Plan | Refusal]:
    return [attempt("as many accumulators as pay", lambda: candidates.plan(spec, facts))]


REDUCE = Pipeline(_candidates, {ReducePlan: emit.emit})
