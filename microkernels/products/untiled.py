"""A machine without its tile registers, for products inside another kernel's loop."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ..contract.machine import Facts, no_units


@cache
def on_vectors(facts: Facts) -> Facts:
    """Return the same machine with vector registers only: without tiles, and without accumulators of outer products,
    whose sums no expression reads before they are stored."""
    return replace(without_tiles(facts), outer_products={})


@cache
def without_tiles(facts: Facts) -> Facts:
    """Return the same machine with vector registers only. Products on tiles claim scratch memory where they begin."""
    if facts.untiled is not None or not facts.tile_units:
        return facts.untiled or facts
    return replace(facts, tile_units_of=no_units)
