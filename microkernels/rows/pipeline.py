"""The pipeline of products with an extent given at the call: operands as they lie, on vector units."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, plan
from .plan import RowsPlan

ROWS = Pipeline(plan.candidates, {RowsPlan: emit.emit})
