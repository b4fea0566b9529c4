"""Copies of the arrays of a call whose elements name places of other arrays, made and checked by machine code.

    intptr_t copied_indices(uint64_t *parameters, const int64_t *checks, uint64_t *space)

replaces the addresses of such arrays among the parameters of a kernel by those of copies, which nobody can change after
they were checked: what is compared is what was copied. The copies lie in `space`, which has `FRAMED` words, or in
memory of the C library, whose address is the result; otherwise it is 0. It is 1 (`IndexCopier.outside`) if an element
is out of range, and no memory is held then.

    checks    the number of arrays | a `CopyCheck` of each
"""

from __future__ import annotations

from enum import IntEnum
from math import prod
from typing import TYPE_CHECKING

from ...encoder.operands import Label
from ...encoder.records import NamedTuple
from ...microkernels.operands import LARGEST, CheckedIndex, Interface, Operand
from ..scalar.machine import Register, Scalar, ScalarMemory
from .guards_batch import FRAMED as BATCH

if TYPE_CHECKING:
    from ...encoder.code import Code

FRAMED = 2 * BATCH
"""The most words of all copies that lie in the caller's frame. They take 3 KiB, which is less than the guard page below
a stack."""


class IndexKind(IntEnum):
    """Indices of 64 and of 32 bits, which are below their limit; ends of bags, which do not decrease and are at most
    the limit; and those that lack the last end, which is the limit."""

    WORDS = 0
    HALVES = 1
    ENDS = 2
    ENDS_BUT_LAST = 3


class CopyCheck(NamedTuple):
    """What an array is, the place of its address among the parameters, its length and its limit. Both of these are a
    number and a factor of the parameter at a place."""

    kind: int
    place: int
    length: int
    length_factor: int
    length_place: int
    limit: int
    limit_factor: int
    limit_place: int


_KIND, _PLACE, _LENGTH, _LIMIT = (8 * CopyCheck._fields.index(name) for name in ("kind", "place", "length", "limit"))
_OF_ARRAY = 8 * len(CopyCheck._fields)


def given_to(interface: Interface) -> Interface:
    """Return the interface of the arrays that a call gives: of ends without the last one, if calls leave that out."""
    ends = interface.ends
    if ends is None or ends.complete is not False:
        return interface
    places = [
        each._replace(
            places=tuple(at._replace(more=at.more - 1) if at.operand == ends.name else at for at in each.places)
        )
        for each in interface.extents
    ]
    shorter = [
        each._replace(columns=each.columns - 1, view=each.view._replace(leading=each.columns - 1))
        if isinstance(each, Operand) and each.name == ends.name
        else each
        for each in interface.arguments
    ]
    return interface._replace(arguments=tuple(shorter), extents=tuple(places))


def checks_of(interface: Interface) -> list[int]:
    """Return the checks of a kernel's indices, for `copied_indices`, or nothing if a call checks none."""
    given = given_to(interface)
    names = [name for _, name in interface.parameters()]
    dynamic = {
        (place.operand, place.axis): (names.index(extent.name), place.more)
        for extent in given.extents
        for place in extent.places
    }
    operands = {each.name: each for each in given.operands}

    def amount(operand: Operand, *axes: int) -> tuple[int, int, int]:
        """Return the product of the lengths of some axes, of which at most one is given at the call, as a number and a
        factor of a parameter."""
        fixed = prod(operand.shape[axis] for axis in axes if (operand.name, axis) not in dynamic)
        for axis in axes:
            if (operand.name, axis) in dynamic:
                place, more = dynamic[operand.name, axis]
                return fixed * more, fixed, place
        return fixed, 0, 0

    words = [len(interface.indices)] if interface.indices else []
    for each in interface.indices:
        array, table = operands[each.name], operands[each.table]
        length = amount(array, *range(len(array.shape)))
        place, limit = names.index(each.name), amount(table, each.axis)
        words += CopyCheck(_kind(each, array, interface), place, *length, *limit)
    return words


def _kind(index: CheckedIndex, array: Operand, interface: Interface) -> IndexKind:
    if not index.ends:
        return IndexKind.HALVES if array.dtype == "i32" else IndexKind.WORDS
    lacks = interface.ends is not None and interface.ends.complete is False
    return IndexKind.ENDS_BUT_LAST if lacks else IndexKind.ENDS


def emit(m: Scalar, allocate: int, free: int) -> Code:
    """Emit the function."""
    IndexCopier(m, allocate, free).run()
    code: Code = m.asm.finish("ts_copied_indices")
    return code


