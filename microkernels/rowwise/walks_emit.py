"""Emit several walks over any number of rows, exactly as planned (walks_plan.py).

Pointers are kept in the stack frame. A walk in blocks of rows advances them, so they are restored after it from copies.
"""

from __future__ import annotations

from ..chain.parked import Parked
from ..contract.machine import Machine
from ..fused.inside import emit_elements
from ..operands import ORIGIN, RUNTIME, Number
from ..sweeps.columns_emit import emit_columns
from ..sweeps.columns_plan import ColumnsPlan
from .emit import RowBlocks
from .plan import RowwisePlan
from .walks_plan import PlannedRowSweep, WalksPlan


def emit(m: Machine, plan: WalksPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    parked = Parked(m, [name for _, name in plan.spec.interface.parameters()])
    parked.scratch(max(64, plan.bytes_of_rows + plan.room))
    _SweepsOfRows(parked, plan).run()
    m.leave()


class _SweepsOfRows:
    """The emitter of all walks in order."""

    def __init__(self, parked: Parked, plan: WalksPlan) -> None:
        self.m, self.parked, self.plan, self.spec = parked.m, parked, plan, plan.spec
        for name, offset in plan.offsets:
            parked.at[name] = self.m.park(parked.register("scratch", offset))
        self.rows = {
            number: RowBlocks(parked, part.code, self.spec.extent, plan.places, plan.bytes_of_rows)
            for number, part in enumerate(plan.parts)
            if isinstance(part.code, RowwisePlan)
        }
        moving = [self.spec.extent, *self.spec.banded]
        if any(rows.placed for rows in self.rows.values()):
            moving.append(ORIGIN[0])
        self.firsts = {name: f"first {name}" for name in moving}
        for name, first in self.firsts.items():
            parked.copy_of(first, name)
        parked.save()

    def run(self) -> None:
        """Emit all walks."""
        for number, part in enumerate(self.plan.parts):
            self.parked.free()
            self.m.note(f"walk {number}")
            if number in self.rows:
                self.rows[number].run()
                self._bring_back()
            else:
                self._walk(part)

    def _bring_back(self) -> None:
        """Restore the values that a walk has advanced."""
        self.parked.free()
        register = self.m.general("a pointer on its way back")
        for name, first in self.firsts.items():
            self.m.copy(register, self.parked.at[first])
            self.m.copy(self.parked.at[name], register)

    def _walk(self, part: PlannedRowSweep) -> None:
        """Emit a walk that advances no parked pointer: in strips, or over one row."""
        parked, places, spec = self.parked, self.plan.places, part.spec
        names = dict.fromkeys(places.get(each.name, each.name) for each in spec.operands)
        found = {own: parked.register(own) for own in names}
        pointers = {each.name: found[places.get(each.name, each.name)] for each in spec.operands}
        values = {each.name: parked.register(each.name) for each in spec.arguments if isinstance(each, Number)}
        for each in spec.operands:
            if each.view.leading is RUNTIME:
                values[f"ld{each.name}"] = parked.register(f"ld{places.get(each.name, each.name)}")
        rows = parked.register(self.spec.extent) if isinstance(part.code, ColumnsPlan) else None
        with parked.aside(self.plan.bytes_of_rows, self.plan.room):
            if isinstance(part.code, ColumnsPlan):
                emit_columns(self.m, part.code, pointers, values, rows)
            else:
                assert not isinstance(part.code, RowwisePlan)
                emit_elements(self.m, part.code, pointers, values)
