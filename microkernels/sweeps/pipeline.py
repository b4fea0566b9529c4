"""The pipeline of fused kernels: of one walk over the rows, or of several."""

from __future__ import annotations

from ..choice import Pipeline
from ..fused.emit import emit as emit_fused
from ..fused.plan import FusedPlan
from . import emit, plan
from .plan import SweepPlan

FUSED = Pipeline(plan.candidates, {FusedPlan: emit_fused, SweepPlan: emit.emit})
