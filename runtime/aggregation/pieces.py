"""Rows in compressed form, cut into pieces of about equal numbers of entries.

A piece is a range of whole rows. A row of more than LONG entries is reduced in parts, which are then folded in order.
Everything follows from the ends of the rows alone, so the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.codegen.long_sums import MOST_TERMS
from ...microkernels.tuning.graphs import GRAPHS
from ..arguments.arrays import Array

LONG = MOST_TERMS
"""The most entries of a row that is reduced at once: those of a sum that adds its terms one after the other."""


class Pieces(NamedTuple):
    """Ranges of rows: the first row and the end of each. Their number is a power of two, so that few jobs serve all
    graphs; the ranges behind the last piece are empty."""

    ranges: Array
    rows: int

    @property
    def number(self) -> int:
        """The number of ranges, empty ones included."""
        return len(self.ranges)


class SplitRows(NamedTuple):
    """Rows that are reduced in parts. The parts are rows of their own, of which ends[i] and ends[i + 1] are the first
    entry and the end; a part that belongs to no row lies between those of two rows.

    rows      the numbers of the rows
    starts    the first part of each, and behind them the end
    """

    rows: Array
    starts: Array
    ends: Array
    pieces: Pieces

    def parts(self, number: int) -> slice:
        """Return the parts of a row, by its number among the long ones."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]) - 1)


class Compressed(NamedTuple):
    """Rows in compressed form: row b has the entries from ends[b] to ends[b + 1] - 1, each of which names a row of a
    table by its index.

    checked   whether the indices are known to lie inside every table that they are used with, and do not change
    """

    ends: Array
    indices: Array
    pieces: Pieces
    long: SplitRows | None
    checked: bool = False

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.ends) - 1


def compressed(ends: Array, indices: Array, checked: bool = False) -> Compressed:
    """Return rows in compressed form with their pieces. The ends are copied, and must not decrease nor lie outside of
    the indices."""
    own = np.array(ends, np.int64)
    lengths = np.diff(own)
    if own[0] < 0 or own[-1] > len(indices) or (len(lengths) and lengths.min() < 0):
        place = 0 if own[0] < 0 else int((lengths < 0).argmax()) + 1 if (lengths < 0).any() else len(lengths)
        raise IndexError(
            f"indptr: entry {place} is {own[place]}; entries must not decrease, and are from 0 to {len(indices)}, the "
            "length of the indices"
        )
    long = np.flatnonzero(lengths > LONG)
    return Compressed(own, indices, _pieces(own, long), _long_rows(own, long) if len(long) else None, checked)


def _pieces(ends: Array, long: Array) -> Pieces:
    """Return pieces of all rows but the long ones."""
    rows = len(ends) - 1
    weights = ends - ends[0] + np.arange(rows + 1)
    each = min(GRAPHS.most, max(GRAPHS.least, -(-int(weights[-1]) // GRAPHS.pieces)))
    steps = np.arange(0, int(weights[-1]), each)
    cuts = np.append(np.searchsorted(weights, steps), rows)
    if len(long):
        cuts = np.sort(np.concatenate([cuts, long, long + 1]))
    firsts, lasts = cuts[:-1], cuts[1:]
    inside = firsts != lasts
    if len(long):
        inside &= ~np.isin(firsts, long)
    ranges = np.stack([firsts[inside], lasts[inside]], axis=1)
    return _padded(ranges)


def _padded(ranges: Array) -> Pieces:
    """Return the ranges with empty ones behind them, a power of two in all."""
    made = np.zeros((1 << max(0, len(ranges) - 1).bit_length(), 2), np.int64)
    made[: len(ranges)] = ranges
    return Pieces(made, int((ranges[:, 1] - ranges[:, 0]).sum()))


def _long_rows(ends: Array, long: Array) -> SplitRows:
    """Return the parts of long rows, of about equal lengths."""
    each: list[Array] = []
    for row in long:
        first, last = int(ends[row]), int(ends[row + 1])
        parts = -(-(last - first) // LONG)
        each.append(first + np.arange(parts + 1) * (last - first) // parts)
    starts = np.cumsum([0, *map(len, each)])
    cut = np.concatenate(each)
    places = np.setdiff1d(np.arange(len(cut)), starts[1:] - 1)
    return SplitRows(long, starts, cut, _padded(np.stack([places, places + 1], axis=1)))
