"""`overwritten`: whether a step of a plan overwrites what is still read, for plans of every kind that place
intermediate values in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ....microkernels.attention.plan import AttentionPlan
from ....microkernels.chain.plan import ChainPlan
from ....microkernels.eltwise.plan import EltwisePlan
from ....microkernels.epilogue.plan import EpiloguePlan
from ....microkernels.epilogue.tile_plan import TileEpiloguePlan
from ....microkernels.fused.plan import FusedPlan
from ....microkernels.gather.bag import BagPlan
from ....microkernels.gemm.plan import Prepacked
from ....microkernels.indexed.plan import IndexedPlan
from ....microkernels.rowwise.plan import RowwisePlan
from ....microkernels.sweeps.plan import SweepPlan
from . import walks
from .attentions import steps_of_attention
from .bags import steps_of_bag
from .chains import SCRATCH, Around, steps_of_chain
from .composed import COMPOSED, steps_of_composed
from .memory import THROUGHOUT, MatrixAccess, Overwritten, PlacedStep, first_overwritten
from .packed import PACKED, steps_of_packed

Steps = Iterator[PlacedStep]


def overwritten(plan: Any) -> Overwritten | None:
    """Return the step that overwrites what another one still reads; None if there is none."""
    for steps in ways_of(plan):
        found = first_overwritten(steps)
        if found is not None:
            return found
    return None


def ways_of(plan: Any) -> Iterator[Steps]:
    """Yield the steps of a plan in order, once for every way in which a call may share memory between operands."""
    of_calls = _OF_CALLS.get(type(plan))
    of_plan = _OF_PLANS.get(type(plan))
    if of_calls is not None:
        for alias in walks.aliases_of(plan):
            yield of_calls(plan, alias)
        for part in plan.parts if isinstance(plan, SweepPlan) else ():
            if isinstance(part.code, RowwisePlan):
                yield from ways_of(part.code)
    elif of_plan is not None:
        yield from of_plan(plan)


def _chain(plan: ChainPlan) -> Iterator[Steps]:
    yield steps_of_chain(plan)
    parts = {id(part.code): part.code for _, _, parts in plan.blocks for part in parts}
    for code in parts.values():
        if isinstance(code, Prepacked):
            yield steps_of_packed(code)


def _around_product(plan: Any) -> Iterator[Steps]:
    """Yield the steps of an epilogue's product."""
    if isinstance(plan.product, Prepacked):
        yield steps_of_packed(plan.product)


def _packed(plan: Prepacked) -> Iterator[Steps]:
    yield steps_of_packed(plan)


def _composed(plan: Any) -> Iterator[Steps]:
    yield steps_of_composed(plan)


def _bag(plan: BagPlan) -> Iterator[Steps]:
    yield steps_of_bag(plan)


def _attention(plan: Any) -> Iterator[Steps]:
    yield steps_of_attention(plan)


def _rowwise(plan: RowwisePlan) -> Iterator[Steps]:
    for block in plan.blocks:
        of_calls = _OF_CALLS.get(type(block.code))
        if of_calls is None:
            yield from ways_of(block.code)
            continue
        for alias in walks.aliases(plan.spec):  # what a call may share, whatever a block alone could
            yield of_calls(block.code, alias)


def _indexed(plan: IndexedPlan) -> Iterator[Steps]:
    """Yield the steps of rows that an index locates. A row of zeros lies in scratch memory during all of them."""
    names = tuple(each.name for each in plan.spec.found)
    start, zeros, dump = plan.bytes_of_scratch, None, None
    if plan.zeros:
        zeros = MatrixAccess(SCRATCH, start, 1, plan.zeros, 1, plan.zeros, "the row of zeros", when=THROUGHOUT)
    if plan.dump:
        dump = MatrixAccess(SCRATCH, start + plan.zeros, 1, plan.dump, 1, plan.dump, "")
    around = Around(zeros, dump, names)

    def steps() -> Steps:
        if zeros is not None:
            yield PlacedStep("the row of zeros", (), (zeros,))
        several = _OF_FOUND_ROWS.get(type(plan.code))
        if several is not None:
            yield from several(plan.code, around)

    yield steps()


_OF_FOUND_ROWS: dict[type, Callable[[Any, Around], Steps]] = {
    ChainPlan: steps_of_chain,
    SweepPlan: lambda plan, around: walks.of_sweeps(plan, {}, around),
}
_OF_CALLS: dict[type, Callable[[Any, Any], Steps]] = {
    EltwisePlan: walks.of_one,
    FusedPlan: walks.of_one,
    SweepPlan: walks.of_sweeps,
}
_OF_PLANS: dict[type, Callable[[Any], Iterator[Steps]]] = {
    ChainPlan: _chain,
    RowwisePlan: _rowwise,
    IndexedPlan: _indexed,
    AttentionPlan: _attention,
    **dict.fromkeys(PACKED, _packed),
    **dict.fromkeys(COMPOSED, _composed),
    EpiloguePlan: _around_product,
    TileEpiloguePlan: _around_product,
    BagPlan: _bag,
}
OF_SEVERAL_STEPS = frozenset(_OF_PLANS.keys() | _OF_CALLS.keys() - {EltwisePlan, FusedPlan})
"""The plans that place intermediate values in memory which several steps share."""
