"""Code of reductions: emits what the plan says.

Down columns (axis 0) vectors of columns are accumulators, and rows are added to them. Along rows a few accumulators
take turns, so that additions do not wait for each other; at the end of a row they are settled and folded into one,
which goes to scratch memory. The vectors of a group of rows are then folded by a tree of shuffles that leaves a vector
of results. Where a row ends amid a vector, the rest is loaded as zeros and made the operation's identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from .arithmetic import Constant
from .dtypes import ELEMENT_BYTES
from .expr import BITS
from .lower import Body, Lowered
from .machine import Address, General, Lanes, Machine, Slot, Vector
from .operands import RUNTIME, parameters
from .reduce_plan import BODY, STRAIGHT, Output, ReducePlan

LINE = 64
"""Bytes that one prefetch asks for."""


def emit(m: Machine, plan: ReducePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.vectors)
    walk = (_Columns if plan.spec.axis == 0 else _Rows)(m, plan)
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim(scope)
        walk.emit()
    m.leave()


class _Walk:
    """Pointers, accumulators, and the code on them."""

    spare: list[Vector]
    states: list[list[Any]]  # of each accumulator its registers, vectors and masks

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.arithmetic = plan.arithmetic
        names = [name for _, name in parameters(plan.spec.arguments)]
        given = dict(zip(names, m.arguments(len(names))))
        self.pointers: dict[str, General] = {each.name: self._register(given[each.name], each.name)
                                             for each in plan.spec.arguments}  # fmt: skip
        self.size = ELEMENT_BYTES[plan.spec.dtype]
        self.stride: int | General
        if plan.spec.ldx is RUNTIME:
            self.stride = self._register(given["ldx"], "ldx")
            m.shift_left(self.stride, self.size.bit_length() - 1)
        else:
            self.stride = plan.spec.ldx * self.size
        self.columns_left, self.rows_left = m.general("columns"), m.counter("rows")
        self.bodies: dict[int, Body] = {}  # by the identity of the code: those that are held all the time
        self.starts: dict[int, Vector] = {}

    def _register(self, value: General | Slot, role: str) -> General:
        if not isinstance(value, Slot):
            return value
        register = self.m.general(role)
        self.m.copy(register, value)
        return register

    def emit(self) -> None:
        """The loops."""
        raise NotImplementedError

    def _ask(self, disp: int, count: int) -> None:
        """For bytes that are needed soon after those `count` at `disp` of a row."""

    # Registers

    def claim(self, scope: ExitStack) -> None:
        """Everything that stays, before any loop."""
        plan, m = self.plan, self.m
        self._claim_lanes()
        self.spare = scope.enter_context(m.vectors(self.arithmetic.spare, "conversions"))
        self.pool = scope.enter_context(m.vectors(max(plan.states, plan.tree), "sums"))
        masks = list(scope.enter_context(m.masks(plan.accumulators * sum(plan.masked))))
        vectors = list(self.pool)
        self.states = [[masks.pop() if mask else vectors.pop(0) for mask in plan.masked]
                       for _ in range(plan.accumulators)]  # fmt: skip
        if plan.held:
            for code in plan.codes:
                self.bodies[id(code)] = scope.enter_context(code.constants(m, self.whole))
            for bits, register in zip(plan.starts, scope.enter_context(m.vectors(len(plan.starts), "identities"))):
                self.arithmetic.constant(m, register, Constant(bits, BITS[self.spec.compute]), self.whole)
                self.starts[bits] = register

    def _claim_lanes(self) -> None:
        plan, m, stored = self.plan, self.m, self.plan.stored
        loaded = {plan.vector, plan.columns % plan.vector} - {0}  # operations have whole vectors
        self.lanes = {count: m.lanes(plan.spec.compute, count) for count in sorted(loaded | stored)}
        self.whole = self.lanes[plan.vector]
        if self.arithmetic.packed:
            for dtype, wanted in ((plan.spec.dtype, loaded), (plan.spec.out, stored)):
                if dtype != plan.spec.compute:
                    for count in sorted(wanted):
                        m.lanes(dtype, count)

    @contextmanager
    def _part(self, code: Lowered) -> Iterator[Body]:
        """Code with its registers and constants: those that it has all the time, or for now."""
        if id(code) in self.bodies:
            yield self.bodies[id(code)]
            return
        with code.constants(self.m, self.whole) as body:
            yield body

    # Elements

    def _load(self, register: Vector, place: Address, dtype: str, lanes: Lanes) -> None:
        if dtype == self.spec.compute:
            self.m.load(register, place, lanes)
        else:
            self.arithmetic.loads[dtype, self.spec.compute](self.m, register, place, lanes)

    def _start(self, count: int) -> None:
        """What accumulators begin with; of a search, the places where they begin."""
        m, plan, size = self.m, self.plan, BITS[self.spec.compute]
        for output in plan.outputs:
            for number, bits in enumerate(output.running.start):
                for copy, state in enumerate(self.states[:count]):
                    register, first = state[output.first + number], copy * plan.vector
                    if output.running.counts and number:
                        places = 0 if self.spec.axis == 0 else tuple(range(first, first + plan.vector))
                        self.arithmetic.constant(m, register, Constant(places, size), self.whole)
                    elif bits in self.starts and not plan.masked[output.first + number]:
                        self.arithmetic.move(m, register, self.starts[bits], self.whole)
                    else:
                        wanted = Constant(bits & (1 << size) - 1, size)
                        self.arithmetic.constant(m, register, wanted, self.whole)

    def _take(self, body: Body, base: General, disp: int, states: Sequence[Sequence[Any]], lanes: Sequence[Lanes],
              loaded: Lanes | None = None) -> None:  # fmt: skip
        """Neighbouring vectors from base + disp, as many for each of these accumulators as the code takes."""
        step = self.plan.vector * self.size
        each = self.plan.together if body.code is self.plan.step or body.code is self.plan.first else 1

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            start = disp + (copy * each + int(name[1:])) * step
            self._load(register, self.m.at(base, start), self.spec.dtype, loaded or those)
            self._ask(start, those.count * self.size)

        def store(result: int, copy: int, register: Any, those: Lanes) -> None:
            if register != states[copy][result]:
                self.arithmetic.move(self.m, states[copy][result], register, those)

        body.run(load, store, lanes, given=[register for state in states for register in state])

    def _run(self, code: Lowered, registers: Sequence[Any], lanes: Lanes) -> None:
        """Code without memory, on registers that its first results go to."""

        def load(name: str, copy: int, register: Any, those: Lanes) -> None:
            raise AssertionError(f"{name} is no register")

        def store(result: int, copy: int, register: Any, those: Lanes) -> None:
            if register != registers[result]:
                self.arithmetic.move(self.m, registers[result], register, those)

        with self._part(code) as body:
            body.run(load, store, [lanes], given=registers)

    def _own(self, output: Output, state: Sequence[Any]) -> Sequence[Any]:
        """The registers of an output."""
        return state[output.first : output.first + len(output.running.types)]

    def _finish(self, number: int, registers: Sequence[Vector], lanes: Lanes, column: int = 0) -> None:
        """Results to memory, combined with what they start from; destroys the registers."""
        spec = self.spec
        size = ELEMENT_BYTES[spec.out]

        def load(name: str, copy: int, target: Vector, those: Lanes) -> None:
            self._load(target, self.m.at(self.pointers[spec.inits[number].name], column * size), spec.out, those)

        def store(result: int, copy: int, source: Vector, those: Lanes) -> None:
            place = self.m.at(self.pointers[spec.outputs[number].name], column * size)
            if spec.out == spec.compute or spec.search:
                self.m.store(place, source, those)
            else:
                self.arithmetic.stores[spec.out, spec.compute](self.m, place, source, those, self.spare)

        with self._part(self.plan.outputs[number].result) as body:
            body.run(load, store, [lanes], given=registers)

    def _move(self, name: str, count: int) -> None:
        self.m.advance(self.pointers[name], count * (self.size if name == "x" else ELEMENT_BYTES[self.spec.out]))

    def _move_results(self, count: int) -> None:
        for each in (*self.spec.inits, *self.spec.outputs):
            self._move(each.name, count)


class _Columns(_Walk):
    """Down columns."""

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        super().__init__(m, plan)
        self.row = m.general("row")
        self.rows_left = m.general("rows")
        self.next_row = m.general("next row") if plan.ahead else None

    def emit(self) -> None:
        """Blocks of columns."""
        step = self.plan.accumulators * self.plan.vector
        loops, rest = divmod(self.plan.columns, step)
        if loops:
            with self.m.loop(self.columns_left, loops):
                self._block(step)
                if loops > 1 or rest:
                    self._move("x", step)
                    self._move_results(step)
        if rest:
            self._block(rest)

    def _block(self, columns: int) -> None:
        m, plan, vector = self.m, self.plan, self.plan.vector
        lanes = [self.lanes[min(vector, columns - first)] for first in range(0, columns, vector)]
        copies = plan.step.copies
        self._start(len(lanes))
        m.copy(self.row, self.pointers["x"])
        if self.next_row is not None:
            m.copy(self.next_row, self.row)
            m.advance(self.next_row, self.stride)
        m.note(f"{len(lanes)} vectors of each row")
        with self._part(plan.step) as body, m.loop(self.rows_left, plan.rows):
            for first in range(0, len(lanes), copies):
                some = lanes[first : first + copies]
                self._take(body, self.row, first * vector * self.size, self.states[first : first + copies], some)
            m.advance(self.row, self.stride)
            if self.next_row is not None:
                m.prefetch(self.next_row, columns * self.size - 1)  # where rows begin amid a line
                m.advance(self.next_row, self.stride)
        for number, output in enumerate(plan.outputs):
            for copy, those in enumerate(lanes):
                self._finish(number, self._own(output, self.states[copy]), those, copy * vector)

    def _ask(self, disp: int, count: int) -> None:
        """The same bytes of the next row, a line at a time; beyond the last row that does no harm."""
        if self.next_row is not None:
            for line in range(-(-disp // LINE) * LINE, disp + count, LINE):
                self.m.prefetch(self.next_row, line)


class _Rows(_Walk):
    """Along rows, or all elements."""

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        super().__init__(m, plan)
        self.vector_bytes = plan.vector * BITS[plan.spec.compute] // 8
        self.line_bytes = sum(each.parts for each in plan.outputs) * self.vector_bytes
        self.groups_left = m.counter("groups") if plan.spec.axis == 1 else None
        self.scratch = m.scratch(plan.group * self.line_bytes) if plan.group > 1 else None
        self.line = m.general("line") if plan.group > 1 else None

    def emit(self) -> None:
        """Groups of rows; of all elements, the accumulators go on from row to row."""
        m, plan = self.m, self.plan
        if self.spec.axis is None:
            self._start(self.used)
            with m.loop(self.rows_left, plan.rows):
                self._along()
                m.advance(self.pointers["x"], self.stride)
            self._fold(1)
            return
        loops, rest = divmod(plan.rows, plan.group)
        assert self.groups_left is not None
        with m.loop(self.groups_left, loops):
            self._group(plan.group)
        if rest:
            self._group(rest)

    @property
    def used(self) -> int:
        """Accumulators that a row reaches."""
        return min(self.plan.accumulators, -(-self.plan.columns // (self.plan.vector * self.plan.together)))

    def _group(self, rows: int) -> None:
        """A vector of each row to scratch memory, then their elements are folded."""
        m, plan = self.m, self.plan
        if self.line is not None:
            m.copy(self.line, self.scratch)
        with m.loop(self.rows_left, rows):
            if plan.first is None:
                self._start(self.used)
            self._along()
            if self.line is not None:
                self._keep()
                m.advance(self.line, self.line_bytes)
            m.advance(self.pointers["x"], self.stride)
        self._fold(rows)
        self._move_results(rows)

    def _along(self) -> None:
        """One row to the accumulators; leaves the pointer where it was."""
        m, vector, plan = self.m, self.plan.vector, self.plan
        x = self.pointers["x"]
        turn = plan.step.copies * plan.together
        start = turn if plan.first is not None else 0
        if plan.first is not None:
            with self._part(plan.first) as body:
                self._take(body, x, 0, self.states, [self.whole] * plan.step.copies)
        vectors, last = divmod(plan.columns - start * vector, vector)
        body_vectors = vectors if vectors <= STRAIGHT else max(1, BODY // turn) * turn
        loops, rest = divmod(vectors, body_vectors) if vectors else (0, 0)
        m.note(f"{loops} times {body_vectors} vectors, {rest}, {last} elements")
        if loops:
            with m.loop(self.columns_left, loops):
                self._vectors(x, start * vector * self.size, body_vectors)
                if loops > 1:
                    self._move("x", body_vectors * vector)
        begun = loops * body_vectors if loops > 1 else 0
        disp = (start + vectors - rest - begun) * vector * self.size
        unit = self._vectors(x, disp, rest) if rest else -(-vectors // plan.together) % plan.accumulators
        if last:
            assert plan.tail is not None
            disp = (start + vectors - begun) * vector * self.size
            with self._part(plan.tail) as body:
                self._take(body, x, disp, [self.states[unit % self.used]], [self.whole], self.lanes[last])
        if begun:
            self._move("x", -begun * vector)

    def _vectors(self, base: General, disp: int, count: int) -> int:
        """Whole vectors, to the accumulators in turn from the first on; the number of the next accumulator."""
        plan, step = self.plan, self.plan.vector * self.size
        units, alone = divmod(count, plan.together)
        with self._part(plan.step) as body:
            for first in range(0, units, plan.step.copies):
                some = min(plan.step.copies, units - first)
                self._take(body, base, disp + first * plan.together * step, self.states[:some], [self.whole] * some)
        if alone:
            with self._part(plan.single) as body:
                state = self.states[units % plan.accumulators]
                self._take(body, base, disp + units * plan.together * step, [state], [self.whole])
        return (units + alone) % plan.accumulators

    def _joined(self, output: Output) -> list[Vector]:
        """All accumulators of an output, joined or folded into the first, and settled."""
        states = self.states[: self.used]
        if output.join is not None:
            return self._settled(output, self._paired(output.join, [self._own(output, each) for each in states]))
        return list(self._paired(output.fold, [self._settled(output, self._own(output, each)) for each in states]))

    def _settled(self, output: Output, own: Sequence[Any]) -> list[Vector]:
        """The registers of an accumulator that are folded."""
        if output.settle is not None:
            self._run(output.settle, own, self.whole)
        return list(own[: output.parts])

    def _paired(self, code: Lowered | None, held: Sequence[Sequence[Any]]) -> Sequence[Any]:
        """All of them into the first, by halves."""
        while len(held) > 1:
            half = (len(held) + 1) // 2
            assert code is not None
            for a, b in zip(held, held[half:]):
                self._run(code, [*a, *b], self.whole)
            held = held[:half]
        return held[0]

    def _keep(self) -> None:
        """A row's vectors to its line."""
        place = 0
        for output in self.plan.outputs:
            for register in self._joined(output):
                self.m.store(self.m.at(self.line, place), register, self.whole)
                place += self.vector_bytes

    def _fold(self, rows: int) -> None:
        """The elements of all lines, or of the accumulators where one row is all; results to memory."""
        first = 0
        joined = [self._joined(output) for output in self.plan.outputs] if self.line is None else []
        for number, output in enumerate(self.plan.outputs):
            busy = [register for each in joined[number:] for register in each]
            free = [register for register in self.pool if register not in busy]
            tree = _Tree(self, output, rows, first, joined[number] if joined else None, free)
            self._finish(number, tree.of(self.plan.levels, 0), self.lanes[rows if self.line is not None else 1])
            first += output.parts


