"""The bound of docs/numerics.md on the error of a sum, and what its tree of additions says of it; and a bound on the
probability that different sums agree at all random points (the Schwartz-Zippel lemma).

A term of a sum is multiplied by 1 + d for each rounding between it and the result, with |d| at most u. Every term is
there once, and nothing cancels (`emulation/symbolic/provenance.py`). So the error is at most L u times the sum of the
magnitudes of the terms, to first order in u, where L is the number of roundings that the most exposed term passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

from ...emulation.symbolic.reals import PRIME, Point
from ...emulation.symbolic.terms import Part
from ...microkernels.codegen.long_sums import MOST_TERMS

POINTS = 2
"""The number of random points at which sums are compared."""
FEW = 2
"""Roundings beyond one per term that a bound allows: alpha and beta, a divisor, accumulators that are folded."""
_END = 64
"""Roundings at the end of a long sum: its levels, accumulators and lanes, an init."""


def allowed(terms: int, few: int = FEW, lanes: int = 1) -> int:
    """Return how many roundings the contract allows one after the other in a sum of so many terms. lanes: the elements
    of an accumulator that are added together in the end"""
    return min(terms + few, MOST_TERMS // lanes + ceil(log2(max(terms, 1))) + _END)


def by_values(
    points: Sequence[Point], plan: list[tuple[int, int, Part]], nodes: Sequence[int], fmt: str
) -> dict[tuple[int, ...], list[int]]:
    """Return nodes by their values at points, as floats of a format, or as integers (""). plan: the terms below them"""
    for point in points:
        point.evaluate(plan)
    found: dict[tuple[int, ...], list[int]] = {}
    for node in nodes:
        told = tuple([point.real(node, fmt) if fmt else point.whole(node) for point in points])
        found.setdefault(told, []).append(node)
    return found


def exposed(longest: int, most: int) -> str:
    """Return the bound that the trees of sums show, in words, beside that of the contract."""
    return (
        f"each term once and nothing that cancels, at most {longest} roundings one after the other, so an error of "
        f"at most {longest} u times the sum of the magnitudes of the terms; the bound allows {most}"
    )


def chance(sums: int, highest: int) -> str:
    """Return a bound, in words, on the probability that so many sums of this degree agree with others at all points."""
    one = log2(2 * max(sums, 1) * max(highest, 3) / PRIME)  # values and counts (provenance.py)
    return f"chance of a false proof below 2^{ceil(POINTS * one)}" if one < 0 else "no bound for a false proof"
