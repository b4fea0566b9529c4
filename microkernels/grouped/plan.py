"""The plan of a fused kernel of groups of rows: the code of one group, which loops run for each group.

A group whose matrices have no gaps between rows is also one row of memory. `flat` computes its sums there. If two
groups fit into L1, it alternates between them, so that one hides the latency of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial

from ..choice import Refusal, Way, choose, tried
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..fused.plan import FusedPlan
from ..fused.plan import candidates as of_rows
from ..fused.spec import BEFORE, FusedSpec
from ..operands import RUNTIME
from ..sweeps.pipeline import candidates as of_walks
from ..sweeps.plan import PointerStep, SweepPlan, WalkLoop, and_back, of_loops, of_one_walk, planned, sweep_plan_of
from . import flat
from .spec import GroupedSpec

IN_TURN = 2
"""The number of groups that alternate: the number of rows that fused kernels interleave
(microkernels/fused/plan.py)."""
_GROUPS, _SAMPLES = "groups left", "samples left"


def candidates(spec: GroupedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the way that treats a group as one row, if that is possible, and walks over its rows."""
    if spec.request.m == 1:
        yield Way("a row for each group", partial(_rows, spec, facts))
        return
    walks = tried(flat.WAY, lambda: flat.flat_sweeps(spec.request))
    yield walks if isinstance(walks, Refusal) else Way(flat.WAY, partial(_flat, spec, facts))
    yield Way("walks over the rows of a group", partial(_by_rows, spec, facts))


def _rows(spec: GroupedSpec, facts: Facts) -> SweepPlan:
    def of(request: FusedSpec) -> SweepPlan:
        made = choose(of_rows(flat.rows_of(request, spec.groups), facts))
        assert isinstance(made, FusedPlan)
        return of_one_walk(made, facts)

    return _planned(spec, of, spec.groups)


def _flat(spec: GroupedSpec, facts: Facts) -> SweepPlan:
    def of(request: FusedSpec, groups: int = 1) -> SweepPlan:
        return sweep_plan_of(request, *flat.flat_sweeps(request, groups), facts)

    def in_turn(request: FusedSpec) -> SweepPlan:
        """Return the plan whose first walk is of several groups, before the other walks of each."""
        others = replace(code, parts=code.parts[1:], shared=tuple(code.places.items()))
        loop = WalkLoop("", IN_TURN, others, "1 group", request.m, 0, _steps(spec, 1), unrolled=True)
        return replace(code, parts=code.parts[:1], loops=(loop,))

    if spec.later is None and spec.groups % IN_TURN == 0:
        code = of(spec.request, IN_TURN)
        first = code.parts[0].code
        if not code.bytes_of_rows and isinstance(first, FusedPlan) and first.interleave == IN_TURN:
            return _planned(spec, in_turn, IN_TURN) if len(code.parts) > 1 else _planned(spec, lambda _: code, IN_TURN)
    return _planned(spec, of)


def _by_rows(spec: GroupedSpec, facts: Facts) -> SweepPlan:
    def of(request: FusedSpec) -> SweepPlan:
        if spec.later:  # its sums of samples are narrow rows, which need no bands
            return planned(request, facts)
        made = choose(of_walks(request, facts))
        if isinstance(made, FusedPlan):
            return of_one_walk(made, facts)
        assert isinstance(made, SweepPlan)
        return replace(made, loops=tuple(and_back(made.loops))) if made.loops else made

    return _planned(spec, of)


def _planned(spec: GroupedSpec, code_of: Callable[[FusedSpec], SweepPlan], interleave: int = 1) -> SweepPlan:
    """Return the loops over samples and groups around this code, which computes `interleave` groups."""
    first = _sample(spec, code_of(spec.request), interleave)
    if spec.later is None:
        return of_loops(spec, [WalkLoop(_SAMPLES, spec.samples, first, "1 sample", spec.request.m * spec.groups)])
    further = _sample(spec, code_of(spec.later), interleave)
    adds = f"1 sample, which adds to {', '.join(y.name for y in spec.outputs if y.name in spec.shared)}"
    return of_loops(
        spec, [WalkLoop(_SAMPLES, 1, first, "1 sample"), WalkLoop(_SAMPLES, spec.samples - 1, further, adds)]
    )


def _sample(spec: GroupedSpec, code: SweepPlan, interleave: int) -> SweepPlan:
    """Return the loop over the groups of a sample. A result's previous value is read from the result's own place."""
    in_turn = bool(code.loops and code.parts)  # which move the pointers themselves
    if not code.loops:
        code = replace(code, shared=tuple((f"{y.name}{BEFORE}", y.name) for y in code.spec.outputs))
    each = f"{interleave} groups in turn" if interleave > 1 else "1 group"
    back = _steps(spec, -spec.groups, spec.shared) if spec.samples > 1 else ()
    steps = () if in_turn else _steps(spec, interleave)
    times, rows = spec.groups // interleave, interleave * spec.request.m
    return of_loops(code.spec, [WalkLoop(_GROUPS, times, code, each, rows, 0, steps, back)])


def _steps(spec: GroupedSpec, groups: int, names: Collection[str] | None = None) -> tuple[PointerStep, ...]:
    """Return the steps of pointers past `groups` groups: of these operands, or of all."""
    return tuple(
        PointerStep(each.name, ELEMENT_BYTES[each.dtype] * each.rows * groups, f"ld{each.name}")
        if each.view.leading is RUNTIME
        else PointerStep(each.name, ELEMENT_BYTES[each.dtype] * each.rows * groups * int(each.view.leading))
        for each in spec.request.operands
        if names is None or each.name in names
    )
