"""The expression of an epilogue on registers of finished sums, and the addresses of its further operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby
from typing import Any

from ...encoder.records import NamedTuple
from ..codegen.lowered import Lowered, LoweredBody
from ..codegen.selection import BitStore, Iota
from ..contract.machine import Address, General, Lanes, Slot, Vector
from ..contract.vector_verbs import Amount, breadth, claimed, known
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import BYTE
from ..expr.coordinates import COLUMN, ROW, number_word
from ..gemm.blocking import Panel
from ..gemm.epilogue_hook import Sum
from ..gemm.state import KernelState
from ..operands import Operand
from .long_statistics import LongStatistics
from .plan import EpiloguePlan
from .results import BITS, before
from .spec import OLD, EpilogueSpec
from .stored import contiguous_rows, takes_splat, within_bytes


class Strides(NamedTuple):
    """The strides of an operand along the product's rows and columns, in bytes; 0 if the operand is broadcast.

    The rows of a bit mask are adjacent bits, eight in a byte. For the row or column number of an element, the strides
    are the increments of that number.
    """

    dtype: str
    row: int
    column: Amount


def line_of(contiguous: bool) -> Callable[[Sum], int]:
    """Return a function that gives the row of the walk over C to which a register of sums belongs."""
    return (lambda acc: acc.column) if contiguous else (lambda acc: acc.row)


class Expression:
    """Applies the expression to registers of sums, and to the elements of further operands at the same position."""

    body: LoweredBody
    long: LongStatistics | None = None  # lays by the statistics of many lines
    free: Sequence[Vector] = ()  # claimed vector registers that hold nothing between two lines

    def __init__(
        self, state: KernelState, spec: EpilogueSpec, code: Lowered, pointers: Mapping[str, General | Slot], slots: bool
    ) -> None:
        """slots: whether any pointer has no register of its own."""
        self.state, self.m, self.spec, self.code = state, state.m, spec, code
        self.arithmetic, self.compute = code.arithmetic, spec.elementwise.compute
        self.c = Strides(spec.dtype, state.product.c.place, state.operands.ldc)
        self.outputs = [OLD, *(result.name for result in spec.results)]
        self.strides = {each.name: self._strides_of(each) for each in (*spec.extras, *spec.results)} | {OLD: self.c}
        self.strides |= {name: self._steps_of(name) for name in (ROW, COLUMN) if name in pointers}
        self.same = {before(name): name for name in spec.statistics}  # one place for loads and stores
        self.pointers = pointers
        self.byte_ends: set[int] = set()  # rows of sums after which no sum has bits in the same byte
        self.idle = self._idle()
        self.pointer = self._register("epilogue") if slots else None
        self.gathered = self._gathering()
        self.held: str | None = None  # the operand that the shared pointer points to
        self.resident: dict[str, Vector] = {}
        self.spare: Sequence[Vector] = ()

    def _idle(self) -> list[General]:
        """Return the registers that are free while no product runs."""
        k, batch, operands = self.state.k, self.state.batch, self.state.operands
        pointers = (k.b, k.a, batch.b, batch.a)
        unique = {id(each): each for each in pointers if each is not operands.a and each is not operands.b}
        return list(unique.values())

    def _register(self, role: str) -> General:
        return self.idle.pop(0) if self.idle else self.m.general(role)

    def _gathering(self) -> dict[str, General]:
        """Claim a register for the bits of each mask, or one for all masks if no vector begins within a byte."""
        masks = [name for name in self.outputs if self.strides[name].dtype == BITS]
        if not masks:
            return {}
        if within_bytes(self.state.plan):
            return {name: self._register("bits") for name in masks}
        return dict.fromkeys(masks, self._register("bits"))

    def _strides_of(self, operand: Operand) -> Strides:
        """Return the strides of a further operand along the product's rows and columns."""
        leading = operand.view.leading
        assert isinstance(leading, int)
        if operand.name in self.spec.elementwise.bits:
            return Strides(BITS, 1, leading)
        size = ELEMENT_BYTES[operand.dtype]
        row, column = (leading, 1) if operand.view.order == "C" else (1, leading)
        row, column = row * size * (operand.rows > 1), column * size * (operand.columns > 1)
        swapped = self.state.product.a.argument != "a"
        return Strides(operand.dtype, *((column, row) if swapped else (row, column)))

    def _steps_of(self, name: str) -> Strides:
        """Return the steps of an element's row or column number in the walk, whose columns are contiguous."""
        along_rows = (name == COLUMN) == contiguous_rows(self.spec, self.state.plan)
        return Strides("i32", int(along_rows), int(not along_rows))

    def prepare(self, counts: Sequence[int]) -> None:
        """Prepare the lanes of every type, for each count of elements."""
        m, operands = self.m, [strides for name, strides in self.strides.items() if name[0] != "@"]
        operands = [strides for strides in operands if strides.dtype != BITS]
        for count in counts:
            m.lanes(self.compute, count)
            if self.arithmetic.packed:
                for operand in operands:
                    if ELEMENT_BYTES[operand.dtype] != ELEMENT_BYTES[self.compute]:
                        m.lanes(operand.dtype, count)
        for operand in operands:
            broadcasts = operand.row == 0 or operand.column == 0
            if broadcasts and takes_splat(operand.dtype, self.compute):
                m.lanes(operand.dtype, 1)
                m.lanes(self.compute, 1)

    def begin_panel(self, panel: Panel) -> None:
        """Set the sums that long statistics are laid by in to 0."""
        if self.long is not None:
            with self._arithmetic():
                self.long.begin(panel, self.free)

    def end_of_panel(self) -> None:
        """Complete the statistics of the panel's elements."""
        if self.long is not None:
            with self._arithmetic():
                self.long.end(self.free)

    def _arithmetic(self) -> AbstractContextManager[Any]:
        """A scope for ordinary arithmetic outside `apply`."""
        return nullcontext() if self.state.unit is None else self.state.unit.closed()

    def move(self, rows: int, columns: int) -> None:
        """Advance the pointers of further operands to the next block."""
        if self.long is not None and rows == 0:  # long statistics lie along the product's rows
            with self._arithmetic() if columns > 0 else nullcontext():
                self.long.after(columns, self.free)
        for name, pointer in self.pointers.items():
            if name in self.strides:  # a number does not move
                strides = self.strides[name]
                of_rows = rows // BYTE if strides.dtype == BITS else rows * strides.row
                self.m.advance(pointer, of_rows + columns * known(strides.column))

    def at_first_column(self) -> None:
        """Keep the pointers that advance along the columns, for `next_panel`. The walk is at the first column."""
        self.first = {
            name: self.m.counter(f"first {name}")
            for name in self.pointers
            if name in self.strides and self.strides[name].column != 0
        }
        for name, place in self.first.items():
            self.m.copy(place, self.pointers[name])

    def next_panel(self, rows: int) -> None:
        """Move to the first column, `rows` rows further down. The number of columns need not be known."""
        for name, place in self.first.items():
            self.m.copy(self.pointers[name], place)
        self.move(rows, 0)
        for name, place in self.first.items():
            self.m.copy(place, self.pointers[name])

    def lines(self, group: Sequence[Sum]) -> Iterator[None]:
        """Compute a few sums, line by line."""
        m = self.m

        def load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
            self._fetch(name, group[copy], register, lanes)

        def store(result: int, copy: int, register: Vector, lanes: Lanes) -> None:
            self._store(self.outputs[result], group[copy], register, lanes)

        def join(result: int, first: int, registers: Sequence[Vector]) -> bool:
            return self._join(group[first : first + len(registers)], registers)

        lanes = [m.lanes(self.compute, acc.lanes.count) for acc in group]
        given, resident = [acc.register for acc in group], list(self.resident.values())
        yield from self.body.lines(load, store, lanes, given=given, loop_invariant=resident, join=join)

    def _join(self, group: Sequence[Sum], registers: Sequence[Vector]) -> bool:
        """Store adjacent results as one vector. Returns whether that was possible."""
        joined, first, lanes = self.arithmetic.joined[self.c.dtype, self.compute], group[0], group[0].lanes
        beside = [(first.row + i * lanes.capacity, first.column) for i in range(joined.vectors)]
        if [(acc.row, acc.column) for acc in group] != beside or any(acc.lanes.count < lanes.capacity for acc in group):
            return False
        whole = self.m.lanes(self.compute, lanes.capacity)
        joined.store(self.m, self._at(OLD, first), registers, whole, self.spare)
        return True

    def _store(self, name: str, acc: Sum, register: Vector, lanes: Lanes) -> None:
        """Store a result of a register of sums."""
        dtype, address = self.strides[name].dtype, self._at(name, acc)
        if dtype == BITS:
            last = acc.row in self.byte_ends
            bits = BitStore(address, register, acc.row % BYTE, lanes, self.gathered[name], last, self.spare)
            self.arithmetic.store_bits(self.m, bits)
        else:
            self.arithmetic.store(self.m, dtype, address, register, lanes, self.spare)

    def bits_of(self, rows: Sequence[int]) -> None:
        """Set the first rows of a column's registers, in order."""
        ends = zip(rows, [*(row // BYTE for row in rows[1:]), -1])
        self.byte_ends = {row for row, following in ends if row // BYTE != following}

    def _fetch(self, name: str, acc: Sum, register: Vector, lanes: Lanes) -> None:
        """Load the elements of an operand that belong to a register of sums."""
        name = self.same.get(name, name)
        if name not in self.strides or name in (ROW, COLUMN):
            self._number(name, acc, register, lanes)
            return
        strides, address = self.strides[name], self._at(name, acc)
        step = strides.row if acc.along_rows else strides.column
        if lanes.count == 1 or step == ELEMENT_BYTES[strides.dtype]:
            self.arithmetic.load(self.m, strides.dtype, register, address, lanes)
        else:
            assert step == 0, "elements of a vector are contiguous, or one element is broadcast"
            self.arithmetic.broadcast(self.m, strides.dtype, register, address, lanes)

    def _number(self, name: str, acc: Sum, register: Vector, lanes: Lanes) -> None:
        """Load a value that is not in memory: a word of a number given at the call, or row or column numbers."""
        word = number_word(name)
        if word:
            numbers = Iota(self._base(word[0], self.pointers[word[0]]), first_bit=32 * word[1])
        else:
            row, column = self.strides[name].row, known(self.strides[name].column)
            addend, step = acc.row * row + acc.column * column, row if acc.along_rows else column
            numbers = Iota(self._base(name, self.pointers[name]), addend=addend, step=step)
        self.arithmetic.iota(self.m, register, numbers, lanes, self.spare)

    def _at(self, name: str, acc: Sum) -> Address:
        strides = self.strides[name]
        base = self.state.operands.c if name == OLD else self._base(name, self.pointers[name])
        of_rows = acc.row // BYTE if strides.dtype == BITS else acc.row * strides.row
        return self.m.at(base, of_rows + acc.column * known(strides.column))

    def _base(self, name: str, value: General | Slot) -> General:
        """Return the operand's own register, or the shared register, into which its pointer is loaded."""
        if not isinstance(value, Slot):
            return value
        if self.held != name:
            self.m.copy(claimed(self.pointer), value)
            self.held = name
        return claimed(self.pointer)


class OnSums(Expression):
    """Applies the expression to the sums of a block in their registers."""

    def __init__(
        self,
        state: KernelState,
        plan: EpiloguePlan,
        pointers: Mapping[str, General | Slot],
        waiting: General | Slot | None,
    ) -> None:
        assert plan.code is not None
        slots = waiting is not None or any(isinstance(pointer, Slot) for pointer in pointers.values())
        super().__init__(state, plan.spec, plan.code, pointers, slots)
        self.plan, self.waiting = plan, waiting

    def apply(self, sums: Sequence[Sum], idle: Sequence[Vector]) -> None:
        """Compute all sums of a block. Sums whose registers the expression needs wait in scratch memory."""
        m, code, needed = self.m, self.code, self.plan.needed
        m.note(f"epilogue of {len(sums)} sums")
        self.held = None  # the operand that the shared pointer points to
        sums = self._in_order(sums)
        waiting = max(0, needed - len(idle) - m.vectors_left())
        assert waiting <= self.plan.waiting, "the plan counts the registers that a block leaves"
        ready, late = sums[: len(sums) - waiting], sums[len(sums) - waiting :]
        with m.vectors(max(0, needed - len(idle) - waiting), "the epilogue") as more, m.masks(code.masks) as masks:
            for number, acc in enumerate(late):
                m.store(self._scratch(number), acc.register, self._whole(acc))
            registers = [*idle, *more, *(acc.register for acc in late)][:needed]
            widest = max((acc.lanes for acc in sums), key=breadth)
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

    def _in_order(self, sums: Sequence[Sum]) -> Sequence[Sum]:
        """Sort the sums by lines of C if statistics continue from line to line, or if bits share a byte."""
        if not (self.spec.statistics or self.gathered):
            return sums
        line = line_of(contiguous_rows(self.spec, self.state.plan))
        self.bits_of(sorted({acc.row for acc in sums}))
        return sorted(sums, key=lambda acc: (line(acc), acc.row, acc.column))

    # A few sums at a time

    def _all(self, sums: Sequence[Sum], together: int) -> None:
        """Compute the sums row by row if operands stay resident for a row, else in any order."""
        row_of: Callable[[Sum], int] = (lambda acc: acc.row) if self.resident else (lambda acc: 0)
        if self.spec.statistics:  # a value so far is stored before it is loaded for the next line
            row_of = line_of(contiguous_rows(self.spec, self.state.plan))
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
