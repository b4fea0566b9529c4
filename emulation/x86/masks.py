"""Instructions on mask registers, and between masks and vectors. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from operator import or_
from typing import Any

import numpy as np

from ..core.closures import Run, called
from .lanes import SIGNED, UNSIGNED, Array, each, mask_target, masked
from .operands import Semantic, X86Context
from .state import bits, number

_SIZES = {"b": 1, "w": 2, "d": 4, "q": 8}


def _logic(operation: Callable[..., int]) -> Callable[[str], Semantic]:
    """The semantics of mask logic; the mnemonic's last letter gives the bits, and the operation maps (operands, bits)
    to a mask.
    """

    def ending(letter: str) -> Semantic:
        size = _SIZES[letter]
        width, ones = 8 * size, (1 << 8 * size) - 1

        def predecode(ctx: X86Context) -> Run:
            put, sources = ctx.put(0), [ctx.get(at, size) for at in range(1, len(ctx.operands))]
            return lambda: put(operation(*[source() for source in sources], width) & ones)

        return predecode

    return ending


def _move(letter: str) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        size = _SIZES[letter]
        get, put = ctx.get(1, size), ctx.put(0, size)
        return lambda: put(get())

    return predecode


def _test(both: Callable[[int, int], int], other: Callable[[int, int, int], bool]) -> Callable[[str], Semantic]:
    """The semantics of kortest and ktest: both(a, b) sets the zero flag, other(a, b, ones) sets the carry flag."""

    def ending(letter: str) -> Semantic:
        def predecode(ctx: X86Context) -> Run:
            state, size = ctx.state, _SIZES[letter]
            a, b, ones = ctx.get(0, size), ctx.get(1, size), (1 << 8 * size) - 1

            def run() -> None:
                state.zf, state.cf = both(a(), b()) == 0, other(a(), b(), ones)
                state.of = state.sf = state.af = state.pf = False

            return run

        return predecode

    return ending


def _unpack(half: int) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        put, high, low = ctx.put(0), ctx.get(1, half // 8), ctx.get(2, half // 8)
        return lambda: put(high() << half | low())

    return predecode


def _to_vector(letter: str) -> Semantic:
    """The semantics of vpmovm2b and its like: an element is all ones if its mask bit is set."""

    def predecode(ctx: X86Context) -> Run:
        dtype = UNSIGNED[letter]
        count = ctx.count(dtype)
        write, k, num = ctx.target(0, dtype, count), ctx.state.k, ctx.operands[1].num
        return lambda: write(-bits(k[num], count).astype(dtype))

    return predecode


def _to_mask(letter: str) -> Semantic:
    """The semantics of vpmovb2m and its like: the mask is the sign bits of the elements."""

    def predecode(ctx: X86Context) -> Run:
        dtype = SIGNED[letter]
        count = ctx.count(dtype)
        return called(lambda a: a < 0, [ctx.source(1, dtype, count)], mask_target(ctx, count))

    return predecode


def _broadcast_mask(letter: str, size: int) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        dtype = UNSIGNED[letter]
        count, get = ctx.count(dtype), ctx.get(1, size)
        write = ctx.target(0, dtype, count)
        return lambda: write(np.full(count, get(), dtype))

    return predecode


def _signs(dtype: Any) -> Semantic:
    """The semantics of vmovmskps and its like: the sign bits go to a general register."""

    def predecode(ctx: X86Context) -> Run:
        read, put = ctx.source(1, dtype, ctx.count(dtype)), ctx.put(0)
        return lambda: put(number(read() < 0))

    return predecode


_HOLDS: tuple[Callable[[Array, Array], Array], ...] = (
    np.equal,
    np.less,
    np.less_equal,
    lambda a, b: np.zeros(a.shape, bool),
    np.not_equal,
    np.greater_equal,
    np.greater,
    lambda a, b: np.ones(a.shape, bool),
)


def _compare(types: dict[str, Any]) -> Callable[[str], Semantic]:
    return lambda e: masked(lambda a, b, predicate: _HOLDS[predicate & 7](a, b), types[e[-1]], types[e[-1]])


def _bits_by(ctx: X86Context) -> Run:
    """vpshufbitqmb: each byte of the second source selects a bit of its 64 bits of the first; masks count bytes."""
    count = ctx.count(UNSIGNED["b"])
    value, by = ctx.source(1, UNSIGNED["q"], count // 8), ctx.source(2, UNSIGNED["b"], count, suppress=False)

    def function(a: Array, b: Array) -> Array:
        chosen: Array = a.reshape(-1, 1) >> (b.reshape(-1, 8) & 63).astype(a.dtype) & a.dtype.type(1) != 0
        return chosen.reshape(-1)

    return called(function, [value, by], mask_target(ctx, count))


def _intersect(letter: str) -> Semantic:
    """vp2intersectd: a pair of masks tells which elements of each source are in the other one."""

    def predecode(ctx: X86Context) -> Run:
        dtype, k, first = UNSIGNED[letter], ctx.state.k, ctx.operands[0].num & ~1
        a, b = (ctx.source(at, dtype, ctx.count(dtype)) for at in (1, 2))

        def run() -> None:
            same = a()[:, None] == b()
            k[first], k[first + 1] = number(same.any(axis=1)), number(same.any(axis=0))

        return run

    return predecode


TABLE: dict[str, Semantic] = {
    **each("kmov{b,w,d,q}", _move),
    **each("kand{b,w,d,q}", _logic(lambda a, b, n: a & b)),
    **each("kandn{b,w,d,q}", _logic(lambda a, b, n: ~a & b)),
    **each("kor{b,w,d,q}", _logic(lambda a, b, n: a | b)),
    **each("kxor{b,w,d,q}", _logic(lambda a, b, n: a ^ b)),
    **each("kxnor{b,w,d,q}", _logic(lambda a, b, n: ~(a ^ b))),
    **each("knot{b,w,d,q}", _logic(lambda a, n: ~a)),
    **each("kadd{b,w,d,q}", _logic(lambda a, b, n: a + b)),
    **each("kshiftl{b,w,d,q}", _logic(lambda a, by, n: a << (by & 255))),
    **each("kshiftr{b,w,d,q}", _logic(lambda a, by, n: a >> (by & 255))),
    **each("kortest{b,w,d,q}", _test(or_, lambda a, b, ones: a | b == ones)),
    **each("ktest{b,w,d,q}", _test(int.__and__, lambda a, b, ones: ~a & b & ones == 0)),
    "kunpckbw": _unpack(8),
    "kunpckwd": _unpack(16),
    "kunpckdq": _unpack(32),
    **each("vpmovm2{b,w,d,q}", _to_vector),
    **{f"vpmov{letter}2m": _to_mask(letter) for letter in "bwdq"},
    "vpbroadcastmb2q": _broadcast_mask("q", 1),
    "vpbroadcastmw2d": _broadcast_mask("d", 2),
    "vmovmskps": _signs(SIGNED["d"]),
    "vmovmskpd": _signs(SIGNED["q"]),
    "vpmovmskb": _signs(SIGNED["b"]),
    "vpshufbitqmb": _bits_by,
    **each("vp2intersect{d,q}", _intersect),
    **each("vpcmp{b,w,d,q}", _compare(SIGNED)),
    **each("vpcmpu{b,w,d,q}", _compare(UNSIGNED)),
    **each("vpcmpeq{b,w,d,q}", lambda e: masked(np.equal, UNSIGNED[e], UNSIGNED[e])),
    **each("vpcmpgt{b,w,d,q}", lambda e: masked(np.greater, SIGNED[e], SIGNED[e])),
    **each("vptestm{b,w,d,q}", lambda e: masked(lambda a, b: a & b != 0, UNSIGNED[e], UNSIGNED[e])),
    **each("vptestnm{b,w,d,q}", lambda e: masked(lambda a, b: a & b == 0, UNSIGNED[e], UNSIGNED[e])),
}
