"""Integer arithmetic, logic and shifts of vectors. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.closures import Run, called
from ..numerics.primitive import primitive
from .lanes import I1, I2, I4, I8, SIGNED, U1, U2, U4, U8, UNSIGNED, Array, each, lanes, whole
from .operands import Semantic, X86Context

Function = Callable[..., Array]

_WIDER = {I1: I2, I2: I4, I4: I8, U1: U2, U2: U4, U4: U8}


def _two(function: Function, types: dict[str, Any]) -> Callable[[str], Semantic]:
    """The semantics of a function of two vectors, whose element type is the last letter of the mnemonic."""
    return lambda e: lanes(function, *[types[e[-1]]] * 3)


def saturated(value: Array, dtype: Any) -> Array:
    """Return the nearest value that is representable in a type."""
    info = np.iinfo(dtype)
    return np.clip(value, info.min, info.max).astype(dtype)


def _saturating(operation: Function) -> Function:
    def function(a: Array, b: Array) -> Array:
        wide = I4 if a.dtype.itemsize < 4 else I8
        return saturated(operation(a.astype(wide), b.astype(wide)), a.dtype)

    return function


def _average(a: Array, b: Array) -> Array:
    result: Array = ((a.astype(U4) + b + U4.type(1)) >> U4.type(1)).astype(a.dtype)
    return result


def _high(a: Array, b: Array) -> Array:
    """Return the high half of the products."""
    wide, bits = _WIDER[a.dtype], 8 * a.dtype.itemsize
    result: Array = (a.astype(wide) * b.astype(wide) >> wide.type(bits)).astype(a.dtype)
    return result


def _rounded_high(a: Array, b: Array) -> Array:
    """vpmulhrsw: return the high half of twice the product, rounded."""
    result: Array = ((a.astype(I4) * b.astype(I4) >> 14) + 1 >> 1).astype(I2)
    return result


def _even_product(dtype: Any) -> Function:
    """vpmuludq, vpmuldq: multiply the low halves of the elements."""

    def function(a: Array, b: Array) -> Array:
        low = [x.view(dtype)[::2].astype(_WIDER[np.dtype(dtype)]) for x in (a, b)]
        result: Array = (low[0] * low[1]).view(U8)
        return result

    return function


def _absolute(a: Array) -> Array:
    return np.abs(a)  # the minimum has no positive counterpart and keeps its bits


def _signed_by(a: Array, b: Array) -> Array:
    """vpsignb: return a, -a or 0 by the sign of b."""
    return np.where(b < 0, -a, np.where(b == 0, a.dtype.type(0), a))


def _pairwise(operation: Function) -> Function:
    """vphaddw: combine neighbours of a, then neighbours of b, in each 128-bit lane."""

    def function(a: Array, b: Array) -> Array:
        per = 16 // a.dtype.itemsize
        both = np.concatenate([a.reshape(-1, per), b.reshape(-1, per)], axis=1)
        return operation(both[:, ::2], both[:, 1::2]).reshape(-1)

    return function


def _leading_zeros(a: Array) -> Array:
    return np.array([8 * a.dtype.itemsize - x.bit_length() for x in a.tolist()], a.dtype)


def _population(a: Array) -> Array:
    return np.array([x.bit_count() for x in a.tolist()], a.dtype)


def _conflict(a: Array) -> Array:
    """vpconflictd: set a bit for each earlier element that is equal."""
    values = a.tolist()
    return np.array([sum((values[j] == values[i]) << j for j in range(i)) for i in range(len(values))], a.dtype)


def _absolute_differences(a: Array, b: Array) -> Array:
    """vpsadbw: sum the absolute differences of eight bytes."""
    result: Array = np.abs(a.view(U1).astype(I4) - b.view(U1).astype(I4)).reshape(-1, 8).sum(axis=1).astype(U8)
    return result


def _absolute_sums(a: Array, b: Array, choice: int) -> Array:
    """vmpsadbw: compare four bytes of b with every four neighbours of a. Even and odd 128-bit lanes have three bits of
    the immediate each: the highest for the place in a, the others for the place in b."""
    sums = []
    for lane, (x, y) in enumerate(zip(a.reshape(-1, 16).astype(I4), b.reshape(-1, 16).astype(I4))):
        bits = choice >> 3 * (lane & 1)
        start, block = bits & 4, 4 * (bits & 3)
        windows = np.lib.stride_tricks.sliding_window_view(x[start : start + 11], 4)
        sums.append(np.abs(windows - y[block : block + 4]).sum(axis=1))
    return np.concatenate(sums).astype(U2)


def _words_of_bytes(ctx: X86Context) -> Run:
    count, choice = ctx.count(U1), ctx.operands[3]
    a, b = (ctx.source(at, U1, count, suppress=False) for at in (1, 2))
    return called(lambda x, y: _absolute_sums(x, y, choice), [a, b], ctx.target(0, U2, count // 2))


def _shuffled_sums(ctx: X86Context) -> Run:
    """vdbpsadbw: shuffle the double words of b in each 128-bit lane, then compare both halves of each 64 bits of a with
    four bytes of b, at two places each. Masks count words."""
    choice, count = ctx.operands[3], ctx.count(U1)
    order = [choice >> 2 * at & 3 for at in range(4)]

    def function(a: Array, b: Array) -> Array:
        moved = b.view(U4).reshape(-1, 4)[:, order].reshape(-1).view(U1).reshape(-1, 8).astype(I4)
        x = a.reshape(-1, 8).astype(I4)
        pairs = [(x[:, first : first + 4], moved[:, at : at + 4]) for at, first in enumerate((0, 0, 4, 4))]
        return np.stack([np.abs(p - q).sum(axis=1) for p, q in pairs], axis=1).reshape(-1).astype(U2)

    a, b = (ctx.source(at, U1, count, suppress=False) for at in (1, 2))
    return called(function, [a, b], ctx.target(0, U2, count // 2))


def _least(a: Array) -> Array:
    """vphminposuw: the least word and its place."""
    place = int(np.argmin(a))
    return np.array([a[place], place, 0, 0, 0, 0, 0, 0], U2)


# Shifts


def _shift(kind: str, dtype: Any) -> Function:
    """Shift each element by its own amount; an amount of at least the element's size gives zeros, or copies of the
    sign.
    """
    bits = 8 * dtype.itemsize

    def function(a: Array, by: Array) -> Array:
        by = by.astype(U8)
        amount = np.minimum(by, U8.type(bits - 1)).astype(dtype)
        moved = a << amount if kind == "l" else a >> amount
        result: Array = moved if kind == "a" else np.where(by < bits, moved, dtype.type(0))
        return result

    return function


def _shifts(kind: str, letter: str) -> Semantic:
    """vpslld and its like: shift by an immediate, or by the low 64 bits of a vector."""
    dtype = (SIGNED if kind == "a" else UNSIGNED)[letter]
    function = _shift(kind, dtype)

    def predecode(ctx: X86Context) -> Run:
        count = ctx.count(dtype)
        value, write, amount = ctx.source(1, dtype, count), ctx.target(0, dtype, count), ctx.operands[2]
        if isinstance(amount, int):
            by = np.full(1, amount & 0xFF, U8)
            return lambda: write(function(value(), by))
        given = ctx.source(2, U8, 2, suppress=False)
        return lambda: write(function(value(), given()[:1]))

    return predecode


def _shifts_by_vector(kind: str, letter: str) -> Semantic:
    """vpsllvd and its like: shift each element by its own amount."""
    dtype = (SIGNED if kind == "a" else UNSIGNED)[letter]
    return lanes(_shift(kind, dtype), dtype, dtype, UNSIGNED[letter])


def _rotated(a: Array, by: Any, left: bool) -> Array:
    dtype, bits = a.dtype, 8 * a.dtype.itemsize
    by = np.asarray(by).astype(dtype) % dtype.type(bits)
    back = (dtype.type(bits) - by) % dtype.type(bits)
    result: Array = a << by | a >> back if left else a >> by | a << back
    return result


def _joined(left: bool) -> Callable[[str], Semantic]:
    """vpshldd, vpshrdd shift a pair by an immediate; vpshldvd shifts the pair of destination and source by a vector."""

    def ending(e: str) -> Semantic:
        variable, dtype = e.startswith("v"), UNSIGNED[e[-1]]
        bits = 8 * dtype.itemsize

        def function(a: Array, b: Array, by: Any) -> Array:
            by = np.asarray(by).astype(dtype) % dtype.type(bits)
            back = (dtype.type(bits) - by) % dtype.type(bits)
            shifted = (a << by | b >> back) if left else (a >> by | b << back)
            return np.where(by == 0, a, shifted)

        return lanes(function, *[dtype] * (4 if variable else 3))

    return ending


@primitive
def _ternary(a: Array, b: Array, c: Array, table: int) -> Array:
    """vpternlog: select a bit of the table by a number that consists of one bit of each operand."""
    result: Array = np.zeros_like(a)
    for row in range(8):
        if table >> row & 1:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return result


def _bytes_shifted(left: bool) -> Function:
    """vpslldq, vpsrldq: shift by whole bytes in each 128-bit lane."""

    def function(a: Array, by: int) -> Array:
        by, rows = min(by & 0xFF, 16), a.reshape(-1, 16)
        blank = np.zeros((len(rows), by), U1)
        kept = [blank, rows[:, : 16 - by]] if left else [rows[:, by:], blank]
        return np.concatenate(kept, axis=1).reshape(-1)

    return function


def _multishift(ctx: X86Context) -> Run:
    """vpmultishiftqb: extract eight bits, with wrap-around, from any position of each 64 bits; masks count bytes."""

    def function(control: Array, a: Array) -> Array:
        by = control.view(U1).reshape(-1, 8).astype(U8) & U8.type(63)
        value = a[:, None]
        result: Array = (value >> by | value << (U8.type(64) - by & U8.type(63))).astype(U1).reshape(-1)
        return result

    control, a = (ctx.source(at, U8, ctx.count(U8), suppress=False) for at in (1, 2))
    return called(function, [control, a], ctx.target(0, U1, ctx.count(U1)))


def _test(ctx: X86Context) -> Run:
    """vptest: set the zero flag by the AND and the carry flag by the AND NOT of the operands."""
    state = ctx.state
    count = ctx.count(U8)
    first, second = ctx.source(0, U8, count), ctx.source(1, U8, count)

    def run() -> None:
        a, b = first(), second()
        state.zf, state.cf = not (a & b).any(), not (~a & b).any()
        state.of = state.af = state.pf = state.sf = False

    return run


def _madd52(high: bool) -> Function:
    def function(c: Array, a: Array, b: Array) -> Array:
        ones = (1 << 52) - 1
        products = [(x & ones) * (y & ones) for x, y in zip(a.tolist(), b.tolist())]
        result: Array = c + np.array([p >> 52 if high else p & ones for p in products], U8)
        return result

    return function


_SHIFTS = (("ll", "l"), ("rl", "r"), ("ra", "a"))
"""Logical left and right, arithmetic right."""
_BIT = (("and", np.bitwise_and), ("andn", lambda a, b: ~a & b), ("or", np.bitwise_or), ("xor", np.bitwise_xor))

TABLE: dict[str, Semantic] = {
    **each("vpadd{b,w,d,q}", _two(np.add, UNSIGNED)),
    **each("vpsub{b,w,d,q}", _two(np.subtract, UNSIGNED)),
    **each("vpadds{b,w}", _two(_saturating(np.add), SIGNED)),
    **each("vpaddus{b,w}", _two(_saturating(np.add), UNSIGNED)),
    **each("vpsubs{b,w}", _two(_saturating(np.subtract), SIGNED)),
    **each("vpsubus{b,w}", _two(_saturating(np.subtract), UNSIGNED)),
    **each("vpmins{b,w,d,q}", _two(np.minimum, SIGNED)),
    **each("vpmaxs{b,w,d,q}", _two(np.maximum, SIGNED)),
    **each("vpminu{b,w,d,q}", _two(np.minimum, UNSIGNED)),
    **each("vpmaxu{b,w,d,q}", _two(np.maximum, UNSIGNED)),
    **each("vpmull{w,d,q}", _two(np.multiply, UNSIGNED)),
    "vpmulhw": lanes(_high, I2, I2, I2),
    "vpmulhuw": lanes(_high, U2, U2, U2),
    "vpmulhrsw": lanes(_rounded_high, I2, I2, I2),
    "vpmuludq": lanes(_even_product(U4), U8, U8, U8),
    "vpmuldq": lanes(_even_product(I4), U8, U8, U8),
    **each("vpavg{b,w}", _two(_average, UNSIGNED)),
    **each("vpsign{b,w,d}", _two(_signed_by, SIGNED)),
    **each("vpabs{b,w,d,q}", lambda e: lanes(_absolute, SIGNED[e], SIGNED[e])),
    **each("vphadd{w,d}", _two(_pairwise(np.add), SIGNED)),
    **each("vphsub{w,d}", _two(_pairwise(np.subtract), SIGNED)),
    "vphaddsw": lanes(_pairwise(_saturating(np.add)), I2, I2, I2),
    "vphsubsw": lanes(_pairwise(_saturating(np.subtract)), I2, I2, I2),
    "vmpsadbw": _words_of_bytes,
    "vdbpsadbw": _shuffled_sums,
    "vphminposuw": whole(_least, U2, U2),
    "vpsadbw": whole(_absolute_differences, U8, U8, U8),
    **each("vplzcnt{d,q}", lambda e: lanes(_leading_zeros, UNSIGNED[e], UNSIGNED[e])),
    **each("vpopcnt{b,w,d,q}", lambda e: lanes(_population, UNSIGNED[e], UNSIGNED[e])),
    **each("vpconflict{d,q}", lambda e: whole(_conflict, UNSIGNED[e], UNSIGNED[e])),
    "vpmadd52luq": lanes(_madd52(False), *[U8] * 4),
    "vpmadd52huq": lanes(_madd52(True), *[U8] * 4),
    **{
        f"vp{name}{ending}": lanes(function, *[UNSIGNED[ending or "q"]] * 3)
        for name, function in _BIT
        for ending in ("", "d")
    },
    **{f"vps{name}{letter}": _shifts(kind, letter) for name, kind in _SHIFTS for letter in "wdq"},
    **{f"vps{name}v{letter}": _shifts_by_vector(kind, letter) for name, kind in _SHIFTS for letter in "wdq"},
    **each("vprol{d,q}", lambda e: lanes(lambda a, by: _rotated(a, by, True), UNSIGNED[e], UNSIGNED[e])),
    **each("vpror{d,q}", lambda e: lanes(lambda a, by: _rotated(a, by, False), UNSIGNED[e], UNSIGNED[e])),
    **each("vprolv{d,q}", lambda e: lanes(lambda a, by: _rotated(a, by, True), *[UNSIGNED[e]] * 3)),
    **each("vprorv{d,q}", lambda e: lanes(lambda a, by: _rotated(a, by, False), *[UNSIGNED[e]] * 3)),
    **each("vpshld{w,d,q,vw,vd,vq}", _joined(True)),
    **each("vpshrd{w,d,q,vw,vd,vq}", _joined(False)),
    **each("vpternlog{d,q}", lambda e: lanes(_ternary, *[UNSIGNED[e]] * 4)),
    "vpslldq": whole(_bytes_shifted(True), U1, U1),
    "vpsrldq": whole(_bytes_shifted(False), U1, U1),
    "vpmultishiftqb": _multishift,
    "vptest": _test,
}
