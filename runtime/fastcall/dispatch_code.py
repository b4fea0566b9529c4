"""The code of a handle: finds the kernel of the arguments' types, shapes and strides, and calls its entry.

The handle's constants are the type ndarray, the address of a table, which one store replaces, a clock and the type
int.

    table    mask | record 0 | record 1 | ...                     as many records as the mask + 1, a power of two
    record   time of the last call | kernel | entry | key         kernel 0: free

A key has words for each position that is looked at: 8 times the type number + the rank, then extent and stride of each
axis, 0 of axes that an array does not have. An argument that is None, a whole number, or left out has -1 and zeros. A
record's place is a hash of its key, or the next free one after it: a search costs the same for any number of kernels.

The function holds a reference to the kernel while it runs: a handle may let go of it meanwhile, in another thread. What
is no array or whole number goes to the slow path; everything else the kernel's entry checks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Memory, Register, Scalar
from ..system import cpython
from .entry_code import Runtime, tail_call_slow

STAMP, KERNEL, ENTRY, KEY = range(4)
"""Words of a record."""
TABLE, CLOCK, INT = 1, 2, 3
"""Words of a handle's constants behind the type ndarray."""
ABSENT = -1
_FINAL = 0x9E3779B1  # the first of xxHash's primes
_FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F, 0x165667B1)


def words_of(axes: Sequence[int]) -> int:
    """The words of a key of positions with at most so many axes."""
    return sum(1 + 2 * each for each in axes)


