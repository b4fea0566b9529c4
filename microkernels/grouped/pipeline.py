"""The pipeline of fused kernels of groups of rows."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import GroupedPlan

GROUPED = Pipeline(plan.candidates, {GroupedPlan: emit.emit})
