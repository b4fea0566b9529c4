"""Emit walks over columns whose length is given at the call, exactly as planned (counted_walks_plan.py).

Pointers are kept in the stack frame and advance after each block. A walk changes only copies of them.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from ..chain.parked import Parked
from ..contract.machine import General, Machine
from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME
from ..sweeps.columns_emit import Strips
from ..sweeps.columns_plan import ColumnsPlan
from .counted_emit import emit_columns
from .counted_walks_plan import BLOCK, CountedWalksPlan, Part
from .spec import parameters_of

_WHOLE, _REST, _COLUMNS = "rows of whole blocks", "rows of the last block", "rows of this block"
_LEAST = 64


def emit(m: Machine, plan: CountedWalksPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    if plan.in_one_walk:
        _all_rows(m, plan)
    else:
        _blocks(m, plan)
    m.leave()


def _all_rows(m: Machine, plan: CountedWalksPlan) -> None:
    """Emit a single walk in strips over all rows, without blocks."""
    names = [name for _, name in parameters_of(plan.spec)]
    given = {name: m.in_register(value, name) for name, value in zip(names, m.arguments(len(names)))}
    (part,) = plan.parts
    assert isinstance(part.code, ColumnsPlan)
    pointers = {each.name: given.pop(each.name) for each in part.spec.operands}
    rows = given.pop(plan.spec.extent)
    _strips(m, plan, part.code, pointers, given, rows)


def _blocks(m: Machine, plan: CountedWalksPlan) -> None:
    """Emit a loop over blocks of rows that contains all walks."""
    parked = Parked(m, [name for _, name in parameters_of(plan.spec)])
    parked.scratch(max(_LEAST, plan.bytes_of_rows + plan.room))
    for name in (_WHOLE, _REST, _COLUMNS):
        parked.counter(name)
    parked.save()
    parked.free()
    left, columns = parked.at[plan.spec.extent], parked.at[_COLUMNS]
    rest, whole = m.general(_REST), m.general(_WHOLE)
    m.copy(rest, left)
    m.modulo(rest, BLOCK)
    m.copy(whole, left)
    m.advance(whole, rest, -1)
    m.copy(parked.at[_REST], rest)
    m.copy(parked.at[_WHOLE], whole)
    parked.free()
    with m.while_at_least(left, 1):
        parked.free()
        now = m.general(_COLUMNS)
        m.copy(now, parked.at[_REST])
        with m.unless_zero(parked.at[_WHOLE]):
            m.copy(now, BLOCK)
            m.advance(parked.at[_WHOLE], -BLOCK)
        m.copy(columns, now)
        for number, part in enumerate(plan.parts):
            parked.free()
            m.note(f"walk {number}")
            _walk(parked, plan, part)
        parked.free()
        for each in plan.spec.operands:
            if each.name in plan.spec.banded:
                m.advance(parked.at[each.name], columns, ELEMENT_BYTES[each.dtype])
        m.advance(left, columns, -1)
        m.advance(left, 1)


def _walk(parked: Parked, plan: CountedWalksPlan, part: Part) -> None:
    """Emit one walk. An input that is kept in the place of a result shares the result's register."""
    offsets, places, operands = dict(plan.offsets), plan.places, part.spec.operands
    found: dict[str, Any] = {}
    for each in operands:
        own = places.get(each.name, each.name)
        if own not in found:
            found[own] = parked.register("scratch", offsets[own]) if own in offsets else parked.register(own)
    pointers = {each.name: found[places.get(each.name, each.name)] for each in operands}
    values = {f"ld{each.name}": parked.register(f"ld{places.get(each.name, each.name)}")
              for each in operands if each.view.leading is RUNTIME}  # fmt: skip
    columns = parked.register(_COLUMNS)
    with parked.aside(plan.bytes_of_rows, plan.room):
        if isinstance(part.code, ColumnsPlan):
            _strips(parked.m, plan, part.code, pointers, values, columns)
        else:
            emit_columns(parked.m, part.code, pointers, values, columns)


def _strips(m: Machine, plan: CountedWalksPlan, code: ColumnsPlan, pointers: dict[str, General],
            values: dict[str, General], columns: General) -> None:  # fmt: skip
    walk = _CountedStrips(m, plan, code, pointers, values, columns)
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim(scope)
        walk.emit()


class _CountedStrips(Strips):
    """Strips over a number of columns that is given at the call. These columns of the transposed matrices are the rows
    of the request."""

    def __init__(self, m: Machine, plan: CountedWalksPlan, code: ColumnsPlan, pointers: dict[str, General],
                 values: dict[str, General], columns: General) -> None:  # fmt: skip
        super().__init__(m, code, pointers, values, None)
        self.masked = plan.masked
        self.whole, self.short = plan.widths(code)
        m.copy(self.columns_left, columns)
        self.rest = columns

    @property
    def counts(self) -> list[int]:
        """The numbers of elements per vector whose lanes do not depend on the call."""
        vector = self.strips.vector
        return sorted({vector, *(() if self.masked else (each for each in self.short if each < vector))})

    def emit(self) -> None:
        """Emit the widest strips in a loop, then the narrower ones."""
        m, left, vector = self.m, self.columns_left, self.strips.vector
        if self.whole:
            with m.while_at_least(left, self.whole * vector):
                self._strip(self.whole * vector)
                self._move_columns(self.whole * vector)
        for columns in self.short:
            if not self.masked:
                with m.while_at_least(left, columns):
                    self._strip(columns)
                    self._move_columns(columns)
                continue
            before = columns - (vector - 1)
            with m.while_at_least(left, before + 1):
                m.copy(self.rest, left)
                m.advance(self.rest, 1)
                with m.predicates():
                    self._masked_strip(columns)
                self._move_columns(before + vector)
                m.advance(left, 1 - vector)

    def _masked_strip(self, columns: int) -> None:
        """Emit a strip whose last vector is masked: it has the elements that the strip's other vectors leave, at most a
        whole vector."""
        short = self.strips.vector - 1
        for dtype in dict.fromkeys((self.spec.compute, *(each.dtype for each in self.spec.operands))):
            self.m.counted_lanes(dtype, short, self.rest)
        self.lanes[short] = self.m.lanes(self.spec.compute, short)
        self._strip(columns)
