"""e^x and 2^x, both as functions of their own and as parts of other activations.

    n = round(x / log 2),  r = x - n log 2,  e^x = 2^n e^r,  |r| <= log(2) / 2

If one instruction can look up 16 f32 numbers (`tables` >= 16), n is a multiple of 1/16 and a register holds the powers
2^(j/16). Then |r| <= log(2) / 32, and the polynomial needs fewer terms. The standard form multiplies the table by a
factor s that makes every entry nearly an f32 (POWERS_SCALED), and its polynomial approximates e^r / s - 1. The fast
form needs no table: it computes 2^floor(v) p(v - floor(v)) with v = x / log 2.

Softmax needs e^x only up to a factor per row, which its division removes. `exp_shifted` uses that: the entries of its
tables keep their factor, and the power of two is added to the bits of an entry.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from math import inf

from ...encoder.records import NamedTuple
from ..dtypes import FRACTION_BITS
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
"""Adding this number to |v| < 2^18 rounds v to a multiple of 1/16; the lowest bits of the sum are the integer 16 v."""
FEWEST_STEPS = 8
"""The number of powers in the smallest table."""
LEAST_EXPONENT = -124.5
"""The smallest exponent of the powers from `shifted_by_table`, which keeps them normal numbers."""


class PowerTable(NamedTuple):
    """A table of the powers 2^(j/steps), all times one factor, and a polynomial in r for |r| <= log(2) / (2 steps).

    rounding  adding this number to v rounds v to a multiple of 1/steps; the lowest bits of the sum are the integer
              steps v
    place     the shift that moves those bits to the exponent field of an f32
    entries   the bits of the powers, minus what the fraction part of the shifted sum adds to them
    rise      coefficients of (e^r - 1) / r, or
    tail      coefficients of (e^r - 1 - r) / r^2
    """

    steps: int
    rounding: float
    place: int
    entries: tuple[int, ...]
    rise: tuple[float, ...] = ()
    tail: tuple[float, ...] = ()


def _table(powers: Sequence[float], **polynomial: tuple[float, ...]) -> PowerTable:
    place = FRACTION_BITS["f32"] + 1 - len(powers).bit_length()
    all_bits = (struct.unpack("<i", struct.pack("<f", power))[0] for power in powers)
    entries = tuple(each - (j << place) for j, each in enumerate(all_bits))
    return PowerTable(len(powers), 1.5 * 2.0**place, place, entries, **polynomial)


@cache
def table_of(accuracy: str, tables: int) -> PowerTable | None:
    """Return the table for `shifted_by_table` if one instruction looks up `tables` numbers, or None for other forms."""
    if accuracy in (ACCURATE, NARROW) or tables < FEWEST_STEPS or (accuracy == "fast" and tables >= STEPS):
        return None
    if tables >= STEPS:
        return _table(coefficients_f32.POWERS_SCALED, tail=coefficients_f32.EXP_SIXTEENTH)
    powers = coefficients_f32.EIGHTH_POWERS_SCALED
    if accuracy == "fast":
        return _table(powers, rise=coefficients_f32.EXP_EIGHTH_FAST)
    return _table(powers, tail=coefficients_f32.EXP_EIGHTH)


def down(value: Expr, n: Expr) -> Expr:
    """Return 2^n value, with gradual underflow and overflow, for n within the reach of two multiplications."""
    return ldexp(value, n, LIMITS[value.dtype].far)


def exp_pair(x: Expr, low: Expr | None = None) -> tuple[Pair, Expr]:
    """Return (a, n) with e^(x + low) = 2^n a and a relative error of about 2^-5 ulp.

    x must not be far below `Limits.low`, and |low| must be below 2^-14.
    """
    c = coefficients(x.dtype)
    n = rint(x * c.LOG2E)
    # The product with the short part of log 2 is exact, and so is the difference.
    near = fma_or_twice(n, -c.LN2_SHORT[0], x)
    if low is not None:
        return series(exact_sum(near, fma_or_twice(n, -c.LN2_SHORT[1], low))), n
    r = fma_or_twice(n, -c.LN2_SHORT[1], near)
    return series(Pair(r, fma_or_twice(n, -c.LN2_SHORT[1], near - r))), n


def power(n: Expr) -> Expr:
    """Return 2^n for whole n up to `Limits.reach`, or 2^`least` for n below `least`. The result for NaN is NaN."""
    at = LIMITS[n.dtype]
    return ldexp(fma_or_twice(n, 0.0, 1.0), maximum(n, at.least), at.reach)


def expm1_pair(x: Expr) -> Pair:
    """Return e^x - 1 = (2^n - 1) + 2^n (e^r - 1) as a pair, for x from `flat` to 2 `one`."""
    c = coefficients(x.dtype)
    n = rint(x * c.LOG2E)
    near = fma_or_twice(n, -c.LN2_SHORT[0], x)
    r = fma_or_twice(n, -c.LN2_SHORT[1], near)
    low = fma_or_twice(n, -c.LN2_SHORT[1], near - r)
    scale = power(n)
    # The first number is 0 or the larger one, because |r| <= log(2) / 2.
    whole = exact_sum(scale - 1.0, scale * r)
    return Pair(whole.high, fma_or_twice(scale, fma_or_twice(horner(c.EXP_TAIL, r), r * r, low), whole.low))


def series(r: Pair) -> Pair:
    """Return e^r for |r| <= log(2) / 2."""
    high, rest = exact_sum(1.0, r.high)
    tail = horner(coefficients(high.dtype).EXP_TAIL, r.high)
    return exact_sum(high, fma_or_twice(tail, r.high * r.high, rest + r.low))


def exp_near(x: Expr, reach: int, tables: int) -> Expr:
    """Return e^x with the error of "fast", for x that is clamped to |x| < 0.69 reach."""
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
    """Return n, the nearest multiple of 1/16 to x / log 2, and the table index of its fraction."""
    shifted = fma_or_twice(x, coefficients(x.dtype).LOG2E, SIXTEENTHS)
    return shifted - SIXTEENTHS, bits(shifted) & (STEPS - 1)


def exp(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return e^x."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if accuracy == "fast" and tables >= STEPS:
        return exp2_floor(x * c.LOG2E, accuracy)
    if accuracy == "fast":
        return exp_near(clamp(x, at.low, at.high), at.far, tables)
    if accuracy == NARROW:
        value, n = exp_pair(clamp(x, at.low, at.high))
        return down(value.rounded(accuracy), n)
    vanishes = x < at.low  # 0 without an underflow, which takes about 150 cycles on Intel processors
    if tables >= STEPS:
        x = maximum(x, at.low)
        # The minimum compares bits as integers, off the floating-point add pipes. NaN and x above `high` still reach
        # the result through r.
        part, n = _power_parts(x, from_bits(minimum(bits(x), bits(constant(at.high, x.dtype)))), accuracy, tables)
        return ldexp_floor(part, select(vanishes, -inf, n))
    x = clamp(x, at.low, at.high)
    part, n = _power_parts(x, x, accuracy, tables)
    return select(vanishes, 0.0, down(part, select(vanishes, 0.0, n)))


def _power_parts(x: Expr, near: Expr, accuracy: str, tables: int) -> tuple[Expr, Expr]:
    """Return (p, n) with e^x = 2^n p. near: x within the limits, by which n is chosen."""
    c = coefficients(x.dtype)
    if tables >= STEPS:
        n, place = stepped(near)
        r = fma_or_twice(n, -c.LN2[1], fma_or_twice(n, -c.LN2[0], x))
        step = lookup(c.POWERS_SCALED, place)
        return fma_or_twice(step, horner(c.EXP_STEP, r), step), n
    n = rint(near * c.LOG2E)
    r = fma_or_twice(n, -c.LN2_SHORT[1], fma_or_twice(n, -c.LN2_SHORT[0], x))
    return horner_nearly(c.EXP, r) if accuracy == ACCURATE else horner(c.EXP, r), n


def exp_below(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return e^x for x <= 0 where it is a normal number, and the least of these below; NaN for NaN. A sum that is at
    least 1 does not notice, and on Intel processors an instruction with a denormal operand, or with a result that
    underflows, takes about 150 cycles.
    """
    least = constant(-LIMITS[x.dtype].normal, x.dtype)
    x = select(x < least, least, x)  # keeps NaN, in a single instruction on x86
    if accuracy in ("fast", NARROW):
        return exp(x, accuracy=accuracy, tables=tables)
    part, n = _power_parts(x, x, accuracy, tables)
    return ldexp_floor(part, n) if tables >= STEPS else ldexp(part, n, LIMITS[x.dtype].reach)


