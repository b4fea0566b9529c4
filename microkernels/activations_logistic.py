"""Activations made of e^-y, y = |x|: sigmoid, silu, tanh, softplus, and their slopes.

    t = e^-y / (1 + e^-y),   sigmoid(x) = t for x < 0, 1 - t for x >= 0,   tanh(x) = (1 - 2 t(2 y)) sign(x)
    silu(x) = max(x, 0) - y t,   softplus(x) = max(x, 0) + log(1 + e^-y)

Fast forms of sigmoid and silu on 16 cells of y: 1/2 + x q(y) and max(x, 0) - y t(y), q and t of degree 2.

e^-y is never above 1, so nothing overflows and every tail keeps its relative accuracy. The accurate forms carry t as a
pair of numbers; the last addition rounds, and denormal results are rounded once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .activations_constants import LOG1P_FAST, LOG1P_TAIL, SIGMOID_CELLS, SIGMOID_FAST, SILU_CELLS, SILU_FAST
from .activations_exp import FAR, LOW, exp_near, exp_pair, power
from .expr import Expr, clamp, fma, ldexp, maximum, minimum, select
from .pairs import NARROW, Pair, any_sum, chosen, minus, plus, quotient, scaled, times
from .parts import size_within, with_sign_of
from .polynomials import INTERVALS, cell, horner, looked_up

NORMAL = 87.0
"""e^-87 and e^87 are normal numbers: the fast forms stop there."""
REACH = 126
VANISHED = 112.0
"""y e^-y is below half the smallest denormal."""


class Tail(NamedTuple):
    """t = 2^n part, whatever its size; `near` is t itself where it is above 2^-60, and as good as 0 elsewhere."""

    part: Pair
    n: Expr
    near: Pair

    def down(self, value: Expr) -> Expr:
        """2^n value, through denormals to 0."""
        return ldexp(value, self.n, FAR)


def tail(e: Pair, n: Expr) -> Tail:
    """t = E / (1 + E) of E = 2^n e <= 1."""
    scale = power(n)
    part = quotient(e, plus(1.0, Pair(e.high * scale, e.low * scale)))
    return Tail(part, n, Pair(part.high * scale, part.low * scale))


def tail_of(y: Expr) -> Tail:
    """t of y >= 0."""
    return tail(*exp_pair(-y))


def positive_part(x: Expr) -> Expr:
    """x where x >= 0 (-0 stays), 0 below; NaN stays."""
    return select(x < 0.0, 0.0, x)


def without_tail(x: Expr, tables: Sequence[Sequence[float]], cells: tuple[float, float]) -> Expr:
    """max(x, 0) - y t(y), t from 16 cells of y = |x|; it is 0 at the last y."""
    start, end = cells
    y = size_within(x, end)
    return fma(-y, horner(looked_up(tables, cell(y, start)), y), positive_part(x))


def sigmoid(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 / (1 + e^-x)."""
    if accuracy == "fast" and tables >= INTERVALS:
        start, end = SIGMOID_CELLS
        y = minimum(abs(x), end)
        return fma(with_sign_of(y, x), horner(looked_up(SIGMOID_FAST, cell(y, start)), y), 0.5)
    if accuracy == "fast":
        return 1.0 / (1.0 + exp_near(-clamp(x, -NORMAL, NORMAL), REACH, tables))
    t = tail_of(minimum(abs(x), -LOW))
    return select(x < 0.0, t.down(t.part.rounded(accuracy)), minus(1.0, t.near).rounded(accuracy))


def sigmoid_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """sigmoid(x) sigmoid(-x)."""
    if accuracy == "fast":
        return slope_near(minimum(abs(x), NORMAL), tables)
    t = tail_of(minimum(abs(x), -LOW))
    return t.down(times(t.part, minus(1.0, t.near)).rounded(accuracy))


def slope_near(y: Expr, tables: int) -> Expr:
    """t (1 - t), fast."""
    e = exp_near(-y, REACH, tables)
    below = 1.0 + e
    return e / (below * below)


def silu(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """x sigmoid(x)."""
    if accuracy == "fast" and tables >= INTERVALS:
        return without_tail(x, SILU_FAST, SILU_CELLS)
    if accuracy == "fast":
        x = maximum(x, -NORMAL)
        return x / (1.0 + exp_near(-minimum(x, NORMAL), REACH, tables))
    y = minimum(abs(x), VANISHED)
    return part_taken(x, y, tail_of(y), accuracy)


def part_taken(x: Expr, y: Expr, t: Tail, accuracy: str) -> Expr:
    """x - y t for x >= 0, else -y t; y is |x| as far as t is not 0."""
    part = scaled(t.part, y)
    return select(x < 0.0, -t.down(part.rounded(accuracy)), less(x, y, scaled(t.near, y), accuracy))


def less(x: Expr, y: Expr, part: Pair, accuracy: str) -> Expr:
    """x - part for x >= 0, where part <= x and y is x as far as part is not 0; -0 stays -0."""
    high = x - part.high
    # subtracted, not added: a difference of zeros is +0, and -0 + 0 would be +0
    lost = (part.high - (x - high)) + part.low
    found = Pair(high, -lost).rounded(accuracy) if accuracy == NARROW else high - lost
    return select(x > y, x, found)  # of infinity too


def silu_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """sigmoid(x) (1 + x sigmoid(-x))."""
    if accuracy == "fast":
        x = clamp(x, -NORMAL, NORMAL)
        s = 1.0 / (1.0 + exp_near(-x, REACH, tables))
        return s * fma(x, 1.0 - s, 1.0)
    x = clamp(x, -VANISHED, VANISHED)
    t = tail_of(abs(x))
    u, below = minus(1.0, t.near), x < 0.0
    factor = plus(1.0, scaled(chosen(below, u, t.near), x))
    return select(below, t.down(times(t.part, factor).rounded(accuracy)), times(u, factor).rounded(accuracy))


def softplus(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """log(1 + e^x) = max(x, 0) + log(1 + e^-y)."""
    if accuracy == "fast":
        near_e = exp_near(-minimum(abs(x), NORMAL), REACH, tables)
        return fma(horner(LOG1P_FAST, near_e), near_e, positive_part(x))
    e, n = exp_pair(-minimum(abs(x), -LOW))
    scale = power(n)
    near = Pair(e.high * scale, e.low * scale)
    # log(1 + E) = 2 atanh(s) = 2 s (1 + s^2 tail(s^2)),  s = E / (2 + E)
    twice = quotient(Pair(e.high * 2.0, e.low * 2.0), plus(2.0, near))
    s = twice.high * scale * 0.5
    rest = fma(twice.high * (s * s), horner(LOG1P_TAIL, s * s), twice.low)
    above = any_sum(x, twice.high * scale)
    found = Pair(above.high, fma(rest, scale, above.low)).rounded(accuracy)
    return select(x < 0.0, ldexp(Pair(twice.high, rest).rounded(accuracy), n, FAR), select(x > VANISHED, x, found))
