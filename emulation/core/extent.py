"""The bytes that a view touches, from the first to the last."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def reach(array: Array) -> tuple[int, int]:
    """Return how many bytes the view touches below and above the address of element 0. Strides may be negative."""
    if array.flags.c_contiguous:
        return 0, array.nbytes
    if not array.size:
        return 0, 0
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides)]
    return -sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + array.itemsize
