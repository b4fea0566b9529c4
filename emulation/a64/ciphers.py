"""Instructions for AES, SHA, SM3 and SM4, and products of polynomials. Maps operations to factories of closures.

Every function takes the words of one 128-bit segment, the lowest first, and returns those of the result; vectors of SVE
hold several segments. Sources: Arm ARM (DDI 0487) J1.3 (AES, SHA), C7.2 (SHA512, SM3, SM4), FIPS 180-4, FIPS 197,
GB/T 32905, GB/T 32907.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..core.closures import Run, called
from .lanes import half_of, lanes, places
from .operands import A64Context, Array, Semantic

Words = Sequence[int]
_ONES = (1 << 32) - 1


def _segments(function: Callable[..., Words], sources: int, size: int) -> Semantic:
    """The semantics of an instruction that computes every 128 bits from words of `size` bytes."""

    def run(*given: Array) -> Array:
        parts = [each.reshape(-1, 16 // size).tolist() for each in given]
        return np.array([function(*words) for words in zip(*parts)], f"u{size}").reshape(-1)

    def predecode(ctx: A64Context) -> Run:
        arguments = [_whole(ctx, at, size) for at in places(ctx, sources)]
        return called(run, arguments, ctx.target(0, "u", size))

    return predecode


def _whole(ctx: A64Context, at: int, size: int) -> Callable[[], Any]:
    """Return a reader of all words of a vector, even if the operand names one element of it."""
    lanes = ctx.lanes(at)
    row = ctx.state.row(lanes.number, f"u{size}", ctx.state.vector_bytes if lanes.scalable else 16)
    return lambda: row


def _left(value: int, by: int) -> int:
    return (value << by | value >> 32 - by) & _ONES


def _right(value: int, *by: int, bits: int = 32, down: int | None = None) -> int:
    """Combine rotations to the right by exclusive or, and a shift by `down` if there is one."""
    result = 0 if down is None else value >> down
    for step in by:
        result ^= (value >> step | value << bits - step) & (1 << bits) - 1
    return result


# Finite fields


def _times(a: int, b: int, modulus: int) -> int:
    """Return the product of two polynomials over GF(2), reduced by one of degree 8."""
    product = carryless(a, b)
    for bit in range(product.bit_length() - 1, 7, -1):
        if product >> bit & 1:
            product ^= modulus << bit - 8
    return product


def carryless(a: int, b: int) -> int:
    """Return the product of two polynomials over GF(2)."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = a << 1, b >> 1
    return product


@cache
def _inverses(modulus: int) -> list[int]:
    """Return the inverse of every element of the field, and 0 for 0."""
    inverses = [0] * 256
    for a in range(1, 256):
        inverses[a] = next(b for b in range(1, 256) if _times(a, b, modulus) == 1) if not inverses[a] else inverses[a]
        inverses[inverses[a]] = a
    return inverses


def _rotated_sum(value: int, row: int) -> int:
    """Multiply a vector of 8 bits by the circulant matrix whose first row is given."""
    return sum(((value & (row >> 8 - bit | row << bit) & 0xFF).bit_count() & 1) << bit for bit in range(8))


_AES, _SM4 = 0x11B, 0x1F5


@cache
def _aes_box(inverse: bool) -> list[int]:
    box = [_rotated_sum(each, 0xF1) ^ 0x63 for each in _inverses(_AES)]
    return [box.index(each) for each in range(256)] if inverse else box


@cache
def _sm4_box() -> list[int]:
    def affine(value: int) -> int:
        return _rotated_sum(value, 0xA7) ^ 0xD3

    return [affine(_inverses(_SM4)[affine(value)]) for value in range(256)]


# AES: bytes of a 4 x 4 matrix, column by column


def _aes(inverse: bool) -> Callable[[Words, Words], Words]:
    step = -1 if inverse else 1

    def function(state: Words, key: Words) -> Words:
        mixed, box = [a ^ b for a, b in zip(state, key)], _aes_box(inverse)
        return [box[mixed[row + 4 * ((column + step * row) % 4)]] for column in range(4) for row in range(4)]

    return function


def _mixed(factors: Words) -> Callable[[Words], Words]:
    @cache
    def times(factor: int, value: int) -> int:
        return _times(factor, value, _AES)

    def function(state: Words) -> Words:
        columns = [state[at : at + 4] for at in range(0, 16, 4)]
        parts = [
            [times(factors[(at - row) % 4], column[at]) for at in range(4)] for column in columns for row in range(4)
        ]
        return [a ^ b ^ c ^ d for a, b, c, d in parts]

    return function


# SHA