class IndexCopier:
    """parameters, check, target, left, long: what the function keeps while it calls others. The copy of an array goes
    from `source` to `to`. `outside` is the result if an element is out of range."""

    outside = 1

    def __init__(self, m: Scalar, allocate: int, free: int) -> None:
        self.m, self.allocate, self.free = m, allocate, free
        self.parameters, self.check, self.target, self.left, self.long = m.kept
        self.to, self.source, self.count = m.values
        self.fail = m.asm.label("outside")

    def run(self) -> None:
        """Emit the function."""
        m = self.m
        m.begin("copied_indices")
        m.open(0, m.kept)
        for register, given in zip((self.parameters, self.check, self.target), m.arguments):
            m.move(register, given)
        self._claim()
        m.move(self.left, ScalarMemory(self.check))
        m.add(self.check, 8)
        with m.loop(self.left):
            self._copy()
            m.add(self.check, _OF_ARRAY)
        m.move(m.result, self.long)
        m.close()
        m.ret()
        m.asm.bind(self.fail)
        nothing = m.asm.label("nothing")
        m.branch(self.long, "==", 0, nothing)
        m.move(m.arguments[0], self.long)
        m.call(self.free)
        m.asm.bind(nothing)
        m.move(m.result, self.outside)
        m.close()
        m.ret()

    def _claim(self) -> None:
        """Take memory if the copies are too long for the space. An array needs up to one word more than elements."""
        m, fits = self.m, self.m.asm.label("fits")
        m.move(self.long, 0)
        m.move(self.count, 0)
        m.move(self.left, ScalarMemory(self.check))
        m.address(self.source, self.check, offset=8)
        with m.loop(self.left):
            self._amount(m.y, self.source, _LENGTH)
            m.add(self.count, m.y)
            m.add(self.count, 1)
            m.add(self.source, _OF_ARRAY)
        m.branch(self.count, "<", FRAMED + 1, fits)
        m.move(m.arguments[0], self.count)
        m.multiply(m.arguments[0], 8)
        m.call(self.allocate)
        m.branch(m.result, "==", 0, self.fail)
        m.move(self.long, m.result)
        m.move(self.target, m.result)
        m.asm.bind(fits)

    def _amount(self, register: Register, check: Register, offset: int) -> None:
        """Set `register` to a length or a limit; x is overwritten."""
        m = self.m
        m.move(m.x, ScalarMemory(check, offset + 16))
        m.address(m.x, self.parameters, m.x, 8)
        m.move(register, ScalarMemory(m.x))
        m.multiply(register, ScalarMemory(check, offset + 8))
        m.add(register, ScalarMemory(check, offset))

    def _parameter(self) -> None:
        """Set x to the place of the array's address among the parameters."""
        self.m.move(self.m.x, ScalarMemory(self.check, _PLACE))
        self.m.address(self.m.x, self.parameters, self.m.x, 8)

    def _copy(self) -> None:
        """Copy and check an array, and go on behind the copy."""
        m, label = self.m, self.m.asm.label
        halves, ends, done = label("halves"), label("ends"), label("copied")
        self._parameter()
        m.move(self.source, ScalarMemory(m.x))
        m.move(ScalarMemory(m.x), self.target)
        m.move(self.to, self.target)
        self._amount(self.count, self.check, _LENGTH)
        m.address(self.target, self.target, self.count, 8, 8)
        m.branch(ScalarMemory(self.check, _KIND), "u>=", IndexKind.ENDS, ends)
        m.branch(self.count, "==", 0, done)
        m.branch(ScalarMemory(self.check, _KIND), "==", IndexKind.HALVES, halves)
        self._words()
        m.jump(done)
        m.asm.bind(halves)
        self._halves()
        m.jump(done)
        m.asm.bind(ends)
        self._ends(done)
        m.asm.bind(done)

    def _words(self) -> None:
        m = self.m
        low, high, bits = m.y, m.z, m.constants
        m.copy_words(self.to, self.source, self.count, (low, high, bits))
        m.branch(low, "<", 0, self.fail)
        self._amount(m.y, self.check, _LIMIT)
        m.branch(high, ">=", m.y, self.fail)

    def _halves(self) -> None:
        """Copy two indices at a time, and compare those of the copy."""
        m, rest, one, done = self.m, *map(self.m.asm.label, ("pairs", "one", "done"))
        self._amount(m.z, self.check, _LIMIT)
        m.move(m.x, LARGEST + 1)
        m.take_if(m.z, m.x, "<")

        def compared(offset: int) -> None:
            m.move(m.x, ScalarMemory(self.to, offset, 4))
            m.branch(m.x, "u>=", m.z, self.fail)

        m.asm.bind(rest)
        m.branch(self.count, "<", 2, one)
        m.move(m.x, ScalarMemory(self.source))
        m.move(ScalarMemory(self.to), m.x)
        compared(0)
        compared(4)
        self._next(2)
        m.jump(rest)
        m.asm.bind(one)
        m.branch(self.count, "==", 0, done)
        m.move(m.x, ScalarMemory(self.source, 0, 4))
        m.move(ScalarMemory(self.to), m.x)
        compared(0)
        m.asm.bind(done)

    def _next(self, elements: int) -> None:
        self.m.add(self.source, 8)
        self.m.add(self.to, 8)
        self.m.add(self.count, -elements)

    def _ends(self, done: Label) -> None:
        """Copy ends, each of which is compared with the one before. y is that one, and z the limit."""
        m, following, last = self.m, *map(self.m.asm.label, ("ends", "last"))
        self._amount(m.z, self.check, _LIMIT)
        m.move(m.y, 0)
        m.asm.bind(following)
        m.branch(self.count, "==", 0, last)
        m.move(m.x, ScalarMemory(self.source))
        m.branch(m.x, "<", m.y, self.fail)
        m.move(m.y, m.x)
        m.move(ScalarMemory(self.to), m.x)
        self._next(1)
        m.jump(following)
        m.asm.bind(last)
        m.branch(m.y, ">", m.z, self.fail)
        m.branch(ScalarMemory(self.check, _KIND), "==", IndexKind.ENDS, done)
        m.move(ScalarMemory(self.to), m.z)
