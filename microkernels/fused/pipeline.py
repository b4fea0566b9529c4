"""The pipeline of fused kernels: one way for each unroll factor, the largest that fits."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import FusedPlan

FUSED = Pipeline(plan.candidates, {FusedPlan: emit.emit})
