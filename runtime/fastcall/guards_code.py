"""The code of guards on a scalar machine. Each guard falls through if it holds and jumps to `fail` if not.

Nothing is written and no reference is taken before all guards hold. The call's object and arguments stay in place for
the slow path, which gets the original call. The first three parameters of the kernel are in registers. The others lie
on the stack; those that the kernel takes on the stack are in their final places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from ...encoder.operands import Label
from ..scalar.machine import Register, Scalar, ScalarMemory
from ..system import cpython
from . import guards
from .guards import (
    CallEntry,
    ConstantValue,
    DynamicRows,
    ExactArray,
    Extent,
    Guard,
    IndexArray,
    Int,
    NoAlias,
    ScratchSlot,
    Threads,
    WordArgument,
)


class GuardEmitter:
    """A machine, the places of values, and a method for each kind of guard."""

    def __init__(self, entry: CallEntry, machine: Scalar) -> None:
        self.entry, self.m = entry, machine
        self.args: Register = machine.arguments[1]
        self.fail: Label = machine.asm.label("fail")
        self.noted = False  # whether differences of dimensions may have been recorded
        # code out of line: its label, and the function that emits it
        self.rare: list[tuple[Label, Callable[[], None]]] = []
        names, most = entry.parameters, len(machine.arguments)
        self.spilled: dict[str, Register] = dict(zip(names, machine.values)) | {" constants": machine.constants}
        made = entry.allocates
        # the dimensions of a new array
        shape = (" rows", " columns") if made and (made.rank or 0) > len(made.dimensions) else ()
        stacked = [*names[most:], *names[3:most], " thread", " result", *self.spilled, *shape]
        self.slots = {name: i for i, name in enumerate(stacked)}

    def slot(self, name: str) -> ScalarMemory:
        """Return where a value lies on the stack."""
        return self.m.slot(self.slots[name])

    def value(self, name: str) -> Register | ScalarMemory:
        """Return where a value is."""
        return self.spilled.get(name) or self.slot(name)

    def loaded(self, name: str, register: Register) -> Register:
        """Return a value's register, or `register` after loading the value from the stack."""
        place = self.value(name)
        if isinstance(place, ScalarMemory):
            self.m.move(register, place)
            return register
        return place

    @contextmanager
    def spilling(self) -> Iterator[None]:
        """Preserve the values in registers across a call."""
        for name, register in self.spilled.items():
            self.m.move(self.slot(name), register)
        yield
        for name, register in self.spilled.items():
            self.m.move(register, self.slot(name))

    def constant(self, index: int) -> ScalarMemory:
        """Return a constant of the called kernel."""
        return ScalarMemory(self.m.constants, 8 * index)

    def unless(self, a: Register | ScalarMemory, condition: str, b: Any) -> None:
        """Fail if a <condition> b."""
        self.m.branch(a, condition, b, self.fail)

    def check_all(self, missing: str | None) -> None:
        """Emit all guards of arguments, except those of an output that the call left out."""
        self.noted = False
        for guard in self.entry.guards:
            if isinstance(guard, (Threads, ScratchSlot)):
                self._decide()
            self._check(guard, missing)
        self._decide()

    def _decide(self) -> None:
        """Fail if a difference of dimensions was recorded. Guards that take something come after this."""
        if self.noted:
            self.m.branch_if_different(self.fail)
            self.noted = False

    def _check(self, guard: Guard, missing: str | None) -> None:
        checks: dict[type, Callable[..., None]] = {
            ExactArray: self._array,
            IndexArray: self._table,
            Int: self._int,
            WordArgument: self._word,
            ConstantValue: self._number,
            NoAlias: self._no_alias,
            DynamicRows: self._rows,
            Threads: self._threads,
            ScratchSlot: self._scratch,
        }
        if type(guard) not in checks or missing == (
            guard.output.value if isinstance(guard, NoAlias) else getattr(guard, "to", "")
        ):
            return
        self.m.asm.note(type(guard).__name__.lower())
        checks[type(guard)](guard)

    # Objects

    def _object(self, position: int, type_constant: int) -> None:
        """Load the argument into x. It must be of exactly this type."""
        m = self.m
        m.move(m.x, ScalarMemory(self.args, 8 * position))
        m.move(m.y, ScalarMemory(m.x, cpython.TYPE))
        self.unless(m.y, "!=", self.constant(type_constant))

    def _flags(self, wanted: int) -> None:
        m = self.m
        m.move(m.y, ScalarMemory(m.x, cpython.FLAGS, 4))
        m.bits_and(m.y, wanted)
        self.unless(m.y, "!=", wanted)

    def _array(self, guard: ExactArray) -> None:
        m = self.m
        self._object(guard.position, guards.ARRAY_TYPE)
        unusual, right = m.asm.label(), m.asm.label()
        m.move(m.y, ScalarMemory(m.x, cpython.DTYPE))
        m.branch(m.y, "!=", self.constant(guard.dtype), unusual)
        m.asm.bind(right)
        self.rare.append((unusual, partial(self._unusual_dtype, guard, right, self.fail)))
        self._flags(guard.flags)
        self._axes(guard)
        self._dimensions(guard)
        self._data(guard.to)
        if any(guard.strides) or guard.leading:
            self._strides(guard)

    def _data(self, to: str) -> None:
        """Set a value to the address of the array's data."""
        place = self.value(to)
        data = self.m.y if isinstance(place, ScalarMemory) else place
        self.m.move(data, ScalarMemory(self.m.x, cpython.DATA))
        if data is not place:
            self.m.move(place, data)

    def put_aside(self) -> None:
        """Emit the rare cases out of line."""
        for label, emit in self.rare:
            self.m.asm.bind(label)
            emit()

    def _unusual_dtype(self, guard: ExactArray, right: Label, fail: Label) -> None:
        """Compare dtypes that are different objects. Equal dtypes are usually one object, but unpickled arrays have
        their own."""
        self.m.branch(ScalarMemory(self.m.y, cpython.BYTE_ORDER, 1), "!=", guard.byte_order, fail)
        self.m.branch(ScalarMemory(self.m.y, cpython.TYPE_NUMBER, 4), "!=", guard.number, fail)
        self.m.jump(right)

    def _axes(self, guard: ExactArray) -> None:
        """Check the rank, and set z to the dimensions of the last axes."""
        m = self.m
        rank = ScalarMemory(m.x, cpython.RANK, 4)
        if guard.line is not None:
            line, found = m.asm.label(), m.asm.label()
            m.move(m.z, ScalarMemory(m.x, cpython.DIMENSIONS))
            m.branch(rank, "!=", guard.rank or len(guard.dimensions), line)
            if guard.dynamic:
                m.add(m.z, 8)
            m.asm.bind(found)
            self.rare.append((line, partial(self._line, guard, guard.line, found, self.fail)))
            return
        if guard.rank is not None:
            self.unless(rank, "!=", guard.rank)
            m.move(m.z, ScalarMemory(m.x, cpython.DIMENSIONS))
            if guard.rank > len(guard.dimensions):  # a stack, whose first axis has a guard of its own
                m.add(m.z, 8)
            return
        matrix = m.asm.label()
        m.move(m.z, ScalarMemory(m.x, cpython.DIMENSIONS))
        m.branch(rank, "==", len(guard.dimensions), matrix)
        self.unless(rank, "!=", len(guard.dimensions) + 1)
        self.unless(ScalarMemory(m.z), "==", 0)
        m.add(m.z, 8)
        m.asm.bind(matrix)

    def _line(self, guard: ExactArray, axis: int, found: Label, fail: Label) -> None:
        """Use the requested matrix dimensions for an array of one axis, if it has that many elements. Those of dynamic
        rows have a guard of their own."""
        m = self.m
        m.branch(ScalarMemory(m.x, cpython.RANK, 4), "!=", 1, fail)
        if not guard.dynamic:
            m.move(m.y, ScalarMemory(m.z))
            m.branch(m.y, "!=", self.constant(guard.dimensions[axis]), fail)
        m.address(m.z, m.constants, offset=8 * guard.dimensions[0])
        m.jump(found)

    def _dimensions(self, guard: ExactArray) -> None:
        """Compare dimensions two at a time, from the last. Differences of all arrays are recorded and tested once."""
        m, known = self.m, [each for each in enumerate(guard.dimensions) if each[0] != guard.free]
        paired = len(known) - len(known) % 2 if guard.free is None else 0
        for axis, index in known[: len(known) - paired]:
            m.move(m.y, ScalarMemory(m.z, 8 * axis))
            self.unless(m.y, "!=", self.constant(index))
        for axis, index in known[len(known) - paired :: 2]:
            m.differ(m.z, 8 * axis, index, first=not self.noted)
            self.noted = True

    def _strides(self, guard: ExactArray) -> None:
        """Check the strides of the last axes. z points at their dimensions; the strides have the same offset from the
        first. x is overwritten."""
        m = self.m
        m.subtract(m.z, ScalarMemory(m.x, cpython.DIMENSIONS))
        m.add(m.z, ScalarMemory(m.x, cpython.STRIDES))
        for axis, index in enumerate(guard.strides):
            if index is not None:
                m.move(m.y, ScalarMemory(m.z, 8 * axis))
                self.unless(m.y, "!=", self.constant(index))
        if guard.leading is None:
            return
        leading = guard.leading
        m.move(m.y, ScalarMemory(m.z, 8 * leading.axis))
        self.unless(m.y, "<", self.constant(leading.least))
        self.multiple(m.y, leading.unit)
        if leading.matrix is not None:
            m.move(m.x, m.y)
            m.multiply(m.x, self.constant(leading.matrix))
            self.unless(m.x, "!=", ScalarMemory(m.z))
        m.shift_right(m.y, leading.unit.bit_length() - 1)
        m.move(self.value(leading.to), m.y)

    def _rows(self, guard: DynamicRows) -> None:
        """Check an axis, after the guard of the array."""
        m = self.m
        m.move(m.x, ScalarMemory(self.args, 8 * guard.position))
        m.move(m.z, ScalarMemory(m.x, cpython.DIMENSIONS))
        m.move(m.y, ScalarMemory(m.z, 8 * guard.axis))
        if guard.leading is not None:
            m.move(self.value(guard.leading), m.y)
        if guard.more:
            m.add(m.y, -guard.more)
        if guard.group > 1:
            m.multiply(m.y, guard.group)
        if guard.known:
            self.unless(m.y, "!=", self.value(guard.rows))
        else:
            self.unless(m.y, "<=", 0)
            self.multiple(m.y, guard.multiple)
            m.move(self.value(guard.rows), m.y)
        if guard.step is not None:
            m.move(m.z, ScalarMemory(m.x, cpython.STRIDES))
            m.move(m.y, ScalarMemory(m.z, 8 * guard.axis))
            self.unless(m.y, "!=", self.constant(guard.step))

    def multiple(self, register: Register, size: int) -> None:
        if size > 1:
            self.m.branch_if_bits(register, size - 1, True, self.fail)

    def _table(self, guard: IndexArray) -> None:
        m, unusual, right = self.m, self.m.asm.label(), self.m.asm.label()
        self._object(guard.position, guards.ARRAY_TYPE)
        m.move(m.y, ScalarMemory(m.x, cpython.DTYPE))
        m.branch(m.y, "!=", self.constant(guard.dtype), unusual)
        m.asm.bind(right)
        self.rare.append((unusual, partial(self._unusual_table, guard, right, self.fail)))
        self._flags(cpython.ALIGNED | cpython.C_CONTIGUOUS)
        self.unless(ScalarMemory(m.x, cpython.RANK, 4), "!=", 1)
        m.move(m.z, ScalarMemory(m.x, cpython.DIMENSIONS))
        m.move(m.y, ScalarMemory(m.z))
        if guard.counts:
            self.unless(m.y, "<=", 0)
            m.move(self.value("count"), m.y)
        else:
            self.unless(m.y, "!=", self.value("count"))
        self._data(guard.to)

    def _unusual_table(self, guard: IndexArray, right: Label, fail: Label) -> None:
        number = ScalarMemory(self.m.y, cpython.TYPE_NUMBER, 4)
        self.m.branch(ScalarMemory(self.m.y, cpython.BYTE_ORDER, 1), "!=", cpython.NATIVE, fail)
        self.m.branch(number, "==", guard.numbers[0], right)
        self.m.branch(number, "!=", guard.numbers[1], fail)
        self.m.jump(right)

    def _int(self, guard: Int) -> None:
        m, other, known = self.m, self.m.asm.label(), self.m.asm.label()
        m.move(m.x, ScalarMemory(self.args, 8 * guard.position))
        m.move(m.y, ScalarMemory(m.x, cpython.TYPE))
        m.branch(m.y, "!=", self.constant(guards.INT_TYPE), other)
        self.rare.append((other, partial(self._int64, known, self.fail)))
        m.move(m.y, ScalarMemory(m.x, cpython.INT_TAG))
        m.move(m.z, ScalarMemory(m.x, cpython.INT_DIGIT, 4))
        if cpython.SIGNED_SIZES:
            m.address(m.x, m.y, offset=1)
            self.unless(m.x, "u>=", 3)
        else:
            self.unless(m.y, "u>=", 16)
            m.bits_and(m.y, 3)
            m.negate(m.y)
            m.add(m.y, 1)
        m.multiply(m.z, m.y)
        m.asm.bind(known)
        if guard.least is not None:
            self.unless(m.z, "<", guard.least)
        if guard.most is not None:
            self.unless(m.z, ">", self.constant(guard.most))
        self.multiple(m.z, guard.multiple)
        m.move(self.value(guard.to), m.z)

    def _word(self, guard: WordArgument) -> None:
        """Set a value to that of an int of no, one or two digits."""
        m, known = self.m, self.m.asm.label()
        zero, one, two = (0, 1, 2) if cpython.SIGNED_SIZES else (1, 8, 16)
        self._object(guard.position, guards.INT_TYPE)
        m.move(m.y, ScalarMemory(m.x, cpython.INT_TAG))
        m.move(m.z, 0)
        m.branch(m.y, "==", zero, known)
        m.move(m.z, ScalarMemory(m.x, cpython.INT_DIGIT, 4))
        m.branch(m.y, "==", one, known)
        self.unless(m.y, "!=", two)
        m.move(m.y, ScalarMemory(m.x, cpython.INT_DIGIT + 4, 4))
        m.multiply(m.y, cpython.INT_BASE)
        m.add(m.z, m.y)
        m.asm.bind(known)
        m.move(self.value(guard.to), m.z)

    def _int64(self, known: Label, fail: Label) -> None:
        """Set z to the value of a numpy.int64 from 1 - 2**30 to 2**30."""
        m = self.m
        m.branch(m.y, "!=", self.constant(guards.INT64_TYPE), fail)
        m.move(m.z, ScalarMemory(m.x, cpython.INT64_VALUE))
        m.move(m.y, m.z)
        m.add(m.y, cpython.INT_BASE - 1)
        m.shift_right(m.y, cpython.INT_BASE.bit_length())
        m.branch(m.y, "!=", 0, fail)
        m.jump(known)

    def _number(self, guard: ConstantValue) -> None:
        self.m.move(self.m.x, self.constant(guard.constant))
        self.m.move(self.value(guard.to), self.m.x)

    def _threads(self, guard: Threads) -> None:
        """Set a value to the number of threads. This guard comes after those of arguments, since it takes the cycles of
        the call."""
        m = self.m
        m.move(m.z, self.constant(guard.words))
        m.move(m.x, ScalarMemory(m.z))
        self.unless(m.x, "==", 0)
        m.move(m.y, ScalarMemory(m.z, 8))
        m.subtract(m.y, self.constant(guard.cycles))
        self.unless(m.y, "<", 0)
        m.move(ScalarMemory(m.z, 8), m.y)
        m.move(self.value(guard.to), m.x)

    def _scratch(self, guard: ScratchSlot) -> None:
        """Take scratch memory. This guard is the last one, since nobody returns it if another one fails."""
        m, found = self.m, self.m.asm.label()
        m.move(m.x, self.value(guard.workers))
        m.multiply(m.x, self.constant(guard.own))
        m.add(m.x, self.constant(guard.shared))
        m.move(m.z, self.constant(guard.slots))
        for _ in range(guard.number):
            following = m.asm.label()
            m.move(m.y, ScalarMemory(m.z))
            m.branch(m.y, "==", 0, following)
            m.branch(m.x, "<=", ScalarMemory(m.z, 8), found)
            m.asm.bind(following)
            m.add(m.z, 16)
        m.jump(self.fail)
        m.asm.bind(found)
        m.move(m.x, 0)
        m.move(ScalarMemory(m.z), m.x)
        m.move(self.value(guard.to), m.y)
        m.move(self.value(guard.slot), m.z)

    # Memory

    def extent(self, register: Register, extent: Extent) -> None:
        """Set `register` to the bytes of a matrix. x is overwritten."""
        m = self.m
        m.move(register, self.constant(extent.fixed))
        for name, factor in extent.terms:
            m.move(m.x, self.value(name))
            m.multiply_checked(m.x, self.constant(factor), self.fail)
            m.add_checked(register, m.x, self.fail)
            m.move(m.x, guards.FAR)
            self.unless(register, ">", m.x)

    def _no_alias(self, guard: NoAlias) -> None:
        """Fail if 0 < output - other + bytes of the output < bytes of both."""
        m, apart = self.m, self.m.asm.label()
        if guard.same:
            m.branch(self.loaded(guard.output.value, m.x), "==", self.value(guard.other.value), apart)
        self.extent(m.y, guard.other)
        self.extent(m.z, guard.output)
        m.address(m.x, self.loaded(guard.output.value, m.x), m.z, offset=-1)
        m.subtract(m.x, self.value(guard.other.value))
        m.address(m.y, m.y, m.z, offset=-1)
        self.unless(m.x, "u<", m.y)
        m.asm.bind(apart)
