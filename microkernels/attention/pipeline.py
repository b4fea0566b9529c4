"""The pipelines of attention, forward and backward."""

from __future__ import annotations

from ..choice import Pipeline
from . import emit, few_emit, inverse_emit, inverse_pairs_emit, inverse_ways, strip_emit, ways
from .few_plan import FewPlan
from .inverse_pairs_plan import PairsPlan
from .inverse_plan import InversePlan
from .plan import AttentionPlan
from .strip_plan import StripPlan

ATTENTION = Pipeline(ways.candidates, {FewPlan: few_emit.emit, StripPlan: strip_emit.emit, AttentionPlan: emit.emit})
INVERSE = Pipeline(inverse_ways.candidates, {PairsPlan: inverse_pairs_emit.emit, InversePlan: inverse_emit.emit})
