"""The plan of a fused kernel of groups of rows: the code of one group, which loops call for each of them.

A group whose matrices have no gaps between rows is one row of memory as well: `flat` takes its sums there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, Way, choose, refused
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..fused.inside import room_of
from ..fused.plan import FusedPlan
from ..fused.plan import candidates as of_one_walk
from ..sweeps.plan import SweepPlan, of_walks, planned
from . import flat
from .spec import GroupedSpec

Code = SweepPlan | FusedPlan


@dataclass(frozen=True)
class GroupedPlan(Plan):
    """The code of a group."""

    spec: GroupedSpec
    code: Code
    bytes_of_scratch: int

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        return self.code.registers

    @property
    def cycles(self) -> float:
        """The estimate for a call."""
        return self.code.cycles * self.spec.groups * self.spec.samples

    def __str__(self) -> str:
        return f"{self.spec}\n{self.way}, one group after the other: {self.code}\n{self.cycles:.0f} cycles in all"


def candidates(spec: GroupedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """A group as one row where it is one, and walks over its rows."""
    try:
        walks = flat.walks_of(spec.request)
    except UnsupportedError as error:
        yield refused(flat.WAY, str(error))
    else:
        yield Way(flat.WAY, partial(_flat, spec, facts, walks))
    yield Way("walks over the rows of a group", partial(_by_rows, spec, facts))


def _flat(spec: GroupedSpec, facts: Facts, walks: flat.Walks) -> GroupedPlan:
    code = of_walks(spec.request, *walks, facts)
    return GroupedPlan(spec, code, code.bytes_of_rows + code.room)


def _by_rows(spec: GroupedSpec, facts: Facts) -> GroupedPlan:
    if spec.request.swept:
        code = planned(spec.request, facts)
        return GroupedPlan(spec, code, code.bytes_of_rows + code.room)
    made = choose(of_one_walk(spec.request, facts))
    assert isinstance(made, FusedPlan)
    return GroupedPlan(spec, made, room_of(made, facts))
