"""The pipeline of traced functions with products: bands of rows, the most first."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import ChainPlan

CHAIN = Pipeline(plan.candidates, {ChainPlan: emit.emit})
