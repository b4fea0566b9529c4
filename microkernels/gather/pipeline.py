"""The pipelines of gathers, scatters and embedding bags."""

from __future__ import annotations

from ..choice import Pipeline
from . import bag, emit, plan
from .bag import BagPlan
from .plan import GatherPlan

GATHER = Pipeline(plan.candidates, {GatherPlan: emit.emit})
BAG = Pipeline(bag.candidates, {BagPlan: bag.emit})
