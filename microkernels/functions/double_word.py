"""Double-word arithmetic: numbers as sums of two floats, with about twice the digits, by exact sums and products.

Results are rounded with an accuracy. "narrow" is "accurate" for a result that will be rounded to f16. A number that is
first rounded to f32 may become the midpoint between two f16, and then be rounded in the wrong direction. So it is
rounded to odd (towards zero, then the last bit is set unless it was exact), which is never a midpoint.

Source: Dekker, A Floating-Point Technique for Extending the Available Precision, 1971; Knuth, The Art of Computer
Programming 2, section 4.2.2 (the exact sum of any two floats).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.records import NamedTuple
from ..expr.graph import Expr, bits, constant, fma, fma_or_twice, from_bits, select

NARROW = "narrow"


class Pair(NamedTuple):
    """The number high + low. low is at most about an ulp of high."""

    high: Expr
    low: Expr

    def rounded(self, accuracy: str = "accurate") -> Expr:
        """Return the sum as one float."""
        return to_odd(exact_sum(self.high, self.low)) if accuracy == NARROW else self.high + self.low


def exact_sum(a: Expr | float, b: Expr) -> Pair:
    """a + b without error, if |a| >= |b|."""
    high = a + b
    return Pair(high, b - (high - a))


def any_sum(a: Expr, b: Expr) -> Pair:
    """a + b without error, whichever of them is larger."""
    high = a + b
    of_a = high - b
    return Pair(high, (a - of_a) + (b - (high - of_a)))


def exact_product(a: Expr, b: Expr | float) -> Pair:
    """a b without error, barring underflow."""
    high = a * b
    return Pair(high, fma(a, b, -high))


def pair_of(parts: Sequence[float], dtype: str) -> Pair:
    """Return a constant that is given as two numbers."""
    high, low = parts
    return Pair(constant(high, dtype), constant(low, dtype))


def to_odd(a: Pair) -> Expr:
    """Return a rounded to odd. a.low is the rounding error of a.high."""
    high = bits(a.high)
    away = (high ^ bits(a.low)) < 0  # a.high was rounded away from zero
    down = high - select(away, constant(1, high.dtype), constant(0, high.dtype))
    return select(a.low == 0.0, a.high, from_bits(down | 1))


def plus(a: float | Expr, b: Pair) -> Pair:
    """a + b, if |a| >= |b.high|."""
    high, low = exact_sum(a, b.high)
    return Pair(high, low + b.low)


def minus(a: float | Expr, b: Pair) -> Pair:
    """a - b, if |a| >= |b.high| or if they nearly cancel."""
    high = a - b.high
    return Pair(high, ((a - high) - b.high) - b.low)


def times(a: Pair, b: Pair) -> Pair:
    """a b, with an error of about 2^-46."""
    high, low = exact_product(a.high, b.high)
    return Pair(high, low + fma_or_twice(a.high, b.low, a.low * b.high))


def scaled(a: Pair, by: Expr | float) -> Pair:
    """a times a single number."""
    high, low = exact_product(a.high, by)
    return Pair(high, fma_or_twice(a.low, by, low))


def quotient(a: Pair, b: Pair) -> Pair:
    """a / b for normal b: one division, and its rounding error."""
    inverse = 1.0 / b.high
    high = a.high * inverse
    return Pair(high, (fma(-high, b.high, a.high) + fma_or_twice(-high, b.low, a.low)) * inverse)


def ratio(a: Pair, b: Pair, accuracy: str) -> Expr:
    """a / b as one float, for normal b; a zero keeps its sign."""
    inverse = 1.0 / b.high
    high = a.high * inverse
    # subtracted instead of added, because -0 + 0 would be +0
    beyond = fma(high, b.high, -a.high) + fma_or_twice(high, b.low, -a.low)
    if accuracy == NARROW:
        return Pair(high, -(beyond * inverse)).rounded(accuracy)
    return fma_or_twice(-beyond, inverse, high)


def reciprocal(b: Pair) -> Pair:
    """1 / b."""
    high = 1.0 / b.high
    return Pair(high, high * fma_or_twice(-high, b.low, fma(-high, b.high, 1.0)))


def chosen(mask: Expr, a: Pair, b: Pair) -> Pair:
    """a where the mask is true, else b."""
    return Pair(select(mask, a.high, b.high), select(mask, a.low, b.low))
