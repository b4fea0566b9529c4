"""The matrices of Toom and Cook for short convolutions by few multiplications, and the bound of their error.

    y = A^T [(G g) * (B^T d)]        d: pixels, g: taps, * element by element; of images, from both sides

A matrix has a row or column for each point at which the polynomials of d and g are evaluated, the last of which is
infinity. Sources: Lavin, Gray, Fast Algorithms for Convolutional Neural Networks, 2016; for the error, Barabasz,
Anderson, Soodhalter, Gregg, Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks,
2018.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...encoder.records import NamedTuple

Matrix = Sequence[Sequence[Fraction]]


class ShortConvolution(NamedTuple):
    """Matrices, with exact elements. `scales` has a factor for each row of G, which is g times it.

    The bound, of images: along each path from an operand to a result there are at most `roundings` + c roundings, of c
    channels, so that, with u = 2^-24 and gamma(n) = n u / (1 - n u),

        |computed - exact|  <=  gamma(c + roundings) sum over c of |A^T| [(|G| |g| |G^T|) * (|B^T| |d| |B|)] |A|
                            <=  gamma(c + roundings) condition sum over c of max |g| max |d|
    """

    g: Matrix
    scales: Sequence[Fraction]
    b_t: Matrix
    a_t: Matrix

    @property
    def roundings(self) -> int:
        """Roundings on a path, beside one for each channel. From each side, a term has one for its factor and one for
        each addition; the scale of a row of G is rounded, too, and so is the product by it."""
        return 2 * (2 + sum(max(sum(map(bool, row)) for row in each) for each in (self.g, self.b_t, self.a_t)))

    @property
    def condition(self) -> int:
        """The square of the greatest row sum of |A^T| diag(|G| 1) diag(|B^T| 1): by how much the bound exceeds gamma
        times the largest product of a tap and a pixel of a channel. The definition has one for each tap."""
        factors = [abs(scale) * _size(g) * _size(b) for g, scale, b in zip(self.g, self.scales, self.b_t)]
        return math.ceil(max(sum(abs(a) * each for a, each in zip(row, factors)) for row in self.a_t) ** 2)

    def bound(self, channels: int) -> float:
        """Return the most that a result is off, as a multiple of the sum over channels of max |g| max |d|."""
        part = (channels + self.roundings) * float(np.finfo(np.float32).eps) / 2
        return self.condition * part / (1 - part)


def short_convolution(results: int, taps: int, points: Sequence[int]) -> ShortConvolution:
    """Return the matrices of these finite points, results + taps - 2 of them."""
    others = [[each for each in points if each != point] for point in points]
    scales = [Fraction(1, math.prod(point - each for each in those)) for point, those in zip(points, others)]
    b_t = [_polynomial(roots, len(points) + 1) for roots in (*others, points)]
    a_t = [list(row) for row in zip(*_powers(results, points))]
    return ShortConvolution(_powers(taps, points), [*scales, Fraction(1)], b_t, a_t)


def _polynomial(roots: Sequence[int], count: int) -> list[Fraction]:
    """Return the coefficients of the polynomial with these roots, that of the power 0 first, so many of them."""
    found = [Fraction(1)] + [Fraction(0)] * (count - 1)
    for root in roots:
        found = [before - root * same for before, same in zip([Fraction(0), *found], found)]
    return found


def _powers(count: int, points: Sequence[int]) -> list[list[Fraction]]:
    """Return the powers 0 to count - 1 of each point; of infinity, the last power alone."""
    finite = [[Fraction(point**power) for power in range(count)] for point in points]
    return [*finite, [Fraction(int(power == count - 1)) for power in range(count)]]


def _size(row: Sequence[Fraction]) -> Fraction:
    return sum(map(abs, row), Fraction(0))
