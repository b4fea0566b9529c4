"""The pipelines of gathers, scatters and embedding bags."""

from __future__ import annotations

from ..choice import Pipeline
from . import bag, dynamic_extents, emit, plan
from .bag import BagPlan
from .dynamic_extents import DynamicGatherPlan
from .plan import GatherPlan

GATHER = Pipeline(plan.candidates, {GatherPlan: emit.emit})
DYNAMIC = Pipeline(dynamic_extents.candidates, {DynamicGatherPlan: dynamic_extents.emit_dynamic})
BAG = Pipeline(bag.candidates, {BagPlan: bag.emit})
