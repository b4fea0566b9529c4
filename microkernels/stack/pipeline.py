"""The pipeline of stacks of products: each is computed as its operands lie, with tile registers and without."""

from __future__ import annotations

from ..choice import Pipeline
from ..prepack.ways import with_and_without_tiles
from . import emit, plan
from .plan import StackPlan

STACK = Pipeline(with_and_without_tiles(plan.candidates), {StackPlan: emit.emit})
