"""The pipeline of fused kernels of groups of rows."""

from __future__ import annotations

from ..choice import Pipeline
from ..sweeps.emit import emit
from ..sweeps.plan import SweepPlan
from .plan import candidates

GROUPED = Pipeline(candidates, {SweepPlan: emit})
