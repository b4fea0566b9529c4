"""log, elu, and slopes.

x = 2^e m,  m in [sqrt(1/2), sqrt(2)),  f = m - 1,  log x = e log 2 + f - T(f)
T(f) = f^2 p(f) in f32; in f64, where p has 20 terms, f^2/2 - s (f^2 + s^2 q(s^2)),  s = f / (4 + 2 f)
elu(x) = x for x > 0, else e^x - 1 = 2^n (e^r - 1) + (2^n - 1),  n and r as in functions/exp.py
"""

from __future__ import annotations

from ..dtypes import FRACTION_BITS
from ..expr.graph import INTEGER_OF, Expr, bits, constant, fma, from_bits, maximum, minimum, rint, select, to_float
from .double_word import Pair, exact_sum
from .exp import exp, expm1_pair, power
from .float_fields import log_ends
from .limits import LIMITS, coefficients
from .polynomials import horner


def log(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """The natural logarithm: -infinity of a zero, NaN of less."""
    c, at, fraction = coefficients(x.dtype), LIMITS[x.dtype], FRACTION_BITS[x.dtype]
    denormal = x < at.smallest
    # a denormal becomes normal by a power of two, which the bits of its exponent give back
    ordinary, moved_up = (constant(at.root_half + up, INTEGER_OF[x.dtype]) for up in (0, fraction << fraction))
    moved = bits(select(denormal, x * 2.0**fraction, x)) - select(denormal, moved_up, ordinary)
    e = to_float(moved >> fraction)
    f = from_bits((moved & (1 << fraction) - 1) + at.root_half) - 1.0
    if accuracy == "fast":
        found = fma(e, c.LN2[0], f * horner(c.LOG_FAST, f))
    else:
        high, low = exact_sum(e * c.LN2_SHORT[0], f)  # the product is exact too
        found = Pair(high, _LESS[x.dtype](f, fma(e, c.LN2_SHORT[1], low))).rounded(accuracy)
    return log_ends(found, x)


def _less_series(f: Expr, more: Expr) -> Expr:
    """more - T(f)."""
    return fma(-f * f, horner(coefficients(f.dtype).LOG_TAIL, f), more)


def _less_quotient(f: Expr, more: Expr) -> Expr:
    """more - T(f)."""
    s = f / fma(f, 2.0, 4.0)
    whole, square = f * f, s * s
    return fma(s, fma(square, horner(coefficients(f.dtype).LOG_QUOTIENT, square), whole), fma(whole, -0.5, more))


_LESS = {"f32": _less_series, "f64": _less_quotient}
"""By type: the quotient takes the place of twelve terms."""


def log_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 / x."""
    return 1.0 / x


def elu(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x where x > 0, else e^x - 1."""
    near = maximum(x, LIMITS[x.dtype].flat)
    near = minimum(near, 1.0)  # above 0 it is not used
    if accuracy == "fast":
        c = coefficients(x.dtype)
        n = rint(near * c.LOG2E)
        scale = power(n)
        r = fma(n, -c.LN2[0], near)
        found = fma(scale, r * horner(c.EXPM1_FAST, r), scale - 1.0)
    else:
        found = expm1_pair(near).rounded(accuracy)
    return select(x >= 0.0, x, found)


def elu_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 where x > 0, else e^x."""
    return exp(minimum(x, 0.0), accuracy=accuracy, tables=tables)
