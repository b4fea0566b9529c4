"""A fused kernel in phases: emits what the plan says (phases.py), and decides nothing.

Pointers lie in the stack frame and move from band to band; behind a phase they are what they were before. Totals lie
behind the rows of a band in scratch memory, and what walks claim behind them.
"""

from __future__ import annotations

from ..chain.parked import Parked
from ..codegen.selection import Constant, arithmetic_of
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import BITS
from ..fused.inside import emit_elements
from ..fused.plan import FusedPlan
from ..operands import RUNTIME, Number, parameters
from ..reduce.ops import running
from .emit import emit_walks
from .phases import NEXT, PhaseBand, PhasedPlan, Total
from .plan import SweepPlan


def emit(m: Machine, plan: PhasedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    parked = Parked(m, [name for _, name in parameters(plan.spec.arguments)])
    dtype = plan.spec.compute
    parked.scratch(plan.bytes_of_rows + plan.room + sum(each.bytes(dtype) for each in plan.totals))
    offset = plan.bytes_of_rows + plan.room
    for each in plan.totals:
        for name in (each.name, f"{each.name}{NEXT}"):
            parked.at[name] = m.park(parked.register("scratch", offset))
        offset += each.bytes(dtype)
    parked.counter("bands")
    parked.save()
    for number, bands in enumerate(plan.phases):
        for each in plan.totals:
            if each.phase == number:
                parked.free()
                _start(m, parked, plan, each)
        _bands(m, parked, plan, bands)
    m.leave()


def _start(m: Machine, parked: Parked, plan: PhasedPlan, total: Total) -> None:
    """A total of no column."""
    dtype, arithmetic = plan.spec.compute, arithmetic_of(m.facts, plan.spec.numerics)
    start = Constant(running(total.reduction, dtype, arithmetic, 1).start[0], BITS[dtype])
    pointer = parked.register(total.name)
    with m.predicates(), m.vectors(1, "what changes no element") as (register,):
        one = m.lanes(dtype, 1)
        arithmetic.constant(m, register, start, one)
        with m.loop(m.counter("rows"), total.rows):
            m.store(m.at(pointer), register, one)
            m.advance(pointer, ELEMENT_BYTES[dtype])


def _bands(m: Machine, parked: Parked, plan: PhasedPlan, bands: tuple[PhaseBand, ...]) -> None:
    """One band after the other, and back to the first one."""
    for band in bands:
        parked.free()
        with m.loop(parked.at["bands"], band.times):
            _band(parked, plan, band.code)
            parked.free()
            for name, size in plan.steps(band.code.spec.n).items():
                m.advance(parked.at[name], size)
    parked.free()
    for name, size in plan.steps(plan.spec.n).items():
        m.advance(parked.at[name], -size)


def _band(parked: Parked, plan: PhasedPlan, code: SweepPlan | FusedPlan) -> None:
    if isinstance(code, SweepPlan):
        emit_walks(parked, code)
        return
    parked.free()
    pointers = {each.name: parked.register(each.name) for each in code.spec.operands}
    values = {each.name: parked.register(each.name) for each in code.spec.arguments if isinstance(each, Number)}
    for each in code.spec.operands:
        if each.view.leading is RUNTIME:
            values[f"ld{each.name}"] = parked.register(f"ld{each.name}")
    with parked.aside(plan.bytes_of_rows, plan.room):
        emit_elements(parked.m, code, pointers, values)
