"""The pipeline of reductions: its ways come in order of preference."""

from __future__ import annotations

from ..choice import Pipeline
from . import candidates, emit
from .plan import ReducePlan

REDUCE = Pipeline(candidates.candidates, {ReducePlan: emit.emit})
