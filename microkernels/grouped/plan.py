"""The plan of a fused kernel of groups of rows: the code of one group, which loops call for each of them.

A group whose matrices have no gaps between rows is one row of memory as well: `flat` takes its sums there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, Way, choose, refused
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..fused.inside import room_of
from ..fused.plan import FusedPlan
from ..fused.plan import candidates as of_one_walk
from ..fused.spec import FusedSpec
from ..sweeps.plan import SweepPlan, of_walks, planned
from . import flat
from .spec import GroupedSpec

Code = SweepPlan | FusedPlan


@dataclass(frozen=True)
class GroupedPlan(Plan):
    """The code of a group; `again` that of a group of a further sample, where that is another one."""

    spec: GroupedSpec
    code: Code
    again: Code | None
    bytes_of_scratch: int

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        return max(each.registers for each in (self.code, self.again) if each is not None)

    @property
    def cycles(self) -> float:
        """The estimate for a call."""
        return self.code.cycles * self.spec.groups * self.spec.samples

    def __str__(self) -> str:
        added = [y.name for y in self.spec.outputs if y.name in self.spec.shared]
        more = f"; further samples add to {', '.join(added)}" if self.again else ""
        return f"{self.spec}\n{self.way}, one group after the other: {self.code}{more}\n{self.cycles:.0f} cycles in all"


def candidates(spec: GroupedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """A group as one row where it is one, and walks over its rows."""
    try:
        flat.walks_of(spec.request)
    except UnsupportedError as error:
        yield refused(flat.WAY, str(error))
    else:
        yield Way(flat.WAY, partial(_planned, spec, facts, _flat))
    yield Way("walks over the rows of a group", partial(_planned, spec, facts, _by_rows))


def _planned(spec: GroupedSpec, facts: Facts, code_of: Callable[[FusedSpec, Facts], Code]) -> GroupedPlan:
    code, again = code_of(spec.request, facts), code_of(spec.later, facts) if spec.later else None
    return GroupedPlan(spec, code, again, max(_scratch(each, facts) for each in (code, again) if each is not None))


def _flat(request: FusedSpec, facts: Facts) -> SweepPlan:
    return of_walks(request, *flat.walks_of(request), facts)


def _by_rows(request: FusedSpec, facts: Facts) -> Code:
    if request.swept:
        return planned(request, facts)
    made = choose(of_one_walk(request, facts))
    assert isinstance(made, FusedPlan)
    return made


def _scratch(code: Code, facts: Facts) -> int:
    return code.bytes_of_rows + code.room if isinstance(code, SweepPlan) else room_of(code, facts)
