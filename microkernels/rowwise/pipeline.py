"""The pipeline of kernels of any number of rows: blocks of rows, in one walk or in several."""

from __future__ import annotations

from collections.abc import Iterator

from ..choice import Pipeline, Refusal, Way
from ..contract.machine import Facts
from . import emit, plan, walks_emit, walks_plan
from .plan import RowwisePlan
from .spec import RowwiseSpec
from .walks_plan import WalksPlan


def candidates(spec: RowwiseSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """One walk where one suffices."""
    return walks_plan.candidates(spec, facts) if spec.walks else plan.candidates(spec, facts)


ROWWISE = Pipeline(candidates, {RowwisePlan: emit.emit, WalksPlan: walks_emit.emit})
