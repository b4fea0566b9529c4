"""e^x and 2^x, whole and as parts from which other activations are made.

    n = round(x / log 2),  r = x - n log 2,  e^x = 2^n e^r,  |r| <= log(2) / 2

With a table of 16 powers 2^(j/16) in a register, n is a multiple of 1/16 and |r| <= log(2) / 32: fewer terms of the
series do. The accurate form has a table of s 2^(j/16), s chosen so that all are nearly f32 (POWERS_SCALED), and a
polynomial of e^r / s - 1; the fast form needs none: 2^floor(v) p(v - floor(v)), v = x / log 2. `tables` is the number
of f32 that one instruction looks up; where it is less, forms without a table serve.
"""

from __future__ import annotations

from .activations_constants import (
    EXP,
    EXP2,
    EXP2_ABOVE,
    EXP2_FAST,
    EXP_FAST,
    EXP_STEP,
    EXP_STEP_FAST,
    EXP_TAIL,
    LN2,
    LN2_SHORT,
    LOG2E,
    POWERS,
    POWERS_SCALED,
)
from .expr import Expr, bits, clamp, constant, fma, from_bits, ldexp, ldexp_floor, lookup, maximum, minimum, rint
from .pairs import NARROW, Pair, exact_sum, pair_of, times
from .parts import fraction
from .polynomials import horner

STEPS = 16
SIXTEENTHS = 1.5 * 2.0**19
"""Added to |v| < 2^18 it rounds v to a multiple of 1/16, and the last bits of the sum are those of 16 v."""
LOW, HIGH = -104.0, 89.0
"""Where e^x has become 0 (below half the smallest denormal) and infinity."""
FAR = 252
"""A reach for `ldexp` that two multiplications cover."""


def exp_pair(x: Expr, low: Expr | None = None) -> tuple[Pair, Expr]:
    """(a, n): e^(x + low) = 2^n a, relative error about 2^-29; x at most a few hundred in size, low below 2^-14."""
    n = rint(x * LOG2E)
    # the product with the short part is exact, and so is the difference
    near = fma(n, -LN2_SHORT[0], x)
    return series(exact_sum(near, n * -LN2_SHORT[1] if low is None else fma(n, -LN2_SHORT[1], low))), n


def power(n: Expr) -> Expr:
    """2^n for whole n up to 126; 2^-60 stands for all that is less. NaN of NaN."""
    return ldexp(fma(n, 0.0, 1.0), maximum(n, -60.0), 126)


def series(r: Pair) -> Pair:
    """e^r, |r| <= log(2) / 2."""
    high, rest = exact_sum(1.0, r.high)
    return exact_sum(high, fma(horner(EXP_TAIL, r.high), r.high * r.high, rest + r.low))


def exp_near(x: Expr, reach: int, tables: int) -> Expr:
    """e^x with the error of `fast`; x already clamped to |x| < 0.69 reach."""
    if tables >= STEPS:
        n, place = stepped(x)
        r = fma(n, -LN2[0], x)
        step = lookup(POWERS, place)
        return ldexp_floor(fma(step * r, horner(EXP_STEP_FAST, r), step), n, reach)
    n = rint(x * LOG2E)
    r = fma(n, -LN2[0], x)
    return ldexp(fma(horner(EXP_FAST, r), r, 1.0), n, reach)


def stepped(x: Expr) -> tuple[Expr, Expr]:
    """n, a multiple of 1/16, and the place of its fraction in a table."""
    shifted = fma(x, LOG2E, SIXTEENTHS)
    return shifted - SIXTEENTHS, bits(shifted) & (STEPS - 1)


def exp(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """e^x."""
    if accuracy == "fast" and tables >= STEPS:
        x = x * LOG2E
        r = fraction(x)
        return ldexp_floor(fma(horner(EXP2_ABOVE, r), r, 1.0), x)
    if accuracy == "fast":
        return exp_near(clamp(x, LOW, HIGH), FAR, tables)
    if accuracy == NARROW:
        x = clamp(x, LOW, HIGH)
        value, n = exp_pair(x)
        return ldexp(value.rounded(accuracy), n, FAR)
    if tables >= STEPS:
        x = maximum(x, LOW)
        # Compared as integers, which is done by another unit than additions. NaN, and what is above HIGH, still come
        # into r and from there into the result.
        n, place = stepped(from_bits(minimum(bits(x), bits(constant(HIGH, x.dtype)))))
        r = fma(n, -LN2[1], fma(n, -LN2[0], x))
        step = lookup(POWERS_SCALED, place)
        return ldexp_floor(fma(step, horner(EXP_STEP, r), step), n, FAR)
    x = clamp(x, LOW, HIGH)
    n = rint(x * LOG2E)
    r = fma(n, -LN2_SHORT[1], fma(n, -LN2_SHORT[0], x))
    return ldexp(horner(EXP, r), n, FAR)


def exp2(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """2^x."""
    x = clamp(x, -151.0, 129.0)
    n = rint(x)
    if accuracy == NARROW:
        return ldexp(exp2_pair(x - n).rounded(accuracy), n, FAR)
    return ldexp(fma(horner(EXP2_FAST if accuracy == "fast" else EXP2, x - n), x - n, 1.0), n, FAR)


def exp2_pair(r: Expr) -> Pair:
    """2^r, |r| <= 1/2."""
    return series(times(Pair(r, constant(0.0, r.dtype)), pair_of(LN2, r.dtype)))


def exp2_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """log 2 2^x."""
    x = clamp(x, -151.0, 129.0)
    n = rint(x)
    if accuracy == NARROW:
        return ldexp(times(exp2_pair(x - n), pair_of(LN2, x.dtype)).rounded(accuracy), n, FAR)
    near = fma(horner(EXP2_FAST if accuracy == "fast" else EXP2, x - n), x - n, 1.0)
    return ldexp(near * LN2[0], n, FAR)
