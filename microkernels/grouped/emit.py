"""Emit a fused kernel of groups of rows as its plan says (plan.py). No decisions are made here.

Pointers lie in the stack frame. After each group they advance by the group's rows.
"""

from __future__ import annotations

from dataclasses import replace

from ..chain.parked import Parked
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..fused.inside import emit_elements
from ..fused.spec import BEFORE
from ..operands import RUNTIME, Number, Operand, parameters
from ..sweeps.emit import emit_walks
from ..sweeps.plan import SweepPlan
from .plan import Code, GroupedPlan

_GROUPS, _SAMPLES = "groups left", "samples left"


def emit(m: Machine, plan: GroupedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    spec = plan.spec
    parked = Parked(m, [name for _, name in parameters(spec.arguments)])
    parked.scratch(plan.bytes_of_scratch)
    for name in (_SAMPLES, _GROUPS):
        parked.counter(name)
    parked.save()
    parked.free()
    if plan.again is None:
        with m.loop(parked.at[_SAMPLES], spec.samples):
            _sample(parked, plan, plan.code)
    else:
        _sample(parked, plan, plan.code)
        with m.loop(parked.at[_SAMPLES], spec.samples - 1):
            _sample(parked, plan, plan.again)
    m.leave()


def _sample(parked: Parked, plan: GroupedPlan, code: Code) -> None:
    """Emit all groups of a sample. Pointers to operands that samples share are restored afterwards."""
    spec = plan.spec
    with parked.m.loop(parked.at[_GROUPS], spec.groups // plan.together):
        parked.m.note(f"{plan.together} x {spec.request.m} rows")
        if isinstance(code, SweepPlan) and plan.together > 1:
            _in_turn(parked, plan, code)
        else:
            _group(parked, code, plan.bytes_of_scratch)
            _next(parked, plan, plan.together, [each.name for each in spec.operands])
    if spec.samples > 1:
        _next(parked, plan, -spec.groups, spec.shared)


def _in_turn(parked: Parked, plan: GroupedPlan, code: SweepPlan) -> None:
    """Emit the first walk of several groups, then the other walks of each group."""
    first, *others = code.parts
    emit_walks(parked, replace(code, parts=(first,)))
    for _ in range(plan.together):
        emit_walks(parked, replace(code, parts=tuple(others)), places=code.places)
        _next(parked, plan, 1, [each.name for each in plan.spec.operands])


def _group(parked: Parked, code: Code, room: int) -> None:
    """Emit the code of one group. A result's previous value is read from the result's own place."""
    before = {f"{y.name}{BEFORE}": y.name for y in code.spec.outputs}
    if isinstance(code, SweepPlan):
        emit_walks(parked, code, places=before)
        return
    parked.free()
    registers = {
        name: parked.register(name)
        for name in dict.fromkeys(before.get(each.name, each.name) for each in code.spec.operands)
    }
    pointers = {each.name: registers[before.get(each.name, each.name)] for each in code.spec.operands}
    numbers = [each.name for each in code.spec.arguments if isinstance(each, Number)]
    leading = [f"ld{each.name}" for each in code.spec.operands if each.view.leading is RUNTIME]
    values = {name: parked.register(name) for name in (*numbers, *leading)}
    with parked.aside(0, room):
        emit_elements(parked.m, code, pointers, values)


def _next(parked: Parked, plan: GroupedPlan, groups: int, names: list[str] | tuple[str, ...]) -> None:
    """Advance the pointers by `groups` groups."""
    parked.free()
    for each in plan.spec.request.operands:
        if each.name in names:
            _move(parked, each, groups)


def _move(parked: Parked, operand: Operand, groups: int) -> None:
    rows, size, leading = operand.rows * groups, ELEMENT_BYTES[operand.dtype], operand.view.leading
    if isinstance(leading, int):
        parked.m.advance(parked.at[operand.name], rows * leading * size)
    else:
        parked.m.advance(parked.at[operand.name], parked.at[f"ld{operand.name}"], rows * size)
