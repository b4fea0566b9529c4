"""The pipeline of kernels for any number of rows: blocks of rows in one walk or several, or columns of any length."""

from __future__ import annotations

from collections.abc import Iterator

from ..choice import Pipeline, Refusal, Way
from ..contract.machine import Facts
from ..fused.spec import FusedSpec
from ..reduce.spec import ReduceSpec
from ..sweeps.plan import SweepPlan
from . import (
    dynamic_plan,
    dynamic_strips_plan,
    emit,
    plan,
    reductions_plan,
    row_sweeps_emit,
    row_sweeps_plan,
)
from .plan import RowwisePlan
from .spec import Request


def candidates(spec: Request, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the ways of a request; several walks only if one does not suffice."""
    if isinstance(spec, FusedSpec) and (spec.swept or spec.divides_by_rows):
        yield from row_sweeps_plan.candidates(spec, facts)
        return
    if isinstance(spec, ReduceSpec):
        yield from reductions_plan.candidates(spec, facts)
    yield from dynamic_plan.candidates(spec, facts)
    if spec.by_columns:
        yield from dynamic_strips_plan.candidates(spec, facts)
    yield from plan.candidates(spec, facts)


ROWWISE = Pipeline(
    candidates,
    {
        RowwisePlan: emit.emit,
        SweepPlan: row_sweeps_emit.emit,
    },
)
