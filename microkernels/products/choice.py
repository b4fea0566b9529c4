"""Tile registers or vector registers, where a target leaves that open: whichever takes fewer cycles.

A kernel on tiles configures them once a call, which takes as long as 16 x 16 x 32 by vector instructions. A target
that is named for its tiles always uses them, as their sums have an order of their own; the host's chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..contract.dot_and_tile import CONFIGURE_CYCLES, LIKELY_PAIRS, OWN
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..gemm.spec import GemmSpec

Planner = Callable[[Any, Facts], Any]


def quicker(plan: Planner, spec: GemmSpec, facts: Facts) -> Any:
    """`plan(spec, facts)`, or without tiles if that is quicker or the only way. Of two refusals the first is raised."""
    if facts.untiled is None or spec.tiles != OWN:
        return plan(spec, facts)
    try:
        first = plan(spec, facts)
    except UnsupportedError as refusal:
        try:
            return plan(spec, facts.untiled)
        except UnsupportedError:
            raise refusal from None
    if not first.tile_shapes:
        return first
    try:
        second = plan(spec, facts.untiled)
    except UnsupportedError:
        return first
    return min(first, second, key=lambda each: _cycles(each, spec))


def _cycles(plan: Any, spec: GemmSpec) -> float:
    """Of a call."""
    pairs = 1 if spec.batch is None else spec.batch if isinstance(spec.batch, int) else LIKELY_PAIRS
    return float(plan.cycles * pairs + (CONFIGURE_CYCLES if plan.tile_shapes else 0))
