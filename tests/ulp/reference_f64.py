"""Reference values of the activations in f64: the same functions in x86's 80-bit floats, by numpy and the C library.

A `longdouble` has 64 bits, an f64 has 53, and its range of exponents is wider. Its exp, log and so on have an error of
a few of its ulp, about 2^-9 ulp of an f64. An error in an exponent of some hundreds would be multiplied, so such an
exponent is the sum of two numbers: e^(a + b) = e^a (1 + b). The normal distribution is Phi(-y) = e^(-y^2/2) R(y), with
R by its Taylor series at the nearest multiple of 1/8 and coefficients by mpmath. `EXACT` has the same functions for one
number by mpmath alone; tests/microkernels/functions/test_activations_f64.py compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

from tests.ulp.reference import FAR, one, same, within

Array = np.ndarray[Any, Any]
Function = Callable[[Array], Array]
Long = np.longdouble
TERMS, STEPS = 18, 8
"""The number of terms of a Taylor series, and of centres per unit."""


def long_of(value: mpf) -> Any:
    """Return a number rounded to 64 bits, as a longdouble."""
    with mpmath.workprec(64):
        near = +mpf(value)
        high = float(near)
        return Long(high) + Long(float(near - mpf(high)))


def number_of(value: Any) -> mpf:
    """Return a longdouble as an mpmath number."""
    if not np.isfinite(value):
        return mpf(float(value))
    with mpmath.workprec(64):
        fraction, exponent = np.frexp(value)
        high = float(fraction)
        return mpmath.ldexp(mpf(high) + mpf(float(fraction - Long(high))), int(exponent))


def halves(value: mpf) -> tuple[Any, Any]:
    """Return a number as the sum of two longdouble."""
    high = long_of(value)
    return high, long_of(value - number_of(high))


with mpmath.workdps(50):
    LINE = halves(2 * mpmath.sqrt(2 / mpmath.pi))
    CUBE = halves(2 * mpmath.sqrt(2 / mpmath.pi) * mpf("0.044715"))
    DENSITY = long_of(1 / mpmath.sqrt(2 * mpmath.pi))
    LN2 = long_of(mpmath.log(2))


# Pairs


def product(a: Array, b: Any) -> tuple[Array, Array]:
    """Return a b rounded, and its rounding error (Dekker)."""
    high = a * b
    (a1, a2), (b1, b2) = _split(a), _split(b)
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2


def _split(a: Any) -> tuple[Any, Any]:
    moved = a * Long(2**32 + 1)
    high = moved - (moved - a)
    return high, a - high


def twice_u(x: Array) -> tuple[Array, Array]:
    """Return 2 sqrt(2/pi) (x + 0.044715 x^3) as the sum of two numbers."""
    square, lost = product(x, x)
    cube, more = product(square, CUBE[0])
    more = more + lost * CUBE[0] + square * CUBE[1]
    line = LINE[0] + cube
    of_cube = line - LINE[0]
    rest = (LINE[0] - (line - of_cube)) + (cube - of_cube) + more + LINE[1]
    high, low = product(line, x)
    return high, low + rest * x


def falling(y: Array, low: Any = 0.0) -> Array:
    """Return 1 / (1 + e^(y + low)), with full relative accuracy for large y."""
    e = np.exp(-np.abs(y)) * (1 - np.where(y < 0, -low, low))
    return np.where(y < 0, 1.0, e) / (1 + e)


# The normal distribution


@cache
def series() -> Array:
    """Return the coefficients of R(c + h) for each centre c, from R' = y R - 1 / sqrt(2 pi)."""
    rows = []
    with mpmath.workdps(60):
        density = 1 / mpmath.sqrt(2 * mpmath.pi)
        for i in range(int(FAR) * STEPS + 1):
            c = mpf(i) / STEPS
            a = [mpmath.erfc(c / mpmath.sqrt(2)) * mpmath.exp(c * c / 2) / 2]
            a.append(c * a[0] - density)
            for n in range(1, TERMS - 1):
                a.append((c * a[n] + a[n - 1]) / (n + 1))
            rows.append([long_of(each) for each in a])
    return np.array(rows, Long).T.copy()


