"""Interval arithmetic in f64, with one interval for each piece of the arguments, for values and derivatives.

Rounding to nearest never changes the order of two numbers. So if arguments lie in intervals whose ends are f64, the
rounded result of an operation lies between the rounded results for the ends. `added` and similar functions return these
exactly. The operators of `Span` are for derivatives in exact arithmetic: they move the ends outwards by 2^-50 of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Span:
    """An interval for each piece."""

    low: Array
    high: Array

    @property
    def size(self) -> Array:
        """The largest magnitude."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def least(self) -> Array:
        """The smallest magnitude."""
        return np.where((self.low <= 0) & (self.high >= 0), 0.0, np.minimum(np.abs(self.low), np.abs(self.high)))

    @property
    def power(self) -> Array:
        """Whether it is a single number, 2^n or -2^n."""
        return (self.low == self.high) & (np.abs(np.frexp(self.low)[0]) == 0.5)

    def __add__(self, other: Span) -> Span:
        return wider(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low)

    def __sub__(self, other: Span) -> Span:
        return self + -other

    def __mul__(self, other: Span) -> Span:
        return wider(*_ends(np.multiply, self, other))

    def inverse(self) -> Span:
        """Return the interval of 1 / x; the interval must not contain 0."""
        assert (self.least > 0).all(), "a divisor that may be 0"
        return wider(1 / self.high, 1 / self.low)


def _ends(operation: Callable[[Array, Array], Array], a: Span, b: Span) -> tuple[Array, Array]:
    made = [operation(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return np.minimum.reduce(made), np.maximum.reduce(made)


def wider(low: Array, high: Array) -> Span:
    """Return an interval that is wider by more than the rounding errors of the arithmetic here and of a step."""
    return Span(low - np.abs(low) * 2.0**-50, high + np.abs(high) * 2.0**-50)


def both(size: Array) -> Span:
    """Return the interval from -size to size."""
    return Span(-size, size)


def number(value: float, like: Array) -> Span:
    """Return an interval that is one number, for all pieces."""
    made = np.full_like(like, value)
    return Span(made, made)


def added(a: Span, b: Span) -> Span:
    """Return the interval of rounded sums."""
    return Span(a.low + b.low, a.high + b.high)


def subtracted(a: Span, b: Span) -> Span:
    """Return the interval of rounded differences."""
    return added(a, -b)


def multiplied(a: Span, b: Span) -> Span:
    """Return the interval of rounded products."""
    return Span(*_ends(np.multiply, a, b))


def divided(a: Span, b: Span) -> Span:
    """Return the interval of rounded quotients."""
    assert (b.least > 0).all(), "a divisor that may be 0"
    return Span(*_ends(np.divide, a, b))


def fused(a: Span, b: Span, c: Span) -> Span:
    """Return the interval of a b + c rounded once. It is computed with 64 bits and widened by more than their error."""
    wide = [Span(each.low.astype(np.longdouble), each.high.astype(np.longdouble)) for each in (a, b, c)]
    low, high = _ends(np.multiply, wide[0], wide[1])
    slack = np.maximum(np.maximum(np.abs(low), np.abs(high)), wide[2].size) * np.longdouble(2.0**-61)
    near = low + wide[2].low - slack, high + wide[2].high + slack
    return Span(*(each.astype(np.float64) for each in near))


def half_ulp(size: Array) -> Array:
    """Return the largest rounding error of numbers up to this one.

    A number just above 2^k rounds to 2^k, or its error is no larger than that of a number below 2^k.
    """
    half = np.exp2(np.maximum(np.frexp(size)[1] - 1.0, -1022.0) - 53)
    beyond = size - half * 2.0**53
    return np.where(size == 0.0, 0.0, np.maximum(half / 2, np.minimum(half, np.maximum(beyond, 0.0))))


def ulp(size: Array) -> Array:
    """Return the distance to the next larger f64."""
    return np.exp2(np.maximum(np.frexp(size)[1] - 1.0, -1022.0) - 52)


def pieces(low: float, high: float) -> Span:
    """Return short pieces of both signs: 2^-8 of the argument below 1, then of constant length. They start at 2^-60,
    below which formulas behave as at 0, and powers of two are ends of pieces."""
    count = 256 if max(-low, high) > 100 else 4096
    sizes = np.exp2(np.arange(-60 * 256, 1) / 256)
    steps = np.arange(1, int(max(-low, high) * count) + count + 1) / count
    ends = np.unique(np.concatenate([sizes, steps]))
    left, right = -ends[::-1], ends
    found = [np.unique(np.clip(each, low, high)) for each in (left, right)]
    return Span(np.concatenate([each[:-1] for each in found]), np.concatenate([each[1:] for each in found]))
