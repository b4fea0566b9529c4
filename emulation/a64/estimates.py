"""Estimates of 1 / x and 1 / sqrt(x) to eight bits, and steps of exponentials and sines. The architecture specifies
every bit of them.

Source: Arm ARM (DDI 0487), FPRecipEstimate, FPRSqrtEstimate, RecipEstimate, RecipSqrtEstimate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from math import isqrt
from typing import Any

import numpy as np

from ..core.closures import Run, called
from ..numerics import fp
from ..numerics.rounding import Array, Environment, Format, Rounding
from .float import absolute, negated
from .lanes import floats, lanes
from .operands import A64Context

_FRACTION = 52  # fraction bits to which the pseudo-code extends every type


@lru_cache(1 << 9)
def _reciprocal(scaled: int) -> int:
    """Map 256 to 511 (a number from 1/2 to 1) to its reciprocal, 256 to 511 (a number from 1 to 2)."""
    return ((1 << 19) // (2 * scaled + 1) + 1) // 2


@lru_cache(1 << 9)
def _root(scaled: int) -> int:
    """Map 128 to 511 (a number from 1/4 to 1) to its reciprocal square root, 256 to 511 (a number from 1 to 2)."""
    a = 2 * scaled + 1 if scaled < 256 else 2 * ((scaled >> 1 << 1) + 1)
    b = 512
    while a * (b + 1) * (b + 1) < 1 << 28:
        b += 1
    return (b + 1) // 2


def _parts(bits: int, fmt: Format) -> tuple[int, int]:
    """Return exponent field and 52 fraction bits; a denormal is normalized, so that its exponent is zero or less."""
    width = fmt.precision - 1
    exponent = bits >> width & (fmt.infinity >> width)
    fraction = (bits & (1 << width) - 1) << _FRACTION - width
    if exponent == 0:
        while not fraction >> _FRACTION - 1:
            fraction, exponent = fraction << 1, exponent - 1
        fraction = fraction << 1 & (1 << _FRACTION) - 1
    return exponent, fraction


def _joined(exponent: int, estimate: int, fmt: Format) -> int:
    """Assemble a float from an exponent and eight fraction bits; exponents of 0 and -1 give denormals."""
    width = fmt.precision - 1
    fraction = (estimate & 0xFF) << _FRACTION - 8
    if exponent <= 0:
        fraction = (fraction | 1 << _FRACTION) >> 1 - exponent
        exponent = 0
    return exponent << width | fraction >> _FRACTION - width


def _bias(fmt: Format) -> int:
    return 1 - fmt.emin


def _recip(value: float, bits: int, fmt: Format, env: Environment) -> int:
    sign, magnitude = bits & fmt.sign, abs(value)
    if value == 0 or magnitude == np.inf:
        return sign | (fmt.infinity if value == 0 else 0)
    if magnitude < 2.0 ** (fmt.emin - 2):
        away = env.rounding is Rounding.NEAREST or env.rounding is (Rounding.DOWN if sign else Rounding.UP)
        return sign | fmt.infinity - (not away)
    if env.ftz and magnitude >= 2.0**-fmt.emin:
        return sign
    exponent, fraction = _parts(bits, fmt)
    estimate = _reciprocal(256 | fraction >> _FRACTION - 8)
    return sign | _joined(2 * _bias(fmt) - 1 - exponent, estimate, fmt)


def _rsqrt(value: float, bits: int, fmt: Format, env: Environment) -> int:
    if value == 0:
        return bits & fmt.sign | fmt.infinity
    if value < 0:
        return fmt.default_nan(env.nans)
    if value == np.inf:
        return 0
    exponent, fraction = _parts(bits, fmt)
    scaled = 256 | fraction >> _FRACTION - 8
    estimate = _root(scaled if exponent % 2 == 0 else scaled >> 1)
    return _joined((3 * _bias(fmt) - 1 - exponent) // 2, estimate, fmt)


def _each(one: Callable[[float, int, Format, Environment], int]) -> Callable[[Array, Environment], Array]:
    def function(x: Array, env: Environment) -> Array:
        fmt = fp.FORMATS[x.dtype]
        x = fp.flushed(x) if env.daz else x
        values: Any = zip(x.tolist(), x.view(fmt.unsigned).tolist())
        estimates = np.array(
            [0 if value != value else one(value, bits, fmt, env) for value, bits in values], fmt.unsigned
        )
        nan = np.isnan(x)
        result: Array = (
            np.where(nan, fp.add(x, x, env), estimates.view(x.dtype)) if nan.any() else estimates.view(x.dtype)
        )
        return result

    return function


def _integers(root: bool) -> Callable[[Array], Array]:
    """urecpe, ursqrte: the same estimates of fixed-point numbers below 1; all ones for what would overflow."""

    def one(value: int) -> int:
        if value < 1 << (30 if root else 31):
            return 0xFFFF_FFFF
        return (_root if root else _reciprocal)(value >> 23) << 23

    return lambda x: np.array([one(value) for value in x.tolist()], np.uint32)


def _scale(x: Array, env: Environment) -> Array:
    """frecpx: a power of two near the reciprocal, by which a division can be scaled."""
    fmt = fp.FORMATS[x.dtype]
    width = fmt.precision - 1
    largest, bits = fmt.infinity >> width, x.view(fmt.unsigned).astype(np.int64)
    exponent = bits >> width & largest
    exponent = np.where(exponent == 0, largest - 1, largest ^ exponent)
    sign = x.view(fmt.unsigned) & fmt.unsigned(fmt.sign)
    result = ((exponent << width).astype(fmt.unsigned) | sign).view(x.dtype)
    return np.where(np.isnan(x), fp.add(x, x, env), result)


# Exponentials and sines


@cache
def _power(at: int, count: int, width: int) -> int:
    """Return the fraction bits of 2^(at / count), rounded to `width` bits; `count` is a power of two."""
    root = 1 << at + count * (width + 1)
    for _ in range(count.bit_length() - 1):
        root = isqrt(root)  # the integer part of an integer part's root is that of the root
    return (root + 1 >> 1) - (1 << width)


def _exponential(x: Array) -> Array:
    """fexpa: 2^(n / 64), in f16 2^(n / 32); the bits above the fraction of n are the biased exponent."""
    fmt = fp.FORMATS[x.dtype]
    width = fmt.precision - 1
    count = 32 if width == 10 else 64
    largest, step = fmt.infinity >> width, count.bit_length() - 1
    values = [
        (bits >> step & largest) << width | _power(bits % count, count, width) for bits in x.view(fmt.unsigned).tolist()
    ]
    return np.array(values, fmt.unsigned).view(x.dtype)


_SINES = {
    2: (0x3C00, 0xB155, 0x2030, 0, 0, 0, 0, 0, 0x3C00, 0xB800, 0x293A, 0, 0, 0, 0, 0),
    4: (
        0x3F800000,
        0xBE2AAAAB,
        0x3C088886,
        0xB95008B9,
        0x36369D6D,
        0,
        0,
        0,
        0x3F800000,
        0xBF000000,
        0x3D2AAAA6,
        0xBAB60705,
        0x37CD37CC,
        0,
        0,
        0,
    ),
    8: (
        0x3FF0000000000000,
        0xBFC5555555555543,
        0x3F8111111110F30C,
        0xBF2A01A019B92FC6,
        0x3EC71DE351F3D22B,
        0xBE5AE5E2B60F7B91,
        0x3DE5D8408868552F,
        0,
        0x3FF0000000000000,
        0xBFE0000000000000,
        0x3FA5555555555536,
        0xBF56C16C16C13A0B,
        0x3EFA01A019B1E8D8,
        0xBE927E4F7282F468,
        0x3E21EE96D2641B13,
        0xBDA8F76380FBB401,
    ),
}
"""The coefficients of sine and cosine by the bytes of an element (Arm ARM, FPTrigMAddCoefficient)."""


def _sine_step(ctx: A64Context) -> Run:
    """ftmad: a step of the polynomial of sine, or of cosine where the second source is negative."""
    size, at = ctx.lanes(0).size, ctx.operands[-1]
    env, terms = ctx.env(size), np.array(_SINES[size], f"u{size}").view(f"f{size}")

    def function(a: Array, b: Array) -> Array:
        return fp.fma(a.copy(), absolute(b), np.where(np.signbit(b), terms[8 + at], terms[at]), env())

    return called(function, [ctx.source(1, "f"), ctx.source(2, "f")], ctx.target(0, "f"))


def _sine_start(a: Array, b: Array, env: Environment) -> Array:
    """ftsmul: the square, with the lowest bit of the second source as its sign."""
    product, bits = fp.mul(a, a, env), np.dtype(f"u{a.dtype.itemsize}")
    sign = (b.view(bits) & bits.type(1)) << bits.type(8 * bits.itemsize - 1)
    return np.where(np.isnan(product), product, (absolute(product).view(bits) | sign).view(a.dtype))


def _sine_select(a: Array, b: Array) -> Array:
    """ftssel: 1 or the first source, with a sign, by the two lowest bits of the second source."""
    bits = np.dtype(f"u{a.dtype.itemsize}")
    chosen = b.view(bits)
    value = np.where(chosen & bits.type(1), a.dtype.type(1), a)
    return np.where(chosen & bits.type(2), negated(value), value)


TABLE = {
    "frecpe": floats(_each(_recip), 1),
    "frsqrte": floats(_each(_rsqrt), 1),
    "frecpx": floats(_scale, 1),
    "urecpe": lanes(_integers(False), "u", 1),
    "ursqrte": lanes(_integers(True), "u", 1),
    "fexpa": lanes(_exponential, "f", 1),
    "ftmad": _sine_step,
    "ftsmul": floats(_sine_start, 2),
    "ftssel": lanes(_sine_select, "f", 2),
}