def ratio(y: Array) -> Array:
    """Return R(y)."""
    table = series()
    place = np.rint(np.nan_to_num(y) * STEPS).astype(np.intp)
    h = y - place.astype(Long) / STEPS
    value = table[-1][place]
    for each in table[-2::-1]:
        value = value * h + each[place]
    return value


def bell(y: Array) -> Array:
    """Return e^(-y^2/2)."""
    square, lost = product(y, y)
    return np.exp(-square / 2) * (1 - lost / 2)


def _gelu(x: Array) -> Array:
    y = np.abs(x)
    return np.maximum(x, 0) - y * bell(y) * ratio(y)


def _gelu_slope(x: Array) -> Array:
    y = np.abs(x)
    down = bell(y) * (ratio(y) - y * DENSITY)
    return np.where(x < 0, down, 1 - down)


def _gelu_tanh(x: Array) -> Array:
    high, low = twice_u(x)
    return x * falling(-high, -low)


def _gelu_tanh_slope(x: Array) -> Array:
    high, low = twice_u(x)
    rise = LINE[0] + 3 * CUBE[0] * x * x
    return falling(-high, -low) * (1 + x * rise * falling(high, low))


def _silu(x: Array) -> Array:
    inside = np.where(np.isinf(x), 0, x)
    return np.where(np.isinf(x), np.where(x > 0, x, Long(-0.0)), inside * falling(-inside))


def _silu_slope(x: Array) -> Array:
    y = np.clip(x, Long(-2000.0), Long(2000.0))
    return falling(-y) * (1 + y * falling(y))


def _sech2(x: Array) -> Array:
    y = 2 * np.abs(x)
    return 4 * falling(y) * falling(-y)


REFERENCE: dict[str, Function] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": lambda x: falling(-x),
    "silu": _silu,
    "gelu": within(_gelu, same),
    "gelu_tanh": within(_gelu_tanh, same),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
}
"""Name -> f(longdouble array)."""

SLOPES: dict[str, Function] = {
    "exp": np.exp,
    "exp2": lambda x: LN2 * np.exp2(x),
    "log": lambda x: 1 / x,
    "tanh": _sech2,
    "sigmoid": lambda x: falling(x) * falling(-x),
    "silu": _silu_slope,
    "gelu": within(_gelu_slope, one),
    "gelu_tanh": within(_gelu_tanh_slope, one),
    "elu": lambda x: np.where(x > 0, 1, np.exp(np.minimum(x, 0))),
    "softplus": lambda x: falling(-x),
}
"""Name -> the derivative."""


def wanted(name: str, x: Array) -> Array:
    """Return the values of a function, or with "_inv" of its slope, at f64 numbers."""
    with np.errstate(all="ignore"):
        return (SLOPES if name.endswith("_inv") else REFERENCE)[name.removesuffix("_inv")](x.astype(Long))


def units(wanted: Array, floor: float = 0.0) -> Array:
    """Return the distance between f64 numbers at |wanted|, or at `floor` if that is larger."""
    size = np.clip(np.nan_to_num(np.abs(wanted)), max(floor, 2.0**-1022), 2.0**1023)
    return np.exp2(np.frexp(size)[1].astype(Long) - 53)


def errors(found: Array, wanted: Array, floor: float = 0.0) -> Array:
    """Return |found - wanted| in ulp of the f64 results, or of `floor` if the result is smaller than it.

    Infinity counts as the number after the largest f64. Two NaN have no error; a NaN and a number differ by infinity.
    """
    with np.errstate(all="ignore"):
        end = np.exp2(Long(1024))
        near, true = (np.clip(each.astype(Long), -end, end) for each in (found, wanted))
        error = np.abs(near - true) / units(true, floor)
        neither, either = np.isnan(near) & np.isnan(true), np.isnan(near) | np.isnan(true)
        return np.where(neither, 0, np.where(either, np.inf, error)).astype(np.float64)


# One number at a time


def _sigmoid(v: Any) -> Any:
    return 1 / (1 + mpmath.exp(-v))


def _u(v: Any) -> Any:
    return mpmath.sqrt(2 / mpmath.pi) * (v + mpf("0.044715") * v**3)


