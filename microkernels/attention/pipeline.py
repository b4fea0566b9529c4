"""The pipelines of attention, forward and backward."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, inverse_emit, inverse_plan, ways
from .inverse_plan import InversePlan
from .plan import AttentionPlan

ATTENTION = Pipeline(ways.candidates, {AttentionPlan: emit.emit})
INVERSE = Pipeline(inverse_plan.candidates, {InversePlan: inverse_emit.emit})
