"""How improbable it is that different sums agree at all random points (Schwartz and Zippel)."""

from __future__ import annotations

from math import ceil, log2

from ...emulation.symbolic.reals import PRIME, degree
from ...emulation.symbolic.values import Table

POINTS = 2
"""Random points at which sums are compared."""


def chance(table: Table, roots: list[int]) -> str:
    """A bound of the probability, in words."""
    one = log2(len(roots) * max(degree(table, roots), 2) / PRIME)
    return f"chance of a false proof below 2^{ceil(POINTS * one)}" if one < 0 else "no bound for a false proof"
