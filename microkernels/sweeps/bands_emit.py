"""Emit a fused kernel in bands of columns as its plan says (bands.py). No decisions are made here.

Pointers lie in the stack frame and advance from band to band; after a phase that another one follows they are restored.
In scratch memory, the totals come after the rows of a band and the walks' own memory.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..chain.frame_values import FrameValues
from ..codegen.selection import Constant, arithmetic_of
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import BITS
from ..fused.inside import FoundRows
from ..operands import parameters
from ..reduce.ops import running
from .bands import PLACE, BandedPlan, Total
from .emit import emit_sweeps
from .phases import NEXT


def emit(m: Machine, plan: BandedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    frame = FrameValues(m, [name for _, name in parameters(plan.spec.arguments)])
    frame.scratch(plan.bytes_of_scratch)
    into_frame(frame, plan)
    frame.save()
    emit_bands(frame, plan)
    m.leave()


def into_frame(frame: FrameValues, plan: BandedPlan) -> None:
    """Keep the pointers and numbers that `emit_bands` needs, before any loop."""
    offset, spec = plan.bytes_of_rows + plan.scratch_bytes, plan.spec
    for each in plan.totals:
        for name in (each.name, f"{each.name}{NEXT}"):
            frame.at[name] = frame.m.to_slot(frame.register("scratch", offset))
        offset += each.bytes(spec.compute)
    frame.counter("bands")
    if spec.placed:
        for name, place in PLACE.items():
            if spec.moved:
                frame.at[place] = frame.at[name]
            else:
                frame.counter(place)


def emit_bands(frame: FrameValues, plan: BandedPlan, found: FoundRows | None = None) -> None:
    """Emit all bands of all phases. found: locates rows by an index."""
    m, spec = frame.m, plan.spec
    if spec.placed and not spec.moved:
        for place in PLACE.values():
            m.copy(frame.at[place], 0)
    for number, bands in enumerate(plan.phases):
        for each in plan.totals:
            if each.phase == number:
                frame.free()
                _start(m, frame, plan, each)
        for band in bands:
            frame.free()
            with m.loop(frame.at["bands"], band.times):
                emit_sweeps(frame, band.code, found)
                _move(frame, plan.steps(band.columns), found)
        if len(plan.phases) > 1:
            _move(frame, plan.steps(spec.n), found, back=True)


def move_back(frame: FrameValues, plan: BandedPlan) -> None:
    """Move the pointers back to the first band, where `emit_bands` leaves them behind the last one."""
    if len(plan.phases) == 1:
        _move(frame, plan.steps(plan.spec.n), None, back=True)


def _start(m: Machine, frame: FrameValues, plan: BandedPlan, total: Total) -> None:
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


def _move(frame: FrameValues, steps: Mapping[str, int], found: FoundRows | None, back: bool = False) -> None:
    """Move the pointers to the next band, or back from the last band to the first."""
    frame.free()
    tables = {} if found is None else found.tables
    own = {tables.get(name, name): size for name, size in steps.items()}
    for name, size in own.items():
        frame.m.advance(frame.at[name], -size if back else size)
