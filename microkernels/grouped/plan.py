"""The plan of a fused kernel of groups of rows: the code of one group, which loops run for each group.

A group whose matrices have no gaps between rows is also one row of memory. `flat` computes its sums there. If two
groups fit into L1, it alternates between them, so that one hides the latency of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import cast

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, Way, choose, tried
from ..contract.machine import Facts
from ..fused.inside import scratch_bytes_of
from ..fused.plan import FusedPlan
from ..fused.plan import candidates as of_rows
from ..fused.spec import FusedSpec
from ..sweeps.bands import BandedPlan
from ..sweeps.pipeline import candidates as of_walks
from ..sweeps.plan import SweepPlan, of_one_walk, planned, sweep_plan_of
from . import flat
from .spec import GroupedSpec

Code = SweepPlan | BandedPlan
IN_TURN = 2
"""The number of groups that alternate: the number of rows that fused kernels interleave
(microkernels/fused/plan.py)."""


@dataclass(frozen=True)
class GroupedPlan(Plan):
    """The code of a group; `again` is the code for groups of further samples, if that differs.

    interleave  groups that the code computes; of several walks, the first one covers all of them before the others
               cover each
    """

    spec: GroupedSpec
    code: Code
    again: Code | None
    bytes_of_scratch: int
    interleave: int = 1

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(each.registers for each in (self.code, self.again) if each is not None)

    @property
    def in_turn(self) -> bool:
        """Whether the first of several walks covers several groups."""
        return self.interleave > 1 and isinstance(self.code, SweepPlan) and len(self.code.parts) > 1

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        first = self.code.parts[0].code.cycles if isinstance(self.code, SweepPlan) else self.code.cycles
        of_one = self.code.cycles - first + first / self.interleave
        return of_one * self.spec.groups * self.spec.samples

    def __str__(self) -> str:
        added = [y.name for y in self.spec.outputs if y.name in self.spec.shared]
        more = f"; further samples add to {', '.join(added)}" if self.again else ""
        order = f"{self.interleave} groups in turn" if self.interleave > 1 else "one group after the other"
        return f"{self.spec}\n{self.way}, {order}: {self.code}{more}\n{self.cycles:.0f} cycles in all"


def candidates(spec: GroupedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the way that treats a group as one row, if that is possible, and walks over its rows."""
    if spec.request.m == 1:
        yield Way("a row for each group", partial(_rows, spec, facts))
        return
    walks = tried(flat.WAY, lambda: flat.flat_sweeps(spec.request))
    yield walks if isinstance(walks, Refusal) else Way(flat.WAY, partial(_flat, spec, facts))
    yield Way("walks over the rows of a group", partial(_by_rows, spec, facts))


def _rows(spec: GroupedSpec, facts: Facts) -> GroupedPlan:
    def of(request: FusedSpec) -> SweepPlan:
        made = choose(of_rows(flat.rows_of(request, spec.groups), facts))
        assert isinstance(made, FusedPlan)
        return of_one_walk(made, facts)

    return replace(_planned(spec, facts, of), interleave=spec.groups)


def _flat(spec: GroupedSpec, facts: Facts) -> GroupedPlan:
    def of(request: FusedSpec, groups: int = 1) -> SweepPlan:
        return sweep_plan_of(request, *flat.flat_sweeps(request, groups), facts)

    if spec.later is None and spec.groups % IN_TURN == 0:
        code = of(spec.request, IN_TURN)
        first = code.parts[0].code
        if not code.bytes_of_rows and isinstance(first, FusedPlan) and first.interleave == IN_TURN:
            return GroupedPlan(spec, code, None, scratch_bytes_of(code, facts), IN_TURN)
    return _planned(spec, facts, of)


def _by_rows(spec: GroupedSpec, facts: Facts) -> GroupedPlan:
    def of(request: FusedSpec) -> Code:
        if spec.later:  # its sums of samples are narrow rows, which need no bands
            return planned(request, facts)
        made = choose(of_walks(request, facts))
        return of_one_walk(made, facts) if isinstance(made, FusedPlan) else cast(Code, made)

    return _planned(spec, facts, of)


def _planned(spec: GroupedSpec, facts: Facts, code_of: Callable[[FusedSpec], Code]) -> GroupedPlan:
    code, again = code_of(spec.request), code_of(spec.later) if spec.later else None
    scratch = max(scratch_bytes_of(each, facts) for each in (code, again) if each is not None)
    return GroupedPlan(spec, code, again, scratch)
