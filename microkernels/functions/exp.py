"""e^x and 2^x, as results and as the parts that other activations are made of.

    n = round(x / log 2),  r = x - n log 2,  e^x = 2^n e^r,  |r| <= log(2) / 2

With a table of 16 powers 2^(j/16) in a register, n is a multiple of 1/16 and |r| <= log(2) / 32, so that fewer terms of
the series suffice. The accurate form has a table of s 2^(j/16), s chosen so that all are nearly f32 (POWERS_SCALED),
and a polynomial of e^r / s - 1; the fast form needs none: 2^floor(v) p(v - floor(v)), v = x / log 2. `tables` is the
number of f32 that one instruction looks up; below 16, forms without a table are used.
"""

from __future__ import annotations

import struct

from ..expr.graph import (
    Expr,
    apply,
    bits,
    clamp,
    constant,
    fma_nearly,
    fma_or_twice,
    from_bits,
    ldexp,
    ldexp_floor,
    lookup,
    maximum,
    minimum,
    rint,
    select,
)
from . import coefficients_f32
from .accuracies import ACCURATE
from .double_word import NARROW, Pair, exact_sum, pair_of, times
from .float_fields import fraction
from .limits import LIMITS, coefficients
from .polynomials import horner, horner_nearly

STEPS = 16
SIXTEENTHS = 1.5 * 2.0**19
"""Added to |v| < 2^18, it rounds v to a multiple of 1/16, and the last bits of the sum are those of 16 v."""
FEW_STEPS = 8
EIGHTHS = 1.5 * 2.0**20
"""The same for multiples of 1/8, |v| < 2^19."""
LEAST_EXPONENT = -126
EIGHTH_POWERS = tuple(
    struct.unpack("<i", struct.pack("<f", power))[0] - (j << 20) for j, power in enumerate(coefficients_f32.POWERS[::2])
)
"""The bits of 2^(j/8), less j / 8 of those of an exponent."""


def down(value: Expr, n: Expr) -> Expr:
    """2^n value, through denormals to 0 and up to infinity, for n within the reach of two multiplications."""
    return ldexp(value, n, LIMITS[value.dtype].far)


def exp_pair(x: Expr, low: Expr | None = None) -> tuple[Pair, Expr]:
    """(a, n): e^(x + low) = 2^n a, relative error about 2^-5 ulp; x not far below `Limits.low`, low below 2^-14."""
    c = coefficients(x.dtype)
    n = rint(x * c.LOG2E)
    # the product with the short part is exact, and so is the difference
    near = fma_or_twice(n, -c.LN2_SHORT[0], x)
    if low is not None:
        return series(exact_sum(near, fma_or_twice(n, -c.LN2_SHORT[1], low))), n
    r = fma_or_twice(n, -c.LN2_SHORT[1], near)
    return series(Pair(r, fma_or_twice(n, -c.LN2_SHORT[1], near - r))), n


def power(n: Expr) -> Expr:
    """2^n for whole n up to `Limits.reach`; 2^`least` for every smaller n. NaN of NaN."""
    at = LIMITS[n.dtype]
    return ldexp(fma_or_twice(n, 0.0, 1.0), maximum(n, at.least), at.reach)


def expm1_pair(x: Expr) -> Pair:
    """e^x - 1 = (2^n - 1) + 2^n (e^r - 1), the second number up to a fifth of the first; x from `flat` to 2 `one`."""
    c = coefficients(x.dtype)
    n = rint(x * c.LOG2E)
    near = fma_or_twice(n, -c.LN2_SHORT[0], x)
    r = fma_or_twice(n, -c.LN2_SHORT[1], near)
    low = fma_or_twice(n, -c.LN2_SHORT[1], near - r)
    scale = power(n)
    # the first is 0, or the larger because |r| <= log(2) / 2
    whole = exact_sum(scale - 1.0, scale * r)
    return Pair(whole.high, fma_or_twice(scale, fma_or_twice(horner(c.EXP_TAIL, r), r * r, low), whole.low))


