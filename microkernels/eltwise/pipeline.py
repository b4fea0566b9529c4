"""The pipeline of elementwise kernels: walks, one way for each unroll factor, or tiles if orders differ."""

from __future__ import annotations

from ..choice import Pipeline, Plan, Refusal, attempt, choose, tried
from ..contract.machine import Facts, General, Machine
from . import blocks_plan, composed_emit, emit, moved_emit, moved_plan, orders, plan
from .blocks_plan import BLOCKS
from .composed_plan import ComposedPlan
from .emit import LongRows
from .mirror import mirrored
from .moved_plan import MovedPlan
from .plan import EltwisePlan
from .spec import EltwiseSpec


def candidates(spec: EltwiseSpec, facts: Facts, scratch: bool = True) -> list[Plan | Refusal]:
    """Return every way. scratch: whether to include ways that need much scratch memory."""
    if not spec.layouts:
        return plan.candidates(spec, facts)
    moved = orders.moved(spec)
    if moved is None:
        return plan.candidates(mirrored(spec), facts)
    blocks = attempt(BLOCKS, lambda: blocks_plan.plan(spec, facts, moved))
    tiles = tried("in tiles", lambda: [*moved_plan.candidates(spec, facts, moved)])
    refused = [tiles] if isinstance(tiles, Refusal) else tiles  # the expression is too long beside a tile
    return [*refused, *[blocks] * scratch]


def planned(spec: EltwiseSpec, facts: Facts) -> EltwisePlan | MovedPlan:
    """Return the best way inside another kernel, which has scratch memory of its own. Raises UnsupportedError if there
    is none."""
    chosen = choose(candidates(spec, facts, scratch=False))
    assert isinstance(chosen, (EltwisePlan, MovedPlan))
    return chosen


def emit_inside(
    m: Machine,
    plan: EltwisePlan | MovedPlan,
    pointers: dict[str, General],
    values: dict[str, General],
    long: LongRows | None = None,
) -> None:
    """Append the plan's code inside another kernel. The arguments are pointers to its operands, and the other arguments
    of a call, by name. long: long sums down the columns."""
    if isinstance(plan, MovedPlan):
        assert long is None, "results of one row have the order of the others"
        moved_emit.emit_tiles(m, plan, {**pointers, **values})
    else:
        emit.emit_elementwise(m, plan, pointers, values, long=long)


ELTWISE = Pipeline(candidates, {EltwisePlan: emit.emit, MovedPlan: moved_emit.emit, ComposedPlan: composed_emit.emit})
