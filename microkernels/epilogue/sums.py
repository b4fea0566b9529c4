"""The expression of an epilogue on registers of finished sums, and where its further operands lie for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from ...encoder.records import NamedTuple
from ..codegen.lowered import Body, Lowered
from ..contract.machine import Address, General, Lanes, Slot, Vector
from ..contract.values import Amount, claimed, known
from ..dtypes import ELEMENT_BYTES
from ..gemm.epilogue_hook import Sum
from ..gemm.state import KernelState
from .plan import EpiloguePlan
from .spec import OLD, EpilogueSpec


class Strides(NamedTuple):
    """The strides of an operand along the product's rows and columns, in bytes; 0 if the operand is broadcast."""

    dtype: str
    row: int
    column: Amount


class Expression:
    """The expression on registers of sums, and the elements of further operands at the same position."""

    body: Body

    def __init__(self, state: KernelState, spec: EpilogueSpec, code: Lowered, pointers: Mapping[str, General | Slot],
                 slots: bool) -> None:  # fmt: skip
        """slots: whether any pointer has no register of its own."""
        self.state, self.m, self.spec, self.code = state, state.m, spec, code
        self.arithmetic, self.compute = code.arithmetic, spec.walk.compute
        size = state.product.c.place
        self.c = Strides(spec.dtype, size, state.operands.ldc)
        self.strides = {extra.name: self._strides_of(extra.name) for extra in spec.extras} | {OLD: self.c}
        self.pointers = pointers
        self.pointer = self._shared() if slots else None
        self.held: str | None = None  # the operand that the shared pointer points to
        self.resident: dict[str, Vector] = {}
        self.spare: Sequence[Vector] = ()

    def _shared(self) -> General:
        """A register that is free when no product is under way."""
        idle = self.state.k.b if self.state.k.b is not self.state.operands.b else None
        return idle or self.m.general("epilogue")

    def _strides_of(self, name: str) -> Strides:
        """Return the strides of a further operand along the product's rows and columns."""
        operand = next(extra for extra in self.spec.extras if extra.name == name)
        size, leading = ELEMENT_BYTES[operand.dtype], operand.view.leading
        assert isinstance(leading, int)
        row, column = (leading, 1) if operand.view.order == "C" else (1, leading)
        row, column = row * size * (operand.rows > 1), column * size * (operand.columns > 1)
        swapped = self.state.product.a.argument != "a"
        return Strides(operand.dtype, *((column, row) if swapped else (row, column)))

    def prepare(self, counts: Sequence[int]) -> None:
        """Prepare the lanes of every type, for each count of elements."""
        m, operands = self.m, [*self.strides.values(), self.c]
        for count in counts:
            m.lanes(self.compute, count)
            if self.arithmetic.packed:
                for operand in operands:
                    if ELEMENT_BYTES[operand.dtype] != ELEMENT_BYTES[self.compute]:
                        m.lanes(operand.dtype, count)
        for operand in operands:
            if self._is_splat(operand.dtype):
                m.lanes(operand.dtype, 1)
                m.lanes(self.compute, 1)

    def move(self, rows: int, columns: int) -> None:
        """Advance the pointers of further operands to the next block."""
        for name, pointer in self.pointers.items():
            strides = self.strides[name]
            self.m.advance(pointer, rows * strides.row + columns * known(strides.column))

    def lines(self, group: Sequence[Sum]) -> Iterator[None]:
        """Compute a few sums, line by line."""
        m = self.m

        def load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
            self._fetch(name, group[copy], register, lanes)

        def store(result: int, copy: int, register: Vector, lanes: Lanes) -> None:
            address = self._at(OLD, self.c, group[copy])
            if self.c.dtype == self.compute:
                m.store(address, register, lanes)
            else:
                self.arithmetic.stores[self.c.dtype, self.compute](m, address, register, lanes, self.spare)

        def join(result: int, first: int, registers: Sequence[Vector]) -> bool:
            return self._join(group[first : first + len(registers)], registers)

        lanes = [m.lanes(self.compute, acc.lanes.count) for acc in group]
        given, resident = [acc.register for acc in group], list(self.resident.values())
        yield from self.body.lines(load, store, lanes, given=given, loop_invariant=resident, join=join)

    def _join(self, group: Sequence[Sum], registers: Sequence[Vector]) -> bool:
        """Store results that lie side by side as one vector."""
        joined, first, lanes = self.arithmetic.joined[self.c.dtype, self.compute], group[0], group[0].lanes
        beside = [(first.row + i * lanes.capacity, first.column) for i in range(joined.vectors)]
        if [(acc.row, acc.column) for acc in group] != beside or any(acc.lanes.count < lanes.capacity for acc in group):
            return False
        whole = self.m.lanes(self.compute, lanes.capacity)
        joined.store(self.m, self._at(OLD, self.c, first), registers, whole, self.spare)
        return True

    def _fetch(self, name: str, acc: Sum, register: Vector, lanes: Lanes) -> None:
        """Load the elements of an operand that belong to a register of sums."""
        strides = self.strides[name]
        address = self._at(name, strides, acc)
        step = strides.row if acc.along_rows else strides.column
        if lanes.count == 1 or step == ELEMENT_BYTES[strides.dtype]:
            self._load(strides.dtype, register, address, lanes)
        else:
            assert step == 0, "elements of a vector are contiguous, or one element is broadcast"
            self._broadcast(strides.dtype, register, address, lanes)

    def _at(self, name: str, strides: Strides, acc: Sum) -> Address:
        base = self.state.operands.c if name == OLD else self._base(name, self.pointers[name])
        return self.m.at(base, acc.row * strides.row + acc.column * known(strides.column))

    def _base(self, name: str, value: General | Slot) -> General:
        """Return the operand's own register, or the shared register, into which its pointer is loaded."""
        if not isinstance(value, Slot):
            return value
        if self.held != name:
            self.m.copy(claimed(self.pointer), value)
            self.held = name
        return claimed(self.pointer)

    def _load(self, dtype: str, register: Vector, address: Address, lanes: Lanes) -> None:
        if dtype == self.compute:
            self.m.load(register, address, lanes)
        else:
            self.arithmetic.loads[dtype, self.compute](self.m, register, address, lanes)

    def _is_splat(self, dtype: str) -> bool:
        """Return whether a broadcast takes a load and a splat, because no load broadcasts this type."""
        return dtype != self.compute or dtype not in ("f32", "f64")

    def _broadcast(self, dtype: str, register: Vector, address: Address, lanes: Lanes) -> None:
        if not self._is_splat(dtype):
            self.m.broadcast(register, address, lanes)
            return
        self._load(dtype, register, address, self.m.lanes(self.compute, 1))
        self.arithmetic.splat(self.m, register, 8 * ELEMENT_BYTES[self.compute], lanes)


