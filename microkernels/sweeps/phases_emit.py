"""Emit a fused kernel in phases as its plan says (phases.py). No decisions are made here.

Pointers lie in the stack frame and advance from band to band; after a phase they are restored. In scratch memory, the
totals come after the rows of a band and the walks' own memory.
"""

from __future__ import annotations

from ..chain.parked import Parked
from ..codegen.selection import Constant, arithmetic_of
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import BITS
from ..fused.inside import FoundRows, emit_elements
from ..fused.plan import FusedPlan
from ..operands import RUNTIME, parameters
from ..reduce.ops import running
from .emit import emit_walks, move_bands, numbers_of, park_bands, start_bands
from .phases import NEXT, PhaseBand, PhasedPlan, Total
from .plan import SweepPlan


def emit(m: Machine, plan: PhasedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    parked = Parked(m, [name for _, name in parameters(plan.spec.arguments)])
    parked.scratch(plan.bytes_of_scratch)
    park_totals(parked, plan)
    parked.save()
    emit_phases(parked, plan)
    m.leave()


def park_totals(parked: Parked, plan: PhasedPlan) -> None:
    """Park the pointers that `emit_phases` needs, before any loop."""
    offset = plan.bytes_of_rows + plan.room
    for each in plan.totals:
        for name in (each.name, f"{each.name}{NEXT}"):
            parked.at[name] = parked.m.park(parked.register("scratch", offset))
        offset += each.bytes(plan.spec.compute)
    park_bands(parked, plan.spec)


def emit_phases(parked: Parked, plan: PhasedPlan, found: FoundRows | None = None) -> None:
    """Emit all phases. found: locates rows by an index."""
    m = parked.m
    start_bands(parked, plan.spec)
    for number, bands in enumerate(plan.phases):
        for each in plan.totals:
            if each.phase == number:
                parked.free()
                _start(m, parked, plan, each)
        _bands(m, parked, plan, bands, found)


def _start(m: Machine, parked: Parked, plan: PhasedPlan, total: Total) -> None:
    """Set a total to the value of no columns."""
    dtype, arithmetic = plan.spec.compute, arithmetic_of(m.facts, plan.spec.numerics)
    start = Constant(running(total.reduction, dtype, arithmetic, 1).start[0], BITS[dtype])
    pointer = parked.register(total.name)
    with m.predicates(), m.vectors(1, "what changes no element") as (register,):
        one = m.lanes(dtype, 1)
        arithmetic.constant(m, register, start, one)
        with m.loop(m.counter("rows"), total.rows):
            m.store(m.at(pointer), register, one)
            m.advance(pointer, ELEMENT_BYTES[dtype])


def _bands(m: Machine, parked: Parked, plan: PhasedPlan, bands: tuple[PhaseBand, ...], found: FoundRows | None) -> None:
    """Emit one band after the other, then move back to the first."""
    for band in bands:
        parked.free()
        with m.loop(parked.at["bands"], band.times):
            _band(parked, plan, band.code, found)
            move_bands(parked, plan.steps(band.code.spec.n), found)
    move_bands(parked, plan.steps(plan.spec.n), found, back=True)


def _band(parked: Parked, plan: PhasedPlan, code: SweepPlan | FusedPlan, rows: FoundRows | None) -> None:
    if isinstance(code, SweepPlan):
        emit_walks(parked, code, rows)
        return
    parked.free()
    apart = () if rows is None else rows.of(code.spec)
    operands = [each for each in code.spec.operands if each.name not in apart]
    pointers = {each.name: parked.register(each.name) for each in operands}
    values = numbers_of(parked, code.spec)
    for each in operands:
        if each.view.leading is RUNTIME:
            values[f"ld{each.name}"] = parked.register(f"ld{each.name}")
    with parked.aside(plan.bytes_of_rows, plan.room, rows.kept if rows is not None and apart else ()):
        by_index, finder = rows.walk(code.spec) if rows is not None else ({}, None)
        emit_elements(parked.m, code, pointers | by_index, values, finder)
