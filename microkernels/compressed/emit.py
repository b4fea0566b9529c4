"""Emit a product by a strip of compressed weights as its plan says. No decisions are made here.

for units of rows:
    for some vectors of columns:
        scales, offsets, zero points = those of the unit
        for steps of the unit's rows:
            sums = 0, or y;  sums += x * weights of the rows of each line of bytes;  y = sums, or y + sums
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from ..codegen.counters import NamedCounters
from ..codegen.lowered import LoweredBody
from ..codegen.selection import Constant, arithmetic_of
from ..contract.machine import Address, General, Lanes, Machine, Vector
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE, parameters
from ..tuning.products import COMPRESSED
from .form import STRIP
from .plan import DecodePlan

_MINUS_ZERO = Constant(0x80000000, 32)
"""The bits of -0, to which the first sum is added: it changes no number."""


def emit(m: Machine, plan: DecodePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    given = m.argument_registers(parameters(plan.spec.arguments))
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        _Strip(m, plan, given, scope).emit()
    m.leave()


class _Strip:
    """The loops over a strip, its pointers and its registers.

    record      where the current unit begins
    codes, xs   where its current rows are: their codes, and the elements of some rows of x
    y_row       a row of y
    """

    def __init__(self, m: Machine, plan: DecodePlan, given: dict[str, General], scope: ExitStack) -> None:
        self.m, self.plan, self.spec, self.form = m, plan, plan.spec, plan.spec.form
        self.arithmetic = arithmetic_of(m.facts)
        self.record, self.y = given["w"], given["y"]
        self.codes, self.y_row = m.general("codes"), m.general("a row of y")
        self.xs = [given["x"], *(m.general("a row of x") for _ in range(min(plan.spec.m, COMPRESSED.pointers) - 1))]
        for number, row in enumerate(self.xs[1:], 1):
            m.copy(row, self.xs[0])
            m.advance(row, number * self.spec.ldx * 4)
        self._loop = NamedCounters(m).loop
        counts = {min(plan.vector, self.spec.n), self.spec.n % plan.vector} - {0}
        self.lanes = {count: m.lanes("f32", count) for count in counts}
        if self.arithmetic.packed:
            for dtype in {"u8", self.form.scale} - {"f32"}:
                for count in counts:
                    m.lanes(dtype, count)
        self.widest = self.lanes[max(counts)]
        self.sums = scope.enter_context(m.vectors(plan.together * self.spec.m, "sums"))
        self.shared = scope.enter_context(m.vectors(plan.together * plan.shared, "scales"))
        self.of_x = scope.enter_context(m.vectors(plan.broadcast, "elements of x"))
        (self.spare,) = scope.enter_context(m.vectors(1, "a vector of y"))
        every = [each for each in (plan.code, plan.single, plan.middle) if each is not None]
        self.vectors = scope.enter_context(m.vectors(max(each.vectors for each in every), "weights"))
        self.masks = scope.enter_context(m.masks(max(each.masks for each in every)))
        columns = [(first, min(plan.vector, self.spec.n - first)) for first in range(0, self.spec.n, plan.vector)]
        self.parts = [columns[first : first + plan.together] for first in range(0, len(columns), plan.together)]

    def emit(self) -> None:
        """Emit the loop over units."""
        form = self.form
        self._set_y()
        units, rest = divmod(form.k, form.unit)
        if units:
            with self._loop("units", units):
                self._unit(form.unit)
        if rest:
            self._unit(rest)

    def _set_y(self) -> None:
        """Set y to -0, to which sums are added, or to +0, where they start."""
        m, start = self.m, self.sums[0]
        for row in range(self.spec.m):
            self._at_row(row)
            for first, count in (each for part in self.parts for each in part):
                if self.spec.step:  # anew, since a store may destroy the register
                    self.arithmetic.constant(m, start, _MINUS_ZERO, self.widest)
                else:
                    m.zero(start, self.widest)
                m.store(m.at(self.y_row, first * 4), start, self.lanes[count])

    def _at_row(self, row: int) -> None:
        self.m.copy(self.y_row, self.y)
        if row:
            self.m.advance(self.y_row, row * self.spec.ldy * 4)

    def _unit(self, depth: int) -> None:
        """Emit the rows of a unit for all columns, and go to the next unit."""
        m, form = self.m, self.form
        for part in self.parts:
            m.copy(self.codes, self.record)
            self._load_shared(part)
            body = self.plan.code.on(m, self.vectors, self.masks, self.widest)
            step = min(self.spec.step or depth, depth)
            steps, rest = divmod(depth, step)
            with self._loop("steps", steps):
                self._step(body, part, step)
            if rest:
                self._step(body, part, rest)
            for row in self.xs:
                m.advance(row, -4 * depth)
        for row in self.xs:
            m.advance(row, 4 * depth)
        m.advance(self.record, form.record)

    def _load_shared(self, part: Sequence[tuple[int, int]]) -> None:
        """Load the scales, offsets and zero points of some columns of the unit."""
        m, form, plan = self.m, self.form, self.plan
        at_scale, at_offset, at_zero = form.places
        size = ELEMENT_BYTES[form.scale]
        for place in range(at_scale, form.record, CACHE_LINE):
            if part is self.parts[0]:
                m.prefetch_line(m.at(self.record, place + plan.ahead), 1)
        middle = plan.middle.on(m, self.vectors, self.masks, self.widest) if plan.middle is not None else None
        for number, (first, count) in enumerate(part):
            registers = self._shared_of(number)
            if not form.fast:
                self._load(form.scale, registers[0], at_scale + first * size, self.lanes[count])
            if form.offset:
                self._load(form.scale, registers[1], at_offset + first * size, self.lanes[count])
            if middle is not None:
                to, at = registers[-1], at_zero + first

                def load(_: str, copy: int, register: Vector, lanes: Lanes, at: int = at) -> None:
                    self._load("u8", register, at, lanes)

                def store(_: int, copy: int, register: Vector, lanes: Lanes, to: Vector = to) -> None:
                    self.arithmetic.move(m, to, register, lanes)

                middle.run(load, store, [self.lanes[count]])

    def _shared_of(self, number: int) -> list[Vector]:
        first = number * self.plan.shared
        return self.shared[first : first + self.plan.shared]

    def _load(self, dtype: str, register: Vector, place: int, lanes: Lanes) -> None:
        """Load what columns share, at this place of the record."""
        self.arithmetic.load(self.m, dtype, register, self.m.at(self.record, place), lanes)

    def _step(self, body: LoweredBody, part: Sequence[tuple[int, int]], rows: int) -> None:
        """Emit rows whose sums are then stored: added to y, or started as y."""
        m, count, cut = self.m, self.spec.m, bool(self.spec.step)
        for row in range(count):
            if not cut and not self.form.fast:
                self._at_row(row)
            for number, (first, width) in enumerate(part):
                register = self.sums[row * self.plan.together + number]
                if not self.spec.from_zero:
                    continue
                if cut or self.form.fast:
                    m.zero(register, self.lanes[width])
                else:
                    m.load(register, m.at(self.y_row, first * 4), self.lanes[width])
        written = min(self.plan.rows, rows)
        times, rest = divmod(rows, written)
        with self._loop("rows", times):
            self._rows(body, part, written)
        if rest:
            self._rows(body, part, rest)
        for row in range(count):
            self._at_row(row)
            for number, (first, width) in enumerate(part):
                register, address = self.sums[row * self.plan.together + number], m.at(self.y_row, first * 4)
                if self.form.fast:
                    register = self._scaled(register, first, self.lanes[width])
                elif cut:
                    m.add_memory(register, address, self.lanes[width], self.spare)
                m.store(address, register, self.lanes[width])

    def _scaled(self, total: Vector, first: int, lanes: Lanes) -> Vector:
        """Return the register of y + scale * total, for the columns from `first` on."""
        m, scale = self.m, self.vectors[0]
        self._load(self.form.scale, scale, self.form.places[0] + first * ELEMENT_BYTES[self.form.scale], lanes)
        m.load(self.spare, m.at(self.y_row, first * 4), lanes)
        m.fma(self.spare, total, scale, lanes)
        return self.spare

    def _rows(self, body: LoweredBody, part: Sequence[tuple[int, int]], rows: int) -> None:
        """Emit the lines of some rows, and go behind them."""
        m, per = self.m, self.form.rows_of_byte
        lines, rest = divmod(rows, per)
        for line in range(lines):
            self._line(body, part, line)
        if rest:
            single = self.plan.single.on(m, self.vectors, self.masks, self.widest)
            self._line(single, part, lines)
        m.advance(self.codes, (lines + rest) * STRIP)
        for row in self.xs:
            m.advance(row, 4 * rows)

    def _at_x(self, row: int, column: int) -> Address:
        """Return the address of an element of x, in a row behind the current ones."""
        above, place = divmod(row, len(self.xs))
        return self.m.at(self.xs[place], (above * len(self.xs) * self.spec.ldx + column) * 4)

    def _line(self, body: LoweredBody, part: Sequence[tuple[int, int]], line: int) -> None:
        """Multiply the weights of a line of bytes."""
        m, per = self.m, self.form.rows_of_byte
        if part is self.parts[0]:
            m.prefetch_line(m.at(self.codes, line * STRIP + self.plan.ahead), 1)
        held, rows = len(self.of_x) > 1, per if body.code is self.plan.code else 1
        if held:
            for place, register in enumerate(self.of_x[: self.spec.m * rows]):
                half, row = divmod(place, self.spec.m)
                m.broadcast(register, self._at_x(row, per * line + half), self.widest)
        for number, (first, width) in enumerate(part):
            address = m.at(self.codes, line * STRIP + first)

            def load(_: str, copy: int, register: Vector, lanes: Lanes, address: object = address) -> None:
                self.arithmetic.loads["u8", "f32"](m, register, address, lanes)

            def multiply(half: int, copy: int, register: Vector, lanes: Lanes, number: int = number) -> None:
                for row in range(self.spec.m):
                    total = self.sums[row * self.plan.together + number]
                    at = self._at_x(row, per * line + half)
                    add = m.mul if not (line or half or self.spec.from_zero) else m.fma
                    if not self.of_x:
                        add(total, register, m.scalar(at), lanes)
                        continue
                    x = self.of_x[half * self.spec.m + row] if held else self.of_x[0]
                    if not held:
                        m.broadcast(x, at, lanes)
                    add(total, register, x, lanes)

            body.run(load, multiply, [self.lanes[width]], loop_invariant=self._shared_of(number))
