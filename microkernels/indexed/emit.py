"""A traced function with rows by an index: emits what the plan says (plan.py), and decides nothing.

Pointers to tables and indices lie in the stack frame; before each row a register is pointed at each row that is found.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import emit_walk
from ..fused.emit import emit_rows
from ..fused.plan import FusedPlan
from ..operands import Operand, parameters
from .plan import LINE, IndexedPlan, row_bytes
from .spec import Found, IndexedSpec


def emit(m: Machine, plan: IndexedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    spec = plan.spec
    names = [name for _, name in parameters(spec.arguments)]
    values = dict(zip(names, m.arguments(len(names))))
    walked = {each.name for each in spec.request.arguments} | {f"ld{each.name}" for each in spec.request.operands}
    parked = {name: _in_slot(m, values[name]) if name not in walked else values[name] for name in names}
    copies = {name: _copied(m, parked[name]) for name in _tables(spec) & walked}
    rows = _Rows(m, plan, {**parked, **copies})
    pointers = {x.name: rows.pointers.get(x.name) or _register(m, parked[x.name], x.name)
                for x in spec.request.operands}  # fmt: skip
    others = {name: _register(m, value, name) for name, value in parked.items() if name in walked - pointers.keys()}
    if spec.m == 1:
        rows.point()  # single elements are loaded before the first row
    if isinstance(plan.code, FusedPlan):
        emit_rows(m, plan.code, pointers, others, rows)
    else:
        emit_walk(m, plan.code, pointers, others, rows)
    rows.finish()
    m.leave()


def _tables(spec: IndexedSpec) -> set[str]:
    return {each.table for each in spec.found}


class _Rows:
    """Registers that point at the rows which indices name."""

    def __init__(self, m: Machine, plan: IndexedPlan, at: dict[str, General | Slot]) -> None:
        self.m, self.spec, self.at = m, plan.spec, at
        self.position = m.general("place")
        self.pointers: dict[str, General] = {}
        places: dict[tuple[str, str], General] = {}  # what is added to a row is read where it is written
        for each in self.spec.found:
            place = each.table, each.by
            if place not in places:
                places[place] = m.general(f"row of {each.table}")
            self.pointers[each.name] = places[place]
        self.found = {id(self.pointers[each.name]): each for each in self.spec.found}
        self.plan = plan
        if self.spec.bad or plan.far:
            self.limit = m.general("limit")
        if plan.far:
            self.left = m.counter("rows left")
            m.copy(self.left, self.spec.m)
        if self.spec.bad:
            self._claim_for_checks(plan)

    def _claim_for_checks(self, plan: IndexedPlan) -> None:
        m = self.m
        self.number, self.first_bad = m.counter("number of the row"), m.counter("first bad")
        base = m.scratch(plan.zeros + plan.dump)
        m.copy(self.number, 0)
        m.copy(self.first_bad, -1)
        m.zero_element()
        for offset in range(0, plan.zeros, 8) if plan.zeros <= LINE else ():
            m.store_element(base, None, offset, 8)
        if plan.zeros > LINE:
            m.copy(self.position, base)
            with m.loop(self.limit, plan.zeros // 8):
                m.store_element(self.position, None, 0, 8)
                m.advance(self.position, 8)
        self.outside = m.park(base)
        self.offset = plan.zeros

    @property
    def names(self) -> Collection[str]:
        """The matrices whose rows are found."""
        return self.pointers.keys()

    def find(self) -> None:
        """Before each row: point at what belongs to it."""
        if self.spec.m > 1:
            self.point()

    def point(self) -> None:
        """Point at the rows of the next row."""
        m = self.m
        seen: set[str] = set()
        for each in self.found.values():
            self._point(each)
            if each.table in self.plan.far:
                self._prefetch(each)
            seen.add(each.by)
        if self.plan.far:
            m.advance(self.left, -1)
        for index in sorted(seen):
            m.advance(self.at[index], ELEMENT_BYTES[self.spec.operand(index).dtype])
        if self.spec.bad:
            m.advance(self.number, 1)

    def _point(self, each: Found) -> None:
        m, table, row = self.m, self.spec.operand(each.table), self.pointers[each.name]
        size = ELEMENT_BYTES[self.spec.operand(each.by).dtype]
        m.copy(self.position, self.at[each.by])
        m.load_index(self.position, self.position, 0, size)
        m.copy(row, self.at[each.table])
        if self.spec.bad:
            m.copy(self.limit, table.rows)
            with m.beyond(self.position, self.limit):
                self._outside(row, table)
        m.advance(row, self.position, _stride(table))

    def _prefetch(self, each: Found) -> None:
        """The lines of a row that comes later; of the last rows none, whose indices would lie behind the others."""
        m, table, ahead = self.m, self.spec.operand(each.table), self.plan.ahead
        size = ELEMENT_BYTES[self.spec.operand(each.by).dtype]
        m.copy(self.position, ahead)
        m.copy(self.limit, self.left)
        with m.within(self.position, self.limit):
            m.copy(self.position, self.at[each.by])
            m.load_index(self.position, self.position, ahead * size, size)
            m.copy(self.limit, self.at[each.table])
            m.advance(self.limit, self.position, _stride(table))
            for disp in range(0, row_bytes(table), m.facts.tuning.gather.line_bytes):
                m.prefetch(self.limit, disp)

    def _outside(self, row: General, table: Operand) -> None:
        """Point at scratch memory, and keep the least number of such a row."""
        m = self.m
        m.copy(self.limit, self.first_bad)
        m.copy(self.position, self.number)
        m.lower(self.limit, self.position)
        m.copy(self.first_bad, self.limit)
        m.copy(row, self.outside)
        if table.output:
            m.advance(row, self.offset)
        m.copy(self.position, 0)

    def finish(self) -> None:
        """Store the number of the first row with an index outside."""
        if self.spec.bad:
            m = self.m
            m.copy(self.position, self.at["bad"])
            m.copy(self.limit, self.first_bad)
            m.store_general(self.position, self.limit)


def _stride(table: Operand) -> int:
    leading: Any = table.view.leading
    return int(leading) * ELEMENT_BYTES[table.dtype]


def _in_slot(m: Machine, value: General | Slot) -> General | Slot:
    """A value that a walk needs no register for."""
    return value if isinstance(value, Slot) else m.park(value)


def _copied(m: Machine, value: General | Slot) -> General | Slot:
    """The same once more, of a table that is walked too."""
    register = m.general("table")
    m.copy(register, value)
    return m.park(register)


def _register(m: Machine, value: General | Slot, role: str) -> General:
    """The value in a register."""
    if not isinstance(value, Slot):
        return value
    register = m.general(role)
    m.copy(register, value)
    return register
