"""gelu in its two forms, and their slopes.

    gelu(x) = x Phi(x) = max(x, 0) - y Phi(-y),   y = |x|,   Phi(-y) = e^(-y^2/2) R(y)
    gelu_tanh(x) = x (1 + tanh(u)) / 2 = max(x, 0) - y t(2 u(y)),   u(y) = sqrt(2/pi) (y + 0.044715 y^3)

R(y) = erfc(y / sqrt(2)) e^(y^2/2) / 2 falls slowly from 1/2: it is v S(1 - 8 v), v = 1 / (y + 4), S a polynomial.
t(w) is e^-w / (1 + e^-w) as in activations_logistic.py.
"""

from __future__ import annotations

from .activations_constants import (
    CUBE,
    DENSITY,
    GELU_CELLS,
    GELU_FAST,
    LINE,
    MILLS,
    MILLS_FAST,
    MILLS_PAIRS,
)
from .activations_exp import FAR, exp_near, exp_pair, power
from .activations_logistic import REACH, Tail, less, part_taken, positive_part, tail, without_tail
from .expr import Expr, clamp, constant, fma, ldexp, maximum, minimum, select
from .pairs import Pair, any_sum, chosen, exact_product, exact_sum, minus, pair_of, plus, reciprocal, scaled, times
from .polynomials import INTERVALS, horner

SHIFT = 4.0
VANISHED = 14.6
"""y Phi(-y) is below half the smallest denormal."""
VANISHED_TANH = 10.9
NORMAL_END, NORMAL_END_TANH = 13.0, 9.9
"""Fast forms stay at what they have become there: less than 1e-36."""


def mills(y: Expr) -> Pair:
    """R(y) with an error of about 2^-29, 0 <= y < 16."""
    sum_ = y + SHIFT
    # exact: both numbers are multiples of the same power of two
    v = reciprocal(Pair(sum_, y - (sum_ - SHIFT)))
    t = minus(1.0, Pair(v.high * (2 * SHIFT), v.low * (2 * SHIFT)))
    value = Pair(horner(MILLS, t.high), constant(0.0, y.dtype))
    for high, low in reversed(MILLS_PAIRS):
        step = plus(high, times(value, t))
        value = Pair(step.high, step.low + low)
    return times(value, v)


def bell(y: Expr) -> tuple[Pair, Expr]:
    """(a, n): e^(-y^2/2) = 2^n a."""
    square = exact_product(y, y)
    return exp_pair(square.high * -0.5, square.low * -0.5)


def gelu(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x Phi(x), Phi the normal distribution."""
    if accuracy == "fast":
        if tables >= INTERVALS:
            return without_tail(x, GELU_FAST, GELU_CELLS)
        y = minimum(abs(x), NORMAL_END)
        return positive_part(x) - y * exp_near(y * y * -0.5, REACH, tables) * mills_near(y)
    y = minimum(abs(x), VANISHED)
    e, n = bell(y)
    part = scaled(times(mills(y), e), y)
    scale = power(n)
    right = less(x, y, Pair(part.high * scale, part.low * scale), accuracy)
    return select(x < 0.0, -ldexp(part.rounded(accuracy), n, FAR), right)


def mills_near(y: Expr) -> Expr:
    """R(y), fast."""
    v = 1.0 / (y + SHIFT)
    return v * horner(MILLS_FAST, v)


def gelu_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Phi(x) + x phi(x), phi the normal density."""
    if accuracy == "fast":
        y = minimum(abs(x), NORMAL_END)
        left = exp_near(y * y * -0.5, REACH, tables) * fma(y, -DENSITY[0], mills_near(y))
        return select(x < 0.0, left, 1.0 - left)
    y = minimum(abs(x), VANISHED)
    e, n = bell(y)
    r = mills(y)
    down = scaled(pair_of(DENSITY, x.dtype), y)
    difference = any_sum(r.high, -down.high)
    part = times(exact_sum(difference.high, difference.low + (r.low - down.low)), e)
    scale = power(n)
    above = minus(1.0, Pair(part.high * scale, part.low * scale))
    return select(x < 0.0, ldexp(part.rounded(accuracy), n, FAR), above.rounded(accuracy))


def twice_u(y: Expr) -> Pair:
    """2 u(y)."""
    square = exact_product(y, y)
    cube = times(square, pair_of(CUBE, y.dtype))
    line = any_sum(constant(LINE[0], y.dtype), cube.high)
    return scaled(exact_sum(line.high, line.low + (cube.low + LINE[1])), y)


def tail_tanh(y: Expr) -> Tail:
    """t(2 u(y))."""
    w = twice_u(y)
    return tail(*exp_pair(-w.high, -w.low))


def gelu_tanh(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2."""
    if accuracy == "fast":
        x = maximum(x, -NORMAL_END_TANH)
        near = minimum(x, NORMAL_END_TANH)
        return x / (1.0 + exp_near(near * fma(near * near, -CUBE[0], -LINE[0]), REACH, tables))
    y = minimum(abs(x), VANISHED_TANH)
    return part_taken(x, y, tail_tanh(y), accuracy)


def gelu_tanh_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """d/dx gelu_tanh(x) = s + x s (1 - s) 2 u'(x), s = (1 + tanh(u)) / 2."""
    if accuracy == "fast":
        x = clamp(x, -NORMAL_END_TANH, NORMAL_END_TANH)
        near = x * x
        s = 1.0 / (1.0 + exp_near(x * fma(near, -CUBE[0], -LINE[0]), REACH, tables))
        return s * fma(x * fma(near, 3 * CUBE[0], LINE[0]), 1.0 - s, 1.0)
    x = clamp(x, -VANISHED_TANH, VANISHED_TANH)
    y = abs(x)
    t = tail_tanh(y)
    u, below = minus(1.0, t.near), x < 0.0
    square = exact_product(y, y)
    cube = times(square, Pair(constant(3 * CUBE[0], y.dtype), constant(3 * CUBE[1], y.dtype)))
    line = any_sum(constant(LINE[0], y.dtype), cube.high)
    rise = scaled(exact_sum(line.high, line.low + (cube.low + LINE[1])), x)
    factor = plus(1.0, times(rise, chosen(below, u, t.near)))
    return select(below, t.down(times(t.part, factor).rounded(accuracy)), times(u, factor).rounded(accuracy))
