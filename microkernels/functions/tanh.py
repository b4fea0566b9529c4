"""tanh and its slope.

    accurate, 16 intervals of |x|   tanh(c) + (y - c) q(y - c), with c such that tanh(c) is an f32 to 2^-12 of its ulp
    accurate, no table              E / (E + 2), E = e^2y - 1 as a double word
    fast, 16 cells of |x|           x q(y), q of degree 2, |x| at most 5, where 5 q(5) is 1
    fast, no table                  x p(x^2) / q(x^2), degrees 7 and 8: the shape of the Pade approximation, with
                                    minimax coefficients

y = |x|; its sign is restored at the end, so tanh(-x) = -tanh(x) exactly. Each interval is a quarter of an octave of y +
0.625, so intervals are short where tanh bends and long where it is flat. Cells of the fast form are 1/4 wide up to
2.75, then 1/2.
"""

from __future__ import annotations

from ..expr.graph import Expr, clamp, constant, fma_or_twice, lookup, minimum
from .double_word import Pair, any_sum, exact_sum, minus, ratio, times
from .exp import expm1_pair
from .float_fields import with_sign_of
from .limits import LIMITS, coefficients
from .logistic import slope_near, tail_of
from .polynomials import INTERVALS, cell, horner, looked_up, quarter_octave


def tanh(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """(e^x - e^-x) / (e^x + e^-x)."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if tables >= INTERVALS and accuracy == "fast":
        start, end = c.TANH_CELLS
        y = minimum(abs(x), end)
        return with_sign_of(y, x) * horner(looked_up(c.TANH_FAST, cell(y, start)), y)
    if tables >= INTERVALS:
        y = minimum(abs(x), at.one)
        place = quarter_octave(y + c.TANH_OFFSET)
        h = y - lookup(c.TANH_CENTRES, place)
        slope = horner(looked_up(c.TANH_SLOPES, place), h)
        return with_sign_of(fma_or_twice(h, slope, lookup(c.TANH_VALUES, place)), x)
    if accuracy == "fast":
        x = clamp(x, -at.ratio, at.ratio)
        square = x * x
        return x * horner(c.TANH_RATIO_ABOVE, square) / horner(c.TANH_RATIO_BELOW, square)
    rise = exact_sum(*expm1_pair(minimum(abs(x), at.one) * 2.0))
    over = any_sum(rise.high, constant(2.0, x.dtype))
    return with_sign_of(ratio(rise, Pair(over.high, over.low + rise.low), accuracy), x)


def tanh_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 - tanh(x)^2 = 4 t(2 y) (1 - t(2 y))."""
    at = LIMITS[x.dtype]
    if accuracy == "fast":
        return slope_near(minimum(abs(x), at.normal / 2) * 2.0, tables) * 4.0
    t = tail_of(minimum(abs(x), at.vanished / 2) * 2.0)
    return t.down(times(t.part, minus(1.0, t.near)).rounded(accuracy) * 4.0)