def shift_of(largest: Expr) -> tuple[Expr, Expr]:
    """Return (c, n) for `exp_shifted` of numbers up to `largest`, so that c + n log 2 is within log(2) / 2 of it.

    A large maximum is subtracted itself: for every number whose power does not vanish, the difference is exact. For a
    small maximum, the multiple n is subtracted from the exponent of the power, which is exact too.
    """
    c, at = coefficients(largest.dtype), LIMITS[largest.dtype]
    taken = select(abs(largest) < -2 * at.low, 0.0, largest)
    return taken, rint((largest - taken) * c.LOG2E)


def exp_shifted(x: Expr, taken: Expr, n0: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return e^(x - taken) / 2^n0, times a factor that depends only on the target and the accuracy.

    x must not exceed the number that `shift_of` was given. The result for NaN is NaN.
    """
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    x = x - taken
    table = table_of(accuracy, tables) if x.dtype == "f32" else None
    if table:
        return shifted_by_table(x, n0, accuracy, table)
    if accuracy == "fast" and tables >= STEPS and x.dtype == "f32":
        # The whole part and the fraction come from one rounded number, so that they fit together.
        return exp2_floor(fma_or_twice(x, c.LOG2E, -n0), accuracy)
    x = maximum(x, 3.1 * at.low)  # below 3 low, the power is 0 for every n0 that shift_of returns
    if accuracy in (ACCURATE, NARROW):
        pair, n = exp_pair(x)
        return down(pair.high, maximum(n - n0, -at.far))
    n = rint(x * c.LOG2E)
    r = fma_or_twice(n, -c.LN2_SHORT[1], fma_or_twice(n, -c.LN2_SHORT[0], x))
    value = fma_or_twice(horner(c.EXP_FAST, r), r, 1.0) if accuracy == "fast" else horner(c.EXP, r)
    return down(value, maximum(apply("to_int", n - n0), -at.far) if x.dtype == "f32" else maximum(n - n0, -at.far))


def shifted_by_table(x: Expr, n0: Expr, accuracy: str, table: PowerTable) -> Expr:
    """Return 2^64 e^x / 2^n0 times the factor of the table, for x <= (n0 + 1/2) log 2. The result for NaN is NaN.

    The sum with `rounding` holds n - n0 + 64 in its lowest bits, where n is a multiple of 1/steps. Shifted, their whole
    part is an exponent, which is added to the table's entry for the fraction. The factor 2^64 keeps the powers normal
    numbers; x is clamped so that they do not fall below 2^LEAST_EXPONENT.
    """
    c = coefficients(x.dtype)
    least = (n0 - (64.0 - LEAST_EXPONENT)) * c.LN2[0]
    x = select(x < least, least, x)  # keeps NaN, in a single instruction on x86
    above = table.rounding + 64.0 - n0
    shifted = fma_or_twice(x, c.LOG2E, above)
    n, fields = shifted - above, bits(shifted)
    step = from_bits(lookup(table.entries, fields & (table.steps - 1), "i32") + (fields << table.place))
    r = fma_or_twice(n, -c.LN2[0], x)
    if accuracy != "fast":
        r = fma_or_twice(n, -c.LN2[1], r)
    if table.rise:
        return fma_or_twice(step * r, horner(table.rise, r), step)
    return fma_or_twice(step, fma_or_twice(horner(table.tail, r), r * r, r), step)


def exp_shifted_rest(x: Expr, taken: Expr, n0: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return the rounding error of the accurate `exp_shifted`, at most half an ulp of the power."""
    at = LIMITS[x.dtype]
    pair, n = exp_pair(maximum(x - taken, 3.1 * at.low))
    return down(pair.low, maximum(n - n0, -at.far))


def exp2(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return 2^x."""
    x, n = within(x)
    if accuracy == NARROW:
        return down(exp2_pair(x - n).rounded(accuracy), n)
    return down(exp2_near(x - n, accuracy), n)


def within(x: Expr) -> tuple[Expr, Expr]:
    """Return x, clamped to where 2^x is neither 0 nor infinite, and the nearest whole number."""
    at = LIMITS[x.dtype]
    x = clamp(x, at.low2, at.high2)
    return x, rint(x)


def exp2_near(r: Expr, accuracy: str) -> Expr:
    """Return 2^r for |r| <= 1/2."""
    c = coefficients(r.dtype)
    last = fma_nearly if accuracy == ACCURATE else fma_or_twice
    return last(horner(c.EXP2_FAST if accuracy == "fast" else c.EXP2, r), r, 1.0)


def exp2_floor(x: Expr, accuracy: str) -> Expr:
    """Return 2^x as 2^floor(x) 2^(x - floor(x)): 0 for x far below and for -infinity, NaN for NaN. x is f32. Machines
    that have an instruction for the fraction need neither a limit of x nor a whole number."""
    c, r = coefficients(x.dtype), fraction(x)
    return ldexp_floor(fma_or_twice(horner(c.EXP2_ABOVE_FAST if accuracy == "fast" else c.EXP2_ABOVE, r), r, 1.0), x)


def exp2_pair(r: Expr) -> Pair:
    """Return 2^r for |r| <= 1/2."""
    return series(times(Pair(r, constant(0.0, r.dtype)), pair_of(coefficients(r.dtype).LN2, r.dtype)))


def exp2_slope(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return the derivative of 2^x, log(2) 2^x."""
    x, n = within(x)
    ln2 = coefficients(x.dtype).LN2
    if accuracy == NARROW:
        return down(times(exp2_pair(x - n), pair_of(ln2, x.dtype)).rounded(accuracy), n)
    return down(exp2_near(x - n, accuracy) * ln2[0], n)
