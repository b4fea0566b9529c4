"""The code of a handle: finds the kernel of the arguments' type and shape, and goes on in its entry.

The handle's constants are two words: the type ndarray, and the address of a table, which one store replaces.

    table    mask | record 0 | record 1 | ...                     as many records as the mask + 1, a power of two
    record   m | k | n | tag | kernel | entry                     kernel 0: free

A record's place is a hash of its key, or the next free one after it: a search costs the same for any number of kernels.
Only what is needed to read the key is checked here; the kernel's entry checks everything.
"""

from __future__ import annotations

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Memory, Register, Scalar
from ..system import cpython
from .entry_code import Runtime, tail_call_slow

RECORD = 6  # words
KERNEL, ENTRY = 4, 5
FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
"""Of k, n and the tag in the hash: xxHash's primes."""
MOST = 1 << 40
"""Counts of matrices below this are looked up."""


def tag(number: int, count: int | None) -> int:
    """Type number and count of matrices (None: arrays without that axis) in one word."""
    return number + (0 if count is None else (count + 1) << 16)


def place(m: int, k: int, n: int, word: int, mask: int) -> int:
    """Where the search for a key begins."""
    total = m + sum(factor * value for factor, value in zip(FACTORS, (k, n, word)))
    return ((total * FACTORS[0] & 0xFFFF_FFFF_FFFF_FFFF) >> 32) & mask


def emit(runtime: Runtime, machine: Scalar, counted: bool) -> Code:
    """PyObject *dispatch(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames).

    Arrays have two axes, or three of which the last two are looked at. `counted`: both have as many, and the first of
    three belongs to the key.
    """
    m, asm = machine, machine.asm
    (self, args, nargsf, kwnames), (rows, columns, word) = m.arguments[:4], m.values
    inner = m.more[0]
    slow, fail = asm.label("slow"), asm.label("fail")
    m.begin("dispatch")
    m.branch(kwnames, "!=", 0, slow)
    m.address(m.x, nargsf, nargsf)
    m.branch(m.x, "u<", 2 * 2, slow)
    m.open(0, (inner,), calls=False)
    m.move(m.constants, Memory(self, runtime.constants))
    _matrices(m, args, (rows, columns, word), inner, counted, fail)
    m.move(inner, Memory(rows, 8))
    m.move(rows, Memory(rows))
    m.move(columns, Memory(columns, 8))
    m.move(m.constants, Memory(m.constants, 8))  # the table
    _search(m, (rows, inner, columns, word), fail)
    m.close()
    m.move(self, Memory(m.y, 8 * KERNEL))
    m.move(m.x, Memory(m.y, 8 * ENTRY))
    m.move(kwnames, 0)
    m.jump(m.x)
    asm.bind(fail)
    m.close()
    m.move(kwnames, 0)
    asm.bind(slow)
    tail_call_slow(m, runtime)
    code: Code = asm.finish("ts_dispatch")
    return code


def _matrices(m: Scalar, args: Register, values: tuple[Register, ...], inner: Register, counted: bool,
              fail: Label) -> None:  # fmt: skip
    """Where the dimensions of a and b lie, of their last two axes, and the tag; destroys `inner`."""
    rows, columns, word = values
    for position, dimensions in enumerate((rows, columns)):
        m.move(m.x, Memory(args, 8 * position))
        m.move(m.y, Memory(m.x, cpython.TYPE))
        m.branch(m.y, "!=", Memory(m.constants), fail)
        m.move(dimensions, Memory(m.x, cpython.DIMENSIONS))
        if position == 0:
            m.move(word, Memory(m.x, cpython.DTYPE))
            m.move(word, Memory(word, cpython.TYPE_NUMBER, 4))
        rank, matrix = Memory(m.x, cpython.RANK, 4), m.asm.label()
        if counted and position == 0:
            m.move(inner, rank)
            continue
        if counted:
            m.branch(rank, "!=", inner, fail)
        m.branch(rank, "==", 2, matrix)
        m.branch(rank, "!=", 3, fail)
        m.add(dimensions, 8)
        if counted:
            _count(m, rows, word, fail)
        m.asm.bind(matrix)


def _count(m: Scalar, dimensions: Register, word: Register, fail: Label) -> None:
    """Add the count of matrices to the tag, and go on to their dimensions."""
    m.move(m.y, Memory(dimensions))
    m.move(m.x, m.y)
    m.shift_right(m.x, MOST.bit_length() - 1)
    m.branch(m.x, "!=", 0, fail)
    m.add(m.y, 1)
    m.multiply(m.y, 1 << 16)
    m.add(word, m.y)
    m.add(dimensions, 8)


def _search(m: Scalar, key: tuple[Register, ...], missed: Label) -> None:
    """y := the record of the key; `constants` points to the table."""
    m.move(m.x, key[0])
    for value, factor in zip(key[1:], FACTORS):
        m.move(m.y, factor)
        m.multiply(m.y, value)
        m.add(m.x, m.y)
    m.move(m.y, FACTORS[0])
    m.multiply(m.x, m.y)
    m.shift_right(m.x, 32)
    following, search = m.asm.label("next"), m.asm.label("search")
    m.jump(search)
    m.asm.bind(following)
    m.add(m.x, 1)
    m.asm.bind(search)
    m.bits_and(m.x, Memory(m.constants))
    m.move(m.y, m.x)
    m.multiply(m.y, 8 * RECORD)
    m.address(m.y, m.constants, m.y, offset=8)
    m.branch(Memory(m.y, 8 * KERNEL), "==", 0, missed)
    for i, value in enumerate(key):
        m.branch(value, "!=", Memory(m.y, 8 * i), following)
