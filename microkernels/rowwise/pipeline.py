"""The pipeline of kernels of any number of rows: blocks of rows."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import RowwisePlan

ROWWISE = Pipeline(plan.candidates, {RowwisePlan: emit.emit})
