"""The reuse distance of blocks: the bytes of different blocks that a cache has seen since a block's last use.

In a cache that evicts the least recently used block, a block hits exactly if those bytes, its own included, do not
exceed the capacity (Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems Journal 1970). In nests,
most uses follow the previous one after one of only a few counts w of accesses, so the bytes are found for all uses of
the same w at once. When a window of w accesses moves on by one, it gains the new block if the window did not contain
it, and loses the oldest block if that does not occur again within w.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NEVER = 1 << 62
"""The distance of a block's first use."""
_WINDOWS = 48
"""The most window lengths that are distinguished; in a trace with more of them, lengths are rounded up."""


def distances(blocks: Any, sizes: Any) -> Any:
    """Return, for each access of a trace, the bytes of different blocks since the last use of its block, inclusive.

    blocks   the numbers of the blocks in the order of their uses
    sizes    the bytes of each use's block
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
    """Return the lengths that occur. If there are too many, return lengths spread evenly over their logarithms."""
    lengths = np.flatnonzero(np.bincount(gaps)) if len(gaps) else np.zeros(0, np.int64)
    if len(lengths) <= _WINDOWS:
        return lengths
    wanted = np.geomspace(lengths[0], lengths[-1], _WINDOWS)
    return np.unique(lengths[np.minimum(np.searchsorted(lengths, wanted - 0.5), len(lengths) - 1)])