def _choose(x: int, y: int, z: int) -> int:
    return (y ^ z) & x ^ z


def _majority(x: int, y: int, z: int) -> int:
    return x & y | (x | y) & z


def _parity(x: int, y: int, z: int) -> int:
    return x ^ y ^ z


def _sha1(mix: Callable[[int, int, int], int]) -> Callable[[Words, Words, Words], Words]:
    def function(abcd: Words, other: Words, schedule: Words) -> Words:
        (a, b, c, d), e = abcd, other[0]
        for word in schedule:
            a, b, c, d, e = (e + _left(a, 5) + mix(b, c, d) + word) & _ONES, a, _left(b, 30), c, d
        return [a, b, c, d]

    return function


def _sha1su0(d: Words, n: Words, m: Words) -> Words:
    return [a ^ b ^ c for a, b, c in zip([*d[2:], *n[:2]], d, m)]


def _sha1su1(d: Words, n: Words) -> Words:
    mixed = [a ^ b for a, b in zip(d, [*n[1:], 0])]
    result = [_left(word, 1) for word in mixed]
    return [*result[:3], result[3] ^ _left(mixed[0], 2)]


def _sha256(first: bool) -> Callable[[Words, Words, Words], Words]:
    def function(d: Words, n: Words, schedule: Words) -> Words:
        x, y = (list(d), list(n)) if first else (list(n), list(d))
        for word in schedule:
            total = y[3] + _right(y[0], 6, 11, 25) + _choose(*y[:3]) + word
            up, down = total + x[3], total + _right(x[0], 2, 13, 22) + _majority(*x[:3])
            x, y = [down & _ONES, *x[:3]], [up & _ONES, *y[:3]]
        return x if first else y

    return function


def _sha256su0(d: Words, n: Words) -> Words:
    return [(a + _right(b, 7, 18, down=3)) & _ONES for a, b in zip(d, [*d[1:], n[0]])]


def _sha256su1(d: Words, n: Words, m: Words) -> Words:
    last, result = list(m[2:]), []
    for at, word in enumerate([*n[1:], m[0]]):
        result.append((_right(last[at], 17, 19, down=10) + d[at] + word) & _ONES)
        last.append(result[-1])
    return result


def _sha512h(w: Words, x: Words, y: Words) -> Words:
    high = w[1] + _right(y[1], 14, 18, 41, bits=64) + _choose(y[1], x[0], x[1])
    mixed = (high + y[0]) % (1 << 64)
    low = w[0] + _right(mixed, 14, 18, 41, bits=64) + _choose(mixed, y[1], x[0])
    return [low % (1 << 64), high % (1 << 64)]


def _sha512h2(w: Words, x: Words, y: Words) -> Words:
    high = (w[1] + _right(y[0], 28, 34, 39, bits=64) + _majority(x[0], y[1], y[0])) % (1 << 64)
    return [(w[0] + _right(high, 28, 34, 39, bits=64) + _majority(high, y[0], y[1])) % (1 << 64), high]


def _sha512su0(w: Words, x: Words) -> Words:
    return [(a + _right(b, 1, 8, bits=64, down=7)) % (1 << 64) for a, b in zip(w, (w[1], x[0]))]


def _sha512su1(w: Words, x: Words, y: Words) -> Words:
    return [(a + _right(b, 19, 61, bits=64, down=6) + c) % (1 << 64) for a, b, c in zip(w, x, y)]


# SM3 and SM4


def _sm3partw1(d: Words, n: Words, m: Words) -> Words:
    result = [a ^ b for a, b in zip(d, n)]
    for at in range(4):
        word = result[at] ^ _left(m[at + 1] if at < 3 else result[0], 15)
        result[at] = word ^ _left(word, 15) ^ _left(word, 23)
    return result


def _sm3partw2(d: Words, n: Words, m: Words) -> Words:
    mixed = [a ^ _left(b, 7) for a, b in zip(n, m)]
    last = _left(mixed[0], 15)
    result = [a ^ b for a, b in zip(d, mixed)]
    return [*result[:3], result[3] ^ last ^ _left(last, 15) ^ _left(last, 23)]


def _sm3ss1(n: Words, m: Words, a: Words) -> Words:
    return [0, 0, 0, _left((_left(n[3], 12) + m[3] + a[3]) & _ONES, 7)]