def factors(axes: Sequence[int]) -> dict[int, int]:
    """The words of the key that belong to its hash, and the factor of each: types and extents of all arguments but the
    last, an output whose shape follows. Keys that differ in other words are found one after the other."""
    words, first = [], 0
    for most in axes[:-1] or axes:
        words += [first, *(first + 1 + 2 * axis for axis in range(most))]
        first += 1 + 2 * most
    return {word: _FACTORS[i % 5] * (2 * (i // 5) + 1) & 0x7FFF_FFFF | 1 for i, word in enumerate(words)}


def place(key: Sequence[int], mask: int, axes: Sequence[int]) -> int:
    """Where the search for a key begins."""
    total = sum(factor * key[word] for word, factor in factors(axes).items())
    return ((total * _FINAL & 0xFFFF_FFFF_FFFF_FFFF) >> 32) & mask


def emit(runtime: Runtime, machine: Scalar, axes: Sequence[int]) -> Code:
    """PyObject *dispatch(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames).

    axes: the most axes of an array in each position that belongs to the key.
    """
    m, asm = machine, machine.asm
    self, args, nargsf, kwnames = m.arguments[:4]
    total, kernel, made = m.more[0], m.kept[4], m.kept[3]
    slow, fail = asm.label("slow"), asm.label("fail")
    m.begin("dispatch")
    m.branch(kwnames, "!=", 0, slow)
    m.address(m.x, nargsf, nargsf)
    m.open(words_of(axes), (*m.more[:2], made, kernel))
    m.move(m.more[1], m.x)
    m.move(m.constants, Memory(self, runtime.constants))
    first = 0
    for position, most in enumerate(axes):
        _argument(m, args, position, most, first, runtime, fail)
        first += 1 + 2 * most
    m.move(total, 0)
    for number, factor in factors(axes).items():
        m.move(m.x, m.slot(number))
        m.multiply(m.x, factor)
        m.add(total, m.x)
    _search(m, total, first, fail)
    _call(m, kernel, made, runtime)
    asm.bind(fail)
    m.close()
    m.move(kwnames, 0)
    asm.bind(slow)
    tail_call_slow(m, runtime)
    code: Code = asm.finish("ts_dispatch")
    return code


def _argument(m: Scalar, args: Register, position: int, most: int, first: int, runtime: Runtime,
              fail: Label) -> None:  # fmt: skip
    """The words of one argument into the frame, from slot `first` on. more[1] is twice the number of arguments."""
    item, _, pointer = m.values
    absent, other, done = m.asm.label(), m.asm.label(), m.asm.label()
    ranks = [m.asm.label() for _ in range(most)]
    m.branch(m.more[1], "u<", 2 * (position + 1), absent)
    m.move(item, Memory(args, 8 * position))
    m.move(m.y, Memory(item, cpython.TYPE))
    m.branch(m.y, "!=", Memory(m.constants), other)
    m.move(m.y, Memory(item, cpython.DTYPE))
    m.move(m.y, Memory(m.y, cpython.TYPE_NUMBER, 4))
    m.multiply(m.y, 8)
    m.move(m.x, Memory(item, cpython.RANK, 4))
    m.add(m.y, m.x)
    m.move(m.slot(first), m.y)
    for rank in sorted(range(1, most + 1), key=lambda rank: rank != 2):
        m.branch(m.x, "==", rank, ranks[rank - 1])
    m.jump(fail)
    for rank in range(1, most + 1):
        m.asm.bind(ranks[rank - 1])
        for where, offset in ((cpython.DIMENSIONS, 1), (cpython.STRIDES, 2)):
            m.move(pointer, Memory(item, where))
            for axis in range(rank):
                m.move(m.x, Memory(pointer, 8 * axis))
                m.move(m.slot(first + 2 * axis + offset), m.x)
        _clear(m, first + 1 + 2 * rank, first + 1 + 2 * most)
        m.jump(done)
    m.asm.bind(other)
    m.branch(m.y, "==", Memory(m.constants, 8 * INT), absent)
    m.move(m.y, runtime.none)
    m.branch(item, "!=", m.y, fail)
    m.asm.bind(absent)
    m.move(m.x, 0)
    m.subtract(m.x, 1)
    m.move(m.slot(first), m.x)
    _clear(m, first + 1, first + 1 + 2 * most)
    m.asm.bind(done)


def _clear(m: Scalar, start: int, stop: int) -> None:
    if start < stop:
        m.move(m.x, 0)
    for number in range(start, stop):
        m.move(m.slot(number), m.x)


def _search(m: Scalar, total: Register, words: int, missed: Label) -> None:
    """y := the record of the key in the frame, whose products are added up in `total`."""
    record = 8 * (KEY + words)
    table = m.values[0]
    m.move(table, Memory(m.constants, 8 * TABLE))
    m.move(m.y, _FINAL)
    m.multiply(total, m.y)
    m.shift_right(total, 32)
    following, search = m.asm.label("next"), m.asm.label("search")
    m.jump(search)
    m.asm.bind(following)
    m.add(total, 1)
    m.asm.bind(search)
    m.bits_and(total, Memory(table))
    m.move(m.y, total)
    m.multiply(m.y, record)
    m.address(m.y, table, m.y, offset=8)
    m.branch(Memory(m.y, 8 * KERNEL), "==", 0, missed)
    for number in range(words):
        m.move(m.x, m.slot(number))
        m.branch(m.x, "!=", Memory(m.y, 8 * (KEY + number)), following)


def _call(m: Scalar, kernel: Register, made: Register, runtime: Runtime) -> None:
    """Note the time, and call the entry of the record in y with the handle's arguments; return what it returns."""
    last, leave = m.asm.label("last"), m.asm.label("leave")
    m.increment(Memory(m.constants, 8 * CLOCK))
    m.move(m.x, Memory(m.constants, 8 * CLOCK))
    m.move(Memory(m.y, 8 * STAMP), m.x)
    m.move(kernel, Memory(m.y, 8 * KERNEL))
    m.move(m.x, Memory(m.y, 8 * ENTRY))
    m.increment(Memory(kernel))
    m.move(m.arguments[0], kernel)
    m.move(m.arguments[3], 0)
    m.call(m.x)
    m.move(made, m.result)
    m.branch(Memory(kernel, 0, 4), "==", 1, last)
    m.move(m.x, Memory(kernel))
    m.subtract(m.x, 1)
    m.move(Memory(kernel), m.x)
    m.asm.bind(leave)
    m.move(m.result, made)
    m.close()
    m.ret()
    m.asm.bind(last)  # the handle let go of it meanwhile
    m.move(m.arguments[0], kernel)
    m.call(runtime.dec_ref)
    m.jump(leave)
