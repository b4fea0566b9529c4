"""The pipeline of kernels for any number of rows: blocks of rows in one walk or several, or columns of any length."""

from __future__ import annotations

from collections.abc import Iterator

from ..choice import Pipeline, Refusal, Way
from ..contract.machine import Facts
from ..reduce.spec import ReduceSpec
from . import (
    counted_emit,
    counted_plan,
    counted_walks_emit,
    counted_walks_plan,
    emit,
    plan,
    reductions_emit,
    reductions_plan,
    walks_emit,
    walks_plan,
)
from .counted_plan import CountedPlan
from .counted_walks_plan import CountedWalksPlan
from .plan import RowwisePlan
from .reductions_plan import ReductionsPlan
from .spec import RowwiseSpec
from .walks_plan import WalksPlan


def candidates(spec: RowwiseSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the ways of a request; several walks only if one does not suffice."""
    if spec.walks:
        yield from walks_plan.candidates(spec, facts)
        return
    if isinstance(spec.request, ReduceSpec):
        yield from reductions_plan.candidates(spec, facts)
    yield from counted_plan.candidates(spec, facts)
    if spec.by_columns:
        yield from counted_walks_plan.candidates(spec, facts)
    yield from plan.candidates(spec, facts)


ROWWISE = Pipeline(
    candidates,
    {
        RowwisePlan: emit.emit,
        CountedPlan: counted_emit.emit,
        CountedWalksPlan: counted_walks_emit.emit,
        ReductionsPlan: reductions_emit.emit,
        WalksPlan: walks_emit.emit,
    },
)
