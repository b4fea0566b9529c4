"""The pipeline of fused kernels with one walk over the rows, or several."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..choice import Pipeline, Plan, Refusal, Way, required, tried
from ..contract.machine import Facts
from ..fused.emit import emit as emit_fused
from ..fused.plan import FusedPlan
from ..fused.spec import FusedSpec
from . import emit, phases, plan
from .plan import SweepPlan


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    """Yield the plan for all columns at a time, or bands of columns if that takes too much scratch memory: for rows
    between walks, or for the levels of sums down the columns."""
    if spec.layouts:
        yield from candidates(spec.transposed, facts)
        return
    if not spec.swept:
        found = [*plan.candidates(spec, facts)]
        yield from found
        if spec.sums_of_rows and not any(isinstance(each, Plan) for each in found):
            yield from phases.candidates(spec, facts)
            yield from (Way(each.way, partial(required, each)) for each in found[:1] if isinstance(each, Refusal))
        return
    whole = tried(plan.WAY, lambda: plan.planned(spec, facts))
    yield whole  # the first refusal is raised if bands are refused, too
    if isinstance(whole, Refusal):
        yield from phases.in_bands(spec, facts)


FUSED = Pipeline(candidates, {FusedPlan: emit_fused, SweepPlan: emit.emit})
