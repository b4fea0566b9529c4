"""log and elu, and their slopes.

x = 2^e m,  m in [sqrt(1/2), sqrt(2)),  f = m - 1,  log x = e log 2 + f - T(f)
T(f) = f^2 p(f) in f32; in f64, where p has 20 terms, f^2/2 - s (f^2 + s^2 q(s^2)),  s = f / (4 + 2 f)
elu(x) = x for x > 0, else e^x - 1 = 2^n (e^r - 1) + (2^n - 1),  n and r as in functions/exp.py
"""

from __future__ import annotations

from ..dtypes import FRACTION_BITS
from ..expr.graph import (
    INTEGER_OF,
    Expr,
    bits,
    constant,
    fma_or_twice,
    from_bits,
    maximum,
    minimum,
    rint,
    select,
    to_float,
)
from .double_word import Pair, exact_sum
from .exp import exp, expm1_pair, power
from .float_fields import log_ends
from .limits import LIMITS, coefficients
from .polynomials import horner


def reduced(x: Expr) -> tuple[Expr, Expr]:
    """Return (e, f) of a positive x = 2^e (1 + f)."""
    at, fraction = LIMITS[x.dtype], FRACTION_BITS[x.dtype]
    denormal = x < at.smallest
    # a denormal is scaled to a normal number by a power of two, which is then subtracted from its exponent bits
    ordinary, scaled_up = (constant(at.root_half + up, INTEGER_OF[x.dtype]) for up in (0, fraction << fraction))
    relative = bits(select(denormal, x * 2.0**fraction, x)) - select(denormal, scaled_up, ordinary)
    e = to_float(relative >> fraction)
    f = from_bits((relative & (1 << fraction) - 1) + at.root_half) - 1.0
    return e, f


def log(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """The natural logarithm: -infinity for a zero, NaN for negative numbers."""
    c = coefficients(x.dtype)
    e, f = reduced(x)
    if accuracy == "fast":
        value = fma_or_twice(e, c.LN2[0], f * horner(c.LOG_FAST, f))
    else:
        high, low = exact_sum(e * c.LN2_SHORT[0], f)  # the product is exact, too
        value = Pair(high, _LESS[x.dtype](f, fma_or_twice(e, c.LN2_SHORT[1], low))).rounded(accuracy)
    return log_ends(value, x)


def _less_series(f: Expr, more: Expr) -> Expr:
    """more - T(f), by the series for f32."""
    return fma_or_twice(-f * f, horner(coefficients(f.dtype).LOG_TAIL, f), more)


def _less_quotient(f: Expr, more: Expr) -> Expr:
    """more - T(f), by the quotient for f64."""
    s = f / fma_or_twice(f, 2.0, 4.0)
    whole, square = f * f, s * s
    series = fma_or_twice(square, horner(coefficients(f.dtype).LOG_QUOTIENT, square), whole)
    return fma_or_twice(s, series, fma_or_twice(whole, -0.5, more))


_LESS = {"f32": _less_series, "f64": _less_quotient}
"""more - T(f) for each type. In f64 the quotient replaces twelve terms of the series."""


def log_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 / x."""
    return 1.0 / x


def elu(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x where x > 0, else e^x - 1."""
    near = maximum(x, LIMITS[x.dtype].flat)
    near = minimum(near, 1.0)  # the result is only used below 0
    if accuracy == "fast":
        c = coefficients(x.dtype)
        n = rint(near * c.LOG2E)
        scale = power(n)
        r = fma_or_twice(n, -c.LN2[0], near)
        negative = fma_or_twice(scale, r * horner(c.EXPM1_FAST, r), scale - 1.0)
    else:
        negative = expm1_pair(near).rounded(accuracy)
    return select(x >= 0.0, x, negative)


def elu_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 where x > 0, else e^x."""
    return exp(minimum(x, 0.0), accuracy=accuracy, tables=tables)
