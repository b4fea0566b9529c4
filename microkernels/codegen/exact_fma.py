"""a * b + c of f64, rounded once, without an instruction for it: by sums and products of f64, for all numbers.

    a b = high + low;  c + low = middle + least;  high + middle = head + rest;  result = head + odd(rest + least)

odd() rounds to odd: where bits were lost, the last bit is set, so that the last sum rounds as the exact one would.
Source: Boldo and Melquiond, Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd,
IEEE TC 57 (2008); exact products: Dekker, Numer. Math. 18 (1971); exact sums: Knuth, TAOCP 2, 4.2.2, theorem B.

That holds where nothing overflows or underflows, so powers of two scale the factors first: one of 2^450 and more to
less than 2^512, one below 2^-450 to 2^-574 and more. c is scaled as the product is, and both once more where c is
near the largest number. A c that becomes tiny lies below all bits of the product and only its sign counts; one that
becomes infinite is the result, because the product is far below its last bit. Where the result is below the normal
numbers, a constant whose last bit is that of the smallest number is added to the sum and taken away again, so that the
sum is rounded once, at that bit. Zeros, infinities and NaN are those of a product and a sum that round apart.
"""

from __future__ import annotations

from ..expr.graph import NEARLY, Expr, bits, constant, constant_bits, from_bits, select

LARGE, SMALL, LARGEST = 2.0**450, 2.0**-450, 2.0**1000
"""Sizes of factors, and of c, from which on, or below which, they are scaled."""
DOWN, HALF_UP, UP, BACK = 2.0**-512, 2.0**511, 2.0**500, 2.0**-500
"""Factors for a large factor, and back but for a factor of 2; for a small one, and back."""
C_DOWN, C_UP = 2.0**-100, 2.0**100
LEAST = 2.0**-1020
"""What stands for a c that is smaller than this after scaling."""
SPLITTER = 2.0**27 + 1
TINIEST_NORMAL = 2.0**-1022
"""A sum of it and less has the last bit of the smallest number."""
_SIGN = 1 << 63


def fma_of_parts(expr: Expr) -> Expr:
    """The rule for `fma` of f64."""
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
    """Without scaling, and with what both roundings lost as one number."""
    high, low = _product(a, b)
    total, lost = _sum(high, c)
    return total + (lost + low)


def _apart(a: Expr, b: Expr, c: Expr, high: Expr) -> Expr:
    """What zeros, infinities, NaN and results beyond the largest number have in common: the product may be rounded
    first. high: a * b, scaled where both are finite, so that it is no infinity beside one."""
    product = select(abs(c) == float("inf"), high, a * b)
    vanished = (c == 0.0) & _is_not_zero(a) & _is_not_zero(b)  # the product alone says which zero it is
    return select(vanished, product, product + c)


def _is_not_zero(x: Expr) -> Expr:
    """False of NaN too."""
    return constant(0.0, "f64") < abs(x)


def _signed(x: Expr, sign: Expr) -> Expr:
    """x with the sign of another number; its own is that, or not set."""
    return from_bits(bits(x) | (bits(sign) & constant_bits(_SIGN, "i64")))


def _large(x: Expr, limit: float) -> Expr:
    return constant(limit, "f64") <= abs(x)


def _scaled(x: Expr) -> tuple[Expr, Expr, Expr, Expr]:
    """A factor, scaled; the power of two that it was scaled by; and two numbers whose product scales back."""
    one = constant(1.0, "f64")
    large, small = _large(x, LARGE), abs(x) < SMALL
    by = select(large, DOWN, select(small, UP, one))
    back = select(large, HALF_UP, select(small, BACK, one))
    return x * by, by, back, select(large, 2.0, one)


def _no_smaller(x: Expr, sign: Expr) -> Expr:
    """x, or the least number with this sign where x is smaller; zeros stay."""
    tiny = (abs(x) < LEAST) & _is_not_zero(sign)
    return select(tiny, _signed(constant(LEAST, "f64"), sign), x)


def _product(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The product and what it lost."""
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    high = a * b
    low = a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return high, low


def _split(x: Expr) -> tuple[Expr, Expr]:
    """Two halves of 26 bits each, with signs."""
    more = x * SPLITTER
    high = more - (more - x)
    return high, x - high


def _sum(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The sum and what it lost."""
    high = a + b
    of_a = high - b
    return high, (a - of_a) + (b - (high - of_a))


def _odd_sum(a: Expr, b: Expr) -> Expr:
    """The sum, rounded to odd."""
    high, lost = _sum(a, b)
    away = (bits(high) ^ bits(lost)) < 0
    down = bits(high) - select(away, constant(1, "i64"), constant(0, "i64"))
    return select(lost == 0.0, high, from_bits(down | 1))
