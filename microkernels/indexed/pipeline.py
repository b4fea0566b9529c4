"""The pipeline of traced functions with rows by an index."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import IndexedPlan

INDEXED = Pipeline(plan.candidates, {IndexedPlan: emit.emit})
