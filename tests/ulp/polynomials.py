"""Prove how far the polynomials of f64 are at most from the functions that they approximate.

For functions whose series has rational coefficients (e^r, atanh), the difference is a polynomial plus the truncated
rest of the series, whose size is known. On each of `PIECES` pieces this polynomial is expanded exactly around the
middle. The sum of the magnitudes of its terms is a bound on the piece.

R(y) = e^(y^2/2) Phi(-y) is the integral of e^(-y t - t^2/2) / sqrt(2 pi) over t > 0. On a disc around c it is at most
its value at the disc's smallest real number. The difference D between (y + 4) R(y) and the polynomial in
t = 1 - 8 / (y + 4) is analytic on the disc. So its Taylor series in y - c, computed with 60 digits, may be truncated,
and Cauchy's inequality bounds the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import zip_longest
from math import ceil, floor
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mpf

from tests.ulp.spans import Array, Span
from tilesmith.microkernels.functions import coefficients_f64 as c

PIECES = 300
BITS = 14
"""The number of fraction bits of the pieces' middles."""
HALF_LN2 = Fraction(346574, 10**6)
"""A bound above half of log 2; the margin is larger than the rounding error of a product of 2^11 and log 2."""
TERMS, NARROW = 12, 128
"""The number of terms of the Taylor series, and the radius of the disc in halves of a piece."""


class Table(NamedTuple):
    """The largest difference on each piece, which reaches from one of the `ends` to the next."""

    ends: Array
    worst: Array

    def within(self, x: Span) -> Array:
        """Return the largest difference on each interval; beyond the table, its last piece is used."""
        first = np.clip(np.searchsorted(self.ends, x.low, "right") - 1, 0, len(self.worst) - 1)
        last = np.clip(np.searchsorted(self.ends, x.high, "left") - 1, first, len(self.worst) - 1)
        found, reach = self.worst[first], last - first
        for i in range(1, int(reach.max()) + 1):
            found = np.maximum(found, self.worst[np.minimum(first + i, last)])
        return found


