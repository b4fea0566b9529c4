"""Emit walks over columns whose length is given at the call, exactly as planned
(dynamic_strips_plan.py).

Pointers are kept in the stack frame and advance after each block. A walk changes only copies of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from ..chain.frame_values import FrameValues
from ..contract.machine import General, Machine, Slot, Vector
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import RowVector
from ..sweeps.columns_emit import Strips
from ..sweeps.columns_plan import ColumnsPlan
from ..sweeps.emit import registers_of
from ..sweeps.plan import BLOCK, PlannedSweep, StripMining, SweepPlan
from .dynamic_emit import emit_columns
from .plan import RowwisePlan
from .without_rows import emit_without_rows

_WHOLE, _REST, _COLUMNS = "rows of whole blocks", "rows of the last block", "rows of this block"
_LEAST = 64
_LAST = -1
"""The column of a strip's last vector, whose distance is in a register."""


def emit(m: Machine, plan: SweepPlan, strips: StripMining) -> None:
    """Append the kernel, but for its entry and its end."""
    if len(plan.parts) == 1:
        _all_rows(m, plan, strips)
    else:
        _blocks(m, plan, strips)


def _all_rows(m: Machine, plan: SweepPlan, strips: StripMining) -> None:
    """Emit a single walk over all rows, without blocks."""
    names = [name for _, name in plan.spec.interface.parameters()]
    if strips.alone is None:
        given = {name: m.in_register(value, name) for name, value in zip(names, m.arguments(len(names)))}
    else:
        frame = FrameValues(m, names)
        frame.scratch(max(_LEAST, plan.scratch_bytes))
        frame.save()
        emit_without_rows(frame, strips.alone, plan.spec.extent)
        given = {name: frame.register(name) for name in names}
    (part,) = plan.parts
    pointers = {each.name: given.pop(each.name) for each in part.some.spec.operands}
    rows = given.pop(plan.spec.extent)
    if isinstance(part.code, RowwisePlan):
        emit_columns(m, part.code, pointers, given, rows, _exact(strips, part))
    else:
        _strips(m, strips, [part.code], [(pointers, given)], rows)


