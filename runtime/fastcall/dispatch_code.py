"""The code of a handle: it finds the kernel for the arguments' types, shapes and strides, and calls its entry.

The constants of a handle are the type ndarray, the address of a table (replaced by a single store), a clock and the
type int.

    table    mask | record 0 | record 1 | ...                     mask + 1 records, a power of two
    record   time of the last call | kernel | entry | key         kernel 0: free

A key has words for each position that is looked at: 8 times the type number + the rank, then the extent and the stride
of each axis; the words of axes that an array lacks are 0. An argument that is None, an integer or left out has -1 and
zeros. A record's place is a hash of its key, or the next free one after it, so the cost of a search does not depend on
the number of kernels.

The arguments are read twice, in place: once for the hash, once to compare them with the key of a record. Only the first
word of each is kept in the frame. The code for arrays of two axes falls through; other ranks, and arguments that are
not arrays, are handled out of line.

The function holds a reference to the kernel while it runs, because the handle may drop the kernel meanwhile in another
thread. Arguments other than arrays, integers and None go to the slow path. Everything else is checked by the kernel's
entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Scalar, ScalarMemory
from ..system import cpython
from .entry_code import GUARDS_FAILED, Runtime, tail_call_slow

STAMP, KERNEL, ENTRY, KEY = range(4)
"""The words of a record."""
TABLE, CLOCK, INT, OUT = 1, 2, 3, 4
"""The words of a handle's constants after the type ndarray. The last is the name of an output, "out"."""
ABSENT = -1
_FINAL = 0x9E3779B1  # the first of xxHash's primes
_FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F, 0x165667B1)


def words_of(axes: Sequence[int]) -> int:
    """Return the number of words of a key. `axes` holds the most axes in each position."""
    return sum(1 + 2 * each for each in axes)


