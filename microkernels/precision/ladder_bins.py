"""The products of terms that a rung of the precision ladder adds, their order, and how many fit into one sum.

An operand is a sum of T terms, the largest first. A_s @ B_u belongs to bin s + u. The size of products falls by the
radix with each bin. Of the T^2 products, the T (T + 1) / 2 with s + u <= T + 1 are computed; the others are as small as
the difference between the operands and their terms. Bins are added from the smallest to the largest. In memory, A's
terms ascend and B's descend, so that the pairs of a bin are neighbours and a bin is one batch of one kernel. Source:
Intel 64 and IA-32 Architectures Optimization Reference Manual, 20.21.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...encoder.records import NamedTuple

LARGEST_DIGIT = 128
EXACT = (2**31 - 1) // LARGEST_DIGIT**2
"""The number of products of two digits whose sum fits into an i32, whatever the digits are."""


class Bin(NamedTuple):
    """`terms` neighbouring pairs of terms, from A's term `a` and from B's place `b` on, both counted from 0."""

    number: int  # s + u
    a: int
    b: int
    terms: int


class SumOfPairs(NamedTuple):
    """A part of the sum over pairs of matrices and over k."""

    pair: int
    pairs: int
    start: int  # in k
    extent: int


def bins(terms: int, every: bool = False) -> list[Bin]:
    """Return the bins that are computed, the smallest first; with `every`, the bins of all T^2 products."""
    made = []
    for number in range(2 * terms if every else terms + 1, 1, -1):
        first, last = max(1, number - terms), min(terms, number - 1)
        made.append(Bin(number, first - 1, terms - (number - first), last - first + 1))
    return made


def products(terms: int, every: bool = False) -> int:
    """Return the number of products of terms that are computed."""
    return sum(each.terms for each in bins(terms, every))


def pieces(pairs: int, k: int, terms: int, limit: int | None) -> Iterator[SumOfPairs]:
    """Yield the whole sum if `terms` times its length is at most `limit`, else one pair and part of k at a time."""
    if limit is None or pairs * k * terms <= limit:
        if pairs:
            yield SumOfPairs(0, pairs, 0, k)
        return
    longest = limit // terms & -4  # whole groups of a packed operand
    for pair in range(pairs):
        for start in range(0, k, longest):
            yield SumOfPairs(pair, 1, start, min(longest, k - start))
