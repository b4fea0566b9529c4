"""The pipelines of attention, forward and backward."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, inverse_emit, inverse_pairs_emit, inverse_ways, ways
from .inverse_pairs_plan import PairsPlan
from .inverse_plan import InversePlan
from .plan import AttentionPlan

ATTENTION = Pipeline(ways.candidates, {AttentionPlan: emit.emit})
INVERSE = Pipeline(inverse_ways.candidates, {PairsPlan: inverse_pairs_emit.emit, InversePlan: inverse_emit.emit})
