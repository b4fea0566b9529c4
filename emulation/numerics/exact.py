"""Exact sums and products of f64 as pairs, and the rounding that a later one to fewer bits does not notice.

A sum of two f64 is another one and the error of that, again an f64 (Knuth); so is a product, unless it is too small
for its error (Dekker, Veltkamp). Round to odd takes the neighbour with an odd significand where a number is not exact:
rounded to at least two bits fewer it gives what the exact number gives (Boldo, Melquiond: "Emulation of a FMA and
correctly rounded sums", 2008).
"""

from __future__ import annotations

import numpy as np

from .rounding import Array

_SPLIT = 2.0**27 + 1  # Veltkamp: halves of 26 bits


def product(a: Array, b: Array) -> tuple[Array, Array]:
    """a * b, and what rounding took from it."""
    high = a * b
    wide = a * _SPLIT
    a1 = wide - (wide - a)
    a2 = a - a1
    wide = b * _SPLIT
    b1 = wide - (wide - b)
    b2 = b - b1
    return high, a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2)


def sum_of_two(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b, and what rounding took from it."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def odd_sum(a: Array, b: Array) -> Array:
    """a + b in f64, rounded to odd."""
    high = a + b
    part = high - a
    low = (a - (high - part)) + (b - part)
    inexact = (low > 0) | (low < 0)  # an infinite or undefined sum has an undefined rest
    if np.count_nonzero(inexact):
        bits = high.view(np.int64)
        # The nearest is odd, or else its neighbour in the direction of the rest is.
        step = np.where((low > 0) == (high > 0), 1, -1)
        high = (bits + step * (inexact & ((bits & 1) == 0))).view(np.float64)
    return high


def sum_of_three(high: Array, low: Array, c: Array) -> tuple[Array, Array]:
    """A pair whose sum rounds as high + low + c does, for |low| below high's last place."""
    middle, least = sum_of_two(c, low)
    head, rest = sum_of_two(high, middle)
    return head, odd_sum(rest, least)