def series(r: Pair) -> Pair:
    """e^r, |r| <= log(2) / 2."""
    high, rest = exact_sum(1.0, r.high)
    tail = horner(coefficients(high.dtype).EXP_TAIL, r.high)
    return exact_sum(high, fma_or_twice(tail, r.high * r.high, rest + r.low))


def exp_near(x: Expr, reach: int, tables: int) -> Expr:
    """e^x with the error of `fast`; x already clamped to |x| < 0.69 reach."""
    c = coefficients(x.dtype)
    if tables >= STEPS:
        n, place = stepped(x)
        r = fma_or_twice(n, -c.LN2[0], x)
        step = lookup(c.POWERS, place)
        return ldexp_floor(fma_or_twice(step * r, horner(c.EXP_STEP_FAST, r), step), n, reach)
    n = rint(x * c.LOG2E)
    r = fma_or_twice(n, -c.LN2[0], x)
    return ldexp(fma_or_twice(horner(c.EXP_FAST, r), r, 1.0), n, reach)


def stepped(x: Expr) -> tuple[Expr, Expr]:
    """n, a multiple of 1/16, and the index of its fraction in a table."""
    shifted = fma_or_twice(x, coefficients(x.dtype).LOG2E, SIXTEENTHS)
    return shifted - SIXTEENTHS, bits(shifted) & (STEPS - 1)


