"""Emit a fused kernel in phases as its plan says (phases.py). No decisions are made here.

Pointers lie in the stack frame and advance from band to band; after a phase they are restored. In scratch memory, the
totals come after the rows of a band and the walks' own memory.
"""

from __future__ import annotations

from ..chain.frame_values import FrameValues
from ..codegen.selection import Constant, arithmetic_of
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import BITS
from ..fused.inside import FoundRows, emit_elements
from ..fused.plan import FusedPlan
from ..operands import RUNTIME, parameters
from ..reduce.ops import running
from .emit import bands_into_frame, emit_sweeps, move_bands, numbers_of, start_bands
from .phases import NEXT, PhaseBand, PhasedPlan, Total
from .plan import SweepPlan


def emit(m: Machine, plan: PhasedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    frame = FrameValues(m, [name for _, name in parameters(plan.spec.arguments)])
    frame.scratch(plan.bytes_of_scratch)
    totals_into_frame(frame, plan)
    frame.save()
    emit_phases(frame, plan)
    m.leave()


def totals_into_frame(frame: FrameValues, plan: PhasedPlan) -> None:
    """Keep the pointers that `emit_phases` needs, before any loop."""
    offset = plan.bytes_of_rows + plan.scratch_bytes
    for each in plan.totals:
        for name in (each.name, f"{each.name}{NEXT}"):
            frame.at[name] = frame.m.to_slot(frame.register("scratch", offset))
        offset += each.bytes(plan.spec.compute)
    bands_into_frame(frame, plan.spec)


def emit_phases(frame: FrameValues, plan: PhasedPlan, found: FoundRows | None = None) -> None:
    """Emit all phases. found: locates rows by an index."""
    m = frame.m
    start_bands(frame, plan.spec)
    for number, bands in enumerate(plan.phases):
        for each in plan.totals:
            if each.phase == number:
                frame.free()
                _start(m, frame, plan, each)
        _bands(m, frame, plan, bands, found)


def _start(m: Machine, frame: FrameValues, plan: PhasedPlan, total: Total) -> None:
    """Set a total to the value of no columns."""
    dtype, arithmetic = plan.spec.compute, arithmetic_of(m.facts, plan.spec.numerics)
    start = Constant(running(total.reduction, dtype, arithmetic, 1).start[0], BITS[dtype])
    pointer = frame.register(total.name)
    with m.predicates(), m.vectors(1, "what changes no element") as (register,):
        one = m.lanes(dtype, 1)
        arithmetic.constant(m, register, start, one)
        with m.loop(m.counter("rows"), total.rows):
            m.store(m.at(pointer), register, one)
            m.advance(pointer, ELEMENT_BYTES[dtype])


def _bands(
    m: Machine, frame: FrameValues, plan: PhasedPlan, bands: tuple[PhaseBand, ...], found: FoundRows | None
) -> None:
    """Emit one band after the other, then move back to the first."""
    for band in bands:
        frame.free()
        with m.loop(frame.at["bands"], band.times):
            _band(frame, plan, band.code, found)
            move_bands(frame, plan.steps(band.code.spec.n), found)
    move_bands(frame, plan.steps(plan.spec.n), found, back=True)


def _band(frame: FrameValues, plan: PhasedPlan, code: SweepPlan | FusedPlan, rows: FoundRows | None) -> None:
    if isinstance(code, SweepPlan):
        emit_sweeps(frame, code, rows)
        return
    frame.free()
    located = () if rows is None else rows.of(code.spec)
    operands = [each for each in code.spec.operands if each.name not in located]
    pointers = {each.name: frame.register(each.name) for each in operands}
    values = numbers_of(frame, code.spec)
    for each in operands:
        if each.view.leading is RUNTIME:
            values[f"ld{each.name}"] = frame.register(f"ld{each.name}")
    with frame.aside(plan.bytes_of_rows, plan.scratch_bytes, rows.kept if rows is not None and located else ()):
        by_index, finder = rows.begin(code.spec) if rows is not None else ({}, None)
        emit_elements(frame.m, code, pointers | by_index, values, finder)
