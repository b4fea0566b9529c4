"""The pipeline of attention."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import AttentionPlan

ATTENTION = Pipeline(plan.candidates, {AttentionPlan: emit.emit})
