"""Emit a fused kernel in sweeps as its plan says (plan.py). No decisions are made here.

Pointers into the operands lie in the stack frame. Each walk claims registers only while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..chain.parked import Parked
from ..contract.machine import Machine
from ..eltwise.spec import EltwiseSpec
from ..fused.inside import FoundRows, emit_elements
from ..fused.spec import FusedSpec
from ..operands import RUNTIME, Number, parameters
from .bands import PLACE, BandedPlan
from .columns_emit import emit_columns
from .columns_plan import ColumnsPlan
from .plan import PlannedSweep, SweepPlan

_NOTHING: Mapping[str, str] = MappingProxyType({})


def emit(m: Machine, plan: SweepPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    parked = Parked(m, [name for _, name in parameters(plan.spec.arguments)])
    parked.scratch(plan.bytes_of_rows + plan.room)
    parked.save()
    emit_walks(parked, plan)
    m.leave()


def emit_bands(m: Machine, plan: BandedPlan) -> None:
    """Append the same for one band of columns after the other."""
    m.enter(plan.registers)
    parked = Parked(m, [name for _, name in parameters(plan.spec.arguments)])
    parked.scratch(plan.bytes_of_scratch)
    park_bands(parked, plan.spec)
    parked.save()
    walk_bands(parked, plan)
    m.leave()


def park_bands(parked: Parked, spec: FusedSpec) -> None:
    """Park the values that bands of columns need, before any loop."""
    parked.counter("bands")
    if spec.placed:
        for name, place in PLACE.items():
            if spec.moved:
                parked.at[place] = parked.at[name]
            else:
                parked.counter(place)


def start_bands(parked: Parked, spec: FusedSpec) -> None:
    """Set the place of the first band, which begins where the matrices do."""
    if spec.placed and not spec.moved:
        for place in PLACE.values():
            parked.m.copy(parked.at[place], 0)


def walk_bands(parked: Parked, plan: BandedPlan, found: FoundRows | None = None) -> None:
    """Emit one band of columns after the other. found: locates rows by an index."""
    start_bands(parked, plan.spec)
    for times, code in plan.bands:
        parked.free()
        with parked.m.loop(parked.at["bands"], times):
            emit_walks(parked, code, found)
            move_bands(parked, plan.steps(code.spec.n), found)


def move_bands(parked: Parked, steps: Mapping[str, int], found: FoundRows | None, back: bool = False) -> None:
    """Move the pointers to the next band, or back from the last band to the first."""
    parked.free()
    tables = {} if found is None else found.tables
    own = {tables.get(name, name): size for name, size in steps.items()}
    for name, size in own.items():
        parked.m.advance(parked.at[name], -size if back else size)


def numbers_of(parked: Parked, spec: EltwiseSpec) -> dict[str, Any]:
    """Return registers with the numbers that a walk takes. A band's row and column are parked under names of their
    own."""
    names = {each.name: PLACE.get(each.name, "") for each in spec.arguments if isinstance(each, Number)}
    return {name: parked.register(place if place in parked.at else name) for name, place in names.items()}


def emit_walks(
    parked: Parked, plan: SweepPlan, found: FoundRows | None = None, places: Mapping[str, str] = _NOTHING
) -> None:
    """Emit all walks.

    found   locates rows by an index
    places  the results whose memory further inputs share, keyed by input
    """
    places = {**plan.places, **places}
    for number, part in enumerate(plan.parts):
        parked.free()
        parked.m.note(f"walk {number}")
        _walk(parked, plan, part, places, found)


def _walk(
    parked: Parked, plan: SweepPlan, part: PlannedSweep, places: Mapping[str, str], rows: FoundRows | None
) -> None:
    """Emit one walk. An input that shares a result's memory also shares its register."""
    spec: Any = part.code.spec
    offsets = dict(plan.offsets)
    found: dict[str, Any] = {}
    apart = () if rows is None else rows.of(spec)
    operands = [each for each in spec.operands if each.name not in apart]
    for each in operands:
        own = places.get(each.name, each.name)
        if own not in found:
            found[own] = parked.register("scratch", offsets[own]) if own in offsets else parked.register(own)
    pointers = {each.name: found[places.get(each.name, each.name)] for each in operands}
    values = numbers_of(parked, spec)
    for each in operands:
        if each.view.leading is RUNTIME:
            values[f"ld{each.name}"] = parked.register(f"ld{places.get(each.name, each.name)}")
    with parked.aside(plan.bytes_of_rows, plan.room, rows.kept if rows is not None and apart else ()):
        if isinstance(part.code, ColumnsPlan):
            emit_columns(parked.m, part.code, pointers, values)
        else:
            by_index, finder = rows.walk(spec) if rows is not None else ({}, None)
            emit_elements(parked.m, part.code, pointers | by_index, values, finder)
