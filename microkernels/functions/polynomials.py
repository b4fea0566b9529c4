"""Polynomials of expressions: one for all arguments, or one for each of 16 intervals, with coefficients from tables."""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.graph import Expr, bits, fma_nearly, fma_or_twice, lookup

INTERVALS = 16
FEW = 4
"""The number of f32 per look-up from which quadratics on 16 cells are faster than e^x, a division and two polynomials,
although each coefficient takes several look-ups (docs/activations.md, "Algorithms of fast forms")."""


def horner(coefficients: Sequence[float | Expr], x: Expr) -> Expr:
    """c0 + c1 x + c2 x^2 + ... by Horner's rule: one FMA per degree."""
    *lower, c, last = coefficients
    value = fma_or_twice(x, last, c)
    for coefficient in reversed(lower):
        value = fma_or_twice(value, x, coefficient)
    return value


def horner_nearly(coefficients: Sequence[float | Expr], x: Expr) -> Expr:
    """The same if the last product is not small compared with c0, so that it must not be rounded separately."""
    first, *others = coefficients
    return fma_nearly(horner(others, x), x, first)


def quarter_octave(x: Expr) -> Expr:
    """Return the number of a positive x's interval among the 16 quarters of four octaves, counted modulo 16.

    It consists of the last two bits of the exponent and the first two of the fraction. An octave has four intervals of
    equal length, so intervals are long where x is large.
    """
    return (bits(x) >> 21) & (INTERVALS - 1)


def cell(y: Expr, start: float) -> Expr:
    """Return the number of the cell of y >= 0 among 16 cells: the last four bits of y + start.

    The sum is rounded to a multiple of the distance between floats at `start`, which is the width of a cell. `start` is
    slightly below a power of two; beyond that power, cells are twice as wide.
    """
    return bits(y + start) & (INTERVALS - 1)


def looked_up(tables: Sequence[Sequence[float]], place: Expr) -> list[Expr]:
    """Return the coefficients of an interval. There is a table for each power, ascending, with an entry for each
    interval."""
    return [lookup(table, place) for table in tables]
