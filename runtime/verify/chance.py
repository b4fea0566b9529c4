"""A bound on the probability that different sums agree at all random points (the Schwartz-Zippel lemma)."""

from __future__ import annotations

from math import ceil, log2

from ...emulation.symbolic.reals import PRIME, degree
from ...emulation.symbolic.values import Table

POINTS = 2
"""The number of random points at which sums are compared."""


def chance(table: Table, roots: list[int]) -> str:
    """Return a bound on the probability, in words."""
    one = log2(2 * len(roots) * max(degree(table, roots), 2) / PRIME)
    return f"chance of a false proof below 2^{ceil(POINTS * one)}" if one < 0 else "no bound for a false proof"