def _rise(v: Any) -> Any:
    return mpmath.sqrt(2 / mpmath.pi) * (1 + 3 * mpf("0.044715") * v**2)


EXACT: dict[str, Callable[[Any], Any]] = {
    "exp": mpmath.exp,
    "exp2": lambda v: mpf(2) ** v,
    "log": mpmath.log,
    "tanh": mpmath.tanh,
    "sigmoid": _sigmoid,
    "silu": lambda v: v * _sigmoid(v),
    "gelu": lambda v: v * mpmath.erfc(-v / mpmath.sqrt(2)) / 2,
    "gelu_tanh": lambda v: v * _sigmoid(2 * _u(v)),
    "elu": lambda v: v if v > 0 else mpmath.expm1(v),
    "softplus": lambda v: mpmath.log1p(mpmath.exp(v)),
    "exp_inv": mpmath.exp,
    "exp2_inv": lambda v: mpmath.log(2) * mpf(2) ** v,
    "log_inv": lambda v: 1 / v,
    "tanh_inv": lambda v: mpmath.sech(v) ** 2,
    "sigmoid_inv": lambda v: _sigmoid(v) * _sigmoid(-v),
    "silu_inv": lambda v: _sigmoid(v) * (1 + v * _sigmoid(-v)),
    "gelu_inv": lambda v: (
        mpmath.erfc(-v / mpmath.sqrt(2)) / 2 + v * mpmath.exp(-v * v / 2) / mpmath.sqrt(2 * mpmath.pi)
    ),
    "gelu_tanh_inv": lambda v: _sigmoid(2 * _u(v)) * (1 + 2 * v * _rise(v) * _sigmoid(-2 * _u(v))),
    "elu_inv": lambda v: mpf(1) if v > 0 else mpmath.exp(v),
    "softplus_inv": _sigmoid,
}
"""Name -> f(mpmath number)."""


# Arguments

BREAKS = (
    0.35,
    0.5,
    0.7517916,
    1.0,
    1.2784645,
    2.0,
    8.0,
    12.5,
    19.07,
    21.1,
    21.7,
    37.5,
    37.6,
    38.7,
    40.0,
    708.0,
    708.3964185322641,
    709.782712893384,
    710.0,
    745.1332191019412,
    746.0,
    752.0,
    1022.0,
    1023.0,
    1024.0,
    1074.0,
    1075.0,
    1076.0,
    0.7071067811865476,
    1.4142135623730951,
)
"""Arguments at which an expression changes its formula, clamps, has a root, overflows or underflows."""


def around(centres: Any, steps: int) -> Array:
    """Return the f64 at each of the positive numbers, and `steps` neighbours on either side."""
    bits = np.asarray(centres, np.float64).view(np.int64)
    return (bits[:, None] + np.arange(-steps, steps + 1)).ravel().view(np.float64)


def drawn(points: int, rng: np.random.Generator, steps: int = 40) -> Array:
    """Return about `points` ascending f64 of both signs, as arguments.

    A fifth each have arbitrary bits, magnitudes from 2^-60 to 2^11, and are uniform in 0 to 2, in 0 to 25 (where
    functions bend), and up to 760 (where tails end). There are also the neighbours of break points, of odd multiples of
    log 2 / 2, and of powers of two.
    """
    size = max(points // 10, 1)
    whole = rng.integers(0, 0x7FF << 52, size).view(np.float64)
    sizes = np.ldexp(rng.uniform(1, 2, size), rng.integers(-60, 11, size))
    ranges = [rng.uniform(0, end, size) for end in (2, 25, 760)]
    powers = np.ldexp(1.0, np.arange(-1073, 1024, 7))
    halves_ = (np.arange(0, 1100) + 0.5) * np.log(2)
    near = [
        around(BREAKS, steps),
        around(powers, steps // 20),
        around(halves_, steps // 20),
        around([2.0**-1022], steps),
    ]
    denormal = rng.integers(1, 1 << 52, size // 20 + 1).view(np.float64)
    ends = np.array([0.0, 5e-324, np.finfo(np.float64).max, np.inf])
    positive = np.concatenate([whole, sizes, *ranges, *near, denormal, ends])
    return np.sort(np.concatenate([positive, -positive]))
