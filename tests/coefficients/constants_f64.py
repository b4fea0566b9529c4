"""Compute every constant of microkernels/functions/coefficients_f64.py from its definition.

    python -m tests.coefficients.constants_f64             the whole module, as Python
    python -m tests.coefficients.constants_f64 LOG_FAST    one constant, with the error that remains after rounding

The definitions are those of tests/coefficients/definitions.py, with other types, degrees and intervals. The arithmetic
has 60 digits, since digits cancel in tails like (e^r - 1 - r) / r^2.
"""

from __future__ import annotations

import mpmath
from mpmath import mpf

from tests.coefficients.definitions import (
    ROOTS,
    WIDER,
    atanh_tail,
    exp2_rise,
    exp_rise,
    exp_whole,
    expm1_rise,
    fitted,
    log_rise,
    mills_near,
    mills_pairs,
    mills_rest,
    parts,
    single,
    tanh_ratio,
)
from tests.coefficients.printing import Constant, Found, show

MODULE, SCRIPT = "microkernels/functions/coefficients_f64.py", "tests.coefficients.constants_f64"
DIGITS = 60
F64 = "f64"


def half_step() -> mpf:
    """Return the largest distance of an argument from a multiple of log 2."""
    return mpmath.log(2) / 2 * WIDER


def line() -> mpf:
    """Return 2 sqrt(2/pi)."""
    return 2 * mpmath.sqrt(2 / mpmath.pi)


def by_half(found: Found) -> Found:
    """Rescale the polynomial of (atanh(s) / s - 1) / s^2 for an argument of half of s, and multiply it by 16. Only
    exponents change."""
    return Found([16 * 4**power * number for power, number in enumerate(found.numbers)], found.error)


def expm1_tail(degree: int, half: mpf) -> Found:
    """Fit (e^r - 1 - r) / r^2 for |r| <= half. The error is relative to e^r - 1, so the fit serves both e^r - 1 and
    e^r."""
    return fitted(
        lambda r: (mpmath.exp(r) - 1 - r) / r**2, degree, -half, half, lambda r: abs(r**2 / mpmath.expm1(r)), dtype=F64
    )


def quotient_end() -> mpf:
    """Return f / (2 + f) for 1 + f = sqrt(2)."""
    return (mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1)


MILLS = 23, mpf("38.7")
RATIO = 5, 6, mpf("12.5")

CONSTANTS: dict[str, Constant] = {
    "LOG2E": Constant("1 / log 2", lambda: single(1 / mpmath.log(2), F64)),
    "LN2": Constant("log 2 as one number, and what is missing", lambda: parts(mpmath.log(2), dtype=F64)),
    "LN2_SHORT": Constant(
        "log 2: a part of 41 bits, whose product with a whole number below 2^12 is exact, and the rest",
        lambda: parts(mpmath.log(2), 41, F64),
    ),
    "EXP_FAST": Constant("(e^r - 1) / r, |r| <= log(2)/2, relative to e^r", lambda: exp_rise(6, half_step(), F64)),
    "EXP": Constant("e^r, |r| <= log(2)/2, relative", lambda: exp_whole(11, half_step(), F64)),
    "EXP_TAIL": Constant(
        "(e^r - 1 - r) / r^2, |r| <= log(2)/2, relative to e^r - 1", lambda: expm1_tail(9, half_step())
    ),
    "EXPM1_FAST": Constant(
        "(e^r - 1) / r, |r| <= log(2)/2, relative to e^r - 1", lambda: expm1_rise(7, half_step(), F64)
    ),
    "EXP2_FAST": Constant("(2^r - 1) / r, |r| <= 1/2, relative to 2^r", lambda: exp2_rise(6, F64)),
    "EXP2": Constant("(2^r - 1) / r, |r| <= 1/2, relative to 2^r", lambda: exp2_rise(10, F64)),
    "LOG_FAST": Constant("log(1 + f) / f, 1 + f in sqrt(1/2) .. sqrt(2), relative", lambda: log_rise(11, *ROOTS, F64)),
    "LOG_QUOTIENT": Constant(
        "(2 atanh(2 s) / s - 4) / s^2 in s^2, s = f / (4 + 2 f), f as in LOG_FAST, relative to the logarithm",
        lambda: by_half(atanh_tail(6, quotient_end(), F64)),
    ),
    "LOG1P_FAST": Constant("log(1 + e) / e, e in 0 .. 1, relative", lambda: log_rise(11, mpf(0), mpf(1), F64)),
    "LOG1P_TAIL": Constant(
        "(atanh(s) / s - 1) / s^2 in s^2, s in 0 .. 1/3, relative to atanh(s)",
        lambda: atanh_tail(9, mpf(1) / 3, F64),
    ),
    "TANH_RATIO_ABOVE": Constant(
        "p of tanh(x) = x p(x^2) / q(x^2), |x| <= 12.5, relative", lambda: Found(*tanh_ratio(*RATIO, F64)[::2])
    ),
    "TANH_RATIO_BELOW": Constant("q of the same", lambda: Found(tanh_ratio(*RATIO, F64)[1])),
    "DENSITY": Constant("1 / sqrt(2 pi) as two numbers", lambda: parts(1 / mpmath.sqrt(2 * mpmath.pi), dtype=F64)),
    "MILLS_PAIRS": Constant(
        "R(y) (y + 4) in t = (y - 4) / (y + 4), 0 <= y <= 38.7, relative: the first coefficients as pairs",
        lambda: mills_pairs(*MILLS, F64),
    ),
    "MILLS": Constant("the other coefficients", lambda: mills_rest(*MILLS, F64)),
    "MILLS_FAST": Constant(
        "R(y) (y + 4) in v = 1 / (y + 4), 0 <= y <= 37.6, relative", lambda: mills_near(13, mpf("37.6"), F64)
    ),
    "LINE": Constant("2 sqrt(2/pi) as two numbers", lambda: parts(line(), dtype=F64)),
    "CUBE": Constant("0.044715 times that", lambda: parts(line() * mpf("0.044715"), dtype=F64)),
}


if __name__ == "__main__":
    with mpmath.workdps(DIGITS):
        show(CONSTANTS, SCRIPT, F64)