def _exact(strips: StripMining, part: PlannedSweep) -> list[int]:
    """Return the numbers of elements for which the remainder of a column has code without a mask."""
    return [part.some.vector // share for share in strips.shares if share > 1]


def _blocks(m: Machine, plan: SweepPlan, strips: StripMining) -> None:
    """Emit a loop over blocks of rows that contains all walks."""
    frame = FrameValues(m, [name for _, name in plan.spec.interface.parameters()])
    frame.scratch(max(_LEAST, plan.bytes_of_rows + plan.scratch_bytes))
    for name in (_WHOLE, _REST, _COLUMNS):
        frame.counter(name)
    frame.save()
    if strips.alone is not None:
        emit_without_rows(frame, strips.alone, plan.spec.extent)
    frame.free()
    left, columns = frame.at[plan.spec.extent], frame.at[_COLUMNS]
    rest, whole = m.general(_REST), m.general(_WHOLE)
    m.copy(rest, left)
    m.modulo(rest, BLOCK)
    m.copy(whole, left)
    m.advance(whole, rest, -1)
    m.copy(frame.at[_REST], rest)
    m.copy(frame.at[_WHOLE], whole)
    frame.free()
    with m.while_at_least(left, 1):
        frame.free()
        now = m.general(_COLUMNS)
        m.copy(now, frame.at[_REST])
        with m.unless_zero(frame.at[_WHOLE]):
            m.copy(now, BLOCK)
            m.advance(frame.at[_WHOLE], -BLOCK)
        m.copy(columns, now)
        number = 0
        for parts in plan.groups:
            frame.free()
            m.note(" and ".join(f"walk {number + each}" for each in range(len(parts))))
            _emit_sweeps(frame, plan, strips, parts)
            number += len(parts)
        frame.free()
        for each in plan.spec.operands:
            if each.name in plan.spec.banded:
                m.advance(frame.at[each.name], columns, ELEMENT_BYTES[each.dtype])
        m.advance(left, columns, -1)
        m.advance(left, 1)


def _emit_sweeps(frame: FrameValues, plan: SweepPlan, strips: StripMining, parts: tuple[PlannedSweep, ...]) -> None:
    """Emit one walk, or two whose strips take turns."""
    inside = {name for part in parts[:-1] for name in part.rows}  # they stay in vector registers
    given = registers_of(frame, [part.some.spec for part in parts], plan.places, dict(plan.offsets), inside)
    columns = frame.register(_COLUMNS)
    needed = any(isinstance(part.code, RowwisePlan) or part.code.bytes_of_scratch for part in parts)
    scratch_bytes = plan.scratch_bytes if needed else 0  # strips of short sums claim none, and need the register
    with frame.aside(plan.bytes_of_rows, scratch_bytes):
        if isinstance(parts[0].code, RowwisePlan):
            emit_columns(frame.m, parts[0].code, *given[0], columns, _exact(strips, parts[0]))
        else:
            _strips(frame.m, strips, [part.code for part in parts], given, columns)


def _strips(
    m: Machine,
    strips: StripMining,
    codes: Sequence[ColumnsPlan],
    given: Sequence[tuple[dict[str, General], dict[str, General]]],
    columns: General,
) -> None:
    walk = _DynamicStrips(m, strips, codes[0], *given[0], columns)
    if len(codes) > 1:
        walk.follow(strips, codes[1], *given[1])
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim(scope)
        walk.emit()


class _DynamicStrips(Strips):
    """Strips over a number of columns that is given at the call. These columns of the transposed matrices are the rows
    of the request.

    The number of vectors of a strip is dynamic too, so that one code serves all strips: vectors follow each other until
    the strip has no more, and the last vector of the strip, which may be masked, comes after them. In a walk that
    stores, the last vector has code without a mask for the numbers of elements that fill a register: loads of the next
    column wait for a masked store that reaches into it, and masked stores of AVX2 take several cycles.
    """

    def __init__(
        self,
        m: Machine,
        mining: StripMining,
        code: ColumnsPlan,
        pointers: dict[str, General],
        values: dict[str, General],
        columns: General,
        lead: _DynamicStrips | None = None,
    ) -> None:
        """lead: the walk that computes the rows which this one holds, strip by strip."""
        self.lead: _DynamicStrips | None = lead
        self.next: _DynamicStrips | None = None
        super().__init__(m, code, pointers, values, None)
        self.masked, self.piece = mining.masked, 0
        self.exact = [code.vector // share for share in mining.shares if code.stored]
        self.shorter = [] if mining.masked else [code.vector >> n for n in range(1, code.vector.bit_length())]
        self.rest = columns
        if lead is None:
            m.copy(self.columns_left, columns)
            self.before = m.general("elements before the last vector")
            self.distances: dict[int, General] = {}
        else:
            for register in (self.columns_left, self.rows_left):
                if not isinstance(register, Slot):
                    m.release(register)
            self.columns_left, self.rows_left = lead.columns_left, lead.rows_left
            self.before, self.distances = lead.before, lead.distances
        for each in self.moving.values():
            size = ELEMENT_BYTES[each.dtype]
            if not self.spec.narrow(each) and size not in self.distances:
                self.distances[size] = m.general(f"bytes before the last vector, {size} each")

    def follow(
        self, mining: StripMining, code: ColumnsPlan, pointers: dict[str, General], values: dict[str, General]
    ) -> None:
        """Let another walk take its turn after each strip, while the rows that this one computes are in registers."""
        self.exact = []
        self.next = _DynamicStrips(self.m, mining, code, pointers, values, self.rest, self)

    @property
    def sweeps(self) -> list[_DynamicStrips]:
        """This walk and the one that takes turns with it."""
        return [self] if self.next is None else [self, self.next]

    def claim(self, scope: ExitStack) -> None:
        """Claim the registers of both walks."""
        super().claim(scope)
        if self.next is not None:
            self.next.claim(scope)

    def claim_held(self, scope: ExitStack) -> list[list[Vector]]:
        """Rows that the other walk computes are in its registers."""
        if self.lead is None:
            return super().claim_held(scope)
        names = [self.lead.spec.outputs[number].name for number, _ in self.lead.strips.reduced]
        return [[states[names.index(name)] for name in self.strips.held] for states in self.lead.states]

    @property
    def counts(self) -> list[int]:
        """The numbers of elements per vector whose lanes do not depend on the call."""
        return sorted({self.strips.vector, *self.shorter, *self.exact})

    def emit(self) -> None:
        """Emit the loop over strips, then strips of less than a vector if no mask selects its elements."""
        m, left, vector = self.m, self.columns_left, self.strips.vector
        whole = self.strips.interleave * vector
        with m.while_at_least(left, 1 if self.masked else vector):
            self._count()
            with m.predicates():
                for walk in self.sweeps if self.masked else ():
                    walk.mask()
                self._dynamic_strip()
            if self.masked:  # after a strip of fewer vectors, no element is left
                self._move(whole)
                m.advance(left, 1 - whole)
            else:
                m.advance(left, self.before, -1)
                self._move(vector, self.distances)
        for columns in self.shorter:
            with m.while_at_least(left, columns):
                for walk in self.sweeps:
                    walk.piece = columns
                self._dynamic_strip()
                self._move(columns)

    def _move(self, columns: int, distances: Mapping[int, General] | None = None) -> None:
        """Advance all pointers along the rows by a number of columns and by distances, which are keyed by the bytes of
        an element."""
        moved: dict[int, tuple[General, int]] = {}
        for walk in self.sweeps:
            for name, each in walk.moving.items():
                if not walk.spec.narrow(each):
                    moved[id(walk.pointers[name])] = walk.pointers[name], ELEMENT_BYTES[each.dtype]
        for pointer, size in moved.values():
            if distances is not None:
                self.m.advance(pointer, distances[size])
            self.m.advance(pointer, columns * size)

    def _count(self) -> None:
        """Set the number of elements before the last vector of the strip, and of that vector, from the elements that
        are left beside the last vector's first, or beside all of it if it is whole."""
        m, vector = self.m, self.strips.vector
        m.copy(self.rest, self.strips.interleave * vector - (1 if self.masked else vector))
        m.copy(self.before, self.columns_left)
        m.lower(self.before, self.rest)
        m.copy(self.rest, self.before)
        m.modulo(self.rest, vector)
        m.advance(self.before, self.rest, -1)
        m.advance(self.rest, 1)
        for size, distance in self.distances.items():
            m.copy(distance, self.before)
            m.shift_left(distance, size.bit_length() - 1)

    def mask(self) -> None:
        """Set the mask of the last vector. After this, `rest` has the number of the vector's code: those for exact
        numbers of elements come first, that with the mask is the last."""
        short = self.strips.vector - 1
        for dtype in dict.fromkeys((self.spec.compute, *(each.dtype for each in self.spec.operands))):
            self.m.dynamic_lanes(dtype, short, self.rest)
        self.lanes[short] = self.m.lanes(self.spec.compute, short)
        codes = len(self.exact)
        self.m.advance(self.rest, codes)
        for number, count in enumerate(self.exact):
            with self.m.beyond(self.rest, count + codes), self.m.within(self.rest, count + codes + 1):
                self.m.copy(self.rest, number)

    def _dynamic_strip(self) -> None:
        """Emit a strip of the dynamic number of vectors."""
        plan, m = self.strips, self.m
        for states in self.states:
            self._start(states)
        if plan.held and self.lead is None:
            self._each(lambda number, place: self._load_held(self.held[number], place))

        def rows(count: int) -> None:
            with m.loop(self.rows_left, count):
                for name, register in zip(plan.per_row, self.per_row):
                    self.broadcast(register, name, self._address(name, RowVector(0, 0, 1)), self.widest)
                self._each(self._vector, self.exact, self.strips.code.unroll)
                self._next_rows(1)

        if self.long is None:
            rows(plan.rows)
        else:
            self._rest_and_blocks(rows, plan.interleave)
        self._next_rows(-plan.rows)
        if self.next is not None:
            self.next._dynamic_strip()
        elif plan.reduced:
            self._each(lambda number, place: self._store_reduced(self.states[number], place))

    def _each(self, emit: Callable[..., None], exact: Sequence[int] = (), pairs: int = 1) -> None:
        """Emit code for each vector that the strip has, with its number and its place.

        exact   the numbers of elements for which the last vector has code without a mask
        pairs   2 if code for two vectors, whose instructions are interleaved, takes two whole ones while they last
        """
        m, vector, last = self.m, self.strips.vector, self.strips.interleave - 1
        if self.piece:
            emit(0, RowVector(0, 0, self.piece))
            return
        with ExitStack() as scope:
            for number in range(0, last, pairs):
                several = [RowVector(0, each * vector, vector) for each in range(number, min(number + pairs, last))]
                if len(several) > 1:
                    with m.within(self.before, (number + 2) * vector), m.beyond(self.before, (number + 1) * vector):
                        emit(number, several[0])
                scope.enter_context(m.beyond(self.before, (number + len(several)) * vector))
                emit(number, *several)
        with ExitStack() as scope:
            for number, count in enumerate(exact):
                with m.within(self.rest, number + 1):
                    emit(last, RowVector(0, _LAST, count))
                scope.enter_context(m.beyond(self.rest, number + 1))
            emit(last, RowVector(0, _LAST, vector - 1 if self.masked else vector))

    def _address(self, name: str, row_vector: RowVector) -> Any:
        if row_vector.column == _LAST and not self.spec.narrow(self.operands[name]):
            distance = self.distances[ELEMENT_BYTES[self.operands[name].dtype]]
            return self.m.column(self.pointers[name], distance, [distance], 1, 0)
        return super()._address(name, row_vector)
