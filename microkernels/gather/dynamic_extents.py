"""The plan of a gather, a scatter or an embedding bag with extents that are given at the call: see dynamic_spec.py."""

from __future__ import annotations

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, choose
from ..contract.machine import Facts, Machine
from . import bag, emit, plan
from .bag import BagPlan
from .bag_spec import BagSpec
from .dynamic_spec import DynamicGatherSpec
from .plan import GatherPlan


@dataclass(frozen=True)
class DynamicGatherPlan(Plan):
    """The plan for likely extents."""

    spec: DynamicGatherSpec
    likely: GatherPlan | BagPlan

    @property
    def cycles(self) -> float:
        """The estimated cycles for likely extents."""
        return self.likely.cycles

    def __str__(self) -> str:
        return f"{', '.join(self.spec.at_call)} given at the call; planned for likely ones:\n{self.likely}"


def candidates(spec: DynamicGatherSpec, facts: Facts) -> list[Plan | Refusal]:
    """Return the way that is chosen for likely extents."""
    request = spec.request
    ways = (
        bag.candidates(request, facts, "count" in spec.at_call)
        if isinstance(request, BagSpec)
        else plan.candidates(request, facts)
    )
    likely = choose(ways)
    assert isinstance(likely, (BagPlan, GatherPlan))
    return [DynamicGatherPlan(spec, likely, way=likely.way)]


def emit_dynamic(m: Machine, each: DynamicGatherPlan) -> None:
    """Append the kernel to the machine's assembler."""
    if isinstance(each.likely, BagPlan):
        bag.emit(m, each.likely, each.spec.at_call)
    else:
        emit.emit(m, each.likely, each.spec.at_call)