def _sm3tt(first: bool, late: bool) -> Semantic:
    """sm3tt1a, sm3tt1b, sm3tt2a, sm3tt2b: a round; `late` is one after the sixteenth."""
    mix = _parity if not late else _majority if first else _choose

    def predecode(ctx: A64Context) -> Run:
        index = ctx.lanes(2).index or 0

        def function(d: Words, n: Words, m: Words) -> Words:
            total = d[0] + m[index] + mix(d[3], d[2], d[1])
            if first:
                top = (total + (n[3] ^ _left(d[3], 12))) & _ONES
                return [d[1], _left(d[2], 9), d[3], top]
            top = (total + n[3]) & _ONES
            return [d[1], _left(d[2], 19), d[3], top ^ _left(top, 9) ^ _left(top, 17)]

        return _segments(function, 3, 4)(ctx)

    return predecode


def _sm4(*rotations: int) -> Callable[[Words, Words], Words]:
    def function(state: Words, keys: Words) -> Words:
        words, box = list(state), _sm4_box()
        for key in keys:
            mixed = words[1] ^ words[2] ^ words[3] ^ key
            mixed = sum(box[mixed >> at & 0xFF] << at for at in range(0, 32, 8))
            total = mixed
            for by in rotations:
                total ^= _left(mixed, by)
            words = [*words[1:], total ^ words[0]]
        return words

    return function


# Polynomials


def _polynomials(ctx: A64Context) -> Run:
    """pmull, pmullb and their like: products of twice the width."""
    into = ctx.lanes(0)
    half, unit = into.size // 2, min(into.size, 8)
    a, b = (ctx.source(at, "u", half, half_of(ctx, at, into.count)) for at in (1, 2))

    def function(x: Array, y: Array) -> Array:
        products = [carryless(p, q).to_bytes(into.size, "little") for p, q in zip(x.tolist(), y.tolist())]
        return np.frombuffer(b"".join(products), f"u{unit}")

    return called(function, [a, b], ctx.target(0, "u", unit))


def _polynomial(x: Array, y: Array) -> Array:
    """pmul: the low halves of products."""
    return np.array([carryless(p, q) & 0xFF for p, q in zip(x.tolist(), y.tolist())], np.uint8)


def _xar(ctx: A64Context) -> Run:
    """xar: exclusive or, rotated to the right."""
    by, bits = ctx.operands[-1], 8 * ctx.lanes(0).size

    def function(a: Array, b: Array) -> Array:
        mixed = a ^ b
        result: Array = mixed >> mixed.dtype.type(by) | mixed << mixed.dtype.type(bits - by) if 0 < by < bits else mixed
        return result

    return called(function, [ctx.source(at, "u") for at in (1, 2)], ctx.target(0, "u"))


def _rax1(a: Array, b: Array) -> Array:
    one = b.dtype.type(1)
    result: Array = a ^ (b << one | b >> b.dtype.type(63))
    return result


TABLE: dict[str, Semantic] = {
    "aese": _segments(_aes(False), 2, 1),
    "aesd": _segments(_aes(True), 2, 1),
    "aesmc": _segments(_mixed((2, 3, 1, 1)), 1, 1),
    "aesimc": _segments(_mixed((14, 11, 13, 9)), 1, 1),
    **{
        f"sha1{letter}": _segments(_sha1(mix), 3, 4)
        for letter, mix in (("c", _choose), ("m", _majority), ("p", _parity))
    },
    "sha1su0": _segments(_sha1su0, 3, 4),
    "sha1su1": _segments(_sha1su1, 2, 4),
    "sha1h": lanes(lambda a: a << np.uint32(30) | a >> np.uint32(2), "u", 1),
    "sha256h": _segments(_sha256(True), 3, 4),
    "sha256h2": _segments(_sha256(False), 3, 4),
    "sha256su0": _segments(_sha256su0, 2, 4),
    "sha256su1": _segments(_sha256su1, 3, 4),
    "sha512h": _segments(_sha512h, 3, 8),
    "sha512h2": _segments(_sha512h2, 3, 8),
    "sha512su0": _segments(_sha512su0, 2, 8),
    "sha512su1": _segments(_sha512su1, 3, 8),
    "sm3partw1": _segments(_sm3partw1, 3, 4),
    "sm3partw2": _segments(_sm3partw2, 3, 4),
    "sm3ss1": _segments(_sm3ss1, 3, 4),
    **{f"sm3tt{number}{letter}": _sm3tt(number == 1, letter == "b") for number in (1, 2) for letter in "ab"},
    "sm4e": _segments(_sm4(2, 10, 18, 24), 2, 4),
    "sm4ekey": _segments(_sm4(13, 23), 2, 4),
    "pmul": lanes(_polynomial, "u", 2),
    **{f"pmull{end}": _polynomials for end in ("", "2", "b", "t")},
    "rax1": lanes(_rax1, "u", 2),
    "xar": _xar,
}
"""Operations of vectors."""
