"""Sums of rows that an index names: the embedding bag.

    y[b, j] = sum over p from offsets[b] to offsets[b + 1] - 1 of weights[p] * x[index[p], j]

A bag without an index is 0. Terms are added in the order of p, each rounded once: a product and its sum together, or
without weights the sum; i32 without weights wrap. Other elements become f32 first. For each bag and block of columns
the sums stay in registers. While a row is added, the row that comes `prefetch` indices later is asked for.

Source: Georganas et al., Tensor Processing Primitives, section 3.2 (indexed reductions of columns).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from ..choice import Plan
from ..codegen.linear_scan import Body, Lowered, fitted
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts, General, Lanes, Machine, Slot, Vector
from ..contract.values import claimed
from ..dtypes import DTYPES, ELEMENT_BYTES, FLOAT8
from ..expr.conversions import widened
from ..expr.graph import fma, operand
from ..operands import parameters
from .bag_spec import BagSpec

VECTORS = 8
"""Vectors of a block of columns."""
LINE = 64  # bytes that one prefetch asks for


@dataclass(frozen=True)
class BagPlan(Plan):
    """Elements of a vector, and columns whose sums are in registers together."""

    spec: BagSpec
    vector: int
    together: int
    code: Lowered | None  # of a term whose elements are no float when they are loaded
    cycles: float

    def __str__(self) -> str:
        return f"{self.spec}\n{self.together} columns at a time in vectors of {self.vector}; {self.cycles:.0f} cycles"


def plan(spec: BagSpec, facts: Facts) -> BagPlan:
    """A load and a sum for each vector of each row."""
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    vectors = -(-spec.n // vector)
    code = _term(spec, facts, vector, ELEMENT_BYTES[spec.acc_dtype])
    term = code.operations if code else facts.load_cycles(facts.widths[0])
    return BagPlan(spec, vector, min(spec.n, VECTORS * vector), code, spec.count * (vectors * term + 4))


SUM, TERM, WEIGHT = "sum", "x", "weight"


def _term(spec: BagSpec, facts: Facts, vector: int, size: int) -> Lowered | None:
    """A sum and its next term as an expression; None where a load gives what is added."""
    if DTYPES[spec.dtype].real and spec.dtype not in FLOAT8:
        return None
    arithmetic = arithmetic_of(facts)
    total, term = operand(SUM, spec.acc_dtype), operand(TERM, spec.acc_dtype)
    made = fma(term, operand(WEIGHT, spec.acc_dtype), total) if spec.weighted else total + term
    rest = spec.n % vector
    room = facts.vector_registers - VECTORS - 2 - (rest > 0 and facts.needs_mask_register(rest, size))
    outputs = widened([made], {TERM: spec.dtype})
    return fitted(outputs, arithmetic, room, 1, given=(SUM, TERM), loop_invariant=(WEIGHT,) if spec.weighted else ())


def emit(m: Machine, plan: BagPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(VECTORS + 2 + (plan.code.vectors if plan.code else 0))
    _Bags(m, plan).emit()
    m.leave()


class _Bags:
    """Bags, blocks of columns, indices."""

    sums: list[Vector]
    spare: Vector
    weight: Vector
    body: Body | None = None

    def __init__(self, m: Machine, plan: BagPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.bytes_in, self.bytes_out = ELEMENT_BYTES[plan.spec.dtype], ELEMENT_BYTES[plan.spec.acc_dtype]
        names = [name for _, name in parameters(plan.spec.arguments)]
        given = dict(zip(names, m.arguments(len(names))))
        self.bad: General | Slot | None = given.pop("bad", None)
        if self.bad is not None and not isinstance(self.bad, Slot):
            self.bad = m.park(self.bad)
        self.at: dict[str, General] = given
        self.p, self.left, self.row, self.far = (m.general(role) for role in ("p", "indices", "row", "place"))
        self.weighs = m.general("weight") if plan.spec.weighted else None
        self.ahead = m.general("ahead") if plan.spec.prefetch else None
        self.first = m.general("first bad") if self.bad is not None else None
        self.bags, self.blocks = m.counter("bags"), m.counter("blocks")

    def emit(self) -> None:
        """One bag after the other."""
        m, plan, spec = self.m, self.plan, self.spec
        counts = {plan.vector, plan.together % plan.vector, spec.n % plan.vector} - {0}
        if self.first is not None:
            m.copy(self.first, -1)
        with (
            ExitStack() as scope,
            m.predicates(),
            m.vectors(VECTORS, "sums") as self.sums,
            m.vectors(2, "a term") as (self.spare, self.weight),
        ):
            self.lanes = {count: m.lanes(spec.acc_dtype, count) for count in counts if count <= spec.n}
            if self.bytes_in != self.bytes_out and arithmetic_of(m.facts).packed:
                for count in self.lanes:
                    m.lanes(spec.dtype, count)
            if plan.code is not None:
                widest = max(self.lanes.values(), key=lambda lanes: lanes.capacity)
                self.body = scope.enter_context(plan.code.constants(m, widest))
            with m.loop(self.bags, spec.bags):
                self._columns()
                m.advance(self.at["y"], spec.ldy * self.bytes_out)
                m.advance(self.at["offsets"], 8)
        if self.bad is not None:
            m.copy(self.far, self.bad)
            m.store_general(self.far, claimed(self.first))

    def _columns(self) -> None:
        """The blocks of a bag; leaves the pointers as they were."""
        m, together = self.m, self.plan.together
        loops, rest = divmod(self.spec.n, together)
        moved = loops > 1 or (loops and rest)
        with m.loop(self.blocks, loops):
            self._block(together)
            if moved:
                self._move(together)
        if rest:
            self._block(rest)
        if moved:
            self._move(-loops * together)

    def _move(self, columns: int) -> None:
        self.m.advance(self.at["x"], columns * self.bytes_in)
        self.m.advance(self.at["y"], columns * self.bytes_out)

    def _block(self, columns: int) -> None:
        m, vector = self.m, self.plan.vector
        parts = [(start, self.lanes[min(vector, columns - start)]) for start in range(0, columns, vector)]
        for register, (_, lanes) in zip(self.sums, parts):
            m.zero(register, lanes)
        m.load_index(self.p, self.at["offsets"], 0, 8)
        m.load_index(self.left, self.at["offsets"], 8, 8)
        if self.first is not None:  # offsets beyond the index mean its end
            m.copy(self.row, self.spec.count)
            m.lower(self.p, self.row)
            m.lower(self.left, self.row)
        with m.within(self.p, self.left):
            m.advance(self.left, self.p, -1)
            if self.weighs is not None:
                m.copy(self.weighs, self.at["weights"])
                m.advance(self.weighs, self.p, self.bytes_out)
            with m.loop(self.left, self.left):
                self._prefetch(columns)
                m.load_index(self.row, self.at["index"], 0, ELEMENT_BYTES[self.spec.index], self.p)
                with self._inside():
                    self._add(parts)
                m.advance(self.p, 1)
                if self.weighs is not None:
                    m.advance(self.weighs, self.bytes_out)
        for register, (start, lanes) in zip(self.sums, parts):
            m.store(m.at(self.at["y"], start * self.bytes_out), register, lanes)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """The body, or where the kernel checks: the body only for an index inside, and which was the first outside."""
        m = self.m
        if self.first is None:
            yield
            return
        m.copy(self.far, self.spec.size)
        with m.beyond(self.row, self.far):
            m.lower(self.first, self.p)
        with m.within(self.row, self.far):
            yield

    def _add(self, parts: list[tuple[int, Lanes]]) -> None:
        m = self.m
        self._to_row(self.far)
        if self.weighs is not None:
            m.broadcast(self.weight, m.at(self.weighs), parts[0][1])
        if self.body is not None:
            self._compute(self.body, parts)
            return
        convert: Callable[..., None] | None = None
        if self.spec.dtype != self.spec.acc_dtype:
            convert = arithmetic_of(m.facts).loads[self.spec.dtype, self.spec.acc_dtype]
        for register, (start, lanes) in zip(self.sums, parts):
            address = m.at(self.far, start * self.bytes_in)
            if convert is not None:
                convert(m, self.spare, address, lanes)
                if self.weighs is None:
                    m.add(register, register, self.spare, lanes)
                else:
                    m.fma(register, self.spare, self.weight, lanes)
            elif self.weighs is None:
                m.add_memory(register, address, lanes, self.spare)
            else:
                m.fma_memory(register, self.weight, address, lanes, self.spare)

    def _compute(self, body: Body, parts: list[tuple[int, Lanes]]) -> None:
        """Each sum and its term by the code."""
        m, spec = self.m, self.spec
        for total, (start, lanes) in zip(self.sums, parts):
            address = m.at(self.far, start * self.bytes_in)
            if spec.dtype == spec.acc_dtype:
                m.load(self.spare, address, lanes)
            else:
                arithmetic_of(m.facts).loads[spec.dtype, spec.acc_dtype](m, self.spare, address, lanes)

            def store(result: int, copy: int, register: Vector, those: Lanes, total: Vector = total) -> None:
                if register != total:
                    arithmetic_of(m.facts).move(m, total, register, those)

            loop_invariant = [self.weight] if spec.weighted else []
            body.run(_nothing_to_load, store, [lanes], given=[total, self.spare], loop_invariant=loop_invariant)

    def _to_row(self, dst: General) -> None:
        self.m.copy(dst, self.at["x"])
        self.m.advance(dst, self.row, self.spec.ldx * self.bytes_in)

    def _prefetch(self, columns: int) -> None:
        """The lines of the row that comes later; at the end of the index its last row."""
        if self.ahead is None:
            return
        m = self.m
        m.copy(self.ahead, self.p)
        m.advance(self.ahead, self.spec.prefetch)
        m.copy(self.row, self.spec.count - 1)
        m.lower(self.ahead, self.row)
        m.load_index(self.row, self.at["index"], 0, ELEMENT_BYTES[self.spec.index], self.ahead)
        self._to_row(self.far)
        for disp in range(0, columns * self.bytes_in, LINE):
            m.prefetch(self.far, disp)


def _nothing_to_load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
    raise AssertionError(f"{name} is in no register")