def factors(axes: Sequence[int]) -> dict[int, int]:
    """Return the words of the key that are hashed, with the factor of each: types and extents of all arguments except
    the last, an output whose shape follows from the others. Keys that differ only in other words are searched one after
    the other."""
    words, first = [], 0
    for most in axes[:-1] or axes:
        words += [first, *(first + 1 + 2 * axis for axis in range(most))]
        first += 1 + 2 * most
    return {word: _FACTORS[i % 5] * (2 * (i // 5) + 1) & 0x7FFF_FFFF | 1 for i, word in enumerate(words)}


def home_slot(key: Sequence[int], mask: int, axes: Sequence[int]) -> int:
    """Return the index of the record where the search for a key starts."""
    total = sum(factor * key[word] for word, factor in factors(axes).items())
    return ((total * _FINAL & 0xFFFF_FFFF_FFFF_FFFF) >> 32) & mask


def emit(runtime: Runtime, machine: Scalar, axes: Sequence[int], output: bool = False) -> Code:
    """Emit PyObject *dispatch(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames).

    axes: the most axes of an array in each position that belongs to the key. output: whether the last position is the
    output.
    """
    emitter = _DispatchEmitter(runtime, machine, axes, output)
    emitter.run()
    code: Code = machine.asm.finish("ts_dispatch")
    return code


class _DispatchEmitter:
    """The registers in `values` hold the current argument, the sum of the hash, and twice the number of arguments."""

    def __init__(self, runtime: Runtime, machine: Scalar, axes: Sequence[int], output: bool) -> None:
        self.m, self.asm, self.runtime, self.axes, self.output = machine, machine.asm, runtime, axes, output
        self.words = len(axes) + 1  # the number of words of the frame
        self.factors = factors(axes)
        self.args, self.kernel = machine.arguments[1], machine.kept[4]
        self.item, self.total, self.given = machine.values
        self.fail, self.following = self.asm.label("fail"), self.asm.label("next")
        self.later: list[Callable[[], None]] = []

    def run(self) -> None:
        """Emit the function."""
        m, asm, runtime = self.m, self.asm, self.runtime
        self_, _, nargsf, kwnames = m.arguments[:4]
        slow = asm.label("slow")
        m.begin("dispatch")
        if not self.output:
            m.branch(kwnames, "!=", 0, slow)
        m.open(self.words + (5 if self.output else 0), (self.kernel,))
        m.address(self.given, nargsf, nargsf)  # drops bit 63, a flag
        m.move(m.constants, ScalarMemory(self_, runtime.constants))
        if self.output:
            self._named(kwnames)
        m.move(self.total, 0)
        for position in range(len(self.axes)):
            self._read(position)
        self._search()
        for position in range(len(self.axes)):
            self._compare(position)
        self._call()
        for emit_block in self.later:
            emit_block()
        asm.bind(self.fail)
        if self.output:
            m.move(kwnames, m.slot(self.words))
            m.close()
        else:
            m.close()
            m.move(kwnames, 0)
            asm.bind(slow)
        tail_call_slow(m, runtime)

    def _named(self, kwnames: Any) -> None:
        """Accept one keyword as a further argument, if it is out= and all other arguments are positional."""
        m, places = self.m, self.asm.label()
        m.move(m.slot(self.words), kwnames)
        m.branch(kwnames, "==", 0, places)
        m.branch(self.given, "!=", 2 * len(self.axes) - 2, self.fail)
        m.branch(ScalarMemory(kwnames, cpython.TUPLE_SIZE), "!=", 1, self.fail)
        m.move(m.x, ScalarMemory(kwnames, cpython.TUPLE_ITEMS))
        m.branch(m.x, "!=", ScalarMemory(m.constants, 8 * OUT), self.fail)
        m.add(self.given, 2)
        self.asm.bind(places)

    def _first(self, position: int) -> int:
        """Return the index in the key of an argument's first word."""
        return words_of(self.axes[:position])

    def _read(self, position: int) -> None:
        """Store the first word of an argument in the frame, and add its words to the hash."""
        m, first, most = self.m, self._first(position), self.axes[position]
        item, total, asm = self.item, self.total, self.asm
        absent, other, others, done = (asm.label() for _ in range(4))
        usual = min(2, most)
        m.branch(self.given, "u<", 2 * (position + 1), absent)
        m.move(item, ScalarMemory(self.args, 8 * position))
        m.move(m.y, ScalarMemory(item, cpython.TYPE))
        m.branch(m.y, "!=", ScalarMemory(m.constants), other)
        m.move(m.y, ScalarMemory(item, cpython.DTYPE))
        m.move(m.y, ScalarMemory(m.y, cpython.TYPE_NUMBER, 4))
        m.move(m.x, ScalarMemory(item, cpython.RANK, 4))
        m.address(m.y, m.x, m.y, 8)
        m.move(m.slot(position), m.y)
        if first in self.factors:
            m.multiply(m.y, self.factors[first])
            m.add(total, m.y)
            m.branch(m.x, "!=", usual, others)
            self._extents(usual, first)
        else:
            m.branch(m.x, "u>=", 8, self.fail)  # the rank has three bits
        asm.bind(done)

        def out_of_line() -> None:
            if first in self.factors:
                asm.bind(others)
                self._other_ranks([rank for rank in range(1, most + 1) if rank != usual], first, done)
            asm.bind(other)
            m.branch(m.y, "==", ScalarMemory(m.constants, 8 * INT), absent)
            m.move(m.y, self.runtime.none)
            m.branch(item, "!=", m.y, self.fail)
            asm.bind(absent)
            m.move(m.x, 0)
            m.subtract(m.x, 1)
            m.move(m.slot(position), m.x)
            if first in self.factors:
                m.multiply(m.x, self.factors[first])
                m.add(total, m.x)
            m.jump(done)

        self.later.append(out_of_line)

    def _other_ranks(self, others: list[int], first: int, done: Label) -> None:
        """Handle an array whose rank, in m.x, is not the usual one."""
        m = self.m
        labels = [m.asm.label() for _ in others]
        for rank, label in zip(others, labels):
            m.branch(m.x, "==", rank, label)
        m.jump(self.fail)
        for rank, label in zip(others, labels):
            m.asm.bind(label)
            self._extents(rank, first)
            m.jump(done)

    def _extents(self, rank: int, first: int) -> None:
        """Add the extents of the current argument to the hash."""
        m = self.m
        m.move(m.y, ScalarMemory(self.item, cpython.DIMENSIONS))
        for axis in range(rank):
            m.move(m.x, ScalarMemory(m.y, 8 * axis))
            m.multiply(m.x, self.factors[first + 1 + 2 * axis])
            m.add(self.total, m.x)

    def _search(self) -> None:
        """Set y to the record at the hashed place, or to the next one. Fail if the record is free."""
        m, total, search = self.m, self.total, self.asm.label("search")
        m.move(m.y, _FINAL)
        m.multiply(total, m.y)
        m.shift_right(total, 32)
        self.asm.bind(search)
        m.move(m.x, ScalarMemory(m.constants, 8 * TABLE))
        m.bits_and(total, ScalarMemory(m.x))
        m.move(m.y, total)
        m.multiply(m.y, 8 * (KEY + words_of(self.axes)))
        m.address(m.y, m.x, m.y, offset=8)
        m.branch(ScalarMemory(m.y, 8 * KERNEL), "==", 0, self.fail)

        def out_of_line() -> None:
            self.asm.bind(self.following)
            m.add(total, 1)
            m.jump(search)

        self.later.append(out_of_line)

    def _compare(self, position: int) -> None:
        """Continue with the next record if an argument differs from the key of the record in y. The words after an
        array's axes need no comparison: they are 0 in every key with the same first word."""
        m, first, most = self.m, self._first(position), self.axes[position]
        others, done, usual = self.asm.label(), self.asm.label(), min(2, most)
        ranks = {rank: self.asm.label() for rank in range(1, most + 1)}
        m.move(m.x, m.slot(position))
        m.branch(m.x, "!=", ScalarMemory(m.y, 8 * (KEY + first)), self.following)
        m.bits_and(m.x, 7)
        m.branch(m.x, "!=", usual, others)
        self._axes(position, usual)
        self.asm.bind(done)

        def out_of_line() -> None:
            self.asm.bind(others)  # absent arguments end here, with a rank of 7
            m.branch(m.slot(position), "<", 0, done)
            for rank in range(1, most + 1):
                if rank != usual:
                    m.branch(m.x, "==", rank, ranks[rank])
            m.jump(self.fail)
            for rank in range(1, most + 1):
                if rank != usual:
                    self.asm.bind(ranks[rank])
                    self._axes(position, rank)
                    m.jump(done)

        self.later.append(out_of_line)

    def _axes(self, position: int, rank: int) -> None:
        """Compare the extents and strides of an array."""
        m, pointer, first = self.m, self.given, self._first(position)
        m.move(self.item, ScalarMemory(self.args, 8 * position))
        for where, offset in ((cpython.DIMENSIONS, 1), (cpython.STRIDES, 2)):
            m.move(pointer, ScalarMemory(self.item, where))
            for axis in range(rank):
                m.move(m.x, ScalarMemory(pointer, 8 * axis))
                m.branch(m.x, "!=", ScalarMemory(m.y, 8 * (KEY + first + 2 * axis + offset)), self.following)

    def _call(self) -> None:
        """Record the time, call the entry of the record in y with the handle's arguments, and return its result."""
        m, kernel, made = self.m, self.kernel, self.m.slot(len(self.axes))
        last, leave = self.asm.label("last"), self.asm.label("leave")
        if self.output:
            self._keep_output()
        m.move(m.x, ScalarMemory(m.constants, 8 * CLOCK))
        m.add(m.x, 1)
        m.move(ScalarMemory(m.constants, 8 * CLOCK), m.x)
        m.move(ScalarMemory(m.y, 8 * STAMP), m.x)
        m.move(kernel, ScalarMemory(m.y, 8 * KERNEL))
        m.move(m.x, ScalarMemory(m.y, 8 * ENTRY))
        m.increment(ScalarMemory(kernel))
        m.move(m.arguments[0], kernel)
        m.move(m.arguments[3], 0)
        m.call(m.x)
        m.branch(ScalarMemory(kernel, 0, 4), "==", 1, last)
        m.move(m.y, ScalarMemory(kernel))
        m.subtract(m.y, 1)
        m.move(ScalarMemory(kernel), m.y)
        self.asm.bind(leave)
        if self.output:
            self._give_output()
        m.close()
        m.ret()

        def out_of_line() -> None:  # the handle dropped the kernel meanwhile
            self.asm.bind(last)
            m.move(made, m.result)
            m.move(m.arguments[0], kernel)
            m.call(self.runtime.dec_ref)
            m.move(m.result, made)
            m.jump(leave)

        self.later.append(out_of_line)

    def _keep_output(self) -> None:
        """Store the output in the frame, or 0 if there is none; the kernel takes it by position. Also store all
        arguments, for the slow path."""
        m, last, without, done = self.m, len(self.axes) - 1, self.asm.label(), self.asm.label()
        for number, argument in enumerate(m.arguments[:3], self.words + 2):
            m.move(m.slot(number), argument)
        m.move(m.slot(self.words + 1), 0)
        m.branch(self.m.slot(last), "<", 0, without)  # None, or left out
        m.move(m.x, ScalarMemory(self.args, 8 * last))
        m.move(m.slot(self.words + 1), m.x)
        self.asm.bind(without)
        m.branch(m.slot(self.words), "==", 0, done)
        m.add(m.arguments[2], 1)
        self.asm.bind(done)

    def _give_output(self) -> None:
        """Return the output instead of None. Take the slow path if the kernel refuses the arguments. Pass on errors,
        which the call or a signal handler raised, and that the guards of a call with records failed."""
        m, done, refused = self.m, self.asm.label(), self.asm.label("refused")
        m.branch(m.result, "==", 0, done)
        m.move(m.y, self.runtime.refused)
        m.branch(m.result, "==", m.y, refused)
        m.branch(m.result, "==", GUARDS_FAILED, done)
        m.branch(m.slot(self.words + 1), "==", 0, done)
        self._release_singleton()
        m.move(m.result, m.slot(self.words + 1))
        m.increment(ScalarMemory(m.result))
        self.asm.bind(done)

        def out_of_line() -> None:
            self.asm.bind(refused)
            self._release_singleton()
            for number, argument in enumerate(m.arguments[:3], self.words + 2):
                m.move(argument, m.slot(number))
            m.jump(self.fail)

        self.later.append(out_of_line)

    def _release_singleton(self) -> None:
        """Drop the reference to the result, None or NotImplemented, which is never the last one."""
        m = self.m
        if cpython.COUNTED_NONE:
            m.move(m.y, ScalarMemory(m.result))
            m.subtract(m.y, 1)
            m.move(ScalarMemory(m.result), m.y)
