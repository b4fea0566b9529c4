"""Compute every constant of microkernels/functions/coefficients_f32.py from its definition.

    python -m tests.coefficients.constants             the whole module, as Python
    python -m tests.coefficients.constants TANH_CUBE   one constant, with the error that remains after rounding

tests/coefficients/test_constants.py runs this and compares the text with the module.
"""

from __future__ import annotations

import mpmath
from mpmath import mpf

from tests.coefficients.definitions import (
    HALF_EIGHTH,
    HALF_SIXTEENTH,
    HALF_STEP,
    LINE,
    LN2,
    MILLS_END,
    ROOTS,
    atanh_tail,
    exp2_above,
    exp2_rise,
    exp_rise,
    exp_tail,
    exp_whole,
    expm1_rise,
    inverse_root,
    log_rise,
    log_tail,
    mills_near,
    mills_pairs,
    mills_rest,
    parts,
    powers_of_two,
    scaled_powers,
    single,
    tanh_ratio,
    unscaled_rise,
)
from tests.coefficients.intervals import TANH_START, Cells, geometry, in_cells, tanh_tables
from tests.coefficients.printing import Constant, Found, show
from tests.coefficients.remez import round_to

MODULE, SCRIPT = "microkernels/functions/coefficients_f32.py", "tests.coefficients.constants"
DIGITS = 40


TANH_CELLS = Cells(-2, 11, mpf(5), round_to(mpf(1) / 5))
# 1/2 - 2^-41 is a product of two f32, 9.89... and 3392455 / 2^26: at the end sigmoid is 2^-41, and never negative
SIGMOID_CELLS = Cells(-1, 11, mpf(324105) / 2**15, mpf(3392455) / 2**26)
SILU_CELLS = Cells(-1, 8, mpf("11.25"), mpf(0))
GELU_CELLS = Cells(-2, 12, mpf("4.5"), mpf(0))


def tanh_by_size(y: mpf) -> mpf:
    """Return tanh(y) / y."""
    return mpmath.tanh(y) / y


def sigmoid_by_size(y: mpf) -> mpf:
    """Return (sigmoid(y) - 1/2) / y."""
    return mpmath.tanh(y / 2) / (2 * y)


def falling(y: mpf) -> mpf:
    """Return sigmoid(-y)."""
    return 1 / (1 + mpmath.exp(y))


def normal_tail(y: mpf) -> mpf:
    """Return Phi(-y)."""
    return mpmath.erfc(y / mpmath.sqrt(2)) / 2


