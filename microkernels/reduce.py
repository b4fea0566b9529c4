"""Reductions: how they are cut, and their code.

Down columns (axis 0) vectors of columns are accumulators, and rows are added to them. Along rows several accumulators
take turns, so that additions do not wait for each other; at the end of a row they are joined, and the elements of the
last one are folded: sums of floats for a group of rows at a time, by a tree of additions that leaves a vector of
results; everything else by halves, through scratch memory. Where a row ends amid a vector, the elements beyond it are
loaded as zeros and made the operation's identity.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

from .arithmetic import Arithmetic, Constant, own
from .dtypes import ELEMENT_BYTES
from .errors import UnsupportedError
from .expr import BITS, INTEGER_OF, Expr, bits, from_bits, operand
from .lower import Body, Lowered, lower
from .machine import Address, Facts, General, Lanes, Machine, Slot, Vector
from .operands import RUNTIME, parameters
from .reduce_spec import FLOATS, ReduceSpec, Reduction, add
from .storage import narrowed, widened

MOST = {0: 8, 1: 4, None: 8}
"""Accumulators of one output, by axis: along rows they are joined for each row, so there are no more than needed."""
GROUP = 16
"""Rows whose sums are folded together, at most."""
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
    runs: int = 1  # of `step` for a row of a block of columns

    @property
    def accumulators(self) -> int:
        """Of one output."""
        return self.step.copies * self.runs

    @property
    def group(self) -> int:
        """Rows that are folded together; 1 where each is by itself."""
        spec = self.spec
        adds = all(each.join is add for each in spec.reductions) and spec.compute in FLOATS
        return min(GROUP, self.vector, spec.m) if spec.axis == 1 and adds else 1

    @cached_property
    def vectors(self) -> int:
        """Registers held at a time."""
        codes = [self.step, *([self.tail] if self.tail else []), *self.joins, *self.results]
        held = max(self.accumulators * len(self.spec.outputs), self.group) + 1
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
    for copies in range(min(MOST[spec.axis], -(-spec.n // vector)), 0, -1):
        made = _parts(spec, arithmetic, vector, copies)
        if made is None:
            continue
        for runs in (2, 1) if spec.axis == 0 and spec.n >= 2 * copies * vector else (1,):
            found = replace(made, runs=runs)
            if found.vectors + _masks(spec, facts, vector) <= facts.vector_registers:
                return found
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

    held: list[Vector]
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
        self.vector_bytes = plan.vector * BITS[plan.spec.compute] // 8
        self.columns_left, self.rows_left = m.general("columns"), m.counter("rows")
        self.groups_left = m.counter("groups") if plan.group > 1 else None
        self.row = m.general("row") if plan.spec.axis == 0 else None
        rows = plan.group * len(plan.spec.outputs)
        self.scratch = m.scratch(rows * self.vector_bytes) if plan.spec.axis != 0 else None
        self.line = m.general("line") if plan.group > 1 else None

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
        stored = {plan.vector, rest} - {0} if plan.spec.axis == 0 else {1}
        if plan.group > 1:
            stored = {plan.group, plan.spec.m % plan.group} - {0}
        elif plan.spec.axis != 0:
            counts |= {1 << i for i in range(plan.vector.bit_length() - 1)}
        counts |= stored
        self.lanes = {count: m.lanes(plan.spec.compute, count) for count in sorted(counts)}
        self.whole = self.lanes[plan.vector]
        if self.arithmetic.packed:
            for dtype, wanted in ((plan.spec.dtype, {plan.vector, rest} - {0}), (plan.spec.out, stored)):
                if dtype != plan.spec.compute:
                    for count in sorted(wanted):
                        m.lanes(dtype, count)

    def claim_vectors(self, scope: ExitStack) -> None:
        """Accumulators; each part of the code claims its own registers while it runs."""
        plan, m = self.plan, self.m
        self.spare = scope.enter_context(m.vectors(self.arithmetic.spare, "conversions"))
        outputs, each = len(plan.spec.outputs), plan.accumulators
        # the rows of a group take the registers of the sums, which are in scratch memory then
        self.held = scope.enter_context(m.vectors(max(outputs * each, plan.group), "sums"))
        self.sums = [self.held[i * each : (i + 1) * each] for i in range(outputs)]
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
        ahead = first if self.spec.axis == 0 else 0

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            if name == "x":
                place = self.m.at(base, (ahead + copy) * self.plan.vector * size)
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
            for first in range(0, len(lanes), self.plan.step.copies):
                some = lanes[first : first + self.plan.step.copies]
                self._add(body, self.row, some, some, first)
            m.advance(self.row, self.stride)
        for number, sums in enumerate(self.sums):
            for copy, (register, those) in enumerate(zip(sums, lanes)):
                self._finish(number, register, those, copy * vector)

    # Along rows

    def rows(self) -> None:
        """One row after the other; of all elements, the accumulators go on from row to row."""
        m, spec = self.m, self.spec
        if self.plan.group > 1:
            self._groups()
            return
        if spec.axis is None:
            self._start(self.used)
            with m.loop(self.rows_left, spec.m):
                self._along()
                m.advance(self.pointers["x"], self.stride)
            self._fold()
            return
        with m.loop(self.rows_left, spec.m):
            self._start(self.used)
            self._along()
            self._fold()
            self._move_results(1)
            m.advance(self.pointers["x"], self.stride)

    @property
    def used(self) -> int:
        """Accumulators that a row reaches."""
        return min(self.plan.accumulators, -(-self.spec.n // self.plan.vector))

    def _move_results(self, count: int) -> None:
        for each in (*self.spec.inits, *self.spec.outputs):
            self._move(each.name, count)

    def _groups(self) -> None:
        """Groups of rows, each folded by a tree."""
        loops, rest = divmod(self.spec.m, self.plan.group)
        assert self.groups_left is not None
        with self.m.loop(self.groups_left, loops):
            self._group(self.plan.group)
            self._move_results(self.plan.group)
        if rest:
            self._group(rest)

    def _group(self, rows: int) -> None:
        """The sums of these rows: a vector of each to scratch memory, then their elements are added."""
        m, stride = self.m, len(self.spec.outputs) * self.vector_bytes
        assert self.scratch is not None and self.line is not None
        m.copy(self.line, self.scratch)
        with m.loop(self.rows_left, rows):
            self._start(self.used)
            self._along()
            for number, (code, sums) in enumerate(zip(self.plan.joins, self.sums)):
                self._join_all(code, sums)
                m.store(m.at(self.line, number * self.vector_bytes), sums[0], self.whole)
            m.advance(self.line, stride)
            m.advance(self.pointers["x"], self.stride)
        for number in range(len(self.sums)):
            lines = self.held[:rows]
            for row, register in enumerate(lines):
                m.load(register, m.at(self.scratch, row * stride + number * self.vector_bytes), self.whole)
            self._finish(number, m.reduce_columns(lines, self.whole, self.moved), self.lanes[rows])

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
            if full:
                self._move("x", -full * vector)
        if moved:
            self._move("x", -loops * count * vector)

    def _join_all(self, code: Lowered, sums: Sequence[Vector]) -> None:
        """All accumulators to the first."""
        held = sums[: self.used]
        while len(held) > 1:
            half = (len(held) + 1) // 2
            for a, b in zip(held, held[half:]):
                self._join(code, a, b, self.whole)
            held = held[:half]

    def _fold(self) -> None:
        """Accumulators to one, its elements to one, that to memory."""
        m = self.m
        size = BITS[self.spec.compute] // 8
        assert self.scratch is not None
        for number, (code, sums) in enumerate(zip(self.plan.joins, self.sums)):
            self._join_all(code, sums)
            register, count = sums[0], self.plan.vector
            while count > 1:
                m.store(m.at(self.scratch), register, self.lanes[count])
                count //= 2
                lanes = self.lanes[count]
                m.load(register, m.at(self.scratch), lanes)
                m.load(self.moved, m.at(self.scratch, count * size), lanes)
                self._join(code, register, self.moved, lanes)
            self._finish(number, register, self.lanes[1])
