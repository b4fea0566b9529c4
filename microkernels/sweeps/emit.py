"""Emit a fused kernel in sweeps as its plan says (plan.py). No decisions are made here.

Pointers into the operands lie in the stack frame. Each walk claims registers only while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..chain.frame_values import FrameValues
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
    frame = FrameValues(m, [name for _, name in parameters(plan.spec.arguments)])
    frame.scratch(plan.bytes_of_rows + plan.scratch_bytes)
    frame.save()
    emit_sweeps(frame, plan)
    m.leave()


def emit_bands(m: Machine, plan: BandedPlan) -> None:
    """Append the same for one band of columns after the other."""
    m.enter(plan.registers)
    frame = FrameValues(m, [name for _, name in parameters(plan.spec.arguments)])
    frame.scratch(plan.bytes_of_scratch)
    bands_into_frame(frame, plan.spec)
    frame.save()
    sweep_bands(frame, plan)
    m.leave()


def bands_into_frame(frame: FrameValues, spec: FusedSpec) -> None:
    """Keep the values that bands of columns need, before any loop."""
    frame.counter("bands")
    if spec.placed:
        for name, place in PLACE.items():
            if spec.moved:
                frame.at[place] = frame.at[name]
            else:
                frame.counter(place)


def start_bands(frame: FrameValues, spec: FusedSpec) -> None:
    """Set the place of the first band, which begins where the matrices do."""
    if spec.placed and not spec.moved:
        for place in PLACE.values():
            frame.m.copy(frame.at[place], 0)


def sweep_bands(frame: FrameValues, plan: BandedPlan, found: FoundRows | None = None) -> None:
    """Emit one band of columns after the other. found: locates rows by an index."""
    start_bands(frame, plan.spec)
    for times, code in plan.bands:
        frame.free()
        with frame.m.loop(frame.at["bands"], times):
            emit_sweeps(frame, code, found)
            move_bands(frame, plan.steps(code.spec.n), found)


def move_bands(frame: FrameValues, steps: Mapping[str, int], found: FoundRows | None, back: bool = False) -> None:
    """Move the pointers to the next band, or back from the last band to the first."""
    frame.free()
    tables = {} if found is None else found.tables
    own = {tables.get(name, name): size for name, size in steps.items()}
    for name, size in own.items():
        frame.m.advance(frame.at[name], -size if back else size)


def numbers_of(frame: FrameValues, spec: EltwiseSpec) -> dict[str, Any]:
    """Return registers with the numbers that a walk takes. A band's row and column are kept in the frame under names of
    their own."""
    names = {each.name: PLACE.get(each.name, "") for each in spec.arguments if isinstance(each, Number)}
    return {name: frame.register(place if place in frame.at else name) for name, place in names.items()}


def emit_sweeps(
    frame: FrameValues, plan: SweepPlan, found: FoundRows | None = None, places: Mapping[str, str] = _NOTHING
) -> None:
    """Emit all walks.

    found   locates rows by an index
    places  the results whose memory further inputs share, keyed by input
    """
    places = {**plan.places, **places}
    for number, part in enumerate(plan.parts):
        frame.free()
        frame.m.note(f"walk {number}")
        _emit_sweep(frame, plan, part, places, found)


def _emit_sweep(
    frame: FrameValues, plan: SweepPlan, part: PlannedSweep, places: Mapping[str, str], rows: FoundRows | None
) -> None:
    """Emit one walk. An input that shares a result's memory also shares its register."""
    spec: Any = part.code.spec
    offsets = dict(plan.offsets)
    found: dict[str, Any] = {}
    located = () if rows is None else rows.of(spec)
    operands = [each for each in spec.operands if each.name not in located]
    for each in operands:
        own = places.get(each.name, each.name)
        if own not in found:
            found[own] = frame.register("scratch", offsets[own]) if own in offsets else frame.register(own)
    pointers = {each.name: found[places.get(each.name, each.name)] for each in operands}
    values = numbers_of(frame, spec)
    for each in operands:
        if each.view.leading is RUNTIME:
            values[f"ld{each.name}"] = frame.register(f"ld{places.get(each.name, each.name)}")
    with frame.aside(plan.bytes_of_rows, plan.scratch_bytes, rows.kept if rows is not None and located else ()):
        if isinstance(part.code, ColumnsPlan):
            emit_columns(frame.m, part.code, pointers, values)
        else:
            by_index, finder = rows.begin(spec) if rows is not None else ({}, None)
            emit_elements(frame.m, part.code, pointers | by_index, values, finder)