CONSTANTS: dict[str, Constant] = {
    "LOG2E": Constant("1 / log 2", lambda: single(1 / LN2)),
    "LN2": Constant("log 2 as one number, and what is missing", lambda: parts(LN2)),
    "LN2_SHORT": Constant(
        "log 2: a part of 15 bits, whose product with a whole number below 2^9 is exact, and the rest",
        lambda: parts(LN2, 15),
    ),
    "EXP_FAST": Constant("(e^r - 1) / r, |r| <= log(2)/2, relative to e^r", lambda: exp_rise(3, HALF_STEP)),
    "EXP": Constant(
        "e^r, |r| <= log(2)/2, relative",
        lambda: exp_whole(6, HALF_STEP),
    ),
    "EXP_TAIL": Constant("(e^r - 1 - r) / r^2, |r| <= log(2)/2, relative to e^r", lambda: exp_tail(4, HALF_STEP)),
    "EXP_STEP_FAST": Constant("(e^r - 1) / r, |r| <= log(2)/32, relative to e^r", lambda: exp_rise(1, HALF_SIXTEENTH)),
    "EXP_EIGHTH": Constant("(e^r - 1 - r) / r^2, |r| <= log(2)/16, relative to e^r", lambda: exp_tail(1, HALF_EIGHTH)),
    "EXP_EIGHTH_FAST": Constant("(e^r - 1) / r, |r| <= log(2)/16, relative to e^r", lambda: exp_rise(1, HALF_EIGHTH)),
    "EXP_SIXTEENTH": Constant(
        "(e^r - 1 - r) / r^2, |r| <= log(2)/32, relative to e^r", lambda: exp_tail(1, HALF_SIXTEENTH)
    ),
    "EIGHTH_POWERS_SCALED": Constant(
        "2^(j/8) times a number for which all 8 products are nearly f32: to 0.05 ulp", lambda: scaled_powers(8, 23)
    ),
    "POWERS": Constant("2^(j/16)", lambda: Found([round_to(v) for v in powers_of_two()])),
    "POWERS_SCALED": Constant(
        "2^(j/16) times a number for which all 16 products are nearly f32: to 0.24 ulp", scaled_powers
    ),
    "EXP_STEP": Constant("e^r divided by that number, less 1, |r| <= log(2)/32, relative to e^r", unscaled_rise),
    "EXP2_ABOVE_FAST": Constant("(2^r - 1) / r, 0 <= r <= 1, relative to 2^r", lambda: exp2_above(3)),
    "EXP2_ABOVE": Constant("(2^r - 1) / r, 0 <= r <= 1, relative to 2^r", lambda: exp2_above(4)),
    "EXPM1_FAST": Constant(
        "(e^r - 1) / r, |r| <= log(2)/2, relative to e^r - 1",
        lambda: expm1_rise(4, HALF_STEP),
    ),
    "EXP2_FAST": Constant("(2^r - 1) / r, |r| <= 1/2, relative to 2^r", lambda: exp2_rise(3)),
    "EXP2": Constant("(2^r - 1) / r, |r| <= 1/2, relative to 2^r", lambda: exp2_rise(5)),
    "ROOT_START": Constant(
        "less half the bits of x as an integer: y with y sqrt(x) in 0.9354 .. 0.9962", lambda: Found([mpf(11) * 2**60])
    ),
    "ROOT_STEP": Constant("1 / sqrt(t), t = x y^2 in 0.875 .. 0.9924, relative", inverse_root),
    "LOG_FAST": Constant("log(1 + f) / f, 1 + f in sqrt(1/2) .. sqrt(2), relative", lambda: log_rise(5, *ROOTS)),
    "LOG_TAIL": Constant(
        "(f - log(1 + f)) / f^2, 1 + f in sqrt(1/2) .. sqrt(2), relative to the logarithm", lambda: log_tail(8, *ROOTS)
    ),
    "LOG1P_FAST": Constant("log(1 + e) / e, e in 0 .. 1, relative", lambda: log_rise(5, mpf(0), mpf(1))),
    "LOG1P_TAIL": Constant(
        "(atanh(s) / s - 1) / s^2 in s^2, s in 0 .. 1/3, relative to atanh(s)",
        lambda: atanh_tail(4, mpf(1) / 3),
    ),
    "TANH_OFFSET": Constant("added to y before its quarter of an octave is taken", lambda: single(mpf(TANH_START))),
    "TANH_CELLS": Constant("what |x| is added to for its cell, and where tanh is 1", lambda: geometry(TANH_CELLS)),
    "TANH_FAST": Constant(
        "tanh(y) / y, a table for each power of y, relative",
        lambda: in_cells(tanh_by_size, TANH_CELLS, lambda y: 1 / tanh_by_size(y), lambda y, q: round_to(y * q) <= 1),
    ),
    "SIGMOID_CELLS": Constant("the same for sigmoid, which is 1 and 2^-41 at its end", lambda: geometry(SIGMOID_CELLS)),
    "SIGMOID_FAST": Constant(
        "(sigmoid(y) - 1/2) / y, a table for each power of y; the error is that of sigmoid",
        lambda: in_cells(sigmoid_by_size, SIGMOID_CELLS, lambda y: y, lambda y, q: y * q <= mpf(1) / 2),
    ),
    "SILU_CELLS": Constant("the same for silu, which is x or 0 at its end", lambda: geometry(SILU_CELLS)),
    "SILU_FAST": Constant(
        "sigmoid(-y), a table for each power of y; the error is that of silu",
        lambda: in_cells(falling, SILU_CELLS, lambda y: y, lambda y, t: t >= 0),
    ),
    "TANH_CENTRES": Constant(
        "points c, one in each interval, whose tanh is an f32 to 2^-12 ulp", lambda: Found(tanh_tables()[0])
    ),
    "TANH_VALUES": Constant("tanh(c)", lambda: Found(tanh_tables()[1])),
    "TANH_SLOPES": Constant(
        "(tanh(c + h) - tanh(c)) / h, a table for each power of h, relative to tanh(c + h)",
        lambda: Found(*tanh_tables()[2:]),
    ),
    "TANH_RATIO_ABOVE": Constant(
        "p of tanh(x) = x p(x^2) / q(x^2), |x| <= 8, relative", lambda: Found(*tanh_ratio(3, 4, mpf(8))[::2])
    ),
    "TANH_RATIO_BELOW": Constant("q of the same", lambda: Found(tanh_ratio(3, 4, mpf(8))[1])),
    "DENSITY": Constant("1 / sqrt(2 pi) as two numbers", lambda: parts(1 / mpmath.sqrt(2 * mpmath.pi))),
    "MILLS_PAIRS": Constant(
        "R(y) (y + 4) in t = (y - 4) / (y + 4), 0 <= y <= 14.6, relative: the first coefficients as pairs",
        lambda: mills_pairs(10, MILLS_END),
    ),
    "MILLS": Constant("the other coefficients", lambda: mills_rest(10, MILLS_END)),
    "MILLS_FAST": Constant(
        "R(y) (y + 4) in v = 1 / (y + 4), 0 <= y <= 13, relative",
        lambda: mills_near(6, mpf(13)),
    ),
    "GELU_CELLS": Constant("the cells of gelu, which is x or 0 at its end", lambda: geometry(GELU_CELLS)),
    "GELU_FAST": Constant(
        "Phi(-y), a table for each power of y; the error is that of gelu",
        lambda: in_cells(normal_tail, GELU_CELLS, lambda y: y, lambda y, t: t >= 0),
    ),
    "LINE": Constant("2 sqrt(2/pi) as two numbers", lambda: parts(LINE)),
    "CUBE": Constant("0.044715 times that", lambda: parts(LINE * mpf("0.044715"))),
}


if __name__ == "__main__":
    show(CONSTANTS, SCRIPT, "f32")
