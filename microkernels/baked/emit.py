"""Emit a product with a fixed sparse matrix as its plan says. No decisions are made here.

    for products, for blocks of columns:
        for blocks of rows, as code:
            sums = 0 or c;  sums[row] += value * b[k] for the entries in the order of k;  c = sums

Values lie in the constant pool in the order in which they are used, or in the array of the call in that of their rows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial

from ..codegen.counters import NamedCounters
from ..codegen.selection import arithmetic_of
from ..contract.machine import Address, General, Lanes, Machine, Vector
from ..contract.vector_verbs import Factor, breadth
from ..dtypes import ELEMENT_BYTES
from ..operands import parameters
from ..tuning.baked import GROUPS
from .plan import BakedPlan, BlockOfRows, StepEntries


def emit(m: Machine, plan: BakedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    given = m.argument_registers(parameters(plan.spec.arguments))
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        (_InLoop if plan.looped else _AsCode)(m, plan, given, scope).emit()
    m.leave()


def nothing_to_load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
    """Refuse: sums are in registers."""
    raise AssertionError(f"{name} is in a register")


class _BakedBlocks:
    """The loops over products and columns, and the registers of a block. Pointers are those of its first column;
    `others` are registers that are free while results are stored."""

    others: Sequence[Vector]

    def __init__(self, m: Machine, plan: BakedPlan, pointers: dict[str, General], scope: ExitStack) -> None:
        self.m, self.plan, self.spec, self.pointers = m, plan, plan.spec, pointers
        self.lines, self.arithmetic, self.scope = plan.lines, arithmetic_of(m.facts), scope
        self.size = ELEMENT_BYTES[plan.spec.acc_dtype]
        self.sizes = dict(zip("bc", (ELEMENT_BYTES[each] for each in plan.spec.dtypes)))
        self._loop = NamedCounters(m).loop
        self.lanes = self._claim_lanes()
        self.widest = max(self.lanes.values(), key=breadth)
        self.masks = scope.enter_context(m.masks(plan.code.masks if plan.code else 0))
        self.given = pointers.get("values")
        self.values = m.general("values of a") if self.given is None or plan.looped else self.given
        self.entries = bytes.fromhex(plan.spec.a.values)

    def _claim_lanes(self) -> dict[int, Lanes]:
        """Claim the lanes for every number of elements in a vector, before any loop."""
        counts = dict.fromkeys(count for each in self.plan.columns for count in each.counts)
        found = {count: self.m.lanes(self.spec.acc_dtype, count) for count in counts}
        if self.arithmetic.packed:
            for dtype in dict.fromkeys(self.spec.dtypes):
                for count in counts if dtype != self.spec.acc_dtype else ():
                    self.m.lanes(dtype, count)
        return found

    def value(self, number: int) -> bytes:
        """Return an entry of a."""
        return self.entries[number * self.size : (number + 1) * self.size]

    def emit(self) -> None:
        """Emit all blocks."""
        self.prepare()
        lines, last = self.lines, self.plan.columns[-1]
        with self._loop("products", lines.times):
            moved = 0
            for columns in self.plan.columns:
                with self._loop("columns", columns.times):
                    self.block([self.lanes[count] for count in columns.counts])
                    if columns is not last or columns.times > 1:
                        self._move(sum(columns.counts))
                        moved += sum(columns.counts) * columns.times
            if lines.times > 1:
                self.m.advance(self.pointers["b"], lines.next_b - moved * self.sizes["b"])
                self.m.advance(self.pointers["c"], lines.next_c - moved * self.sizes["c"])

    def _move(self, elements: int) -> None:
        for name, size in self.sizes.items():
            self.m.advance(self.pointers[name], elements * size)

    def prepare(self) -> None:
        """Claim registers, before any loop."""

    def block(self, vectors: Sequence[Lanes]) -> None:
        """Emit all rows of so many columns."""
        raise NotImplementedError

    # Moves

    def load(self, name: str, register: Vector, address: Address, lanes: Lanes) -> None:
        """Load a vector of b or c in the type of the sums."""
        self.arithmetic.load(self.m, self.spec.dtypes["bc".index(name)], register, address, lanes)

    def finish(self, rows: Sequence[tuple[Address, Sequence[Vector]]], vectors: Sequence[Lanes]) -> None:
        """Store the sums of rows, each at its address."""
        m, code, free = self.m, self.plan.code, self.others
        body = code.on(m, free[: code.vectors], self.masks, self.widest) if code else None
        spare = free[code.vectors :] if code else free
        for address, sums in rows:
            for register, lanes, at in zip(sums, vectors, self.places(address, "c", vectors)):
                if body is None:
                    self._store(at, spare, 0, 0, register, lanes)
                else:
                    body.run(nothing_to_load, partial(self._store, at, spare), [lanes], given=[register])

    def _store(
        self, address: Address, spare: Sequence[Vector], result: int, copy: int, register: Vector, lanes: Lanes
    ) -> None:
        """Store a vector of results."""
        self.arithmetic.store(self.m, self.spec.dtypes[1], address, register, lanes, spare)

    def start(self, sums: Sequence[Vector], address: Address, vectors: Sequence[Lanes]) -> None:
        """Begin the sums of a row."""
        for register, lanes, at in zip(sums, vectors, self.places(address, "c", vectors)):
            if self.spec.adds:
                self.load("c", register, at, lanes)
            else:
                self.m.zero(register, lanes)

    def places(self, address: Address, name: str, vectors: Sequence[Lanes]) -> Iterator[Address]:
        """Yield the address of each vector of a line."""
        at = 0
        for lanes in vectors:
            yield self.m.further(address, at * self.sizes[name])
            at += lanes.count


class _AsCode(_BakedBlocks):
    """Every entry is code."""

    def prepare(self) -> None:
        """Claim registers. Those of groups come first, since instructions name an element only of low registers."""
        m, plan = self.m, self.plan
        grouped = plan.entries_in_group > 1
        factors = GROUPS if grouped else 1
        others = plan.registers - plan.rows * plan.together
        self.others = self.scope.enter_context(m.vectors(others, "entries of a, vectors of b"))
        self.sums = self.scope.enter_context(m.vectors(plan.rows * plan.together, "sums"))
        self.factors, self.x = self.others[:factors], self.others[factors:]
        data, self.starts = b"", []
        for block in plan.blocks:
            self.starts.append(len(data) // self.size)
            for step in block.steps:
                data += b"".join(self.value(number) for _, number in step.entries)
            data += bytes(-len(data) % (plan.entries_in_group * self.size))
        if data:
            m.pooled(self.values, data)
        facts = m.facts
        self.loads_all = (
            self.spec.dtypes[0] != self.spec.acc_dtype or facts.separate_loads or facts.multiply_add > 1 or grouped
        )

    def block(self, vectors: Sequence[Lanes]) -> None:
        """Emit all rows of so many columns."""
        for rows, start in zip(self.plan.blocks, self.starts):
            self._rows(rows, start, vectors)

    def _rows(self, rows: BlockOfRows, start: int, vectors: Sequence[Lanes]) -> None:
        """Emit a block."""
        m = self.m
        m.note(f"rows {rows.first} to {rows.first + rows.rows - 1}, {sum(each.count for each in vectors)} columns")
        width = len(vectors)
        sums = [self.sums[row * width : (row + 1) * width] for row in range(rows.rows)]
        named = {row for step in rows.steps for row, _ in step.entries}
        stored = [row for row in range(rows.rows) if row in named or not self.spec.adds]
        c = [m.at(self.pointers["c"], (rows.first + row) * self.lines.c_step) for row in range(rows.rows)]
        for row in stored:
            self.start(sums[row], c[row], vectors)
        self.first, self.used = start, 0
        for step in rows.steps:
            self._step(step, sums, vectors)
        self.finish([(c[row], sums[row]) for row in stored], vectors)

    def _step(self, step: StepEntries, sums: Sequence[Sequence[Vector]], vectors: Sequence[Lanes]) -> None:
        """Emit the entries of one k."""
        m, shared = self.m, len(step.entries) > 1 and self.plan.keeps
        b = m.at(self.pointers["b"], step.k * self.lines.b_step)
        places = list(self.places(b, "b", vectors))
        kept = self.loads_all or shared
        for register, lanes, at in zip(self.x, vectors, places) if kept else ():
            self.load("b", register, at, lanes)
        for row, number in step.entries:
            if kept:
                factor = self._factor(number, len(vectors) == 1)
                for total, x, lanes in zip(sums[row], self.x, vectors):
                    m.fma(total, x, factor, lanes)
            else:
                entry = self._broadcast(number)
                for total, at, lanes in zip(sums[row], places, vectors):
                    m.fma_memory(total, entry, at, lanes, self.x[0])

    def _factor(self, number: int, alone: bool) -> Vector | Factor:
        """Return an entry, the next one, as a factor of vectors in registers. alone: it is one of a single product."""
        m, group = self.m, self.plan.entries_in_group
        if group == 1 and not (alone and m.facts.embedded_broadcast):
            return self._broadcast(number)
        used, address = self.used, self._next(number)
        if group == 1:
            return m.scalar(address)
        register = self.factors[used // group % GROUPS]
        if used % group == 0:
            m.load_group(register, address, group, self.widest)
        return m.of_group(register, used % group)

    def _next(self, number: int) -> Address:
        """Return the address of an entry, which is the next one of the constants."""
        place = self.first + self.used if self.given is None else number
        self.used += 1
        return self.m.at(self.values, place * self.size)

    def _broadcast(self, number: int) -> Vector:
        """Return a register with an entry, the next one, in all places."""
        self.m.broadcast(self.factors[0], self._next(number), self.widest)
        return self.factors[0]


class _InLoop(_BakedBlocks):
    """The entries of a row are a loop. A table has the number of a row's entries and the place of each in b, in bytes;
    values lie apart. The values of a call that do not lie in the order of the loop have their places in the table."""

    def prepare(self) -> None:
        """Claim registers, and make the tables."""
        m, plan, spec = self.m, self.plan, self.spec
        self.others = self.scope.enter_context(
            m.vectors(plan.registers - plan.together, "an entry of a, a vector of b")
        )
        self.sums = self.scope.enter_context(m.vectors(plan.together, "sums"))
        self.factor, self.x = self.others[:2]
        self.apart = self.given is not None and spec.side == "right"
        words = []
        for entries in spec.sums:
            words.append(len(entries))
            for k, number in entries:
                words += [k * self.lines.b_step, *[number * self.size] * self.apart]
        self.table = struct.pack(f"<{len(words)}q", *words)
        self.data = b"".join(self.value(number) for entries in spec.sums for _, number in entries)
        roles = "places of entries", "place in b", "row of c", "entries left"
        self.places_of, self.place, self.row, self.left = (m.general(role) for role in roles)
        self.rows = m.counter("rows")

    def block(self, vectors: Sequence[Lanes]) -> None:
        """Emit the loop over rows."""
        m = self.m
        m.note(f"all rows, {sum(each.count for each in vectors)} columns")
        m.pooled(self.places_of, self.table)
        if self.given is None:
            m.pooled(self.values, self.data or bytes(self.size))
        elif not self.apart:
            m.copy(self.values, self.given)
        m.copy(self.row, self.pointers["c"])
        with m.loop(self.rows, len(self.spec.sums)):
            m.load_general(self.left, self.places_of, None)
            m.advance(self.places_of, 8)
            with m.unless_zero(self.left) if self.spec.adds else nullcontext():
                self._row(vectors)
            m.advance(self.row, self.lines.c_step)

    def _row(self, vectors: Sequence[Lanes]) -> None:
        """Emit the loop over the entries of a row."""
        c = self.m.at(self.row)
        self.start(self.sums, c, vectors)
        with self.m.while_at_least(self.left, 1):
            self._entry(vectors)
        self.finish([(c, self.sums)], vectors)

    def _entry(self, vectors: Sequence[Lanes]) -> None:
        """Emit an entry."""
        m, spec = self.m, self.spec
        m.load_general(self.place, self.places_of, None)
        m.advance(self.places_of, 8)
        m.advance(self.place, self.pointers["b"])
        if self.apart:
            assert self.given is not None
            m.load_general(self.values, self.places_of, None)
            m.advance(self.places_of, 8)
            m.advance(self.values, self.given)
        m.broadcast(self.factor, m.at(self.values), self.widest)
        if not self.apart:
            m.advance(self.values, self.size)
        b = m.at(self.place)
        for total, lanes, at in zip(self.sums, vectors, self.places(b, "b", vectors)):
            if spec.dtypes[0] == spec.acc_dtype:
                m.fma_memory(total, self.factor, at, lanes, self.x)
            else:
                self.load("b", self.x, at, lanes)
                m.fma(total, self.x, self.factor, lanes)
