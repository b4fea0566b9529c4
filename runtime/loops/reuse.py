"""How far apart the uses of a block are, in bytes of the different blocks that a cache has seen in between.

A block that is used again hits in a cache that drops what was used least recently exactly if those bytes, its own
included, are not more than the cache holds (Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems
Journal 1970). In nests most uses follow the one before after one of few counts of accesses w, so the bytes are found
for all of one w at once: a window of w accesses that moves on by one gains the block that comes, if the window has not
had it, and loses the one that goes, if it does not come again within w.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NEVER = 1 << 62
"""The distance of a block's first use."""
_WINDOWS = 48
"""Lengths of windows that are told apart; in a trace that has more of them they are rounded up to some."""


def distances(blocks: Any, sizes: Any) -> Any:
    """For each access of a trace: bytes of different blocks since the same block's last use, its own included.

    blocks   numbers of blocks in the order of their uses; sizes: the bytes of each use's block
    """
    count = len(blocks)
    order = np.argsort(blocks, kind="stable")
    again = blocks[order[1:]] == blocks[order[:-1]]
    far = 2 * count + 2
    back, ahead = np.full(count, far), np.full(count, far)
    gaps = (order[1:] - order[:-1])[again]
    back[order[1:][again]] = gaps
    ahead[order[:-1][again]] = gaps
    found = np.full(count, NEVER, np.int64)
    windows = _windows(back[back < far])
    nearest = np.searchsorted(windows, back)
    for number, window in enumerate(windows):
        uses = np.flatnonzero(nearest == number)
        gained = np.cumsum(np.where(back >= window, sizes, 0))
        lost = np.cumsum(np.where(ahead >= window, sizes, 0))
        gone = uses - window
        found[uses] = gained[uses] - np.where(gone >= 0, lost[np.maximum(gone, 0)], 0)
    return found


def _windows(gaps: Any) -> Any:
    """The lengths that occur, or as many as are told apart, spread evenly over their logarithms."""
    lengths = np.flatnonzero(np.bincount(gaps)) if len(gaps) else np.zeros(0, np.int64)
    if len(lengths) <= _WINDOWS:
        return lengths
    wanted = np.geomspace(lengths[0], lengths[-1], _WINDOWS)
    return np.unique(lengths[np.minimum(np.searchsorted(lengths, wanted - 0.5), len(lengths) - 1)])
