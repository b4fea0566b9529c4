"""Gathers and scatters: what the spec says, element by element, or row by row in vectors.

Rows are contiguous: each is copied in vectors, and only its place is computed. Everything else moves single elements
through a general register, on every machine: an index, an element, its new place. That touches no byte beyond them. A
kernel that checks its indices writes zeros for those outside (gather) or nothing (scatter), and says which was first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from ..choice import Plan
from ..contract.machine import Facts, General, Lanes, Machine, Slot, Vector
from ..contract.values import claimed
from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME, Operand, parameters
from .spec import GatherSpec

VECTORS = 4
"""Vectors of a row that are copied at a time."""
UNROLLED, CHECKED = 8, 2
"""Elements of a loop's body, and with checks, which are longer."""


@dataclass(frozen=True)
class GatherPlan(Plan):
    """Elements of a vector and of a loop's body; 0 where rows are no vectors."""

    spec: GatherSpec
    vector: int
    together: int
    cycles: float

    def __str__(self) -> str:
        way = f"rows in vectors of {self.vector}" if self.vector else "single elements"
        return f"{self.spec}\n{way}, {self.together} elements at a time; {self.cycles:.0f} cycles"


def plan(spec: GatherSpec, facts: Facts) -> GatherPlan:
    """A load and a store for each vector, or an index, a load and a store for each element."""
    if spec.by == "rows":
        vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.dtype]
        vectors = -(-spec.n // vector)
        cycles = spec.m * (vectors * 2 * facts.load_cycles(facts.widths[0]) + 4)
        return GatherPlan(spec, vector, min(spec.n, VECTORS * vector), cycles)
    together = min(spec.n, CHECKED if spec.bad else UNROLLED)
    return GatherPlan(spec, 0, together, spec.m * spec.n * (4.0 if spec.bad else 1.0))


def emit(m: Machine, plan: GatherPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(VECTORS)
    walk = (_Rows if plan.vector else _Elements)(m, plan)
    walk.emit()
    walk.finish()
    m.leave()


class _Walk(ABC):
    """Registers, and what becomes of indices that are outside."""

    def __init__(self, m: Machine, plan: GatherPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.size = ELEMENT_BYTES[plan.spec.dtype]
        self.gathers = plan.spec.verb == "gather"
        names = [name for _, name in parameters(plan.spec.arguments)]
        given = {name: _register(m, value, name) for name, value in zip(names, m.arguments(len(names)))}
        self.wide, self.narrow = given[plan.spec.wide.name], given[plan.spec.narrow.name]
        self.strides = [self._stride(each, given) for each in (plan.spec.wide, plan.spec.narrow)]
        self.rows = m.counter("rows")
        self.place = m.general("place")
        self.index: General | None = given.get("index")
        self.index_size = ELEMENT_BYTES[plan.spec.index]
        self.bad: General | None = given.get("bad")
        if self.bad is not None:
            self.limit, self.first, self.number = (m.general(role) for role in ("limit", "first bad", "number"))
            m.copy(self.limit, plan.spec.size)
            m.copy(self.first, -1)
            m.copy(self.number, 0)

    @abstractmethod
    def emit(self) -> None:
        """The loops."""

    def _stride(self, operand: Operand, given: dict[str, General]) -> int | General:
        """Bytes between neighbouring rows."""
        leading = operand.view.leading
        if leading is not RUNTIME:
            return leading * self.size
        stride = given[f"ld{operand.name}"]
        self.m.shift_left(stride, self.size.bit_length() - 1)
        return stride

    def _next(self, pointer: General, stride: int | General, walked: int) -> None:
        """From `walked` bytes behind the beginning of a row to the next one."""
        if isinstance(stride, int):
            self.m.advance(pointer, stride - walked)
        else:
            self.m.advance(pointer, stride)
            self.m.advance(pointer, -walked)

    def finish(self) -> None:
        """Which index was the first outside."""
        if self.bad is not None:
            self.m.store_general(self.bad, self.first)

    def checked(self, number: int, move: Callable[[], None], clear: Callable[[], None]) -> None:
        """`move` for the index in `place`; where it is outside, `clear` of a gather, and its number is kept."""
        m = self.m
        if self.bad is None:
            move()
            return
        with m.beyond(self.place, self.limit):
            if self.gathers:
                clear()
            m.copy(self.place, self.number)
            m.advance(self.place, number)
            m.lower(self.first, self.place)
            m.copy(self.place, -1)  # still outside
        with m.within(self.place, self.limit):
            move()


class _Rows(_Walk):
    """The index says a row; the row is copied in vectors."""

    def emit(self) -> None:
        """One row after the other."""
        m, plan, spec = self.m, self.plan, self.spec
        self.columns = m.general("columns")
        self.far = self.columns if plan.together >= spec.n else m.general("row")  # a register if no loop needs it
        counts = {plan.vector, plan.together % plan.vector, spec.n % plan.vector} - {0}
        with m.predicates(), m.vectors(VECTORS, "a row") as self.registers:
            self.lanes = {count: m.lanes(spec.dtype, count) for count in counts if count <= spec.n}
            with m.loop(self.rows, spec.m):
                m.load_index(self.place, claimed(self.index), 0, self.index_size)
                self.checked(0, self._copy, self._clear)
                m.advance(claimed(self.index), self.index_size)
                self._next(self.narrow, self.strides[1], 0)
                if self.bad is not None:
                    m.advance(self.number, 1)

    def _copy(self) -> None:
        m = self.m
        m.copy(self.far, self.wide)
        stride = self.strides[0]
        if isinstance(stride, int):
            m.advance(self.far, self.place, stride)
        else:
            m.advance_product(self.far, self.place, stride)
        source, target = (self.far, self.narrow) if self.gathers else (self.narrow, self.far)
        self._walk(source, target)

    def _clear(self) -> None:
        self.m.zero(self.registers[0], self.lanes[max(self.lanes)])
        self._walk(None, self.narrow)

    def _walk(self, source: General | None, target: General) -> None:
        """A row from one place to another, or zeros; leaves the pointers as they were."""
        m, together = self.m, self.plan.together
        loops, rest = divmod(self.spec.n, together)
        pointers = [each for each in (source, target) if each is not None]
        moved = loops > 1 or (loops and rest)
        with m.loop(self.columns, loops):
            self._vectors(source, target, together)
            if moved:
                for each in pointers:
                    m.advance(each, together * self.size)
        if rest:
            self._vectors(source, target, rest)
        if moved:
            for each in pointers:
                m.advance(each, -loops * together * self.size)

    def _vectors(self, source: General | None, target: General, count: int) -> None:
        m, vector = self.m, self.plan.vector
        parts: list[tuple[int, Vector, Lanes]] = []
        for place, start in enumerate(range(0, count, vector)):
            lanes = self.lanes[min(vector, count - start)]
            register = self.registers[0 if source is None else place]
            parts.append((start * self.size, register, lanes))
            if source is not None:
                m.load(register, m.at(source, start * self.size), lanes)
        for disp, register, lanes in parts:
            m.store(m.at(target, disp), register, lanes)


class _Elements(_Walk):
    """Elements one by one, the larger matrix at an index or in steps."""

    def emit(self) -> None:
        """Rows, and in them bodies of a few elements."""
        m, plan, spec = self.m, self.plan, self.spec
        columns = m.general("columns")
        loops, rest = divmod(spec.n, plan.together)
        with m.loop(self.rows, spec.m):
            with m.loop(columns, loops):
                self._body(plan.together)
                self._move(plan.together)
            if rest:
                self._body(rest)
                self._move(rest)
            self._next_row()

    def _body(self, count: int) -> None:
        m, size = self.m, self.size
        for j in range(count):
            if self.index is None:
                self._element(None, j * self.spec.step * size, j * size)
                continue
            m.load_index(self.place, self.index, j * self.index_size, self.index_size)

            def move(j: int = j) -> None:
                self._element(self.place, 0, j * size)

            def clear(j: int = j) -> None:
                m.zero_element()
                m.store_element(self.narrow, None, j * size, size)

            self.checked(j, move, clear)

    def _element(self, index: General | None, wide: int, narrow: int) -> None:
        m, size = self.m, self.size
        if self.gathers:
            m.load_element(self.wide, index, wide, size)
            m.store_element(self.narrow, None, narrow, size)
        else:
            m.load_element(self.narrow, None, narrow, size)
            m.store_element(self.wide, index, wide, size)

    def _move(self, count: int) -> None:
        m = self.m
        m.advance(self.narrow, count * self.size)
        if self.index is None:
            m.advance(self.wide, count * self.spec.step * self.size)
        else:
            m.advance(self.index, count * self.index_size)
        if self.bad is not None:
            m.advance(self.number, count)

    def _next_row(self) -> None:
        """To the next row from behind the end of this one."""
        m, spec = self.m, self.spec
        if spec.m == 1:
            return
        self._next(self.narrow, self.strides[1], spec.n * self.size)
        if self.index is None:
            self._next(self.wide, self.strides[0], spec.n * spec.step * self.size)
        elif spec.by == "columns":
            self._next(self.wide, self.strides[0], 0)
            m.advance(self.index, -spec.n * self.index_size)
            if self.bad is not None:
                m.advance(self.number, -spec.n)


def _register(m: Machine, value: General | Slot, role: str) -> General:
    """The value in a register."""
    if not isinstance(value, Slot):
        return value
    register = m.general(role)
    m.copy(register, value)
    return register
