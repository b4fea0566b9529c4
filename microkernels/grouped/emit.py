"""Emit a fused kernel of groups of rows as its plan says (plan.py). No decisions are made here.

Pointers lie in the stack frame. After each group they advance by the group's rows.
"""

from __future__ import annotations

from dataclasses import replace

from ..chain.frame_values import FrameValues
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..fused.spec import BEFORE
from ..operands import Operand
from ..sweeps.bands import BandedPlan
from ..sweeps.bands_emit import emit_bands, into_frame, move_back
from ..sweeps.emit import emit_sweeps
from ..sweeps.plan import SweepPlan
from .plan import Code, GroupedPlan

_GROUPS, _SAMPLES = "groups left", "samples left"


def emit(m: Machine, plan: GroupedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    spec = plan.spec
    frame = FrameValues(m, [name for _, name in spec.interface.parameters()])
    frame.scratch(plan.bytes_of_scratch)
    for name in (_SAMPLES, _GROUPS):
        frame.counter(name)
    if isinstance(plan.code, BandedPlan):
        into_frame(frame, plan.code)
    frame.save()
    frame.free()
    if spec.given:
        with m.unless_zero(frame.at[spec.extent]), m.loop(frame.at[_SAMPLES], frame.at[spec.extent]):
            _sample(frame, plan, plan.code)
    elif plan.again is None:
        with m.loop(frame.at[_SAMPLES], spec.samples):
            _sample(frame, plan, plan.code)
    else:
        _sample(frame, plan, plan.code)
        with m.loop(frame.at[_SAMPLES], spec.samples - 1):
            _sample(frame, plan, plan.again)
    m.leave()


def _sample(frame: FrameValues, plan: GroupedPlan, code: Code) -> None:
    """Emit all groups of a sample. Pointers to operands that samples share are restored afterwards."""
    spec = plan.spec
    with frame.m.loop(frame.at[_GROUPS], spec.groups // plan.interleave):
        frame.m.note(f"{plan.interleave} x {spec.request.m} rows")
        if plan.in_turn:
            _in_turn(frame, plan, code)
        else:
            _group(frame, code)
            _next(frame, plan, plan.interleave, [each.name for each in spec.operands])
    if spec.samples > 1:
        _next(frame, plan, -spec.groups, spec.shared)


def _in_turn(frame: FrameValues, plan: GroupedPlan, code: Code) -> None:
    """Emit the first walk of several groups, then the other walks of each group."""
    assert isinstance(code, SweepPlan)
    first, *others = code.parts
    emit_sweeps(frame, replace(code, parts=(first,)))
    for _ in range(plan.interleave):
        emit_sweeps(frame, replace(code, parts=tuple(others)), places=code.places)
        _next(frame, plan, 1, [each.name for each in plan.spec.operands])


def _group(frame: FrameValues, code: Code) -> None:
    """Emit the code of one group. A result's previous value is read from the result's own place."""
    if isinstance(code, SweepPlan):
        emit_sweeps(frame, code, places={f"{y.name}{BEFORE}": y.name for y in code.spec.outputs})
    else:
        emit_bands(frame, code)
        move_back(frame, code)


def _next(frame: FrameValues, plan: GroupedPlan, groups: int, names: list[str] | tuple[str, ...]) -> None:
    """Advance the pointers by `groups` groups."""
    frame.free()
    for each in plan.spec.request.operands:
        if each.name in names:
            _move(frame, each, groups)


def _move(frame: FrameValues, operand: Operand, groups: int) -> None:
    rows, size, leading = operand.rows * groups, ELEMENT_BYTES[operand.dtype], operand.view.leading
    if isinstance(leading, int):
        frame.m.advance(frame.at[operand.name], rows * leading * size)
    else:
        frame.m.advance(frame.at[operand.name], frame.at[f"ld{operand.name}"], rows * size)
