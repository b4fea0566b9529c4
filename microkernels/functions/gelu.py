"""gelu in its two forms, and their slopes.

    gelu(x) = x Phi(x) = max(x, 0) - y Phi(-y),   y = |x|,   Phi(-y) = e^(-y^2/2) R(y)
    gelu_tanh(x) = x (1 + tanh(u)) / 2 = x sigmoid(2 u),   u(x) = sqrt(2/pi) (x + 0.044715 x^3)

R(y) = erfc(y / sqrt(2)) e^(y^2/2) / 2 falls slowly from 1/2: it is v S(1 - 8 v), v = 1 / (y + 4), S a polynomial.
sigmoid is as in functions/logistic.py, with e^(-2 u(y)) as a double word.
"""

from __future__ import annotations

from ..expr.graph import Expr, clamp, constant, fma_or_twice, maximum, minimum, select
from .double_word import (
    Pair,
    any_sum,
    chosen,
    exact_product,
    exact_sum,
    minus,
    pair_of,
    plus,
    reciprocal,
    scaled,
    times,
)
from .exp import down, exp_near, exp_pair, power
from .limits import LIMITS, coefficients
from .logistic import less, positive_part, tail, weighted, without_tail
from .polynomials import FEW, horner

SHIFT = 4.0


def mills(y: Expr) -> Pair:
    """R(y) with an error of about 2^-5 ulp, for 0 <= y < 16 in f32 and y < 64 in f64."""
    c = coefficients(y.dtype)
    sum_ = y + SHIFT
    # the remainder is exact, because both numbers are multiples of the same power of two
    v = reciprocal(Pair(sum_, y - (sum_ - SHIFT)))
    t = minus(1.0, Pair(v.high * (2 * SHIFT), v.low * (2 * SHIFT)))
    value = Pair(horner(c.MILLS, t.high), constant(0.0, y.dtype))
    for high, low in reversed(c.MILLS_PAIRS):
        step = plus(high, times(value, t))
        value = Pair(step.high, step.low + low)
    return times(value, v)


def bell(y: Expr) -> tuple[Pair, Expr]:
    """Return (a, n) with e^(-y^2/2) = 2^n a."""
    square = exact_product(y, y)
    return exp_pair(square.high * -0.5, square.low * -0.5)


def gelu(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x Phi(x), where Phi is the normal distribution function."""
    at = LIMITS[x.dtype]
    if accuracy == "fast":
        if tables >= FEW:
            c = coefficients(x.dtype)
            return without_tail(x, c.GELU_FAST, c.GELU_CELLS)
        y = minimum(abs(x), at.normal_gelu)
        return positive_part(x) - y * exp_near(y * y * -0.5, at.reach, tables) * mills_near(y)
    y = minimum(abs(x), at.vanished_gelu)
    e, n = bell(y)
    part = scaled(times(mills(y), e), y)
    scale = power(n)
    right = less(x, y, Pair(part.high * scale, part.low * scale), accuracy)
    return select(x < 0.0, -down(part.rounded(accuracy), n), right)


def mills_near(y: Expr) -> Expr:
    """R(y) in the fast form."""
    v = 1.0 / (y + SHIFT)
    return v * horner(coefficients(y.dtype).MILLS_FAST, v)


def gelu_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Phi(x) + x phi(x), where phi is the normal density."""
    at, density = LIMITS[x.dtype], coefficients(x.dtype).DENSITY
    if accuracy == "fast":
        y = minimum(abs(x), at.normal_gelu)
        left = exp_near(y * y * -0.5, at.reach, tables) * fma_or_twice(y, -density[0], mills_near(y))
        return select(x < 0.0, left, 1.0 - left)
    y = minimum(abs(x), at.vanished_gelu)
    e, n = bell(y)
    r = mills(y)
    fall = scaled(pair_of(density, x.dtype), y)
    difference = any_sum(r.high, -fall.high)
    part = times(exact_sum(difference.high, difference.low + (r.low - fall.low)), e)
    scale = power(n)
    above = minus(1.0, Pair(part.high * scale, part.low * scale))
    return select(x < 0.0, down(part.rounded(accuracy), n), above.rounded(accuracy))


def twice_u(y: Expr) -> Pair:
    """2 u(y)."""
    c = coefficients(y.dtype)
    square = exact_product(y, y)
    cube = times(square, pair_of(c.CUBE, y.dtype))
    line = any_sum(constant(c.LINE[0], y.dtype), cube.high)
    return scaled(exact_sum(line.high, line.low + (cube.low + c.LINE[1])), y)


def fall_tanh(y: Expr) -> tuple[Pair, Expr]:
    """Return (a, n) with e^(-2 u(y)) = 2^n a."""
    w = twice_u(y)
    return exp_pair(-w.high, -w.low)


def gelu_tanh(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if accuracy == "fast":
        x = maximum(x, -at.normal_gelu_tanh)
        near = minimum(x, at.normal_gelu_tanh)
        return x / (1.0 + exp_near(near * fma_or_twice(near * near, -c.CUBE[0], -c.LINE[0]), at.reach, tables))
    y = minimum(abs(x), at.vanished_gelu_tanh)
    return weighted(x, at.vanished_gelu_tanh, *fall_tanh(y), accuracy)


def gelu_tanh_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """d/dx gelu_tanh(x) = s + x s (1 - s) 2 u'(x), s = (1 + tanh(u)) / 2."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if accuracy == "fast":
        x = clamp(x, -at.normal_gelu_tanh, at.normal_gelu_tanh)
        near = x * x
        s = 1.0 / (1.0 + exp_near(x * fma_or_twice(near, -c.CUBE[0], -c.LINE[0]), at.reach, tables))
        return s * fma_or_twice(x * fma_or_twice(near, 3 * c.CUBE[0], c.LINE[0]), 1.0 - s, 1.0)
    x = clamp(x, -at.vanished_gelu_tanh, at.vanished_gelu_tanh)
    y = abs(x)
    t = tail(*fall_tanh(y))
    u, below = minus(1.0, t.near), x < 0.0
    square = exact_product(y, y)
    thrice = 3 * c.CUBE[0]
    rounded = (thrice - 2 * c.CUBE[0]) - c.CUBE[0]  # in f64; both differences are exact
    cube = times(square, Pair(constant(thrice, y.dtype), constant(3 * c.CUBE[1] - rounded, y.dtype)))
    line = any_sum(constant(c.LINE[0], y.dtype), cube.high)
    rise = scaled(exact_sum(line.high, line.low + (cube.low + c.LINE[1])), x)
    factor = plus(1.0, times(rise, chosen(below, u, t.near)))
    return select(below, t.down(times(t.part, factor).rounded(accuracy)), times(u, factor).rounded(accuracy))
