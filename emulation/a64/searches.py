"""Instructions of SVE2 that search and count, move bits, and carry between elements. Maps operations to factories of
closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...encoder.a64.registers import Mem, Shifted
from ..core.closures import Run, called
from .lanes import lanes, predicate_target
from .operands import A64Context, Array, Semantic


def _equal(a: Array, b: Array) -> Array:
    """Return which elements of a segment of `a` (rows) equal which of `b` (columns), for each 128 bits."""
    per = 16 // a.dtype.itemsize
    result: Array = a.reshape(-1, per, 1) == b.reshape(-1, 1, per)
    return result


def _match(wanted: bool, ctx: A64Context) -> Run:
    """match, nmatch: whether an element equals any element of the same 128 bits of the second source."""
    write = predicate_target(ctx, ctx.lanes(2).size, True)
    return called(
        lambda a, b: _equal(a, b).any(axis=2).reshape(-1) == wanted, [ctx.source(at, "u") for at in (2, 3)], write
    )


def _histogram(ctx: A64Context) -> Run:
    """histcnt: how many of the active elements of the second source, up to its own place, equal each element."""
    active = ctx.active(ctx.lanes(0).size)

    def function(a: Array, b: Array) -> Array:
        found = np.tril(a[:, None] == b[None, :]) & active[None, :]
        counts: Array = found.sum(axis=1).astype(a.dtype)
        return counts

    return called(function, [ctx.source(at, "u") for at in (2, 3)], ctx.target(0, "u"))


def _segment_histogram(a: Array, b: Array) -> Array:
    """histseg: how many bytes of the same 128 bits of the second source equal each byte."""
    counts: Array = _equal(a, b).sum(axis=2).astype(np.uint8).reshape(-1)
    return counts


# Bits


def _bits(value: int, mask: int, bits: int) -> tuple[int, int]:
    """Return the bits that a mask selects, packed, and their number."""
    result = count = 0
    for at in range(bits):
        if mask >> at & 1:
            result |= (value >> at & 1) << count
            count += 1
    return result, count


def _deposited(value: int, mask: int, bits: int) -> int:
    """bdep: the lowest bits, put where the mask is set."""
    result = 0
    for at in range(bits):
        if mask >> at & 1:
            result |= (value & 1) << at
            value >>= 1
    return result


def _grouped(value: int, mask: int, bits: int) -> int:
    """bgrp: the bits where the mask is set, above them the others."""
    low, count = _bits(value, mask, bits)
    return low | _bits(value, ~mask, bits)[0] << count


def _bitwise(function: Callable[[int, int, int], int]) -> Semantic:
    def run(a: Array, b: Array) -> Array:
        bits = 8 * a.dtype.itemsize
        return np.array([function(value, mask, bits) for value, mask in zip(a.tolist(), b.tolist())], a.dtype)

    return lanes(run, "u", 2)


# Neighbours


def _crossed(top: bool) -> Semantic:
    """eorbt, eortb: combine even elements with odd ones; the other elements stay."""

    def function(d: Array, a: Array, b: Array) -> Array:
        result: Array = d.copy()
        result[int(top) :: 2] = a[int(top) :: 2] ^ b[int(not top) :: 2]
        return result

    return lanes(function, "u", 3)


def _carried(subtract: bool, top: bool) -> Semantic:
    """adclb, sbclt and their like: add an even or odd element to an even one, and the lowest bit of the element above
    in the second source; the carry goes to the element above the result."""

    def function(d: Array, a: Array, b: Array) -> Array:
        ones = (1 << 8 * d.dtype.itemsize) - 1
        result: Array = d.copy()
        for at in range(0, len(d), 2):
            other = int(a[at + top])
            total = int(d[at]) + (other ^ ones if subtract else other) + (int(b[at + 1]) & 1)
            result[at], result[at + 1] = total & ones, total > ones
        return result

    return lanes(function, "u", 3)


def _divided(a: Array, by: Array) -> Array:
    """asrd: divide by a power of two and round towards zero."""
    step = int(by.reshape(-1)[0])
    return np.array([abs(value) >> step if value >= 0 else -(abs(value) >> step) for value in a.tolist()], a.dtype)


def _addresses(ctx: A64Context) -> Run:
    """adr: a vector of addresses from bases and offsets."""
    mem: Mem = ctx.operands[1]
    size, offset = ctx.lanes(0).size, mem.offset
    by, op, reg = (offset.amount, offset.op, offset.reg) if isinstance(offset, Shifted) else (0, "lsl", offset)
    kind = {"lsl": f"u{size}", "uxtw": "u4", "sxtw": "i4"}[op]
    step, dtype = size // np.dtype(kind).itemsize, np.dtype(f"u{size}")
    bases = ctx.state.row(mem.base.num, dtype, ctx.state.vector_bytes)
    offsets, write = ctx.state.row(reg.num, kind, ctx.state.vector_bytes)[::step], ctx.target(0, "u")
    return lambda: write(bases + (offsets.astype(dtype) << dtype.type(by)))


TABLE: dict[str, Semantic] = {
    "histcnt": _histogram,
    "histseg": lanes(_segment_histogram, "u", 2),
    "bext": _bitwise(lambda value, mask, bits: _bits(value, mask, bits)[0]),
    "bdep": _bitwise(_deposited),
    "bgrp": _bitwise(_grouped),
    "eorbt": _crossed(False),
    "eortb": _crossed(True),
    **{f"{name}{end}": _carried(name == "sbcl", end == "t") for name in ("adcl", "sbcl") for end in "bt"},
    "asrd": lanes(_divided, "i", 2),
    "adr": _addresses,
}
"""Operations of vectors."""

PREDICATES: dict[str, Semantic] = {"match": partial(_match, True), "nmatch": partial(_match, False)}
"""Operations whose result is a predicate."""
