"""log, elu, and slopes.

x = 2^e m,  m in [sqrt(1/2), sqrt(2)),  f = m - 1,  log x = e log 2 + f - f^2 p(f)
elu(x) = x for x > 0, else e^x - 1 = 2^n (e^r - 1) + (2^n - 1),  n and r as in activations_exp.py
"""

from __future__ import annotations

from .activations_constants import EXP_TAIL, EXPM1_FAST, LN2, LN2_SHORT, LOG2E, LOG_FAST, LOG_TAIL
from .activations_exp import exp, power
from .expr import Expr, bits, constant, fma, from_bits, maximum, minimum, rint, select, to_float
from .pairs import Pair, exact_sum
from .polynomials import horner

SMALLEST_NORMAL = 2.0**-126
ROOT_HALF = 0x3F3504F3  # the bits of sqrt(1/2)
INFINITY = float("inf")
FLAT = -17.5
"""e^x - 1 is -1 to less than half an ulp."""


def log(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """The natural logarithm: -infinity of a zero, NaN of less."""
    denormal = x < SMALLEST_NORMAL
    moved = bits(select(denormal, x * 2.0**23, x)) - ROOT_HALF
    e = to_float(moved >> 23) - select(denormal, constant(23.0, x.dtype), constant(0.0, x.dtype))
    f = from_bits((moved & 0x7FFFFF) + ROOT_HALF) - 1.0
    if accuracy == "fast":
        found = fma(e, LN2[0], f * horner(LOG_FAST, f))
    else:
        whole = exact_sum(e * LN2_SHORT[0], f)
        rest = whole.low + fma(-f * f, horner(LOG_TAIL, f), e * LN2_SHORT[1])
        found = Pair(whole.high, rest).rounded(accuracy)
    ordinary = (x > 0.0) & (x < INFINITY)
    nothing = select(x < 0.0, constant(float("nan"), x.dtype), x)
    return select(ordinary, found, select(x == 0.0, constant(-INFINITY, x.dtype), nothing))


def log_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 / x."""
    return 1.0 / x


def elu(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x where x > 0, else e^x - 1."""
    near = maximum(x, FLAT)
    near = minimum(near, 1.0)  # above 0 it is not used
    n = rint(near * LOG2E)
    scale = power(n)
    if accuracy == "fast":
        r = fma(n, -LN2[0], near)
        found = fma(scale, r * horner(EXPM1_FAST, r), scale - 1.0)
    else:
        first = fma(n, -LN2_SHORT[0], near)
        r = fma(n, -LN2_SHORT[1], first)
        low = fma(n, -LN2_SHORT[1], first - r)
        whole = exact_sum(scale - 1.0, scale * r)
        rest = fma(scale, fma(horner(EXP_TAIL, r), r * r, low), whole.low)
        found = Pair(whole.high, rest).rounded(accuracy)
    return select(x >= 0.0, x, found)


def elu_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 where x > 0, else e^x."""
    return exp(minimum(x, 0.0), accuracy=accuracy, tables=tables)
