"""Emit several walks over any number of rows, exactly as planned (sweeps/plan.py).

Pointers are kept in the stack frame. A walk in blocks of rows advances them, so they are restored after it from copies.
"""

from __future__ import annotations

from ..chain.frame_values import FrameValues
from ..contract.machine import Machine
from ..operands import ORIGIN
from ..sweeps.emit import emit_sweep
from ..sweeps.plan import SweepPlan
from . import dynamic_strips_emit
from .emit import RowBlocks
from .plan import RowwisePlan


def emit(m: Machine, plan: SweepPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    if plan.strips is not None:
        dynamic_strips_emit.emit(m, plan, plan.strips)
        m.leave()
        return
    frame = FrameValues(m, [name for _, name in plan.spec.interface.parameters()])
    frame.scratch(max(64, plan.bytes_of_rows + plan.scratch_bytes))
    _SweepsOfRows(frame, plan).run()
    m.leave()


class _SweepsOfRows:
    """The emitter of all walks in order."""

    def __init__(self, frame: FrameValues, plan: SweepPlan) -> None:
        self.m, self.frame, self.plan, self.spec = frame.m, frame, plan, plan.spec
        for name, offset in plan.offsets:
            frame.at[name] = self.m.to_slot(frame.register("scratch", offset))
        self.rows = {
            number: RowBlocks(frame, part.code, self.spec.extent, plan.places, plan.bytes_of_rows)
            for number, part in enumerate(plan.parts)
            if isinstance(part.code, RowwisePlan)
        }
        moving = [self.spec.extent, *self.spec.banded]
        if any(rows.placed for rows in self.rows.values()):
            moving.append(ORIGIN[0])
        self.firsts = {name: f"first {name}" for name in moving}
        for name, first in self.firsts.items():
            frame.copy_of(first, name)
        frame.save()

    def run(self) -> None:
        """Emit all walks."""
        for number, part in enumerate(self.plan.parts):
            self.frame.free()
            self.m.note(f"walk {number}")
            if number in self.rows:
                self.rows[number].run()
                self._bring_back()
            else:
                emit_sweep(self.frame, self.plan, part, self.plan.places, {}, extent=self.spec.extent)

    def _bring_back(self) -> None:
        """Restore the values that a walk has advanced."""
        self.frame.free()
        register = self.m.general("a pointer on its way back")
        for name, first in self.firsts.items():
            self.m.copy(register, self.frame.at[first])
            self.m.copy(self.frame.at[name], register)
