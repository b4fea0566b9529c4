"""A trial call of a kernel, with its expected result, for the tables of coverage."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array


class CoverageTrial(NamedTuple):
    """A request, the arguments of a call, the last of which is its output, and the expected output."""

    spec: Any
    arguments: list[Array]
    wanted: Array


def same_bits(x: Array, y: Array) -> Any:
    """Return where two arrays have the same bits or both have a NaN."""
    unsigned = np.dtype(f"u{x.itemsize}")
    same = np.ascontiguousarray(x).view(unsigned) == np.ascontiguousarray(y).view(unsigned)
    if x.dtype.kind not in "iub":
        with np.errstate(invalid="ignore"):  # raised by signaling NaN
            same |= np.isnan(x) & np.isnan(y)
    return same
