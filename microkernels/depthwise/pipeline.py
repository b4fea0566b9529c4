"""The pipeline of depthwise convolutions."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import DepthwisePlan

DEPTHWISE = Pipeline(plan.candidates, {DepthwisePlan: emit.emit})
