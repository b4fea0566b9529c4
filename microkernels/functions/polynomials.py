"""Polynomials of expressions: one for all arguments, or one for each of 16 intervals, its coefficients from tables."""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.graph import Expr, bits, fma, lookup

INTERVALS = 16


def horner(coefficients: Sequence[float | Expr], x: Expr) -> Expr:
    """c0 + c1 x + c2 x^2 + ...: one FMA a degree."""
    *rest, c, last = coefficients
    value = fma(x, last, c)
    for each in reversed(rest):
        value = fma(value, x, each)
    return value


def quarter_octave(x: Expr) -> Expr:
    """The place of a positive x among the 16 quarters of four octaves, counted modulo 16.

    The last four bits of the exponent and first two of the fraction, as one number: an octave is cut into four
    intervals of equal length, so intervals are long where x is.
    """
    return (bits(x) >> 21) & (INTERVALS - 1)


def cell(y: Expr, start: float) -> Expr:
    """The place of y >= 0 among 16 cells: the last four bits of y + start.

    The sum is rounded to a multiple of the distance of floats at `start`, so cells are so wide. `start` is little below
    a power of two: what lies beyond has cells twice as wide.
    """
    return bits(y + start) & (INTERVALS - 1)


def looked_up(tables: Sequence[Sequence[float]], place: Expr) -> list[Expr]:
    """The coefficients of an interval; tables are in ascending powers, an entry for each interval."""
    return [lookup(table, place) for table in tables]
