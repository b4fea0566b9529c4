"""The pipeline of traced functions with products: one loop over bands of rows, or several with rows between them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..chain.emit import emit as emit_bands
from ..chain.plan import ChainPlan
from ..chain.plan import candidates as in_bands
from ..chain.spec import ChainSpec
from ..choice import Pipeline, Refusal, Way
from ..contract.machine import Facts
from .emit import emit_with_products
from .plan import WAY, SweepPlan, planned


def candidates(spec: ChainSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield ways in bands, those with the most rows first, or a walk for each reduction down the columns that is
    used."""
    if spec.swept:
        yield Way(WAY, partial(planned, spec, facts))
    else:
        yield from in_bands(spec, facts)


CHAIN = Pipeline(candidates, {ChainPlan: emit_bands, SweepPlan: emit_with_products})
