"""Reference values of the activations: the same functions in float64, by numpy and the C library.

Their error is below 2^-44 relative to the result, or to 1 near the roots of slopes. An f32 has 24 bits, so a measured
error in ulp is right to 2^-20 of an ulp. (The error of numpy's and glibc's float64 functions is below 1 ulp of float64.
The largest loss is in e^(-x^2/2), where the relative error of x^2 is multiplied by x^2 < 220.)
tests/microkernels/functions/test_activations.py compares them with mpmath on a sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Function = Callable[[Array], Array]

LINE = 2 * math.sqrt(2 / math.pi)
CUBE = 0.044715 * LINE
DENSITY = 1 / math.sqrt(2 * math.pi)
FAR = 40.0
"""Beyond this argument gelu and similar functions are x, 1 or 0, also in f64. The limit avoids products of infinity and
0."""

_erfc = np.frompyfunc(math.erfc, 1, 1)


def erfc(x: Array) -> Array:
    """Return the complementary error function. The C library is called only where the result is not 2, 0 or 1 - 2 x /
    sqrt(pi) in float64."""
    found = np.where(x < 0, 2.0, 0.0)
    found[np.isnan(x)] = np.nan
    size = np.abs(x)
    tiny = size < 2.0**-28
    found[tiny] = 1.0 - x[tiny] * (2 / math.sqrt(math.pi))
    middle = (size < 27) & ~tiny
    found[middle] = _erfc(x[middle]).astype(np.float64)
    return found


def phi(x: Array) -> Array:
    """Return the normal distribution function at x."""
    return 0.5 * erfc(-x * math.sqrt(0.5))


def falling(y: Array) -> Array:
    """Return 1 / (1 + e^y), with full relative accuracy for large y."""
    e = np.exp(-np.abs(y))
    return np.where(y < 0, 1.0, e) / (1.0 + e)


def within(function: Function, above: Function) -> Function:
    """Return the function limited to |x| < FAR: -0 below that range, `above` beyond it."""

    def limited(x: Array) -> Array:
        found = function(np.clip(x, -FAR, FAR))
        return np.where(x <= -FAR, x.dtype.type(-0.0), np.where(x >= FAR, above(x), found))

    return limited


def same(x: Array) -> Array:
    """Return x."""
    return x


def one(x: Array) -> Array:
    """Return ones of the same shape."""
    return np.ones_like(x)


def _twice_u(x: Array) -> Array:
    return x * (LINE + CUBE * x * x)


def _silu(x: Array) -> Array:
    return np.where(x == -np.inf, -0.0, np.where(x == np.inf, x, np.where(np.isinf(x), 0.0, x) * falling(-x)))


def _silu_slope(x: Array) -> Array:
    y = np.clip(x, -800.0, 800.0)
    return falling(-y) * (1.0 + y * falling(y))


def _gelu_tanh_slope(x: Array) -> Array:
    w = _twice_u(x)
    return falling(-w) * (1.0 + x * (LINE + 3 * CUBE * x * x) * falling(w))


def _sech2(x: Array) -> Array:
    return 4.0 * falling(2.0 * np.abs(x)) * falling(-2.0 * np.abs(x))


REFERENCE: dict[str, Function] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": lambda x: falling(-x),
    "silu": _silu,
    "gelu": within(lambda x: x * phi(x), same),
    "gelu_tanh": within(lambda x: x * falling(-_twice_u(x)), same),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0.0))),
    "softplus": lambda x: np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))),
}
"""Name -> f(float64 array)."""

SLOPES: dict[str, Function] = {
    "exp": np.exp,
    "exp2": lambda x: math.log(2) * np.exp2(x),
    "log": lambda x: 1.0 / x,
    "tanh": _sech2,
    "sigmoid": lambda x: falling(x) * falling(-x),
    "silu": _silu_slope,
    "gelu": within(lambda x: phi(x) + x * DENSITY * np.exp(-0.5 * x * x), one),
    "gelu_tanh": within(_gelu_tanh_slope, one),
    "elu": lambda x: np.where(x > 0, 1.0, np.exp(np.minimum(x, 0.0))),
    "softplus": lambda x: falling(-x),
}
"""Name -> the derivative."""


def errors(found: Array, wanted: Array, floor: float = 0.0) -> Array:
    """Return |found - wanted| in ulp of the f32 results, or of `floor` if the result is smaller than it.

    Infinity counts as the number after the largest f32. Two NaN have no error; a NaN and a number differ by infinity.
    """
    return errors_in(units(wanted), found, wanted, floor)


def units(wanted: Array) -> Array:
    """Return the distance between f32 numbers at |wanted|."""
    size = np.abs(wanted)
    np.clip(size, 2.0**-126, 2.0**127, out=size)
    bits = size.view(np.uint64)
    bits &= np.uint64(0x7FF << 52)
    size *= 2.0**-23
    return size


def errors_in(unit: Array, found: Array, wanted: Array, floor: float = 0.0) -> Array:
    """Return `errors`, given the units."""
    with np.errstate(all="ignore"):
        if floor:
            unit = np.maximum(unit, units(np.array([floor])))
        error = found - wanted
        np.abs(error, out=error)
        error /= unit
        if not np.isfinite(error.max(initial=0.0)):
            odd = ~np.isfinite(error)
            v, r = (np.clip(each[odd].astype(np.float64), -(2.0**128), 2.0**128) for each in (found, wanted))
            neither, either = np.isnan(v) & np.isnan(r), np.isnan(v) | np.isnan(r)
            error[odd] = np.where(neither, 0.0, np.where(either, np.inf, np.abs(v - r) / unit[odd]))
    return error


def rounded_to(wanted: Array, dtype: Any) -> Array:
    """Return float64 numbers rounded once to f16 or bf16, half to even.

    The intermediate f32 is rounded to odd, which avoids double rounding: no tie of a shorter float is odd.
    """
    with np.errstate(all="ignore"):
        near = wanted.astype(np.float32)
        bits = near.view(np.uint32)
        bits = np.where(np.abs(near.astype(np.float64)) > np.abs(wanted), bits - 1, bits).astype(np.uint32)
        inexact = bits.view(np.float32).astype(np.float64) != wanted
        odd = np.where(inexact & ~np.isnan(wanted), bits | 1, bits).astype(np.uint32)
        return odd.view(np.float32).astype(dtype)
