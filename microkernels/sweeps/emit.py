"""A fused kernel in sweeps: emits what the plan says (plan.py), and decides nothing.

Pointers into the operands lie in the stack frame; every walk claims registers while it runs.
"""

from __future__ import annotations

from typing import Any

from ..chain.parked import Parked
from ..contract.machine import Machine
from ..fused.inside import emit_elements
from ..operands import RUNTIME, Number, parameters
from .columns_emit import emit_columns
from .columns_plan import ColumnsPlan
from .plan import Part, SweepPlan


def emit(m: Machine, plan: SweepPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    parked = Parked(m, [name for _, name in parameters(plan.spec.arguments)])
    parked.scratch(plan.bytes_of_rows + plan.room)
    parked.save()
    offsets = dict(plan.offsets)
    for number, part in enumerate(plan.parts):
        parked.free()
        m.note(f"walk {number}")
        _walk(parked, plan, part, offsets)
    m.leave()


def _walk(parked: Parked, plan: SweepPlan, part: Part, offsets: dict[str, int]) -> None:
    """One of them. An input that is kept where a result goes has the register of that."""
    spec: Any = part.code.spec
    found: dict[str, Any] = {}
    for each in spec.operands:
        own = plan.places.get(each.name, each.name)
        if own not in found:
            found[own] = parked.register("scratch", offsets[own]) if own in offsets else parked.register(own)
    pointers = {each.name: found[plan.places.get(each.name, each.name)] for each in spec.operands}
    values = {each.name: parked.register(each.name) for each in spec.arguments if isinstance(each, Number)}
    for each in spec.operands:
        if each.view.leading is RUNTIME:
            values[f"ld{each.name}"] = parked.register(f"ld{plan.places.get(each.name, each.name)}")
    with parked.aside(plan.bytes_of_rows, plan.room):
        if isinstance(part.code, ColumnsPlan):
            emit_columns(parked.m, part.code, pointers, values)
        else:
            emit_elements(parked.m, part.code, pointers, values)
