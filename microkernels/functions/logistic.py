"""Activations made of E = e^-y, y = |x|: sigmoid, silu, softplus and their slopes, and the slope of tanh.

    sigmoid(x) = N / (1 + E),   N = E for x < 0, 1 for x >= 0,   silu(x) = x sigmoid(x)
    softplus(x) = max(x, 0) + log(1 + E),   t = E / (1 + E) for the slopes

Fast forms of sigmoid and silu on 16 cells of y: 1/2 + x q(y) and max(x, 0) - y t(y), with q and t of degree 2.

e^-y is never above 1, so nothing overflows and every tail keeps its relative accuracy. The accurate forms hold E, t and
similar values as double words. Only the last addition rounds; denormal results are rounded once more.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.records import NamedTuple
from ..expr.graph import Expr, clamp, constant, fma_or_twice, maximum, minimum, select
from .double_word import NARROW, Pair, any_sum, chosen, minus, plus, quotient, ratio, scaled, times
from .exp import down, exp_near, exp_pair, power
from .float_fields import size_within, with_sign_of
from .limits import LIMITS, coefficients
from .polynomials import INTERVALS, cell, horner, looked_up


class Tail(NamedTuple):
    """t = 2^n part, whatever its size. `near` is t if that is above 2^least; smaller values are negligible."""

    part: Pair
    n: Expr
    near: Pair

    def down(self, value: Expr) -> Expr:
        """2^n value, through denormals to 0."""
        return down(value, self.n)


def above_one(e: Pair, n: Expr) -> Pair:
    """1 + E for E = 2^n e <= 1."""
    scale = power(n)
    return plus(1.0, Pair(e.high * scale, e.low * scale))


def tail(e: Pair, n: Expr) -> Tail:
    """t = E / (1 + E) for E = 2^n e <= 1."""
    part, scale = quotient(e, above_one(e, n)), power(n)
    return Tail(part, n, Pair(part.high * scale, part.low * scale))


def share(left: Expr, below: Pair, above: Pair, n: Expr, of: Pair, accuracy: str) -> Expr:
    """2^n below / of if `left` is true, else above / of."""
    part = ratio(chosen(left, below, above), of, accuracy)
    return down(part, select(left, n, constant(0.0, n.dtype)))


def tail_of(y: Expr) -> Tail:
    """t for y >= 0."""
    return tail(*exp_pair(-y))


def positive_part(x: Expr) -> Expr:
    """x for x >= 0 (-0 is kept), else 0; NaN is kept."""
    return select(x < 0.0, 0.0, x)


def without_tail(x: Expr, tables: Sequence[Sequence[float]], cells: tuple[float, float]) -> Expr:
    """max(x, 0) - y t(y), with t from 16 cells of y = |x|; t is 0 at the last y."""
    start, end = cells
    y = size_within(x, end)
    return fma_or_twice(-y, horner(looked_up(tables, cell(y, start)), y), positive_part(x))


def sigmoid(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 / (1 + e^-x)."""
    at = LIMITS[x.dtype]
    if accuracy == "fast" and tables >= INTERVALS:
        c = coefficients(x.dtype)
        start, end = c.SIGMOID_CELLS
        y = minimum(abs(x), end)
        return fma_or_twice(with_sign_of(y, x), horner(looked_up(c.SIGMOID_FAST, cell(y, start)), y), 0.5)
    if accuracy == "fast":
        return 1.0 / (1.0 + exp_near(-clamp(x, -at.normal, at.normal), at.reach, tables))
    e, n = exp_pair(-minimum(abs(x), -at.low))
    one, zero = (constant(value, x.dtype) for value in (1.0, 0.0))
    return share(x < 0.0, e, Pair(one, zero), n, above_one(e, n), accuracy)


def sigmoid_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """sigmoid(x) sigmoid(-x)."""
    at = LIMITS[x.dtype]
    if accuracy == "fast":
        return slope_near(minimum(abs(x), at.normal), tables)
    t = tail_of(minimum(abs(x), -at.low))
    return t.down(times(t.part, minus(1.0, t.near)).rounded(accuracy))


def slope_near(y: Expr, tables: int) -> Expr:
    """t (1 - t) in the fast form."""
    e = exp_near(-y, LIMITS[y.dtype].reach, tables)
    below = 1.0 + e
    return e / (below * below)


def silu(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x sigmoid(x)."""
    at = LIMITS[x.dtype]
    if accuracy == "fast" and tables >= INTERVALS:
        c = coefficients(x.dtype)
        return without_tail(x, c.SILU_FAST, c.SILU_CELLS)
    if accuracy == "fast":
        x = maximum(x, -at.normal)
        return x / (1.0 + exp_near(-minimum(x, at.normal), at.reach, tables))
    e, n = exp_pair(-minimum(abs(x), at.vanished))
    return weighted(x, at.vanished, e, n, accuracy)


def weighted(x: Expr, end: float, e: Pair, n: Expr, accuracy: str) -> Expr:
    """x / (1 + E) for x >= 0, else x E / (1 + E), with E = 2^n e. E is negligible from |x| = `end` on."""
    near = maximum(x, -end)
    zero = constant(0.0, x.dtype)
    value = share(x < 0.0, scaled(e, near), Pair(near, zero), n, above_one(e, n), accuracy)
    return select(x > end, x, value)


def less(x: Expr, y: Expr, part: Pair, accuracy: str) -> Expr:
    """x - part for x >= 0, where part <= x and y is x clamped to where part is not 0; -0 stays -0."""
    high = x - part.high
    # subtracted instead of added: a difference of zeros is +0, and -0 + 0 would be +0
    error = (part.high - (x - high)) + part.low
    difference = Pair(high, -error).rounded(accuracy) if accuracy == NARROW else high - error
    return select(x > y, x, difference)  # for infinity, too


def silu_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """sigmoid(x) (1 + x sigmoid(-x))."""
    at = LIMITS[x.dtype]
    if accuracy == "fast":
        x = clamp(x, -at.normal, at.normal)
        s = 1.0 / (1.0 + exp_near(-x, at.reach, tables))
        return s * fma_or_twice(x, 1.0 - s, 1.0)
    x = clamp(x, -at.vanished, at.vanished)
    t = tail_of(abs(x))
    u, below = minus(1.0, t.near), x < 0.0
    factor = plus(1.0, scaled(chosen(below, u, t.near), x))
    return select(below, t.down(times(t.part, factor).rounded(accuracy)), times(u, factor).rounded(accuracy))


def softplus(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """log(1 + e^x) = max(x, 0) + log(1 + e^-y)."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if accuracy == "fast":
        near_e = exp_near(-minimum(abs(x), at.normal), at.reach, tables)
        return fma_or_twice(horner(c.LOG1P_FAST, near_e), near_e, positive_part(x))
    e, n = exp_pair(-minimum(abs(x), -at.low))
    scale = power(n)
    near = Pair(e.high * scale, e.low * scale)
    # log(1 + E) = 2 atanh(s) = 2 s (1 + s^2 tail(s^2)),  s = E / (2 + E)
    twice = quotient(Pair(e.high * 2.0, e.low * 2.0), plus(2.0, near))
    s = twice.high * scale * 0.5
    rest = fma_or_twice(twice.high * (s * s), horner(c.LOG1P_TAIL, s * s), twice.low)
    above = any_sum(x, twice.high * scale)
    positive = Pair(above.high, fma_or_twice(rest, scale, above.low)).rounded(accuracy)
    return select(x < 0.0, down(Pair(twice.high, rest).rounded(accuracy), n), select(x > at.vanished, x, positive))
