"""The pipeline of stacks of products: each is computed as its operands lie, with tile registers and without."""

from __future__ import annotations

from ..choice import Pipeline
from ..gemm import stack_plan
from ..gemm.stack_plan import StackPlan
from . import stack_emit
from .pipeline import with_and_without_tiles

STACK = Pipeline(with_and_without_tiles(stack_plan.candidates), {StackPlan: stack_emit.emit})
