"""The pipeline of products with fixed sparse matrices."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import BakedPlan

BAKED = Pipeline(plan.candidates, {BakedPlan: emit.emit})
"""Products with fixed sparse matrices: the request (spec), the plan (plan) and the code (emit)."""
