"""The pipelines of gathers, scatters and embedding bags."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, attempt
from ..contract.machine import Facts
from . import bag, counted, emit, plan
from .bag import BagPlan
from .bag_spec import BagSpec
from .counted import CountedPlan
from .plan import GatherPlan


def _bag(spec: BagSpec, facts: Facts) -> list[Plan | Refusal]:
    return [attempt("sums in registers", lambda: bag.plan(spec, facts))]


GATHER = Pipeline(plan.candidates, {GatherPlan: emit.emit})
COUNTED = Pipeline(counted.candidates, {CountedPlan: counted.emit_counted})
BAG = Pipeline(_bag, {BagPlan: bag.emit})
