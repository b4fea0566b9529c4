"""Reductions: how they are cut, and their code.

Down columns (axis 0) vectors of columns are accumulators, and rows are added to them. Along rows several accumulators
take turns, so that additions do not wait for each other; at the end of a row they are joined, and the elements of the
last one are folded by halves through scratch memory. Where a row ends amid a vector, the elements beyond it are loaded
as zeros and made the operation's identity.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property

from .arithmetic import Arithmetic, Constant, own
from .dtypes import ELEMENT_BYTES
from .errors import UnsupportedError
from .expr import BITS, INTEGER_OF, Expr, bits, from_bits, operand
from .lower import Body, Lowered, lower
from .machine import Address, Facts, General, Lanes, Machine, Slot, Vector
from .operands import RUNTIME, parameters
from .reduce_spec import ReduceSpec, Reduction
from .storage import narrowed, widened

MOST = 8
"""Accumulators of one output: more than the latency of an addition."""
_PACK = {"f32": "<f", "f64": "<d", "i32": "<i"}
_ENDS = {"i32": (-(1 << 31), (1 << 31) - 1)}


def identity_bits(reduction: Reduction, compute: str) -> int:
    """The identity in the compute type; of integers the least and the largest stand for infinities."""
    value = reduction.identity
    if compute in _ENDS:
        low, high = _ENDS[compute]
        value = int(min(max(value, low), high))
    return int.from_bytes(struct.pack(_PACK[compute], value), "little")


@dataclass(frozen=True)
class ReducePlan:
    """The code of each part; `step` has as many copies as there are accumulators of one output."""

    spec: ReduceSpec
    vector: int  # elements of a whole vector
    step: Lowered
    tail: Lowered | None
    joins: tuple[Lowered, ...]
    results: tuple[Lowered, ...]
    cycles: float

    @property
    def accumulators(self) -> int:
        """Of one output."""
        return self.step.copies

    @cached_property
    def vectors(self) -> int:
        """Registers held at a time."""
        codes = [self.step, *([self.tail] if self.tail else []), *self.joins, *self.results]
        held = self.accumulators * len(self.spec.outputs) + 1
        return held + max(code.vectors for code in codes) + self.step.arithmetic.spare

    def __str__(self) -> str:
        return f"{self.spec}\n{self.accumulators} accumulators of {self.vector}; {self.step}; {self.cycles:.0f} cycles"


def plan(spec: ReduceSpec, facts: Facts) -> ReducePlan:
    """As many accumulators as there are registers for, at most `MOST`."""
    arithmetic: Arithmetic = facts.arithmetic
    size = BITS[spec.compute] // 8
    vector = facts.widths[0] // 8 // size
    for loads, key in ((True, (spec.dtype, spec.compute)), (False, (spec.out, spec.compute))):
        table = arithmetic.loads if loads else arithmetic.stores
        if key[0] != key[1] and key not in table:
            raise UnsupportedError(f"{key[0]} computed in {key[1]}: this target does not convert them")
    wanted = -(-(spec.n if spec.axis != 0 else spec.n) // vector)
    for copies in range(min(MOST, max(1, wanted)), 0, -1):
        made = _parts(spec, arithmetic, vector, copies)
        if made is not None and made.vectors + _masks(spec, facts, vector) <= facts.vector_registers:
            return made
    raise UnsupportedError(f"{spec.equation}: this target has too few registers for one accumulator of each output")


def _masks(spec: ReduceSpec, facts: Facts, vector: int) -> int:
    """Registers that masks take."""
    rest = spec.n % vector
    return sum(facts.needs_mask_register(rest, size) for size in {BITS[spec.compute] // 8, ELEMENT_BYTES[spec.dtype],
               ELEMENT_BYTES[spec.out]} if rest and size > 2)  # fmt: skip


def _parts(spec: ReduceSpec, arithmetic: Arithmetic, vector: int, copies: int) -> ReducePlan | None:
    compute = spec.compute
    x = operand("x", compute)
    sums = [operand(f"sum{i}", compute) for i in range(len(spec.reductions))]
    steps = [each.step(total, x) for each, total in zip(spec.reductions, sums)]
    padded = [each.step(total, _padded(x, each, spec, vector)) for each, total in zip(spec.reductions, sums)]
    storage = {"x": spec.dtype}

    def made(outputs: Sequence[Expr], count: int, given: str | None = None) -> Lowered | None:
        return lower(outputs, arithmetic, 64, count, given)

    step = made(widened(tuple(steps), storage), copies, "sum0")
    ends_inside = spec.axis != 0 and spec.n % vector
    tail = made(widened(tuple(padded), storage), 1, "sum0") if ends_inside else None
    a, b = operand("a", compute), operand("b", compute)
    unlike = dict.fromkeys(each.join for each in spec.reductions)
    joins = {join: made([join(a, b)], 1, "a") for join in unlike}
    results = []
    for each in spec.reductions:
        value = each.join(a, operand("init", compute)) if spec.init else a
        (output,) = widened((narrowed(value, spec.out),), {"init": spec.out})
        results.append(made([output], 1, "a"))
    codes = (step, *(joins[each.join] for each in spec.reductions), *results)
    if any(code is None for code in codes) or (ends_inside and tail is None):
        return None
    cycles = spec.m * -(-spec.n // vector) * max(1.0, len(steps) / 2)
    found = tuple(code for code in codes if code is not None)
    count = len(spec.reductions)
    return ReducePlan(spec, vector, found[0], tail, found[1 : 1 + count], found[1 + count :], cycles)


def _padded(x: Expr, reduction: Reduction, spec: ReduceSpec, vector: int) -> Expr:
    """x with the identity in the elements beyond the row, which were loaded as zeros."""
    identity = identity_bits(reduction, spec.compute)
    if reduction.identity == 0:
        return x
    rest, integer = spec.n % vector, INTEGER_OF[spec.compute]
    pad = own("const", integer, value=(0,) * rest + (identity,) * (vector - rest))
    return from_bits(bits(x) | pad) if spec.compute != integer else x | pad


def emit(m: Machine, plan: ReducePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.vectors)
    walk = _Walk(m, plan)
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim_lanes()
        walk.claim_vectors(scope)
        if plan.spec.axis == 0:
            walk.columns()
        else:
            walk.rows()
    m.leave()


class _Walk:
    """Pointers, accumulators, and the loops."""

    sums: list[list[Vector]]
    spare: list[Vector]
    moved: Vector

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.arithmetic = plan.step.arithmetic
        names = [name for _, name in parameters(plan.spec.arguments)]
        given = dict(zip(names, m.arguments(len(names))))
        self.pointers: dict[str, General] = {each.name: self._register(given[each.name], each.name)
                                             for each in plan.spec.arguments}  # fmt: skip
        size = ELEMENT_BYTES[plan.spec.dtype]
        self.stride: int | General
        if plan.spec.ldx is RUNTIME:
            self.stride = self._register(given["ldx"], "ldx")
            m.shift_left(self.stride, size.bit_length() - 1)
        else:
            self.stride = plan.spec.ldx * size
        self.columns_left, self.rows_left = m.general("columns"), m.counter("rows")
        self.row = m.general("row") if plan.spec.axis == 0 else None
        self.scratch = m.scratch(2 * 256) if plan.spec.axis != 0 else None

    def _register(self, value: General | Slot, role: str) -> General:
        if not isinstance(value, Slot):
            return value
        register = self.m.general(role)
        self.m.copy(register, value)
        return register

    def claim_lanes(self) -> None:
        """Every amount that is needed, before any loop."""
        plan, m = self.plan, self.m
        rest = plan.spec.n % plan.vector
        counts = {plan.vector} | ({rest} if rest else set())
        if plan.spec.axis != 0:
            counts |= {1 << i for i in range(plan.vector.bit_length() - 1)}
        self.lanes = {count: m.lanes(plan.spec.compute, count) for count in sorted(counts)}
        self.whole = self.lanes[plan.vector]
        if self.arithmetic.packed:
            for dtype in {plan.spec.dtype, plan.spec.out} - {plan.spec.compute}:
                for count in {plan.vector, *({rest} if rest else ()), *({1} if plan.spec.axis != 0 else ())}:
                    m.lanes(dtype, count)

    def claim_vectors(self, scope: ExitStack) -> None:
        """Accumulators; each part of the code claims its own registers while it runs."""
        plan, m = self.plan, self.m
        self.spare = scope.enter_context(m.vectors(self.arithmetic.spare, "conversions"))
        self.sums = [
            scope.enter_context(m.vectors(plan.accumulators, f"sums {i}")) for i in range(len(plan.spec.outputs))
        ]
        (self.moved,) = scope.enter_context(m.vectors(1, "halves"))

    # Elements

    def _load(self, register: Vector, place: Address, dtype: str, lanes: Lanes) -> None:
        if dtype == self.spec.compute:
            self.m.load(register, place, lanes)
        else:
            self.arithmetic.loads[dtype, self.spec.compute](self.m, register, place, lanes)

    def _start(self, count: int) -> None:
        """Accumulators hold the identity."""
        for reduction, sums in zip(self.spec.reductions, self.sums):
            identity = Constant(identity_bits(reduction, self.spec.compute), BITS[self.spec.compute])
            for register in sums[:count]:
                self.arithmetic.constant(self.m, register, identity, self.whole)

    def _add(self, body: Body, base: General, lanes: Sequence[Lanes], loaded: Sequence[Lanes], first: int = 0) -> None:
        """One vector for each of `lanes`, from neighbouring places, to accumulators `first` and on."""
        size = ELEMENT_BYTES[self.spec.dtype]

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            if name == "x":
                place = self.m.at(base, copy * self.plan.vector * size)
                self._load(register, place, self.spec.dtype, loaded[copy])
            else:
                self.arithmetic.move(self.m, register, self.sums[int(name[3:])][first + copy], those)

        def store(result: int, copy: int, register: Vector, those: Lanes) -> None:
            target = self.sums[result][first + copy]
            if register != target:
                self.arithmetic.move(self.m, target, register, those)

        body.run(load, store, lanes, given=self.sums[0][first : first + len(lanes)])

    @contextmanager
    def _part(self, code: Lowered) -> Iterator[Body]:
        """The registers and constants of a part, for the widest lanes."""
        with code.constants(self.m, self.whole) as body:
            yield body

    def _join(self, code: Lowered, a: Vector, b: Vector, lanes: Lanes) -> None:
        """a = both."""

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            self.arithmetic.move(self.m, register, b, those)

        def store(result: int, copy: int, register: Vector, those: Lanes) -> None:
            if register != a:
                self.arithmetic.move(self.m, a, register, those)

        with self._part(code) as body:
            body.run(load, store, [lanes], given=[a])

    def _finish(self, number: int, register: Vector, lanes: Lanes, column: int = 0) -> None:
        """Results to memory, combined with what they start from; destroys the register."""
        spec = self.spec
        size = ELEMENT_BYTES[spec.out]

        def load(name: str, copy: int, target: Vector, those: Lanes) -> None:
            self._load(target, self.m.at(self.pointers[spec.inits[number].name], column * size), spec.out, those)

        def store(result: int, copy: int, source: Vector, those: Lanes) -> None:
            place = self.m.at(self.pointers[spec.outputs[number].name], column * size)
            if spec.out == spec.compute:
                self.m.store(place, source, those)
            else:
                self.arithmetic.stores[spec.out, spec.compute](self.m, place, source, those, self.spare)

        with self._part(self.plan.results[number]) as body:
            body.run(load, store, [lanes], given=[register])

    # Down columns

    def columns(self) -> None:
        """Blocks of columns."""
        step = self.plan.accumulators * self.plan.vector
        loops, rest = divmod(self.spec.n, step)
        if loops:
            with self.m.loop(self.columns_left, loops):
                self._block(step)
                if loops > 1 or rest:
                    self._move("x", step)
                    for each in (*self.spec.inits, *self.spec.outputs):
                        self._move(each.name, step)
        if rest:
            self._block(rest)

    def _move(self, name: str, count: int) -> None:
        self.m.advance(self.pointers[name], count * ELEMENT_BYTES[self.spec.dtype if name == "x" else self.spec.out])

    def _block(self, columns: int) -> None:
        m, vector = self.m, self.plan.vector
        counts = [min(vector, columns - first) for first in range(0, columns, vector)]
        lanes = [self.lanes[count] for count in counts]
        assert self.row is not None
        self._start(len(lanes))
        m.copy(self.row, self.pointers["x"])
        m.note(f"{len(lanes)} vectors of each row")
        with self._part(self.plan.step) as body, m.loop(self.rows_left, self.spec.m):
            self._add(body, self.row, lanes, lanes)
            m.advance(self.row, self.stride)
        for number, sums in enumerate(self.sums):
            for copy, (register, those) in enumerate(zip(sums, lanes)):
                self._finish(number, register, those, copy * vector)

    # Along rows

    def rows(self) -> None:
        """One row after the other; of all elements, the accumulators go on from row to row."""
        m, together = self.m, self.spec.axis is None
        used = min(self.plan.accumulators, -(-self.spec.n // self.plan.vector))
        if together:
            self._start(used)
        with m.loop(self.rows_left, self.spec.m):
            if not together:
                self._start(used)
            self._along()
            if not together:
                self._fold(used)
                if self.spec.m > 1:
                    for each in (*self.spec.inits, *self.spec.outputs):
                        self._move(each.name, 1)
            if self.spec.m > 1:
                m.advance(self.pointers["x"], self.stride)
        if together:
            self._fold(used)

    def _along(self) -> None:
        """One row to the accumulators; leaves the pointer where it was."""
        m, vector, count = self.m, self.plan.vector, self.plan.accumulators
        x = self.pointers["x"]
        loops, rest = divmod(self.spec.n, count * vector)
        moved = loops > 1 or (loops and rest)
        m.note(f"{loops} times {count} vectors, {rest} elements")
        full, last = divmod(rest, vector)
        with self._part(self.plan.step) as body:
            if loops:
                with m.loop(self.columns_left, loops):
                    self._add(body, x, [self.whole] * count, [self.whole] * count)
                    if moved:
                        self._move("x", count * vector)
            if full:
                self._add(body, x, [self.whole] * full, [self.whole] * full)
        if last:
            assert self.plan.tail is not None
            if full:
                self._move("x", full * vector)
            with self._part(self.plan.tail) as body:
                self._add(body, x, [self.whole], [self.lanes[last]], full)
            if full and self.spec.m > 1:
                self._move("x", -full * vector)
        if moved and self.spec.m > 1:
            self._move("x", -loops * count * vector)

    def _fold(self, used: int) -> None:
        """Accumulators to one, its elements to one, that to memory."""
        m = self.m
        size = BITS[self.spec.compute] // 8
        for number, (code, sums) in enumerate(zip(self.plan.joins, self.sums)):
            held = sums[:used]
            while len(held) > 1:
                half = (len(held) + 1) // 2
                for a, b in zip(held, held[half:]):
                    self._join(code, a, b, self.whole)
                held = held[:half]
            register, count = held[0], self.plan.vector
            while count > 1:
                assert self.scratch is not None
                m.store(m.at(self.scratch), register, self.lanes[count])
                count //= 2
                lanes = self.lanes[count]
                m.load(register, m.at(self.scratch), lanes)
                m.load(self.moved, m.at(self.scratch, count * size), lanes)
                self._join(code, register, self.moved, lanes)
            self._finish(number, register, self.lanes[1])