def exp(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """e^x."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if accuracy == "fast" and tables >= STEPS:
        x = x * c.LOG2E
        r = fraction(x)
        return ldexp_floor(fma_or_twice(horner(c.EXP2_ABOVE, r), r, 1.0), x)
    if accuracy == "fast":
        return exp_near(clamp(x, at.low, at.high), at.far, tables)
    if accuracy == NARROW:
        value, n = exp_pair(clamp(x, at.low, at.high))
        return down(value.rounded(accuracy), n)
    if tables >= STEPS:
        x = maximum(x, at.low)
        # Compared as integers, which another unit than that of additions does. NaN, and x above `high`, still enter r
        # and from there the result.
        n, place = stepped(from_bits(minimum(bits(x), bits(constant(at.high, x.dtype)))))
        r = fma_or_twice(n, -c.LN2[1], fma_or_twice(n, -c.LN2[0], x))
        step = lookup(c.POWERS_SCALED, place)
        return ldexp_floor(fma_or_twice(step, horner(c.EXP_STEP, r), step), n, at.far)
    x = clamp(x, at.low, at.high)
    n = rint(x * c.LOG2E)
    r = fma_or_twice(n, -c.LN2_SHORT[1], fma_or_twice(n, -c.LN2_SHORT[0], x))
    return down(horner_nearly(c.EXP, r) if accuracy == ACCURATE else horner(c.EXP, r), n)


def shift_of(largest: Expr) -> tuple[Expr, Expr]:
    """(c, n) for `exp_shifted` of numbers up to the largest: c + n log 2 is within log(2) / 2 of it.

    A large number is subtracted as it is: those near it, of which the power does not vanish, differ from it exactly.
    Of a small one the multiple of log 2 is subtracted from the exponent of the power, which loses nothing.
    """
    c, at = coefficients(largest.dtype), LIMITS[largest.dtype]
    taken = select(abs(largest) < -2 * at.low, 0.0, largest)
    return taken, rint((largest - taken) * c.LOG2E)


def exp_shifted(x: Expr, taken: Expr, n0: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """e^(x - taken) / 2^n0, or that times 2^64, of x up to the number that `shift_of` was given; NaN of NaN."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if STEPS > tables >= FEW_STEPS and x.dtype == "f32" and accuracy not in (ACCURATE, NARROW):
        return shifted_by_eighths(x - taken, n0, accuracy)
    tabled = tables >= STEPS and x.dtype == "f32"
    x = x - taken
    if accuracy == "fast" and tabled:
        # one number for both: rounded apart, its whole part and its fraction may not fit
        x = fma_or_twice(x, c.LOG2E, -n0)
        r = fraction(x)  # a zero of numbers far below and of -infinity, whose powers are 0
        return ldexp_floor(fma_or_twice(horner(c.EXP2_ABOVE, r), r, 1.0), x)
    x = maximum(x, 3.1 * at.low)  # from 3 low on, the power is 0 for every n0 of shift_of
    if accuracy in (ACCURATE, NARROW):
        pair, n = exp_pair(x)
        return down(pair.high, maximum(n - n0, -at.far))
    if tabled:
        n, place = stepped(x)
        r = fma_or_twice(n, -c.LN2[1], fma_or_twice(n, -c.LN2[0], x))
        step = lookup(c.POWERS_SCALED, place)
        return ldexp_floor(fma_or_twice(step, horner(c.EXP_STEP, r), step), n - n0)
    n = rint(x * c.LOG2E)
    r = fma_or_twice(n, -c.LN2_SHORT[1], fma_or_twice(n, -c.LN2_SHORT[0], x))
    value = fma_or_twice(horner(c.EXP_FAST, r), r, 1.0) if accuracy == "fast" else horner(c.EXP, r)
    return down(value, maximum(apply("to_int", n - n0), -at.far) if x.dtype == "f32" else maximum(n - n0, -at.far))


def shifted_by_eighths(x: Expr, n0: Expr, accuracy: str) -> Expr:
    """2^64 e^x / 2^n0, of x up to n0 log 2 and half of log 2; NaN of NaN.

    The sum with EIGHTHS has n - n0 + 64 in its last bits, n a multiple of 1/8. They are those of an exponent, added to
    the table's entry of the last three; the entries leave out what these add. 2^64 keeps powers normal numbers.
    """
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    x = maximum(x, 3.1 * at.low)
    above = EIGHTHS + 64.0 - n0
    shifted = fma_or_twice(x, c.LOG2E, above)
    n = shifted - above
    exponent = maximum(bits(shifted), bits(constant(EIGHTHS + LEAST_EXPONENT, x.dtype)))
    step = from_bits(lookup(EIGHTH_POWERS, exponent & (FEW_STEPS - 1), "i32") + (exponent << 20))
    if accuracy == "fast":
        r = fma_or_twice(n, -c.LN2[0], x)
        return fma_or_twice(step * r, horner(c.EXP_EIGHTH_FAST, r), step)
    r = fma_or_twice(n, -c.LN2[1], fma_or_twice(n, -c.LN2[0], x))
    return fma_or_twice(step, fma_or_twice(horner(c.EXP_EIGHTH, r), r * r, r), step)


def exp_shifted_rest(x: Expr, taken: Expr, n0: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """What the accurate `exp_shifted` leaves of the power: half an ulp of it at most."""
    at = LIMITS[x.dtype]
    pair, n = exp_pair(maximum(x - taken, 3.1 * at.low))
    return down(pair.low, maximum(n - n0, -at.far))


def exp2(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """2^x."""
    x, n = within(x)
    if accuracy == NARROW:
        return down(exp2_pair(x - n).rounded(accuracy), n)
    return down(exp2_near(x - n, accuracy), n)


def within(x: Expr) -> tuple[Expr, Expr]:
    """x clamped to where 2^x is neither 0 nor infinite, and the nearest whole number."""
    at = LIMITS[x.dtype]
    x = clamp(x, at.low2, at.high2)
    return x, rint(x)


def exp2_near(r: Expr, accuracy: str) -> Expr:
    """2^r, |r| <= 1/2."""
    c = coefficients(r.dtype)
    last = fma_nearly if accuracy == ACCURATE else fma_or_twice
    return last(horner(c.EXP2_FAST if accuracy == "fast" else c.EXP2, r), r, 1.0)


def exp2_pair(r: Expr) -> Pair:
    """2^r, |r| <= 1/2."""
    return series(times(Pair(r, constant(0.0, r.dtype)), pair_of(coefficients(r.dtype).LN2, r.dtype)))


def exp2_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """log 2 2^x."""
    x, n = within(x)
    ln2 = coefficients(x.dtype).LN2
    if accuracy == NARROW:
        return down(times(exp2_pair(x - n), pair_of(ln2, x.dtype)).rounded(accuracy), n)
    return down(exp2_near(x - n, accuracy) * ln2[0], n)