class OnSums(Expression):
    """Applies the expression to the sums of a block where they are."""

    def __init__(self, state: KernelState, plan: EpiloguePlan, pointers: Mapping[str, General | Slot],
                 waiting: General | Slot | None) -> None:  # fmt: skip
        assert plan.code is not None
        slots = waiting is not None or any(isinstance(pointer, Slot) for pointer in pointers.values())
        super().__init__(state, plan.spec, plan.code, pointers, slots)
        self.plan, self.waiting = plan, waiting

    def apply(self, sums: Sequence[Sum], idle: Sequence[Vector]) -> None:
        """Compute all sums of a block; sums whose registers the expression needs wait in scratch memory."""
        m, code, needed = self.m, self.code, self.plan.needed
        m.note(f"epilogue of {len(sums)} sums")
        self.held = None  # the operand that the shared pointer points to
        waiting = max(0, needed - len(idle) - m.vectors_left())
        assert waiting <= self.plan.waiting, "the plan counts the registers that a block leaves"
        ready, late = sums[: len(sums) - waiting], sums[len(sums) - waiting :]
        with m.vectors(max(0, needed - len(idle) - waiting), "the epilogue") as more, m.masks(code.masks) as masks:
            for number, acc in enumerate(late):
                m.store(self._scratch(number), acc.register, self._whole(acc))
            registers = [*idle, *more, *(acc.register for acc in late)][:needed]
            widest = max((acc.lanes for acc in sums), key=lambda lanes: lanes.capacity)
            self.body = code.on(m, registers[: code.vectors], masks, m.lanes(self.compute, widest.count))
            self.resident = dict(zip(self.plan.resident, registers[code.vectors :]))
            self.spare = registers[code.vectors + len(self.resident) :]
            self.row: int | None = None  # the row of the resident operands
            self._all(ready, code.unroll)
            again = [acc.register for acc in ready]
            together = min(code.unroll, len(again))
            for first in range(0, len(late), together):
                group = [acc._replace(register=again[i]) for i, acc in enumerate(late[first : first + together])]
                for i, acc in enumerate(group):
                    m.load(acc.register, self._scratch(first + i), self._whole(acc))
                self._all(group, together)

    def _scratch(self, number: int) -> Address:
        return self.m.at(self._base(" waiting", claimed(self.waiting)), number * self.m.facts.widths[0] // 8)

    def _whole(self, acc: Sum) -> Lanes:
        return self.m.lanes(acc.lanes.dtype, acc.lanes.capacity)

    # A few sums at a time

    def _all(self, sums: Sequence[Sum], together: int) -> None:
        """Compute the sums row by row if operands stay resident for a row, else in any order."""
        row_of: Callable[[Sum], int] = (lambda acc: acc.row) if self.resident else (lambda acc: 0)
        for row, group in groupby(sums, row_of):
            of_row = list(group)
            if row != self.row:
                self.row = row
                for name, register in self.resident.items():
                    self._fetch(name, of_row[0], register, self.m.lanes(self.compute, of_row[0].lanes.count))
            for first in range(0, len(of_row), together):
                self._run(of_row[first : first + together])

    def _run(self, group: Sequence[Sum]) -> None:
        for _ in self.lines(group):
            pass
