"""Code of reductions: emits what the plan says.

Down columns (axis 0) vectors of columns are accumulators, and rows are added to them. Along rows several accumulators
take turns, so that additions do not wait for each other; at the end of a row they are joined, and the elements of the
last one are folded, for a group of rows at a time: sums of floats by a tree of additions that leaves a vector of
results, everything else by halves, through scratch memory. Where a row ends amid a vector, the elements beyond it are
loaded as zeros and made the operation's identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from .arithmetic import Constant
from .dtypes import ELEMENT_BYTES
from .expr import BITS
from .lower import Body, Lowered
from .machine import Address, General, Lanes, Machine, Slot, Vector
from .operands import RUNTIME, parameters
from .reduce_plan import ReducePlan, identity_bits
from .reduce_spec import Reduction, Search


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
    moved: list[Vector]
    joined: list[Vector]

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
        self.groups_left = m.counter("groups") if plan.spec.axis == 1 else None
        self.row = m.general("row") if plan.spec.axis == 0 else None
        self.joined_kinds = [kind for part in plan.parts for kind in part]
        self.line_bytes = len(self.joined_kinds) * self.vector_bytes
        self.scratch = m.scratch(plan.group * self.line_bytes) if plan.spec.axis != 0 else None
        self.line = m.general("line") if plan.spec.axis != 0 else None

    def _register(self, value: General | Slot, role: str) -> General:
        if not isinstance(value, Slot):
            return value
        register = self.m.general(role)
        self.m.copy(register, value)
        return register

    def claim_lanes(self) -> None:
        """Every amount that is needed, before any loop."""
        plan, m = self.plan, self.m
        rest = plan.columns % plan.vector
        counts = {plan.vector} | ({rest} if rest else set())
        stored = {plan.vector, rest} - {0} if plan.spec.axis == 0 else {1}
        if plan.tree:
            stored = {plan.group, plan.rows % plan.group} - {0}
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
        kinds, each = plan.kinds, plan.accumulators
        # the rows of a group take the registers of the sums, which are in scratch memory then
        self.held = scope.enter_context(m.vectors(max(kinds * each, plan.group if plan.tree else 0), "sums"))
        self.sums = [self.held[i * each : (i + 1) * each] for i in range(kinds)]
        together = len(plan.parts[0])
        self.moved = scope.enter_context(m.vectors(together, "halves"))
        self.joined = scope.enter_context(m.vectors(together if together > 1 else 0, "joined"))

    # Elements

    def _load(self, register: Vector, place: Address, dtype: str, lanes: Lanes) -> None:
        if dtype == self.spec.compute:
            self.m.load(register, place, lanes)
        else:
            self.arithmetic.loads[dtype, self.spec.compute](self.m, register, place, lanes)

    def _start(self, count: int) -> None:
        """Accumulators hold the identity; of a search, the places where they begin."""
        spec, size = self.spec, BITS[self.spec.compute]
        kinds: tuple[Reduction | Search, ...] = (spec.search,) if spec.search else spec.reductions
        for reduction, sums in zip(kinds, self.sums):
            identity = Constant(identity_bits(reduction, spec.compute), size)
            for register in sums[:count]:
                self.arithmetic.constant(self.m, register, identity, self.whole)
        for sums in self.sums[1:] if spec.search else ():
            for copy, register in enumerate(sums[:count]):
                first = copy * self.plan.vector
                places = 0 if spec.axis == 0 else tuple(range(first, first + self.plan.vector))
                self.arithmetic.constant(self.m, register, Constant(places, size), self.whole)

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

    def _join(self, code: Lowered, a: Sequence[Vector], b: Sequence[Vector], lanes: Lanes) -> None:
        """a = both."""

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            self.arithmetic.move(self.m, register, (a if name[0] == "a" else b)[int(name[1:])], those)

        def store(result: int, copy: int, register: Vector, those: Lanes) -> None:
            if register != made[result]:
                self.arithmetic.move(self.m, made[result], register, those)

        # a result is there before the last operand has been read
        made = a if len(a) == 1 else self.joined
        with self._part(code) as body:
            body.run(load, store, [lanes], given=a[:1])
        if made is not a:
            for target, source in zip(a, made):
                self.arithmetic.move(self.m, target, source, lanes)

    def _finish(self, number: int, register: Vector, lanes: Lanes, column: int = 0) -> None:
        """Results to memory, combined with what they start from; destroys the register."""
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

        with self._part(self.plan.results[number]) as body:
            body.run(load, store, [lanes], given=[register])

    # Down columns

    def columns(self) -> None:
        """Blocks of columns."""
        step = self.plan.accumulators * self.plan.vector
        loops, rest = divmod(self.plan.columns, step)
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
        with self._part(self.plan.step) as body, m.loop(self.rows_left, self.plan.rows):
            for first in range(0, len(lanes), self.plan.step.copies):
                some = lanes[first : first + self.plan.step.copies]
                self._add(body, self.row, some, some, first)
            m.advance(self.row, self.stride)
        for number, part in enumerate(self.plan.parts):
            for copy, (register, those) in enumerate(zip(self.sums[part[-1]], lanes)):
                self._finish(number, register, those, copy * vector)

    # Along rows

    def rows(self) -> None:
        """Groups of rows; of all elements, the accumulators go on from row to row."""
        m, plan = self.m, self.plan
        if self.spec.axis is None:
            self._start(self.used)
            with m.loop(self.rows_left, plan.rows):
                self._along()
                m.advance(self.pointers["x"], self.stride)
            m.copy(self.line, self.scratch)
            self._keep()
            self._halves(1)
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
        return min(self.plan.accumulators, -(-self.plan.columns // self.plan.vector))

    def _move_results(self, count: int) -> None:
        for each in (*self.spec.inits, *self.spec.outputs):
            self._move(each.name, count)

    def _group(self, rows: int) -> None:
        """A vector of each row to scratch memory, then their elements are folded."""
        m = self.m
        m.copy(self.line, self.scratch)
        with m.loop(self.rows_left, rows):
            self._start(self.used)
            self._along()
            self._keep()
            m.advance(self.line, self.line_bytes)
            m.advance(self.pointers["x"], self.stride)
        if self.plan.tree:
            self._tree(rows)
            self._move_results(rows)
        else:
            self._halves(rows)

    def _keep(self) -> None:
        """The accumulators of each kind, joined, to the line."""
        for code, part in zip(self.plan.joins, self.plan.parts):
            self._join_all(code, [self.sums[kind] for kind in part])
        for place, kind in enumerate(self.joined_kinds):
            self.m.store(self.m.at(self.line, place * self.vector_bytes), self.sums[kind][0], self.whole)

    def _tree(self, rows: int) -> None:
        """The elements of all lines, by a tree of additions."""
        m = self.m
        for number in range(len(self.sums)):
            lines = self.held[:rows]
            for row, register in enumerate(lines):
                m.load(register, m.at(self.scratch, row * self.line_bytes + number * self.vector_bytes), self.whole)
            self._finish(number, m.reduce_columns(lines, self.whole, self.moved[0]), self.lanes[rows])

    def _halves(self, rows: int) -> None:
        """The elements of each line, halves with halves; results to memory."""
        m, size, half = self.m, BITS[self.spec.compute] // 8, self.plan.vector
        while half > 1:
            half //= 2
            lanes = self.lanes[half]
            m.copy(self.line, self.scratch)
            with m.loop(self.rows_left, rows):
                for number, (code, part) in enumerate(zip(self.plan.joins, self.plan.parts)):
                    places = [self.joined_kinds.index(kind) * self.vector_bytes for kind in part]
                    first = self.held[: len(part)]
                    for low, high, place in zip(first, self.moved, places):
                        m.load(low, m.at(self.line, place), lanes)
                        m.load(high, m.at(self.line, place + half * size), lanes)
                    self._join(code, first, self.moved, lanes)
                    if half == 1:
                        self._finish(number, first[-1], lanes)
                    else:
                        for register, place in zip(first, places):
                            m.store(m.at(self.line, place), register, lanes)
                if half == 1:
                    self._move_results(1)
                m.advance(self.line, self.line_bytes)

    def _along(self) -> None:
        """One row to the accumulators; leaves the pointer where it was."""
        m, vector, count = self.m, self.plan.vector, self.plan.accumulators
        x = self.pointers["x"]
        loops, rest = divmod(self.plan.columns, count * vector)
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

    def _join_all(self, code: Lowered, kinds: Sequence[Sequence[Vector]]) -> None:
        """All accumulators of these kinds to the first."""
        held = list(range(self.used))
        while len(held) > 1:
            half = (len(held) + 1) // 2
            for a, b in zip(held, held[half:]):
                self._join(code, [each[a] for each in kinds], [each[b] for each in kinds], self.whole)
            held = held[:half]
