"""Predicates as counters, and what they govern: loads and stores of several vectors. Maps operations to factories of
closures.

A counter is the lowest 16 bits of a predicate register: the position of the lowest set bit is the size of the elements,
the bits above are the number of elements that are true, and the highest bit inverts all of them. It counts the elements
of up to four vectors (Arm ARM, CounterToPredicate, EncodePredCount).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...encoder.a64.registers import RegList
from ..core.closures import Run
from ..core.u64 import signed
from .lanes import set_flags
from .operands import SIZES, A64Context, Array, Semantic
from .predicates import RELATIONS

_MEMORY = {"b": 1, "h": 2, "w": 4, "d": 8}
_MOST = 4  # vectors that a counter counts
_INVERTED = 1 << 15


def _encoded(size: int, elements: int, count: int, inverted: bool) -> int:
    """Return the counter whose first elements, or last ones if `inverted`, are true."""
    if count == 0:
        return 0
    if inverted:
        count = elements - count
    elif count == elements:
        count, inverted = 0, True
    return (2 * count + 1) * size | _INVERTED * inverted


def counted(ctx: A64Context, at: int) -> Callable[[int], Array]:
    """Return a reader of a counter as a predicate of some vectors, with one truth value for each byte."""
    row, length = ctx.state.predicates[ctx.operands[at].num], ctx.state.vector_bytes
    used = (1 << (length - 1).bit_length() + 3) - 1  # the bits that the largest number of elements needs

    def read(vectors: int) -> Array:
        word = int.from_bytes(np.packbits(row[:16], bitorder="little").tobytes(), "little")
        result = np.zeros(vectors * length, bool)
        size = word & -word
        if word & 15:
            count = (word & used) // (2 * size)
            result[::size] = (np.arange(len(result) // size) < count) ^ bool(word & _INVERTED)
        return result

    return read


def _written(ctx: A64Context, at: int) -> Callable[[int], None]:
    row = ctx.state.predicates[ctx.operands[at].num]

    def write(word: int) -> None:
        row[:] = False
        row[:16] = np.unpackbits(np.array([word], "<u2").view(np.uint8), bitorder="little")

    return write


def _size(ctx: A64Context, at: int = 0) -> int:
    operand = ctx.operands[at]
    reg = operand.regs[0] if isinstance(operand, RegList) else operand
    return SIZES[reg.kind.rpartition(".")[2]]


def _all_true(ctx: A64Context) -> Run:
    """ptrue of a counter."""
    write, word = _written(ctx, 0), _INVERTED | _size(ctx)
    return lambda: write(word)


def _extracted(ctx: A64Context) -> Run:
    """pext: one vector's part of a counter, or two neighbouring ones, as predicates."""
    into, size, length = ctx.operands[0], _size(ctx), ctx.state.vector_bytes
    rows = [ctx.state.predicates[reg.num] for reg in (into.regs if isinstance(into, RegList) else (into,))]
    read, first = counted(ctx, 1), ctx.operands[1].index * len(rows)

    def run() -> None:
        mask = read(_MOST)
        for at, row in enumerate(rows, first):
            row[:] = False
            row[::size] = mask[at * length : (at + 1) * length : size]

    return run


def _count(ctx: A64Context) -> Run:
    """cntp of a counter: how many elements of two or four vectors are true."""
    put, read, size, vectors = ctx.put(0), counted(ctx, 1), _size(ctx, 1), int(ctx.operands[2].name[-1])
    return lambda: put(int(np.count_nonzero(read(vectors)[::size])))


def _while(relation: str, ctx: A64Context) -> Run:
    """whilelt and its like for two predicates or a counter: the numbers of the elements for which it holds follow each
    other from the first one on, or, if the counter goes down, up to the last one."""
    holds, sign, down = RELATIONS[relation]
    into, size, state, a, b = ctx.operands[0], _size(ctx), ctx.state, ctx.get(1), ctx.get(2)
    pair = isinstance(into, RegList)
    elements = state.vector_bytes // size * (2 if pair else int(ctx.operands[3].name[-1]))

    def true() -> int:
        x, y = (signed(each(), 64) if sign else each() for each in (a, b))
        least, most = (-(1 << 63), (1 << 63) - 1) if sign else (0, (1 << 64) - 1)
        count = 0
        while count < elements and holds(x, y):
            count, x = count + 1, x + (-1 if down else 1)
            x = least if x > most else most if x < least else x
        return count

    write = None if pair else _written(ctx, 0)
    rows = [state.predicates[reg.num] for reg in into.regs] if pair else []

    def run() -> None:
        count = true()
        mask = np.arange(elements) >= elements - count if down else np.arange(elements) < count
        if write is not None:
            write(_encoded(size, elements, count, down))
        for row, part in zip(rows, mask.reshape(2, -1)):
            row[:] = False
            row[::size] = part
        set_flags(state, np.ones(elements, bool), mask)

    return run


def _moved(store: bool, letter: str, ctx: A64Context) -> Run:
    """ld1w, st1w and their like of two or four vectors, whose elements follow each other in memory."""
    regs, memory, size = ctx.operands[0].regs, ctx.state.memory, _MEMORY[letter]
    rows = [ctx.state.row(reg.num, f"u{size}", ctx.state.vector_bytes) for reg in regs]
    address, read = ctx.address(2), counted(ctx, 1)
    if store:
        return lambda: memory.masked_store(address(), np.concatenate(rows), read(len(rows))[::size])

    def load() -> None:
        data = memory.masked_load(address(), np.dtype(f"u{size}"), read(len(rows))[::size])
        for row, part in zip(rows, np.split(data, len(rows))):
            row[:] = part

    return load


def _selected(ctx: A64Context) -> Run:
    """sel of several vectors by a counter."""
    d, n, m = (
        [ctx.state.row(reg.num, f"u{_size(ctx)}", ctx.state.vector_bytes) for reg in ctx.operands[at].regs]
        for at in (0, 2, 3)
    )
    read, size = counted(ctx, 1), _size(ctx)

    def run() -> None:
        result = np.where(read(len(d))[::size], np.concatenate(n), np.concatenate(m))
        for row, part in zip(d, np.split(result, len(d))):
            row[:] = part

    return run


TABLE: dict[str, Semantic] = {
    "ptrue": _all_true,
    "pext": _extracted,
    "cntp": _count,
    **{f"while{relation}": partial(_while, relation) for relation in RELATIONS},
}
"""Operations of SVE2.1."""

LISTS: dict[str, Semantic] = {
    "sel": _selected,
    **{
        f"{verb}{hint}1{letter}": partial(_moved, verb == "st", letter)
        for verb in ("ld", "st")
        for hint in ("", "nt")
        for letter in _MEMORY
    },
}
"""Operations of SME2."""
