"""The pipeline of elementwise kernels."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, attempt
from ..contract.machine import Facts
from . import emit, plan
from .plan import EltwisePlan
from .spec import EltwiseSpec


def _candidates(spec: EltwiseSpec, facts: Facts) -> list[Plan | Refusal]:
    return [attempt("vectors of rows", lambda: plan.plan(spec, facts))]


ELTWISE = Pipeline(_candidates, {EltwisePlan: emit.emit})
