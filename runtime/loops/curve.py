"""The order of two loops along a Hilbert curve: consecutive iterations are neighbours in both indices.

A rectangle uses the curve of the square whose side is the next power of two, without the places outside the rectangle.
Source: D. Hilbert, "Ueber die stetige Abbildung einer Linie auf ein Flaechenstueck", Math. Ann. 38, 1891. The index of
a place is built bit by bit, as in H. S. Warren, "Hacker's Delight", 16-1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

MOST = 1 << 16
"""The most iterations of both loops together: the table has eight bytes for each."""


def order(rows: int, columns: int) -> np.ndarray[Any, Any]:
    """Return (row, column) of each place in the order of the curve."""
    row, column = (each.reshape(-1) for each in np.indices((rows, columns)))
    x, y = column.copy(), row.copy()
    distance = np.zeros_like(x)
    half = 1 << max(rows - 1, columns - 1, 1).bit_length() - 1
    while half:
        right, upper = (x & half) != 0, (y & half) != 0
        distance += half * half * np.where(right, np.where(upper, 2, 3), upper)
        turned, mirrored = ~upper, ~upper & right  # the lower quadrants swap x and y, the right one mirrors
        x, y = np.where(mirrored, ~x, x), np.where(mirrored, ~y, y)
        x, y = np.where(turned, y, x), np.where(turned, x, y)
        half >>= 1
    along = np.argsort(distance, kind="stable")
    return np.stack([row[along], column[along]], axis=1)


@lru_cache(64)
def table(rows: int, columns: int) -> bytes:
    """Return the table of the curve: two 32-bit numbers per iteration."""
    return order(rows, columns).astype("<u4").tobytes()
