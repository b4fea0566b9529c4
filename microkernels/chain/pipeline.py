"""The pipeline of traced functions with products. Bands with the most rows come first."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import ChainPlan

CHAIN = Pipeline(plan.candidates, {ChainPlan: emit.emit})
