"""The pipeline of stacks of products, with tile registers and without. Operands are never packed."""

from __future__ import annotations

from ..choice import Pipeline
from ..prepack.ways import with_and_without_tiles
from . import emit, plan
from .plan import StackPlan

STACK = Pipeline(with_and_without_tiles(plan.candidates), {StackPlan: emit.emit})
