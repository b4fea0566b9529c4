"""The functions that the constants of the activations approximate, for either type: exp, log, tanh, Mills' ratio."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
from mpmath import mpf

from tests.coefficients.printing import Found
from tests.coefficients.remez import FRACTION_BITS, Function, rational, round_to, rounded

LN2 = mpmath.log(2)


def single(value: mpf, dtype: str = "f32") -> Found:
    """Return a number rounded to a type."""
    return Found([round_to(value, dtype)])


def parts(value: mpf, first_bits: int | None = None, dtype: str = "f32") -> Found:
    """Return a number as the sum of two numbers of a type, the first with at most `first_bits` bits."""
    with mpmath.workprec(first_bits or FRACTION_BITS[dtype]):
        high = +mpf(value)
    return Found([high, round_to(value - high, dtype)])


def fitted(
    f: Function, degree: int, low: mpf, high: mpf, weight: Function, first: mpf | None = None, dtype: str = "f32"
) -> Found:
    """Fit a polynomial whose coefficients are numbers of a type."""
    return Found(*rounded(f, degree, mpf(low), mpf(high), weight, dtype, first))


WIDER = mpf("1.001")
"""The factor by which an argument may exceed half a step, because the multiple of the step comes from a rounded
product."""
HALF_STEP = LN2 / 2 * WIDER
HALF_EIGHTH = LN2 / 16 * WIDER
HALF_SIXTEENTH = LN2 / 32 * WIDER
SHIFT = 4
LINE = 2 * mpmath.sqrt(2 / mpmath.pi)


def powers_of_two(steps: int = 16) -> list[mpf]:
    return [mpf(2) ** (mpf(j) / steps) for j in range(steps)]


@cache
def scale(steps: int = 16, bits: int = 16) -> mpf:
    """Return the f32 from 1 to 1 + 2^(bits - 23) whose products with the powers are nearest to f32 numbers, in ulp."""
    factors, worst = 1 + np.arange(1, 1 << bits) * 2.0**-23, np.zeros((1 << bits) - 1)
    for power in powers_of_two(steps):
        products = factors * float(power)
        off = abs(products - products.astype(np.float32)) / np.where(products < 2, 2.0**-23, 2.0**-22)
        worst = np.maximum(worst, off)
    return 1 + (int(worst.argmin()) + 1) * mpf(2) ** -23


def scaled_powers(steps: int = 16, bits: int = 16) -> Found:
    """Return 2^(j/steps) times the scale."""
    return Found([round_to(scale(steps, bits) * power) for power in powers_of_two(steps)])


def unscaled_rise() -> Found:
    """Fit e^r / scale - 1 for |r| <= log(2)/32; the error is relative to e^r. The first coefficient is the value at r =
    0."""
    first = round_to(1 / scale() - 1)
    return fitted(
        lambda r: mpmath.exp(r) / scale() - 1, 3, -HALF_SIXTEENTH, HALF_SIXTEENTH, lambda r: mpmath.exp(-r), first
    )


def exp_whole(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """Fit e^r for |r| <= half, with 1 as the first coefficient; relative error."""
    return fitted(mpmath.exp, degree, -half, half, lambda r: mpmath.exp(-r), mpf(1), dtype)


def exp_tail(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """Fit (e^r - 1 - r) / r^2 for |r| <= half; the error is relative to e^r."""
    return fitted(
        lambda r: (mpmath.exp(r) - 1 - r) / r**2, degree, -half, half, lambda r: mpmath.exp(-r) * r**2, dtype=dtype
    )


def exp_rise(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """Fit (e^r - 1) / r for |r| <= half; the error is relative to e^r."""
    return fitted(lambda r: mpmath.expm1(r) / r, degree, -half, half, lambda r: mpmath.exp(-r) * abs(r), dtype=dtype)


def expm1_rise(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """Fit (e^r - 1) / r for |r| <= half, with 1 as the first coefficient; relative error."""
    return fitted(lambda r: mpmath.expm1(r) / r, degree, -half, half, lambda r: abs(r / mpmath.expm1(r)), mpf(1), dtype)


def exp2_rise(degree: int, dtype: str = "f32") -> Found:
    """Fit (2^r - 1) / r for |r| <= 1/2; the error is relative to 2^r."""
    half = mpf("0.5")
    return fitted(
        lambda r: mpmath.expm1(r * LN2) / r, degree, -half, half, lambda r: mpmath.exp(-r * LN2) * abs(r), dtype=dtype
    )


def exp2_above(degree: int) -> Found:
    """Fit (2^r - 1) / r for 0 <= r <= 1; the error is relative to 2^r."""
    return fitted(
        lambda r: mpmath.expm1(r * LN2) / r, degree, mpf(10) ** -9, mpf(1), lambda r: mpmath.exp(-r * LN2) * r
    )


def inverse_root() -> Found:
    """Fit 1 / sqrt(t) where the estimate of `sqrt_nearly` leaves t; relative error."""
    return fitted(lambda t: 1 / mpmath.sqrt(t), 2, mpf("0.875"), mpf("0.9924"), mpmath.sqrt)


def log_tail(degree: int, low: mpf, high: mpf, dtype: str = "f32") -> Found:
    """Fit (f - log(1 + f)) / f^2; the error is relative to log(1 + f)."""
    return fitted(
        lambda f: (f - mpmath.log1p(f)) / f**2, degree, low, high, lambda f: abs(f**2 / mpmath.log1p(f)), dtype=dtype
    )


def log_rise(degree: int, low: mpf, high: mpf, dtype: str = "f32") -> Found:
    """Fit log(1 + f) / f; relative error."""
    return fitted(lambda f: mpmath.log1p(f) / f, degree, low, high, lambda f: abs(f / mpmath.log1p(f)), dtype=dtype)


def atanh_tail(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """Fit (atanh(s) / s - 1) / s^2 as a polynomial in s^2 for s <= end; the error is relative to atanh(s)."""
    return fitted(
        lambda q: (atanh_by_square(q) - 1) / q, degree, mpf(0), end**2, lambda q: q / atanh_by_square(q), dtype=dtype
    )


def atanh_by_square(q: mpf) -> mpf:
    """Return atanh(s) / s for q = s^2."""
    s = mpmath.sqrt(q)
    return mpmath.atanh(s) / s


def mills(y: mpf) -> mpf:
    """Return R(y)."""
    return mpmath.exp(y * y / 2) * mpmath.erfc(y / mpmath.sqrt(2)) / 2


def mills_by_t(t: mpf) -> mpf:
    """Return R(y) (y + 4) for t = (y - 4) / (y + 4)."""
    y = SHIFT * (1 + t) / (1 - t)
    return mills(y) * (y + SHIFT)


PAIRED = 4
MILLS_END = mpf("14.6")


@cache
def mills_polynomial(degree: int, end: mpf, dtype: str = "f32") -> tuple[list[mpf], mpf]:
    """Return the coefficients of `mills_by_t` for y <= end, and the error."""
    high = (end - SHIFT) / (end + SHIFT)
    return rounded(mills_by_t, degree, mpf(-1), high, lambda t: 1 / mills_by_t(t), dtype, paired=PAIRED)


def mills_pairs(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """Return the first `PAIRED` coefficients of `mills_polynomial`, as two numbers each."""
    first = mills_polynomial(degree, end, dtype)[0][:PAIRED]
    return Found([[round_to(c, dtype), round_to(c - round_to(c, dtype), dtype)] for c in first])


def mills_rest(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """Return the other coefficients of `mills_polynomial`."""
    coefficients, error = mills_polynomial(degree, end, dtype)
    return Found(coefficients[PAIRED:], error)


def mills_by_v(v: mpf) -> mpf:
    """Return R(y) (y + 4) for v = 1 / (y + 4)."""
    return mills(1 / v - SHIFT) / v


def mills_near(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """Fit `mills_by_v` for y <= end; relative error."""
    return fitted(mills_by_v, degree, 1 / (end + SHIFT), mpf(1) / SHIFT, lambda v: 1 / mills_by_v(v), dtype=dtype)


@cache
def tanh_ratio(above: int, below: int, end: mpf, dtype: str = "f32") -> tuple[list[mpf], list[mpf], mpf]:
    """Return p and q of tanh(x) = x p(x^2) / q(x^2) for |x| <= end, and the error."""
    return rational(tanh_by_square, above, below, mpf(0), end**2, lambda s: 1 / tanh_by_square(s), dtype)


def tanh_by_square(s: mpf) -> mpf:
    """Return tanh(x) / x for s = x^2."""
    x = mpmath.sqrt(s)
    return mpmath.tanh(x) / x


ROOTS = mpmath.sqrt(mpf("0.5")) - 1, mpmath.sqrt(2) - 1
