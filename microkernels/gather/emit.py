"""Emits the code of gathers and scatters from their plan.

Rows are contiguous: each is copied in vectors, and only its address is computed. Other elements move one by one through
a general register on every machine: load an index, load the element, store it. This touches no bytes besides them. If a
kernel checks its indices, it writes zeros (gather) or nothing (scatter) for indices out of bounds, and it reports the
first of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..codegen.lowered import LoweredBody
from ..codegen.selection import arithmetic_of
from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import claimed
from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME, Operand
from .plan import GatherPlan


def emit(m: Machine, plan: GatherPlan) -> None:
    """Append the kernel to the machine's assembler."""
    arithmetic = arithmetic_of(m.facts)
    m.enter(plan.row_vectors + (len(plan.spec.factors) + arithmetic.spare + 1 if plan.code else 0))
    walk = (_Converted if plan.code else _WholeRows if plan.vector else _Elements)(m, plan)
    with walk.unless_empty():
        walk.emit()
    walk.finish()
    m.leave()


class _GatherLoop(ABC):
    """The registers of the operands, and the check of indices.

    wide, narrow    pointers to the matrix that the index points into, and to the other one
    position        the index of the current element or row
    index_number    the number of indices before those of the current loop body
    first_bad       the number of the first index that is out of bounds
    """

    def __init__(self, m: Machine, plan: GatherPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.size, self.target_size = ELEMENT_BYTES[plan.spec.dtype], ELEMENT_BYTES[plan.spec.out]
        self.gathers = plan.spec.verb == "gather"
        values = dict(m.named_arguments(plan.spec.interface.parameters()))
        self.extents = {name: m.in_slot(values.pop(name)) for name in plan.spec.at_call}
        arguments = {name: m.in_register(value, name) for name, value in values.items()}
        self.wide, self.narrow = arguments[plan.spec.wide.name], arguments[plan.spec.narrow.name]
        self.strides = [self._stride(operand, arguments) for operand in (plan.spec.wide, plan.spec.narrow)]
        self.factors = {factor.name: arguments[factor.name] for factor in plan.spec.factors}
        self.rows = m.general("rows") if plan.spec.prefetch else m.counter("rows")
        self.position = m.general("place")
        self.index: General | None = arguments.get("index")
        self.index_size = ELEMENT_BYTES[plan.spec.index]
        self.bad: General | Slot | None = arguments.get("bad")
        if self.bad is not None:
            if plan.spec.converts or plan.spec.prefetch:  # few registers are left
                self.bad = m.to_slot(claimed(arguments["bad"]))
            roles = ("limit", "first bad", "number")
            self.limit, self.first_bad, self.index_number = (m.general(role) for role in roles)
            m.copy(self.limit, self.extents.get("size", plan.spec.size))
            m.copy(self.first_bad, -1)
            m.copy(self.index_number, 0)

    @property
    def count(self) -> Amount:
        """The number of rows."""
        return self.extents.get("m", self.spec.m)

    @contextmanager
    def unless_empty(self) -> Iterator[None]:
        """Run the body unless the call has no rows."""
        if isinstance(self.count, int):
            yield
            return
        with self.m.unless_zero(self.count):
            yield

    @abstractmethod
    def emit(self) -> None:
        """Emit the loops."""

    def _stride(self, operand: Operand, arguments: dict[str, General]) -> int | General:
        """Return the bytes between neighbouring rows."""
        leading = operand.view.leading
        if leading is not RUNTIME:
            return leading * ELEMENT_BYTES[operand.dtype]
        stride = arguments[f"ld{operand.name}"]
        self.m.shift_left(stride, ELEMENT_BYTES[operand.dtype].bit_length() - 1)
        return stride

    def _next_row_of(self, pointer: General, stride: int | General, walked: int) -> None:
        """Move a pointer from `walked` bytes after the start of a row to the next row."""
        if isinstance(stride, int):
            self.m.advance(pointer, stride - walked)
        else:
            self.m.advance(pointer, stride)
            self.m.advance(pointer, -walked)

    def finish(self) -> None:
        """Store the number of the first index that is out of bounds."""
        if isinstance(self.bad, Slot):
            self.m.copy(self.position, self.bad)
            self.m.store_general(self.position, self.first_bad)
        elif self.bad is not None:
            self.m.store_general(self.bad, self.first_bad)

    def checked(self, number: int, move: Callable[[], None], clear: Callable[[], None]) -> None:
        """Run `move` if `position` is within bounds, else note the index's number and, for a gather, run `clear`."""
        m = self.m
        if self.bad is None:
            move()
            return
        with m.beyond(self.position, self.limit):
            if self.gathers:
                clear()
            m.copy(self.position, self.index_number)
            m.advance(self.position, number)
            m.lower(self.first_bad, self.position)
            m.copy(self.position, -1)  # still out of bounds, so that the next block is skipped
        with m.within(self.position, self.limit):
            move()


class _WholeRows(_GatherLoop):
    """Copies the rows that the index names in vectors."""

    def emit(self) -> None:
        """Emit the loop over rows."""
        m, plan, spec = self.m, self.plan, self.spec
        self.columns = m.general("columns")
        # the row's address takes the loop counter's register if no loop needs it
        self.wide_row = self.columns if plan.together >= spec.n else m.general("row")
        with m.predicates(), self._registers(), m.loop(self.rows, self.count):
            self._prefetch()
            m.load_index(self.position, claimed(self.index), 0, self.index_size)
            self.checked(0, self._copy, self._clear)
            m.advance(claimed(self.index), self.index_size)
            self._next_row_of(self.narrow, self.strides[1], 0)
            if self.bad is not None:
                m.advance(self.index_number, 1)

    @contextmanager
    def _registers(self) -> Iterator[None]:
        """Claim the vectors of a row, and the lanes for every number of elements that a vector has."""
        m, plan, spec = self.m, self.plan, self.spec
        counts = {plan.vector, plan.together % plan.vector, spec.n % plan.vector} - {0}
        with m.vectors(plan.row_vectors, "a row") as self.registers:
            self.lanes = {count: m.lanes(spec.dtype, count) for count in counts if count <= spec.n}
            yield

    def _point_at_row(self) -> None:
        m, stride = self.m, self.strides[0]
        m.copy(self.wide_row, self.wide)
        if isinstance(stride, int):
            m.advance(self.wide_row, self.position, stride)
        else:
            m.advance_product(self.wide_row, self.position, stride)

    def _prefetch(self) -> None:
        """Prefetch the cache lines of a later row, unless that row lies beyond the end of the index."""
        m, spec = self.m, self.spec
        if not spec.prefetch or (isinstance(self.count, int) and spec.prefetch >= self.count):
            return
        m.copy(self.columns, spec.prefetch)
        with m.within(self.columns, self.rows):
            m.load_index(self.position, claimed(self.index), spec.prefetch * self.index_size, self.index_size)
            self._point_at_row()
            for disp in range(0, spec.n * self.size, m.facts.tuning.gather.line_bytes):
                m.prefetch(self.wide_row, disp)

    def _copy(self) -> None:
        self._point_at_row()
        source, target = (self.wide_row, self.narrow) if self.gathers else (self.narrow, self.wide_row)
        self._walk(source, target)

    def _clear(self) -> None:
        self.m.zero(self.registers[0], self.lanes[max(self.lanes)])
        self._walk(None, self.narrow)

    def _walk(self, source: General | None, target: General) -> None:
        """Copy a row, or zeros if there is no source; leaves the pointers as they were."""
        m, together = self.m, self.plan.together
        loops, rest = divmod(self.spec.n, together)
        pointers = self._moving(source, target)
        moved = loops > 1 or (loops and rest)
        with m.loop(self.columns, loops):
            self._vectors(source, target, together)
            if moved:
                for pointer, size in pointers:
                    m.advance(pointer, together * size)
        if rest:
            self._vectors(source, target, rest)
        if moved:
            for pointer, size in pointers:
                m.advance(pointer, -loops * together * size)

    def _moving(self, source: General | None, target: General) -> list[tuple[General, int]]:
        """Return the pointers that move along a row, and the size of their elements in bytes."""
        return [*([] if source is None else [(source, self.size)]), (target, self.target_size)]

    def _vectors(self, source: General | None, target: General, count: int) -> None:
        """Copy `count` elements: all loads, then all stores."""
        m, vector = self.m, self.plan.vector
        stores: list[tuple[int, Vector, Lanes]] = []
        for number, start in enumerate(range(0, count, vector)):
            lanes = self.lanes[min(vector, count - start)]
            register = self.registers[0 if source is None else number]
            stores.append((start * self.size, register, lanes))
            if source is not None:
                m.load(register, m.at(source, start * self.size), lanes)
        for disp, register, lanes in stores:
            m.store(m.at(target, disp), register, lanes)


class _Converted(_WholeRows):
    """Converts, scales and shifts rows. A factor for all elements stays in a register, one per row is loaded per
    row."""

    spread: list[Vector]
    spare: list[Vector]
    zero: list[Vector]
    body: LoweredBody

    @contextmanager
    def _registers(self) -> Iterator[None]:
        m, plan, spec = self.m, self.plan, self.spec
        assert plan.code is not None
        self.arithmetic = arithmetic_of(m.facts)
        counts = {plan.vector, plan.together % plan.vector, spec.n % plan.vector} - {0}
        self.lanes = {count: m.lanes(spec.compute, count) for count in counts if count <= spec.n}
        for dtype in (spec.dtype, spec.out):
            size = ELEMENT_BYTES[dtype]
            if size != ELEMENT_BYTES[spec.compute] and (self.arithmetic.packed or size > ELEMENT_BYTES[spec.compute]):
                for count in self.lanes:
                    m.lanes(dtype, count)
        names = [name for name in self.factors if getattr(spec, name) != "row"]
        widest = self.lanes[max(self.lanes)]
        with (
            m.vectors(len(names), "factors") as self.spread,
            m.vectors(self.arithmetic.spare, "conversions") as self.spare,
            m.vectors(1 if spec.bad else 0, "zeros") as self.zero,
            plan.code.constants(m, widest) as self.body,
        ):
            self.names = dict(zip(names, self.spread))
            for name in names:
                if getattr(spec, name) == "scalar":
                    m.broadcast(self.names[name], m.at(self.factors[name]), widest)
            yield

    def _copy(self) -> None:
        m, size = self.m, ELEMENT_BYTES[self.spec.compute]
        for name, register in self.names.items():
            if getattr(self.spec, name) == "col":
                m.copy(self.wide_row, self.factors[name])
                m.advance(self.wide_row, self.position, size)
                m.broadcast(register, m.at(self.wide_row), self.lanes[max(self.lanes)])
        super()._copy()

    def _clear(self) -> None:
        self._walk(None, self.narrow)

    def _moving(self, source: General | None, target: General) -> list[tuple[General, int]]:
        size = ELEMENT_BYTES[self.spec.compute]
        columns = [(self.factors[name], size) for name in self.factors if name not in self.names]
        return [*super()._moving(source, target), *columns]

    def _vectors(self, source: General | None, target: General, count: int) -> None:
        """Compute and store `count` elements, or zeros if there is no source."""
        m, vector = self.m, self.plan.vector
        starts = range(0, count, vector)
        lanes = [self.lanes[min(vector, count - start)] for start in starts]
        size = ELEMENT_BYTES[self.spec.compute]

        def load(name: str, copy: int, register: Vector, copy_lanes: Lanes) -> None:
            if name == "x":
                assert source is not None
                self._load(register, m.at(source, starts[copy] * self.size), copy_lanes)
            else:
                m.load(register, m.at(self.factors[name], starts[copy] * size), copy_lanes)

        def store(result: int, copy: int, register: Vector, copy_lanes: Lanes) -> None:
            self._store(m.at(target, starts[copy] * self.target_size), register, copy_lanes)

        if source is not None:
            self.body.run(load, store, lanes, loop_invariant=self.spread)
            return
        for number, zeros in enumerate(lanes):
            m.zero(self.zero[0], zeros)
            store(0, number, self.zero[0], zeros)

    def _load(self, register: Vector, address: Address, lanes: Lanes) -> None:
        self.arithmetic.load(self.m, self.spec.dtype, register, address, lanes)

    def _store(self, address: Address, register: Vector, lanes: Lanes) -> None:
        self.arithmetic.store(self.m, self.spec.out, address, register, lanes, self.spare)


class _Elements(_GatherLoop):
    """Moves elements one by one. Those of the wide matrix lie at an index or at multiples of a step."""

    def emit(self) -> None:
        """Emit the loop over rows, and within it the loop over bodies of a few elements."""
        m, plan, spec = self.m, self.plan, self.spec
        columns = m.general("columns")
        loops, rest = divmod(spec.n, plan.together)
        with m.loop(self.rows, self.count):
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
            m.load_index(self.position, self.index, j * self.index_size, self.index_size)

            def move(j: int = j) -> None:
                self._element(self.position, 0, j * size)

            def clear(j: int = j) -> None:
                m.zero_element()
                m.store_element(self.narrow, None, j * size, size)

            self.checked(j, move, clear)

    def _element(self, index: General | None, wide_disp: int, narrow_disp: int) -> None:
        m, size = self.m, self.size
        if self.gathers:
            m.load_element(self.wide, index, wide_disp, size)
            m.store_element(self.narrow, None, narrow_disp, size)
        else:
            m.load_element(self.narrow, None, narrow_disp, size)
            m.store_element(self.wide, index, wide_disp, size)

    def _move(self, count: int) -> None:
        m = self.m
        m.advance(self.narrow, count * self.size)
        if self.index is None:
            m.advance(self.wide, count * self.spec.step * self.size)
        else:
            m.advance(self.index, count * self.index_size)
        if self.bad is not None:
            m.advance(self.index_number, count)

    def _next_row(self) -> None:
        """Move from the end of a row to the next row."""
        m, spec = self.m, self.spec
        if self.count == 1:
            return
        self._next_row_of(self.narrow, self.strides[1], spec.n * self.size)
        if self.index is None:
            self._next_row_of(self.wide, self.strides[0], spec.n * spec.step * self.size)
        elif spec.by == "columns":
            self._next_row_of(self.wide, self.strides[0], 0)
            m.advance(self.index, -spec.n * self.index_size)
            if self.bad is not None:
                m.advance(self.index_number, -spec.n)
