"""The shapes of a product, as in numpy: vectors, matrices, and batches whose leading axes are broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple, dataclass
from ..arguments.arrays import Array


@dataclass(frozen=True)
class Shapes:
    """The extents of a product.

    batch     the broadcast leading axes
    m, n, k   the extents of each product
    result    the shape of the result
    vectors   whether a and b have a single axis, which the result then lacks
    """

    batch: tuple[int, ...]
    m: int
    n: int
    k: int
    result: tuple[int, ...]
    vectors: tuple[bool, bool]

    def matrices(self, array: Array, place: int) -> Array:
        """Return a view of a, b or the result (place 0, 1 or 2) as matrices, after the batch axes that the array
        has."""
        row, column = self.vectors[0] and place != 1, self.vectors[1] and place != 0
        if row and column:
            return array[..., None, None]
        if row:
            return array[..., None, :]
        return array[..., None] if column else array


class Work(NamedTuple):
    """The request of a call."""

    shapes: Shapes
    types: tuple[str, str, str]
    epilogue: Callable[..., Any] | None
    threads: int | None


def shapes_of(a: tuple[int, ...], b: tuple[int, ...], out: tuple[int, ...] | None) -> Shapes:
    """Return the extents of a product, checked as numpy checks them."""
    for name, shape in (("a", a), ("b", b)):
        if not shape:
            raise ValueError(f"{name}: must be a vector, a matrix or a batch of matrices, not an array without axes; * "
                             "multiplies by a number")  # fmt: skip
    vectors = len(a) == 1, len(b) == 1
    rows, down = (1, a[0]) if vectors[0] else a[-2:]
    across, columns = (b[0], 1) if vectors[1] else b[-2:]
    if down != across:
        raise ValueError(f"b: must have {down} rows, as many as a of shape {a} has columns, not shape {b}")
    try:
        batch = np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        raise ValueError(f"b: its leading axes must be those of a, or 1: a has shape {a}, b {b}") from None
    result = (*batch, *(() if vectors[0] else (rows,)), *(() if vectors[1] else (columns,)))
    if out is not None and out != result:
        raise ValueError(f"out: shape {result}, not {out}")
    return Shapes(batch, rows, columns, down, result, vectors)
