"""Compute every constant of microkernels/functions/coefficients_standard.py from its definition.

    python -m tests.coefficients.standard                 the whole module, as Python
    python -m tests.coefficients.standard MILLS_ABOVE     one constant in both types

The standard forms use these besides the constants that all forms share. The arithmetic has 60 digits.
"""

from __future__ import annotations

import sys
from functools import cache

import mpmath
from mpmath import mpf

from tests.coefficients.definitions import fitted, mills, parts
from tests.coefficients.intervals import NEARLY, by_place, quarters, ulp
from tests.coefficients.printing import Constant, Found, definition
from tests.coefficients.remez import FRACTION_BITS, Function, rational, round_to, rounded

MODULE, SCRIPT = "microkernels/functions/coefficients_standard.py", "tests.coefficients.standard"
DIGITS = 60
ENDS = {"f32": mpf("14.6"), "f64": mpf("38.7")}
"""The |x| of negative x beyond which gelu and its slope are 0."""
MILLS_DEGREES = {"f32": (4, 5), "f64": (10, 11)}
SLOPE_DEGREES = {"f32": (5, 5), "f64": (10, 11)}

SPILL = mpf(2) ** -20
"""The largest distance of an argument outside its interval, because the sum that finds the interval is rounded."""

Ratio = tuple[list[mpf], list[mpf], mpf]


@cache
def mills_ratio(dtype: str) -> Ratio:
    """Return p and q of R(y) = p(y) / q(y), and the relative error."""
    return rational(mills, *MILLS_DEGREES[dtype], mpf(0), ENDS[dtype], lambda y: 1 / mills(y), dtype)


def density() -> mpf:
    """Return phi(0)."""
    return 1 / mpmath.sqrt(2 * mpmath.pi)


@cache
def root() -> mpf:
    """Return the y for which the slope of gelu is 0 at x = -y: R(y) = y phi(0)."""
    return mpmath.findroot(lambda y: mills(y) - y * density(), mpf("0.7517915"))


def falling(y: mpf) -> mpf:
    """Return (R(y) - y phi(0)) / (root - y)."""
    return (mills(y) - y * density()) / (root() - y)


@cache
def slope_ratio(dtype: str) -> Ratio:
    """Return p and q of `falling`, and the relative error."""
    return rational(falling, *SLOPE_DEGREES[dtype], mpf(0), ENDS[dtype], lambda y: 1 / falling(y), dtype)


CELLS_START = mpf(1)
"""The offset that divides 0 <= y < 15 into quarters of octaves of the sum."""
MILLS_DEGREE, SLOPE_DEGREE = 6, 5
"""The degrees of the polynomials on these intervals."""


