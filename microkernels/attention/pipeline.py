"""The pipeline of attention, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from ..choice import Pipeline, Plan, Refusal, Way
from ..contract.machine import Facts
from . import emit, few_emit, inverse_emit, inverse_ways, strip_emit, ways
from .few_plan import FewPlan
from .inverse_pairs_plan import PairsPlan
from .inverse_plan import InversePlan
from .plan import AttentionPlan
from .spec import AttentionSpec
from .strip_plan import StripPlan


def _candidates(spec: AttentionSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    return inverse_ways.candidates(spec, facts) if spec.inverse else ways.candidates(spec, facts)


ATTENTION = Pipeline(
    _candidates,
    {
        FewPlan: few_emit.emit,
        StripPlan: strip_emit.emit,
        AttentionPlan: emit.emit,
        PairsPlan: inverse_emit.emit,
        InversePlan: inverse_emit.emit,
    },
)
