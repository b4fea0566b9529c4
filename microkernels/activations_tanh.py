"""tanh and its slope.

    accurate, 16 intervals of |x|   tanh(c) + (y - c) q(y - c), where tanh(c) happens to be an f32 to 2^-12 of its ulp
    accurate, no table              y + y^3 p(y^2) for y < 0.35, else 1 - 2 t(2 y) as in activations_logistic.py
    fast, 16 cells of |x|           x q(y), q of degree 2, |x| at most 5, where 5 q(5) is 1
    fast, no table                  x p(x^2) / q(x^2), degrees 7 and 8: the shape of the Pade approximation, with
                                    minimax coefficients

y = |x|, its sign put back at the end, so tanh(-x) = -tanh(x) exactly. Intervals: a quarter of an octave of y + 0.625
each, so they are short where tanh bends and long where it is flat; cells of the fast form: 1/4 up to 2.75, then 1/2.
"""

from __future__ import annotations

from .activations_constants import (
    TANH_CELLS,
    TANH_CENTRES,
    TANH_FAST,
    TANH_OFFSET,
    TANH_RATIO_ABOVE,
    TANH_RATIO_BELOW,
    TANH_SERIES,
    TANH_SLOPES,
    TANH_VALUES,
)
from .activations_logistic import NORMAL, VANISHED, slope_near, tail_of
from .expr import Expr, clamp, fma, lookup, minimum, select
from .pairs import minus, scaled, times
from .parts import with_sign_of
from .polynomials import INTERVALS, cell, horner, looked_up, quarter_octave

SERIES_END = 0.35
END = 9.02
"""Where tanh is 1 to less than half an ulp."""
RATIO_END = 8.0


def tanh(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """(e^x - e^-x) / (e^x + e^-x)."""
    if tables >= INTERVALS and accuracy == "fast":
        start, end = TANH_CELLS
        y = minimum(abs(x), end)
        return with_sign_of(y, x) * horner(looked_up(TANH_FAST, cell(y, start)), y)
    if tables >= INTERVALS:
        y = minimum(abs(x), END)
        place = quarter_octave(y + TANH_OFFSET)
        h = y - lookup(TANH_CENTRES, place)
        return with_sign_of(fma(h, horner(looked_up(TANH_SLOPES, place), h), lookup(TANH_VALUES, place)), x)
    if accuracy == "fast":
        x = clamp(x, -RATIO_END, RATIO_END)
        square = x * x
        return x * horner(TANH_RATIO_ABOVE, square) / horner(TANH_RATIO_BELOW, square)
    y = abs(x)
    square = y * y
    series = fma(y * square, horner(TANH_SERIES, square), y)
    t = tail_of(minimum(y, END) * 2.0)
    return with_sign_of(select(y < SERIES_END, series, minus(1.0, scaled(t.near, 2.0)).rounded(accuracy)), x)


def tanh_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """1 - tanh(x)^2 = 4 t(2 y) (1 - t(2 y))."""
    if accuracy == "fast":
        return slope_near(minimum(abs(x), NORMAL / 2) * 2.0, tables) * 4.0
    t = tail_of(minimum(abs(x), VANISHED / 2) * 2.0)
    return t.down(times(t.part, minus(1.0, t.near)).rounded(accuracy) * 4.0)
