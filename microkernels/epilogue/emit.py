"""Emits a BRGEMM with an epilogue as its plan says.

Either the epilogue runs on accumulators in registers, for each block of C when its sums are complete:

    for a few sums at a time: C = f(sum, x, ...)        x loaded at the block's position in C, the result stored once

or a walk follows the product, over C or over scratch memory that holds the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ..contract.machine import Address, General, Lanes, Machine, Slot, Vector
from ..contract.values import Amount, claimed, known
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import emit_walk
from ..gemm.emit import emit_product
from ..gemm.epilogue_hook import Sum
from ..gemm.plan import GemmPlan
from ..gemm.state import KernelState
from ..prepack.block_emit import emit_product as emit_packed
from .plan import EpiloguePlan
from .spec import OLD, parameters


def emit(m: Machine, plan: EpiloguePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    names = [name for _, name in parameters(plan.spec)]
    given = m.arguments(len(names))
    if plan.code is not None:
        _on_sums(m, plan, dict(zip(names, given)))
    else:
        _walk(m, plan, dict(zip(names, given)))
    m.leave()


# On accumulators in registers


def _on_sums(m: Machine, plan: EpiloguePlan, given: Mapping[str, General | Slot]) -> None:
    """Append the product, with the epilogue at the end of each block."""
    assert isinstance(plan.product, GemmPlan)
    extras = [extra.name for extra in plan.spec.extras]
    few = plan.product.product.fixed  # a product of fixed shape leaves registers for pointers
    pointers = {name: _moved(m, given[name], few) for name in extras}
    waiting: General | Slot | None = None
    if plan.waiting:
        register = m.scratch(plan.waiting * m.facts.widths[0] // 8)
        waiting = register if few else m.park(register)
    arguments = [value for name, value in given.items() if name not in extras]
    state = KernelState(m, plan.product, arguments)
    state.epilogue = OnSums(state, plan, pointers, waiting)
    emit_product(state)


class Strides(NamedTuple):
    """The strides of an operand along the product's rows and columns, in bytes; 0 if the operand is broadcast."""

    dtype: str
    row: int
    column: Amount


class OnSums:
    """Applies the expression to the sums of a block and to the elements of further operands at the same position."""

    def __init__(self, state: KernelState, plan: EpiloguePlan, pointers: Mapping[str, General | Slot],
                 waiting: General | Slot | None) -> None:  # fmt: skip
        assert plan.code is not None
        self.state, self.m, self.plan, self.code, self.waiting = state, state.m, plan, plan.code, waiting
        self.arithmetic, self.compute = plan.code.arithmetic, plan.spec.walk.compute
        size = state.product.c.place
        self.c = Strides(plan.spec.dtype, size, state.operands.ldc)
        self.strides = {extra.name: self._strides_of(extra.name) for extra in plan.spec.extras} | {OLD: self.c}
        self.pointers = pointers
        slots = waiting is not None or any(isinstance(pointer, Slot) for pointer in self.pointers.values())
        idle = (
            state.k.b if state.k.b is not state.operands.b else None
        )  # this register is free when no product is under way
        self.pointer = idle or (self.m.general("epilogue") if slots else None)

    def _strides_of(self, name: str) -> Strides:
        """Return the strides of a further operand along the product's rows and columns."""
        operand = next(extra for extra in self.plan.spec.extras if extra.name == name)
        size, leading = ELEMENT_BYTES[operand.dtype], operand.view.leading
        assert isinstance(leading, int)
        row, column = (leading, 1) if operand.view.order == "C" else (1, leading)
        row, column = row * size * (operand.rows > 1), column * size * (operand.columns > 1)
        swapped = self.state.product.a.argument != "a"
        return Strides(operand.dtype, *((column, row) if swapped else (row, column)))

    # Calls from the product's panels

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

    def apply(self, sums: Sequence[Sum], idle: Sequence[Vector]) -> None:
        """Compute all sums of a block; sums whose registers the expression needs wait in scratch memory."""
        m, code, needed = self.m, self.code, self.plan.needed
        m.note(f"epilogue of {len(sums)} sums")
        self.held: str | None = None  # the operand that the shared pointer points to
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
        m = self.m

        def load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
            self._fetch(name, group[copy], register, lanes)

        def store(result: int, copy: int, register: Vector, lanes: Lanes) -> None:
            address = self._at(OLD, self.c, group[copy])
            if self.c.dtype == self.compute:
                m.store(address, register, lanes)
            else:
                self.arithmetic.stores[self.c.dtype, self.compute](m, address, register, lanes, self.spare)

        lanes = [m.lanes(self.compute, acc.lanes.count) for acc in group]
        given, resident = [acc.register for acc in group], list(self.resident.values())
        self.body.run(load, store, lanes, given=given, loop_invariant=resident)

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


def _moved(m: Machine, pointer: General | Slot, few: bool) -> General | Slot:
    """Return a pointer that may be advanced, because an argument on the stack belongs to the caller."""
    return pointer if few and not isinstance(pointer, Slot) else _parked(m, pointer)


# In a walk


def _walk(m: Machine, plan: EpiloguePlan, given: Mapping[str, General | Slot]) -> None:
    """Append the product, then the walk over C or over its sums in scratch memory."""
    spec = plan.spec
    assert plan.walk is not None
    resident = {extra.name: _parked(m, given[extra.name]) for extra in spec.extras}
    arguments = {name: value for name, value in given.items() if name not in resident}
    copy = m.general("C")
    m.copy(copy, arguments["c"])
    resident["y"] = resident[OLD] = resident["c"] = m.park(copy)
    if spec.scratch:
        base = m.scratch(spec.scratch)
        m.copy(arguments["c"], base)  # the pointer to C itself is parked, because registers are short
        resident["c"] = m.park(base)
    emit_packed(m, plan.product, list(arguments.values()), resident.values())
    m.reclaim(list(resident.values()))
    m.note("epilogue")
    pointers: dict[str, General] = {}
    for operand in plan.walk.spec.operands:
        pointers[operand.name] = m.general(operand.name)
        m.copy(pointers[operand.name], resident[operand.name])
    emit_walk(m, plan.walk, pointers, {})


def _parked(m: Machine, value: General | Slot) -> General | Slot:
    """Park a value in a slot, so that it takes no general register."""
    if not isinstance(value, Slot):
        return m.park(value)
    register = m.general("pointer")
    m.copy(register, value)
    return m.park(register)
