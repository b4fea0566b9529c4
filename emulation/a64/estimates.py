"""Estimates of 1 / x and 1 / sqrt(x) to eight bits, every bit of which the architecture specifies.

Source: Arm ARM (DDI 0487), FPRecipEstimate, FPRSqrtEstimate, RecipEstimate, RecipSqrtEstimate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..numerics import fp
from ..numerics.rounding import Array, Environment, Format, Rounding
from .lanes import floats

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


TABLE = {"frecpe": floats(_each(_recip), 1), "frsqrte": floats(_each(_rsqrt), 1)}
