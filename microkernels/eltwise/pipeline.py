"""The pipeline of elementwise kernels: one way for each unroll factor."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import EltwisePlan

ELTWISE = Pipeline(plan.candidates, {EltwisePlan: emit.emit})