def middle(f: Function, low: mpf, high: mpf) -> mpf:
    """Return the f32 nearest to the middle at which f is nearly an f32 (Gal's method)."""
    near = round_to((low + high) / 2)
    step = ulp(near)
    for i in range(1 << 20):
        c = near + step * (i // 2 + 1 if i % 2 else -(i // 2))
        if abs(f(c) - round_to(f(c))) < NEARLY * ulp(f(c)):
            return c
    raise ArithmeticError("no middle")


@cache
def in_quarters(f: Function, degree: int) -> tuple[list[mpf], list[mpf], list[list[mpf]], mpf]:
    """Return middles c, f(c), the coefficients of (f(c + h) - f(c)) / h on 16 intervals, and the error relative to f. f
    must be positive; it is called with mpmath numbers."""
    middles, values, rows, worst = {}, {}, {}, mpf(0)
    for place, low, high in quarters(CELLS_START):
        c = middles[place] = middle(f, low, high)
        values[place] = round_to(f(c))
        rows[place], error = rounded(
            lambda h, c=c, v=values[place]: (f(c + h) - v) / h if h else mpf(0),
            degree - 1,
            low - c - SPILL,
            high - c + SPILL,
            lambda h, c=c: abs(h) / f(c + h),
        )
        worst = max(worst, error)
    order = range(16)
    return [middles[i] for i in order], [values[i] for i in order], by_place(rows), worst


def log1p_rise() -> Found:
    """Fit log(1 + e) / e for 0 <= e <= 1, with 1 as the first coefficient."""
    return fitted(lambda e: mpmath.log1p(e) / e, 9, mpf(0), mpf(1), lambda e: abs(e / mpmath.log1p(e)), mpf(1))


def constants(dtype: str) -> dict[str, Constant]:
    """Return the constants of one type."""
    end = mpmath.nstr(ENDS[dtype], 3)
    found = {
        "MILLS_ABOVE": Constant(
            f"p of R(y) = p(y) / q(y), 0 <= y <= {end}, relative", lambda: Found(*mills_ratio(dtype)[::2])
        ),
        "MILLS_BELOW": Constant("q of the same", lambda: Found(mills_ratio(dtype)[1])),
        "LINE_SHORT": Constant(
            "2 sqrt(2/pi): a part of half the bits, and the rest",
            lambda: parts(2 * mpmath.sqrt(2 / mpmath.pi), FRACTION_BITS[dtype] // 2, dtype),
        ),
        "SLOPE_ROOT": Constant("where gelu' is 0, as two numbers", lambda: parts(root(), dtype=dtype)),
        "SLOPE_ABOVE": Constant(
            f"p of (R(y) - y phi(0)) / (root - y) = p(y) / q(y), 0 <= y <= {end}, relative",
            lambda: Found(*slope_ratio(dtype)[::2]),
        ),
        "SLOPE_BELOW": Constant("q of the same", lambda: Found(slope_ratio(dtype)[1])),
    }
    if dtype == "f32":
        found |= {
            "MILLS_CENTRES": Constant(
                "points c, one in each quarter of an octave of y + 1, whose R is an f32 to 2^-12 ulp",
                lambda: Found(in_quarters(mills, MILLS_DEGREE)[0]),
            ),
            "MILLS_VALUES": Constant("R(c)", lambda: Found(in_quarters(mills, MILLS_DEGREE)[1])),
            "MILLS_SLOPES": Constant(
                "(R(c + h) - R(c)) / h, a table for each power of h, relative to R(c + h)",
                lambda: Found(*in_quarters(mills, MILLS_DEGREE)[2:]),
            ),
            "SLOPE_CENTRES": Constant(
                "the same for K(y) = (R(y) - y phi(0)) / (root - y)",
                lambda: Found(in_quarters(falling, SLOPE_DEGREE)[0]),
            ),
            "SLOPE_VALUES": Constant("K(c)", lambda: Found(in_quarters(falling, SLOPE_DEGREE)[1])),
            "SLOPE_SLOPES": Constant("(K(c + h) - K(c)) / h", lambda: Found(*in_quarters(falling, SLOPE_DEGREE)[2:])),
            "LOG1P": Constant("log(1 + e) / e, e in 0 .. 1, relative", log1p_rise),
        }
    return found


def module() -> str:
    """Return the text of the module."""
    lines = [
        f'"""Constants of the standard forms, printed by `python -m {SCRIPT}`: do not edit.\n\n'
        "Each is a number of the type that its name ends with (or several), written so that reading it gives back all"
        " its\nbits. Polynomials are in ascending powers; errors are the largest relative ones left after rounding,"
        ' exact arithmetic\nassumed.\n"""\n'
    ]
    for dtype in ENDS:
        lines += [
            definition(f"{name}_{dtype.upper()}", constant.says, constant.find())
            for name, constant in constants(dtype).items()
        ]
    return "\n".join(lines)


def main() -> None:
    for name in sys.argv[1:]:
        for dtype in ENDS:
            if name in constants(dtype):
                constant = constants(dtype)[name]
                print(definition(f"{name}_{dtype.upper()}", constant.says, constant.find()), end="")
    if not sys.argv[1:]:
        print(module(), end="")


if __name__ == "__main__":
    with mpmath.workdps(DIGITS):
        main()
