"""The pipeline of products by compressed weights in registers."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import DecodePlan

DECODE = Pipeline(plan.candidates, {DecodePlan: emit.emit})
