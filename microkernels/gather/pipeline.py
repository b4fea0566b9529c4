"""The pipelines of gathers, scatters and embedding bags."""

from __future__ import annotations

from ..choice import Pipeline
from . import bag, counted, emit, plan
from .bag import BagPlan
from .counted import CountedPlan
from .plan import GatherPlan

GATHER = Pipeline(plan.candidates, {GatherPlan: emit.emit})
COUNTED = Pipeline(counted.candidates, {CountedPlan: counted.emit_counted})
BAG = Pipeline(bag.candidates, {BagPlan: bag.emit})
