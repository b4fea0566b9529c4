"""The pipelines of products by compressed weights in registers, and of blocks that are expanded from bit masks."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan, unmask_emit, unmask_plan
from .plan import DecodePlan
from .unmask_plan import UnmaskPlan

DECODE = Pipeline(plan.candidates, {DecodePlan: emit.emit})
UNMASK = Pipeline(unmask_plan.candidates, {UnmaskPlan: unmask_emit.emit})
