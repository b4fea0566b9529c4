"""The code of guards on a scalar machine: each falls through if it holds and jumps to `fail` if not.

Nothing is written to and no reference is taken before all of them hold. The call's object and arguments stay where they
came, for the slow path, which gets the call as it was. The kernel's first three parameters have registers, others lie
on the stack, those that are passed there in their places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...encoder.operands import Label
from ..scalar.machine import Memory, Register, Scalar
from ..system import cpython
from . import guards
from .guards import Addresses, Apart, Array, Entry, Extent, Guard, Int, Number, Offsets, Steps, Table


class GuardEmitter:
    """A machine, the places of values, and a method for each kind of guard."""

    def __init__(self, entry: Entry, machine: Scalar) -> None:
        self.entry, self.m = entry, machine
        self.args: Register = machine.arguments[1]
        self.fail: Label = machine.asm.label("fail")
        self.noted = False  # whether a difference of dimensions may have been noted
        self.rare: list[tuple[Label, Callable[[], None]]] = []  # code aside: where, and what emits it
        names, most = entry.parameters, len(machine.arguments)
        self.spilled: dict[str, Register] = dict(zip(names, machine.values)) | {" constants": machine.constants}
        stacked = [*names[most:], *names[3:most], " thread", " result", *self.spilled]
        self.slots = {name: i for i, name in enumerate(stacked)}
        self.used = machine.more if entry.batched else ()

    def slot(self, name: str) -> Memory:
        """Where a value lies on the stack."""
        return self.m.slot(self.slots[name])

    def value(self, name: str) -> Register | Memory:
        """Where a value is."""
        return self.spilled.get(name) or self.slot(name)

    def loaded(self, name: str, register: Register) -> Register:
        """A value's register, or this one with what lies on the stack."""
        place = self.value(name)
        if isinstance(place, Memory):
            self.m.move(register, place)
            return register
        return place

    def constant(self, index: int) -> Memory:
        """A constant of the kernel that is called."""
        return Memory(self.m.constants, 8 * index)

    def unless(self, a: Register | Memory, condition: str, b: Any) -> None:
        """Fail if a <condition> b."""
        self.m.branch(a, condition, b, self.fail)

    def check_all(self, missing: str | None) -> None:
        """All guards, but for those of an output that the call left out."""
        self.noted = False
        for guard in self.entry.guards:
            self._check(guard, missing)
        if self.noted:
            self.m.branch_if_different(self.fail)

    def _check(self, guard: Guard, missing: str | None) -> None:
        if (isinstance(guard, Apart) and guard.output.value == missing) or (
            isinstance(guard, Array) and guard.to == missing
        ):
            return
        self.m.asm.note(type(guard).__name__.lower())
        batches: dict[type, Callable[..., None]] = {
            Steps: self._steps, Offsets: self._offsets, Addresses: self._addresses,
        }  # fmt: skip
        checks: dict[type, Callable[..., None]] = {
            Array: self._array, Table: self._table, Int: self._int, Number: self._number, Apart: self._apart,
        }  # fmt: skip
        if type(guard) in batches:
            batches[type(guard)](guard, missing is None)
        else:
            checks[type(guard)](guard)

    # Objects

    def _object(self, position: int, type_constant: int) -> None:
        """x := the argument, which must be of exactly this type."""
        m = self.m
        m.move(m.x, Memory(self.args, 8 * position))
        m.move(m.y, Memory(m.x, cpython.TYPE))
        self.unless(m.y, "!=", self.constant(type_constant))

    def _flags(self, wanted: int) -> None:
        m = self.m
        m.move(m.y, Memory(m.x, cpython.FLAGS, 4))
        m.bits_and(m.y, wanted)
        self.unless(m.y, "!=", wanted)

    def _array(self, guard: Array) -> None:
        m = self.m
        self._object(guard.position, guards.ARRAY_TYPE)
        unusual, right = m.asm.label(), m.asm.label()
        m.move(m.y, Memory(m.x, cpython.DTYPE))
        m.branch(m.y, "!=", self.constant(guard.dtype), unusual)
        m.asm.bind(right)
        self.rare.append((unusual, partial(self._unusual_dtype, guard, right, self.fail)))
        self._flags(guard.flags)
        self._axes(guard)
        self._dimensions(guard)
        place = self.value(guard.to)
        data = m.y if isinstance(place, Memory) else place
        m.move(data, Memory(m.x, cpython.DATA))
        if data is not place:
            m.move(place, data)
        if any(guard.strides) or guard.leading:
            self._strides(guard)

    def put_aside(self) -> None:
        """What is rare, out of the usual way."""
        for label, emit in self.rare:
            self.m.asm.bind(label)
            emit()

    def _unusual_dtype(self, guard: Array, right: Label, fail: Label) -> None:
        """Equal dtypes are mostly one object, and need not be: unpickled arrays have their own."""
        self.m.branch(Memory(self.m.y, cpython.BYTE_ORDER, 1), "!=", guard.byte_order, fail)
        self.m.branch(Memory(self.m.y, cpython.TYPE_NUMBER, 4), "!=", guard.number, fail)
        self.m.jump(right)

    def _axes(self, guard: Array) -> None:
        """z := where the dimensions of the last axes are; the rank must be right."""
        m = self.m
        rank = Memory(m.x, cpython.RANK, 4)
        if guard.rank is not None:
            self.unless(rank, "!=", guard.rank)
            m.move(m.z, Memory(m.x, cpython.DIMENSIONS))
            return
        matrix = m.asm.label()
        m.move(m.z, Memory(m.x, cpython.DIMENSIONS))
        m.branch(rank, "==", len(guard.dimensions), matrix)
        self.unless(rank, "!=", len(guard.dimensions) + 1)
        self.unless(Memory(m.z), "==", 0)
        m.add(m.z, 8)
        m.asm.bind(matrix)

    def _dimensions(self, guard: Array) -> None:
        """Two at a time, from the last: differences of all arrays are noted, and looked at once."""
        m, count = self.m, len(guard.dimensions)
        if count % 2:
            m.move(m.y, Memory(m.z))
            self.unless(m.y, "!=", self.constant(guard.dimensions[0]))
        for axis in range(count % 2, count, 2):
            m.differ(m.z, 8 * axis, guard.dimensions[axis], first=not self.noted)
            self.noted = True

    def _strides(self, guard: Array) -> None:
        """Those of the last axes; z points at their dimensions, as far from the first as the strides are. x is lost."""
        m = self.m
        m.subtract(m.z, Memory(m.x, cpython.DIMENSIONS))
        m.add(m.z, Memory(m.x, cpython.STRIDES))
        for axis, index in enumerate(guard.strides):
            if index is not None:
                m.move(m.y, Memory(m.z, 8 * axis))
                self.unless(m.y, "!=", self.constant(index))
        if guard.leading is None:
            return
        leading = guard.leading
        m.move(m.y, Memory(m.z, 8 * leading.axis))
        self.unless(m.y, "<", self.constant(leading.least))
        self._multiple(m.y, leading.unit)
        if leading.matrix is not None:
            m.move(m.x, m.y)
            m.multiply(m.x, self.constant(leading.matrix))
            self.unless(m.x, "!=", Memory(m.z))
        m.shift_right(m.y, leading.unit.bit_length() - 1)
        m.move(self.value(leading.to), m.y)

    def _multiple(self, register: Register, size: int) -> None:
        if size > 1:
            self.m.branch_if_bits(register, size - 1, True, self.fail)

    def _table(self, guard: Table) -> None:
        m, right = self.m, self.m.asm.label()
        self._object(guard.position, guards.ARRAY_TYPE)
        m.move(m.y, Memory(m.x, cpython.DTYPE))
        self.unless(Memory(m.y, cpython.BYTE_ORDER, 1), "!=", cpython.NATIVE)
        m.branch(Memory(m.y, cpython.TYPE_NUMBER, 4), "==", guard.numbers[0], right)
        self.unless(Memory(m.y, cpython.TYPE_NUMBER, 4), "!=", guard.numbers[1])
        m.asm.bind(right)
        self._flags(cpython.ALIGNED | cpython.C_CONTIGUOUS)
        self.unless(Memory(m.x, cpython.RANK, 4), "!=", 1)
        m.move(m.z, Memory(m.x, cpython.DIMENSIONS))
        m.move(m.y, Memory(m.z))
        if guard.counts:
            self.unless(m.y, "<=", 0)
            m.move(self.value("count"), m.y)
        else:
            self.unless(m.y, "!=", self.value("count"))
        m.move(m.z, Memory(m.x, cpython.DATA))
        m.move(self.value(guard.to), m.z)

    def _int(self, guard: Int) -> None:
        m, other, known = self.m, self.m.asm.label(), self.m.asm.label()
        m.move(m.x, Memory(self.args, 8 * guard.position))
        m.move(m.y, Memory(m.x, cpython.TYPE))
        m.branch(m.y, "!=", self.constant(guards.INT_TYPE), other)
        self.rare.append((other, partial(self._int64, known, self.fail)))
        m.move(m.y, Memory(m.x, cpython.INT_TAG))
        m.move(m.z, Memory(m.x, cpython.INT_DIGIT, 4))
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
        self._multiple(m.z, guard.multiple)
        m.move(self.value(guard.to), m.z)

    def _int64(self, known: Label, fail: Label) -> None:
        """z := the value of a numpy.int64 from 1 - 2**30 to 2**30."""
        m = self.m
        m.branch(m.y, "!=", self.constant(guards.INT64_TYPE), fail)
        m.move(m.z, Memory(m.x, cpython.INT64_VALUE))
        m.move(m.y, m.z)
        m.add(m.y, cpython.INT_BASE - 1)
        m.shift_right(m.y, cpython.INT_BASE.bit_length())
        m.branch(m.y, "!=", 0, fail)
        m.jump(known)

    def _number(self, guard: Number) -> None:
        self.m.move(self.m.x, self.constant(guard.constant))
        self.m.move(self.value(guard.to), self.m.x)

    # Memory

    def _extent(self, register: Register, extent: Extent) -> None:
        """register := the bytes of a matrix; x is lost."""
        m = self.m
        m.move(register, self.constant(extent.fixed))
        if extent.leading is not None:
            m.move(m.x, self.value(extent.leading))
            m.multiply_checked(m.x, self.constant(extent.factor), self.fail)
            m.add_checked(register, m.x, self.fail)
            m.move(m.x, guards.FAR)
            self.unless(register, ">", m.x)

    def _apart(self, guard: Apart) -> None:
        """Fails if 0 < output - other + bytes of the output < bytes of both."""
        m, apart = self.m, self.m.asm.label()
        if guard.same:
            m.branch(self.loaded(guard.output.value, m.x), "==", self.value(guard.other.value), apart)
        self._extent(m.y, guard.other)
        self._extent(m.z, guard.output)
        m.address(m.x, self.loaded(guard.output.value, m.x), m.z, offset=-1)
        m.subtract(m.x, self.value(guard.other.value))
        m.address(m.y, m.y, m.z, offset=-1)
        self.unless(m.x, "u<", m.y)
        m.asm.bind(apart)

    def _steps(self, guard: Steps, with_output: bool) -> None:
        m, (low, high, *_) = self.m, self.m.more
        m.move(m.y, self.value("count"))
        m.add(m.y, -1)
        m.multiply(m.y, self.value(guard.stride))
        m.move(m.x, 0)
        for end, condition in ((low, "<"), (high, ">")):
            m.move(end, m.y)
            m.take_if(end, m.x, condition)
        self._inside(guard)
        if with_output:
            self._apart_from(guard.output)

    def _offsets(self, guard: Offsets, with_output: bool) -> None:
        if with_output:
            self._table_apart(guard.table, guard.output)
        self._walk(guard.table, guard.array.size, "<", ">")
        self._inside(guard)
        if with_output:
            self._apart_from(guard.output)

    def _addresses(self, guard: Addresses, with_output: bool) -> None:
        m, (low, high, extent, _) = self.m, self.m.more
        if with_output:
            self._table_apart(guard.table, guard.output)
        self._walk(guard.table, guard.size, "u<", "u>")
        self.unless(low, "==", 0)
        m.move(m.x, 2 * guards.FAR)  # addresses of user space: no sum overflows
        self.unless(high, "u>=", m.x)
        if with_output:
            self._extent(extent, guard.extent)
            m.add(high, extent)
            self._apart_from(guard.output)

    def _walk(self, table: str, size: int, less: str, greater: str) -> None:
        """more[0], more[1] := least and greatest entry of a table; all must be multiples of the element's size."""
        m, (low, high, bits, _) = self.m, self.m.more
        m.move(m.z, self.value(table))
        m.move(m.y, self.value("count"))
        m.move(low, Memory(m.z))
        m.move(high, low)
        m.move(bits, 0)
        with m.loop(m.y):
            m.element(m.x, m.z, m.y)
            m.bits_or(bits, m.x)
            m.take_if(low, m.x, less)
            m.take_if(high, m.x, greater)
        self._multiple(bits, size)

    def _inside(self, guard: Steps | Offsets) -> None:
        """more[0], more[1]: least and greatest distance of a matrix, to become the first byte and behind the last one.

        They must lie in the owner's memory: the array's base where that is an array, else the array.
        """
        m, array, (low, high, extent, owner) = self.m, guard.array, self.m.more
        self._extent(extent, guard.extent)
        m.move(m.x, guards.FAR)
        self.unless(high, ">", m.x)
        m.negate(m.x)
        self.unless(low, "<", m.x)
        m.add(low, self.value(array.to))
        m.add(high, self.value(array.to))
        m.add(high, extent)
        self._owner(array)
        m.move(m.z, Memory(owner, cpython.DATA))
        self.unless(low, "<", m.z)
        m.add(m.z, m.x)
        self.unless(high, ">", m.z)

    def _owner(self, array: Array) -> None:
        """more[3] := the array that owns the memory, contiguous and of the same type; x := its bytes."""
        m, own, (_, _, dimension, owner) = self.m, self.m.asm.label(), self.m.more
        m.move(owner, Memory(self.args, 8 * array.position))
        m.move(m.y, Memory(owner, cpython.BASE))
        m.branch(m.y, "==", 0, own)
        m.move(m.z, Memory(m.y, cpython.TYPE))
        m.branch(m.z, "!=", self.constant(guards.ARRAY_TYPE), own)
        m.move(owner, m.y)
        m.asm.bind(own)
        m.move(m.z, Memory(owner, cpython.DTYPE))
        self.unless(Memory(m.z, cpython.TYPE_NUMBER, 4), "!=", array.number)
        contiguous = cpython.C_CONTIGUOUS | cpython.F_CONTIGUOUS
        m.branch_if_bits(Memory(owner, cpython.FLAGS, 4), contiguous, False, self.fail)
        m.move(m.y, Memory(owner, cpython.RANK, 4))
        self.unless(m.y, "==", 0)
        m.move(m.z, Memory(owner, cpython.DIMENSIONS))
        m.move(m.x, array.size)
        with m.loop(m.y):
            m.element(dimension, m.z, m.y)
            m.multiply(m.x, dimension)

    def _apart_from(self, output: Extent) -> None:
        """Bytes more[0] to more[1] and the output do not touch."""
        m, apart, (low, high, end, _) = self.m, self.m.asm.label(), self.m.more
        m.branch(high, "<=", self.value(output.value), apart)
        self._extent(end, output)
        m.add(end, self.value(output.value))
        self.unless(end, ">", low)
        m.asm.bind(apart)

    def _table_apart(self, table: str, output: Extent) -> None:
        m, (low, high, *_) = self.m, self.m.more
        m.move(low, self.value(table))
        m.move(m.y, self.value("count"))
        m.address(high, low, m.y, 8)
        self._apart_from(output)
