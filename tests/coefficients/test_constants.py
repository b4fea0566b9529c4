"""The constants in the source are those that their script finds, bit for bit; the script finds minimax polynomials."""

from __future__ import annotations

from pathlib import Path

import mpmath
import pytest
from mpmath import mpf

from tests.coefficients import constants, constants_f64, standard
from tests.coefficients.printing import module
from tests.coefficients.remez import minimax, round_to, rounded

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("dtype, of", [("f32", constants), ("f64", constants_f64)])
def test_the_source_is_what_the_script_prints(dtype, of):
    with mpmath.workdps(of.DIGITS):
        assert (ROOT / of.MODULE).read_text() == module(of.CONSTANTS, of.SCRIPT, dtype)


@pytest.mark.slow
def test_the_constants_of_standard_forms():
    with mpmath.workdps(standard.DIGITS):
        assert (ROOT / standard.MODULE).read_text() == standard.module()


def test_a_known_minimax():
    """x^n on [-1, 1] by lower powers: the error is the Chebyshev polynomial, 2^(1-n)."""
    for n in (2, 3, 5, 8):
        _, error = minimax(lambda t, n=n: t**n, n - 1, mpf(-1), mpf(1))
        # the grid has 12 points for each extremum
        assert abs(error * 2 ** (n - 1) - 1) < mpf("0.01")


def test_rounded_coefficients_are_numbers_of_the_type():
    found, error = rounded(mpmath.exp, 5, mpf(-1), mpf(1))
    _, best = minimax(mpmath.exp, 5, mpf(-1), mpf(1))
    assert all(round_to(c) == c for c in found)
    assert best <= error < 1.01 * best + mpf(2) ** -23


def test_rounding_is_to_nearest_even():
    assert round_to(1 + mpf(2) ** -24) == 1
    assert round_to(1 + 3 * mpf(2) ** -24) == 1 + mpf(2) ** -22
    assert round_to(1 + mpf(2) ** -24 + mpf(2) ** -60) == 1 + mpf(2) ** -23
