"""a * b + c of f64 with one rounding, for all numbers, computed by f64 sums and products on machines without FMA.

    a b = high + low;  c + low = middle + least;  high + middle = head + rest;  result = head + odd(rest + least)

odd() rounds to odd: if bits were lost, it sets the last bit, so that the last sum rounds as the exact sum would.
Sources: Boldo and Melquiond, Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd,
IEEE TC 57 (2008); exact products: Dekker, Numer. Math. 18 (1971); exact sums: Knuth, TAOCP 2, 4.2.2, theorem B.

The identity holds only where nothing overflows or underflows, so the factors are first scaled by powers of two. A
factor of at least 2^450 is scaled to less than 2^512, and a factor below 2^-450 to at least 2^-574. c is scaled as the
product is; both are scaled once more if c is near the largest number. A c that becomes tiny lies below all bits of the
product, and only its sign counts. A c that becomes infinite is the result, because the product is far below its last
bit. If the result is below the normal numbers, a constant whose last bit equals that of the smallest number is added to
the sum and subtracted again, so that the sum is rounded once, at that bit. For zeros, infinities and NaN, a product and
a sum that round separately give the right result.
"""

from __future__ import annotations

from ..expr.graph import NEARLY, Expr, bits, constant, constant_bits, from_bits, select

LARGE, SMALL, LARGEST = 2.0**450, 2.0**-450, 2.0**1000
"""Thresholds of scaling: factors of at least LARGE or below SMALL are scaled, and so is a c of at least LARGEST."""
DOWN, HALF_UP, UP, BACK = 2.0**-512, 2.0**511, 2.0**500, 2.0**-500
"""DOWN scales a large factor; HALF_UP scales it back except for a factor of 2. UP scales a small factor; BACK scales it
back."""
C_DOWN, C_UP = 2.0**-100, 2.0**100
LEAST = 2.0**-1020
"""A nonzero c that is smaller than this after scaling is replaced by this."""
SPLITTER = 2.0**27 + 1
TINIEST_NORMAL = 2.0**-1022
"""If a smaller number is added to this one, the sum's last bit is that of the smallest number."""
_SIGN = 1 << 63


def fma_of_parts(expr: Expr) -> Expr:
    """Rewrite `fma` of f64 as sums and products."""
    a, b, c = first, second, _ = expr.args
    if expr.value == NEARLY:
        return _nearly(a, b, c)
    a, a_by, a_back, a_twice = _scaled(a)
    b, b_by, b_back, b_twice = _scaled(b)
    huge = _large(c, LARGEST)
    less = select(huge, C_DOWN, constant(1.0, "f64"))
    by = a_by * b_by
    scaled_c = _no_smaller(c * less * by, c)
    high, low = _product(a * less, b)
    middle, least = _sum(scaled_c, low)
    head, rest = _sum(high, middle)
    tail = _odd_sum(rest, least)
    whole, limit = head + tail, by * TINIEST_NORMAL
    rounder = select(abs(whole) < limit, _signed(limit, whole), constant(0.0, "f64"))
    above, below = _sum(rounder, head)
    rounded = (above + _odd_sum(below, tail)) - rounder
    made = rounded * select(huge, C_UP, constant(1.0, "f64")) * (a_twice * b_twice) * (a_back * b_back)
    usual = _is_not_zero(whole) & _is_not_zero(high)
    return select(usual, _signed(made, whole), _apart(first, second, c, high))


def _nearly(a: Expr, b: Expr, c: Expr) -> Expr:
    """Compute the FMA without scaling, and with the errors of both roundings added into one number."""
    high, low = _product(a, b)
    total, lost = _sum(high, c)
    return total + (lost + low)


def _apart(a: Expr, b: Expr, c: Expr, high: Expr) -> Expr:
    """Compute a * b + c with the product rounded first: right for zeros, infinities, NaN and overflowing results. high:
    a * b, scaled if both are finite, so that it is not infinite when c is."""
    product = select(abs(c) == float("inf"), high, a * b)
    vanished = (c == 0.0) & _is_not_zero(a) & _is_not_zero(b)  # the sign of a zero result is the product's
    return select(vanished, product, product + c)


def _is_not_zero(x: Expr) -> Expr:
    """Whether x is neither 0 nor NaN."""
    return constant(0.0, "f64") < abs(x)


def _signed(x: Expr, sign: Expr) -> Expr:
    """Return x with the sign of another number. The sign bit of x must be that sign or clear."""
    return from_bits(bits(x) | (bits(sign) & constant_bits(_SIGN, "i64")))


def _large(x: Expr, limit: float) -> Expr:
    return constant(limit, "f64") <= abs(x)


def _scaled(x: Expr) -> tuple[Expr, Expr, Expr, Expr]:
    """Return the scaled factor, the power of two that scaled it, and two numbers whose product scales back."""
    one = constant(1.0, "f64")
    large, small = _large(x, LARGE), abs(x) < SMALL
    by = select(large, DOWN, select(small, UP, one))
    back = select(large, HALF_UP, select(small, BACK, one))
    return x * by, by, back, select(large, 2.0, one)


def _no_smaller(x: Expr, sign: Expr) -> Expr:
    """Return x, or LEAST with the given sign if x is smaller in magnitude. Zeros are unchanged."""
    tiny = (abs(x) < LEAST) & _is_not_zero(sign)
    return select(tiny, _signed(constant(LEAST, "f64"), sign), x)


def _product(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Return the rounded product and its rounding error."""
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    high = a * b
    low = a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return high, low


def _split(x: Expr) -> tuple[Expr, Expr]:
    """Split x into two signed halves of 26 bits each."""
    more = x * SPLITTER
    high = more - (more - x)
    return high, x - high


def _sum(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Return the rounded sum and its rounding error."""
    high = a + b
    of_a = high - b
    return high, (a - of_a) + (b - (high - of_a))


def _odd_sum(a: Expr, b: Expr) -> Expr:
    """Return the sum, rounded to odd."""
    high, lost = _sum(a, b)
    away = (bits(high) ^ bits(lost)) < 0
    down = bits(high) - select(away, constant(1, "i64"), constant(0, "i64"))
    return select(lost == 0.0, high, from_bits(down | 1))