def largest(difference: Sequence[Fraction], low: Fraction, high: Fraction, rest: Fraction) -> Table:
    """Bound a polynomial on pieces from `low` to `high`, plus `rest`. Arguments are in units of 2^-BITS. Coefficients
    are rounded to 2^-300; everything else is integer arithmetic."""
    degree, unit = len(difference) - 1, 2**BITS
    given = [round(a * 2**300) * unit ** (degree - k) for k, a in enumerate(difference)]
    first, last = floor(low * unit), ceil(high * unit)
    half = max(1, (last - first) // (2 * PIECES))
    rest = rest + Fraction(1, 2**290)
    middles, worst = range(first + half, last + half, 2 * half), []
    for middle in middles:
        moved = list(given)  # in powers of the distance from the middle
        for i in range(degree):
            for k in range(degree - 1, i - 1, -1):
                moved[k] += middle * moved[k + 1]
        size = sum(abs(a) * half**k for k, a in enumerate(moved))
        worst.append(float((Fraction(size, 2**300 * unit**degree) + rest) * (1 + Fraction(1, 2**40))))
    return Table((np.array([*middles, middles[-1] + 2 * half]) - half) / unit, np.array(worst))


def against(
    coefficients: Sequence[float], series: Sequence[Fraction], low: Fraction, high: Fraction, rest: Fraction
) -> Table:
    """Bound the differences from a truncated series, whose remainder is at most `rest`."""
    pairs = zip_longest((Fraction(a) for a in coefficients), series, fillvalue=Fraction(0))
    return largest([a - b for a, b in pairs], low, high, rest)


def exponential(coefficients: Sequence[float], first: int) -> Table:
    """Bound the error of (e^r - its first terms) / r^first, |r| <= log 2 / 2."""
    series, power = [], Fraction(1)
    for k in range(first + 26):
        power = power / k if k else power
        if k >= first:
            series.append(power)
    return against(coefficients, series, -HALF_LN2, HALF_LN2, 2 * series[-1] * HALF_LN2**26)


def power_of_two(coefficients: Sequence[float]) -> Table:
    """Bound the error of (2^r - 1) / r, |r| <= 1/2, with the first 300 bits of log 2."""
    with mpmath.workprec(320):
        ln2 = Fraction(int(mpmath.floor(mpmath.ldexp(mpmath.log(2), 300))), 2**300)
    series, term = [], Fraction(1)
    for k in range(1, 27):
        term = term * ln2 / k
        series.append(term)
    return against(coefficients, series, Fraction(-1, 2), Fraction(1, 2), series[-1] + Fraction(1, 2**200))


def inverse_tanh(coefficients: Sequence[float], factor: int, scale: int, end: Fraction) -> Table:
    """Bound the error of the sum over k of factor (scale^k / (2 k + 3)) z^k, 0 <= z <= end."""
    series = [Fraction(factor * scale**k, 2 * k + 3) for k in range(40)]
    left = (scale * end) ** 40 * factor / (1 - scale * end)
    return against(coefficients, series, Fraction(0), end, left)


def _product(a: Sequence[mpf], b: Sequence[mpf]) -> list[mpf]:
    return [sum((a[i] * b[k - i] for i in range(k + 1)), mpf(0)) for k in range(TERMS)]


def normal() -> Table:
    """Bound the difference between (y + 4) R(y) and the polynomial of MILLS_PAIRS and MILLS, 0 <= y <= 38.7."""
    ends, worst, y = [], [], mpf(0)
    with mpmath.workdps(60):
        given = [mpf(a) + mpf(b) for a, b in c.MILLS_PAIRS] + [mpf(a) for a in c.MILLS]
        density = 1 / mpmath.sqrt(2 * mpmath.pi)
        while y < 38.7:
            half = (y + 2) / 2 / NARROW
            worst.append(float(_on_disc(given, y + half, half, half * NARROW, density) * (1 + mpf(2) ** -40)))
            # t rises with y, and is -1 at 0
            ends.append(float(1 - 8 / (y + 4)))
            y += 2 * half
        return Table(np.array([*ends, float(1 - 8 / (y + 4))]), np.array(worst))


def _on_disc(given: Sequence[mpf], centre: mpf, half: mpf, disc: mpf, density: mpf) -> mpf:
    r = [mpmath.erfc(centre / mpmath.sqrt(2)) * mpmath.exp(centre**2 / 2) / 2]
    r.append(centre * r[0] - density)
    for n in range(1, TERMS - 1):
        r.append((centre * r[n] + r[n - 1]) / (n + 1))
    rising = [mpf(centre + 4), mpf(1)] + [mpf(0)] * (TERMS - 2)
    t = [-8 * (-1 / (centre + 4)) ** k / (centre + 4) for k in range(TERMS)]
    t[0] += 1
    value = [mpf(0)] * TERMS
    for a in reversed(given):
        value = _product(value, t)
        value[0] += a
    difference = [a - b for a, b in zip(_product(rising, r), value, strict=True)]
    inside = sum((abs(a) * half**k for k, a in enumerate(difference)), mpf(0))
    lowest = centre - disc
    size = max(abs(1 - 8 / (lowest + 4)), mpf(1))  # of t, whose ends on the disc are real
    most = (centre + disc + 4) * mpmath.erfc(lowest / mpmath.sqrt(2)) * mpmath.exp(lowest**2 / 2) / 2
    most += sum((abs(a) * size**k for k, a in enumerate(given)), mpf(0))
    return inside + most * mpf(NARROW) ** -TERMS / (1 - mpf(1) / NARROW)


FOUND: dict[str, Callable[[], Table]] = {
    "EXP": lambda: exponential(c.EXP, 0),
    "EXP_TAIL": lambda: exponential(c.EXP_TAIL, 2),
    "EXP2": lambda: power_of_two(c.EXP2),
    # |s| = |f / (4 + 2 f)| <= 0.0858, and atanh(E / (2 + E)), E <= 1
    "LOG_QUOTIENT": lambda: inverse_tanh(c.LOG_QUOTIENT, 16, 4, Fraction(737, 100000)),
    "LOG1P_TAIL": lambda: inverse_tanh(c.LOG1P_TAIL, 1, 1, Fraction(1, 9) + Fraction(1, 2**40)),
    "MILLS": normal,
}


@cache
def table(name: str) -> Table:
    """Return the bounds of a polynomial, given its name."""
    return FOUND[name]()
