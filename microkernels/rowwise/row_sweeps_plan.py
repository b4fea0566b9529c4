"""Several walks over any number of rows, for functions that use reductions down the columns again (sweeps/plan.py).

A walk over all rows consists of blocks of rows, as in a kernel of one walk, or of strips of columns, which hold their
sums in registers while all rows pass. One walk hands single rows on to the next, in scratch memory or in the place of a
result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..choice import Plan, Refusal, Way, choose, tried
from ..contract.machine import Facts
from ..eltwise.spec import EltwiseSpec
from ..fused.spec import FusedSpec
from ..fused.sweeps import Sweep
from ..sweeps import columns_plan
from ..sweeps.plan import SweepPlan, sweep_plan_of
from . import plan as blocks


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the only way."""
    yield Way("walks over all rows", partial(_planned, spec, facts))


def _planned(spec: FusedSpec, facts: Facts) -> SweepPlan:
    return sweep_plan_of(spec, *spec.cut_by(spec.extent), facts, _code)


def _code(sweep: Sweep, walk: EltwiseSpec, facts: Facts) -> Plan:
    """Plan a walk: in strips of columns or, if these are refused, in blocks of rows. A walk over one row has the plan
    of a fixed number of rows."""
    if not sweep.whole:
        return blocks.code_of(walk, facts)
    in_strips = partial(columns_plan.candidates, sweep, walk.likely, facts, regular=False, dynamic=True)
    found: Plan | Refusal = tried("strips of columns", lambda: choose(in_strips()))
    return choose([found, *blocks.candidates(walk, facts)]) if isinstance(found, Refusal) else found