class _Tree:
    """Vectors folded in pairs, deepest pairs first: element j of what is left is what row j comes to."""

    def __init__(self, walk: _Rows, output: Output, rows: int, first: int, held: list[Vector] | None,
                 free: list[Vector]) -> None:  # fmt: skip
        self.walk, self.output, self.rows, self.held, self.free = walk, output, rows, held, free
        self.first = first  # vector of a line
        self.low = [free.pop() for _ in range(output.parts)]

    def of(self, level: int, row: int) -> list[Vector]:
        """The vectors of 2^level rows from `row` on, as one."""
        walk, m = self.walk, self.walk.m
        if level == 0:
            return self._line(row)
        x = self.of(level - 1, row)
        further = row + (1 << level - 1)
        y = self.of(level - 1, further) if further < self.rows else x
        if self.output.adds:
            m.pairwise(level - 1, x[0], x[0], y[0], self.low[0], walk.whole)
        else:
            for high, other, low in zip(x, y, self.low):
                m.neighbours(level - 1, low, high, high, other, walk.whole)
            walk._paired(self.output.fold, [x, self.low])
        if y is not x:
            self.free += y
        return x

    def _line(self, row: int) -> list[Vector]:
        walk, m = self.walk, self.walk.m
        if self.held is not None:
            return self.held
        registers = [self.free.pop() for _ in range(self.output.parts)]
        for i, register in enumerate(registers):
            disp = row * walk.line_bytes + (self.first + i) * walk.vector_bytes
            m.load(register, m.at(walk.scratch, disp), walk.whole)
        return registers
