"""Exact sums and products of f64 as pairs, and rounding to odd.

The exact sum of two f64 is an f64 plus its rounding error, which is an f64 too (Knuth). So is a product, unless it is
so small that its error underflows (Dekker, Veltkamp). Rounding to odd replaces an inexact number by the neighbour with
an odd significand. Rounding that to at least two bits fewer gives the same result as rounding the exact number (Boldo,
Melquiond: "Emulation of a FMA and correctly rounded sums", 2008).
"""

from __future__ import annotations

import numpy as np

from .rounding import Array

_SPLIT = 2.0**27 + 1  # Veltkamp's constant, which splits into halves of 26 bits


def product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a * b and its rounding error."""
    high = a * b
    wide = a * _SPLIT
    a1 = wide - (wide - a)
    a2 = a - a1
    wide = b * _SPLIT
    b1 = wide - (wide - b)
    b2 = b - b1
    return high, a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2)


def sum_of_two(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a + b and its rounding error."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def odd_sum(a: Array, b: Array) -> Array:
    """Return a + b in f64, rounded to odd."""
    high = a + b
    part = high - a
    low = (a - (high - part)) + (b - part)
    inexact = (low > 0) | (low < 0)  # for an infinite or undefined sum the error is undefined
    if np.count_nonzero(inexact):
        bits = high.view(np.int64)
        # Either the nearest number is odd, or its neighbour in the direction of the error is.
        step = np.where((low > 0) == (high > 0), 1, -1)
        high = (bits + step * (inexact & ((bits & 1) == 0))).view(np.float64)
    return high


def sum_of_three(high: Array, low: Array, c: Array) -> tuple[Array, Array]:
    """Return a pair whose sum rounds like high + low + c, if |low| is below the last place of high."""
    middle, least = sum_of_two(c, low)
    head, rest = sum_of_two(high, middle)
    return head, odd_sum(rest, least)
