"""The expressions of the precision ladder: powers of two, terms of an operand, sums of bins, and C.

Each row of A and each column of B is first scaled by a power of two, so that its largest element lies in [1, 2) times
2^SCALE_BF16 or 2^SCALE_DIGITS. A power is kept as two factors with about half its exponent each. Their product may
exceed the range of f64, but x times both is correct for all x, including denormals.

    bf16     x = x1 + x2 (+ x3), each the remainder rounded to 8 bits
    digits   x = D1 + D2 / 2^8 + D3 / 2^16..., whole numbers from -128 to 127. A remainder lies from -128/255 to
             127/255, the range of such digits. If rounding to the nearest whole number leaves more than 127/255, the
             next number is taken, and the remainder is negative. The first digit is at most 64.

Sums of bins of digits are double words (functions/double_word.py). docs/numerics.md has the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nextafter

from ..expr.graph import Expr, bits, constant, constant_bits, from_bits, rint, select, shift_right_logical
from ..functions.double_word import Pair, any_sum, chosen, exact_product, exact_sum
from ..functions.double_word import scaled as times_number

SCALE_BF16, SCALE_DIGITS = 48, 5
DIGIT_BITS = 8
_BIAS, _FRACTION, _LARGEST = 1023, 52, 2046
_LOST = 45  # bits of an f64's fraction beyond the 8 significant ones of a bf16
_numerator, _denominator = (127 / 255).as_integer_ratio()
_LARGEST_REST = 127 / 255 if 255 * _numerator <= 127 * _denominator else nextafter(127 / 255, 0.0)
"""The largest f64 that is at most 127/255."""


def powers(scale: int) -> Callable[[Expr], tuple[Expr, ...]]:
    """Return a function of a largest absolute value, top: two factors whose product is 2^scale / 2^floor(log2 top), and
    their inverses. Infinity and NaN are treated like the largest number, 0 like 2^-1077."""
    first = (scale - _BIAS) // 2
    second = scale - _BIAS - first

    def function(top: Expr) -> tuple[Expr, ...]:
        denormal = top < 2.0 ** (1 - _BIAS)
        exponent = shift_right_logical(bits(select(denormal, top * 2.0**54, top)), _FRACTION)
        exponent = select(top < inf, exponent, _whole(_LARGEST)) - select(denormal, _whole(54), _whole(0))
        below = _whole(_LARGEST) - exponent
        half = shift_right_logical(below, 1)
        rest = below - half
        up = [from_bits((part + _whole(_BIAS + by)) << _FRACTION) for part, by in ((half, first), (rest, second))]
        down = [from_bits((_whole(_BIAS - by) - part) << _FRACTION) for part, by in ((half, first), (rest, second))]
        return (*up, *down)

    return function


def _whole(value: int) -> Expr:
    return constant_bits(value, "i64")


def bf16_terms(count: int) -> Callable[[Expr, Expr, Expr], tuple[Expr, ...]]:
    """Return a function that gives the bf16 terms of a scaled f32, computed in f64, where nothing leaves the range."""

    def function(x: Expr, up0: Expr, up1: Expr) -> tuple[Expr, ...]:
        rest, terms = x * up0 * up1, []
        for _ in range(count):
            rounded = bits(rest) + _whole(1 << _LOST - 1)
            terms.append(from_bits(rounded & _whole(-1 << _LOST)))
            rest = rest - terms[-1]
        return tuple(terms)

    return function


def _digits(rest: Expr, carry: Expr, count: int, last: bool) -> tuple[Expr, ...]:
    """Return some digits of `rest` minus `carry`, and the remainders of both. `carry` is 256 if the previous digit was
    one too large. The two stay separate, since their difference may need one more bit than an f64 has; all differences
    below are exact."""
    made = []
    for _ in range(count):
        whole = rint(rest - carry)
        left = rest - (carry + whole)
        above = left > _LARGEST_REST
        made.append(select(above, whole + 1.0, whole))
        rest, carry = left * 2.0**DIGIT_BITS, select(above, constant(2.0**DIGIT_BITS, "f64"), constant(0.0, "f64"))
    return tuple(made) if last else (*made, rest, carry)


def first_digits(count: int, last: bool) -> Callable[[Expr, Expr, Expr], tuple[Expr, ...]]:
    """Return a function that gives the first digits of a scaled f64, and unless they are the last, the remainder for
    the next."""
    return lambda x, up0, up1: _digits(x * up0 * up1, constant(0.0, "f64"), count, last)


def next_digits(count: int) -> Callable[[Expr, Expr], tuple[Expr, ...]]:
    """Return a function that gives the last digits."""
    return lambda rest, carry: _digits(rest, carry, count, True)


def added(smaller: bool) -> Callable[[Expr, Expr, Expr], Pair]:
    """Return a function that adds a bin to a total. `smaller`: the total so far consists of smaller bins, and is
    divided by 2^8 first. The total is at least as large as its divisor, so an error is at most 2^-105 of it (DWPlusFP
    of Joldes, Muller and Popescu, Tight and Rigorous Error Bounds for Basic Building Blocks of Double-Word Arithmetic,
    2017)."""
    by = 2.0**-DIGIT_BITS if smaller else 1.0

    def function(high: Expr, low: Expr, sums: Expr) -> Pair:
        total = any_sum(high * by, sums)
        return exact_sum(total.high, total.low + low * by)

    return function


def nothing() -> tuple[Expr, Expr]:
    """Return the total before the first bin."""
    return constant(0.0, "f64"), constant(0.0, "f64")


def rescaled(x: Expr, p: tuple[Expr, Expr], q: tuple[Expr, Expr]) -> Expr:
    """Return a sum with the scaling of its row and column undone, one factor of each at a time."""
    return x * p[0] * q[0] * p[1] * q[1]


def finished(alpha: float, beta: float) -> Callable[..., Expr]:
    """Return the expression of C from a sum of bf16 terms, in f64."""

    def fresh(total: Expr, p0: Expr, p1: Expr, q0: Expr, q1: Expr) -> Expr:
        value = rescaled(total, (p0, p1), (q0, q1))
        return value if alpha == 1 else value * alpha

    def updated(total: Expr, p0: Expr, p1: Expr, q0: Expr, q1: Expr, c: Expr) -> Expr:
        return fresh(total, p0, p1, q0, q1) + (c if beta == 1 else c * beta)

    return updated if beta else fresh


def finished_digits(alpha: float, beta: float, pair: bool) -> Callable[..., Expr | tuple[Expr, Expr]]:
    """Return the expression of C from a total of digits: two words to which nothing is added yet, or their sum with
    beta C, rounded once."""

    def product(by: Callable[[Pair, float], Pair], high: Expr, low: Expr, *powers: Expr) -> Pair:
        early = 2.0**-500 <= abs(alpha) <= 2.0**500  # if nothing leaves the range before the scaling is undone
        total = by(Pair(high, low), alpha) if early else Pair(high, low)
        made = Pair(*(rescaled(x, (powers[0], powers[1]), (powers[2], powers[3])) for x in total))
        return made if early else by(made, alpha)

    def fresh(high: Expr, low: Expr, p0: Expr, p1: Expr, q0: Expr, q1: Expr) -> Expr | tuple[Expr, Expr]:
        return _result(product(_by, high, low, p0, p1, q0, q1), pair)

    def updated(high: Expr, low: Expr, p0: Expr, p1: Expr, q0: Expr, q1: Expr, c: Expr) -> Expr | tuple[Expr, Expr]:
        old = Pair(c, constant(0.0, "f64")) if beta == 1 else exact_product(c, beta)
        return _result(_sum(product(_scaled, high, low, p0, p1, q0, q1), old), pair)

    return updated if beta and not pair else fresh


def updated_pair(beta: float) -> Callable[[Expr, Expr, Expr, Expr], Expr | tuple[Expr, Expr]]:
    """Return the expression of a product of two words plus beta times a C of two words."""

    def function(high: Expr, low: Expr, c_high: Expr, c_low: Expr) -> Expr | tuple[Expr, Expr]:
        old = any_sum(c_high, c_low)  # whatever the words are, the low one is a rounding error from here on
        return _result(_sum(Pair(high, low), _by(_finite(c_high, old), beta)), True)

    return function


def _by(x: Pair, number: float) -> Pair:
    """Return x times a number, to within a relative error of 2^-104."""
    return x if number == 1 else _finite(x.high * number, exact_sum(*times_number(x, number)))


def _scaled(x: Pair, number: float) -> Pair:
    """Return the same as a term of `_sum`, which checks for infinities and NaN itself."""
    return x if number == 1 else exact_sum(*times_number(x, number))


def _sum(a: Pair, b: Pair) -> Pair:
    """Return the sum of two double words, to within a relative error of 2^-104 (AccurateDWPlusDW, as above). If a high
    word is an infinity or a NaN, the result is the sum of the high words, whatever the low words are."""
    highs, lows = any_sum(a.high, b.high), any_sum(a.low, b.low)
    total = exact_sum(highs.high, highs.low + lows.high)
    return _finite(highs.high, exact_sum(total.high, lows.low + total.low))


def _finite(nearest: Expr, value: Pair) -> Pair:
    """Return the value; for an infinity or a NaN, the low word is 0 instead of a rounding error."""
    return chosen(abs(nearest) < inf, value, Pair(nearest, constant(0.0, "f64")))


def _result(value: Pair, pair: bool) -> Expr | tuple[Expr, Expr]:
    """Return both words, with the low one as the rounding error of the high one, or their sum."""
    both = _finite(value.high, exact_sum(value.high, value.low))
    return (both.high, both.low) if pair else both.high
