"""Arrays that begin at a cache line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from ...microkernels.dtypes import element_type
from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array, address_of
from ..arguments.dtypes import numpy_dtype

if TYPE_CHECKING:
    from .typed import DTypeLike, Order


def empty(shape: int | Sequence[int], dtype: DTypeLike = "f32", order: Order = "C") -> Array:
    """Return a new array whose first element begins at a cache line, an address that is a multiple of 64. Its contents
    are undefined, as those of np.empty.

    numpy's large arrays begin 16 bytes behind a cache line, so every load of a whole line touches two. Kernels are
    correct at any address and fastest at such a one: docs/calling.md gives figures.

    shape: extents, or one extent. dtype: any spelling of an element type. order: "C" (row-major) or "F".
    Raises TypeError or ValueError for what is no extent, no element type or no order.
    """
    kind = numpy_dtype(element_type("empty: dtype", dtype))
    if order not in ("C", "F"):
        raise ValueError(f'empty: order="C" (row-major) or "F" (column-major), not {order!r}')
    extents = _extents(shape)
    return bytes_at_a_line(math.prod(extents) * kind.itemsize).view(kind).reshape(extents, order=order)


def _extents(shape: Any) -> tuple[int, ...]:
    try:
        found = tuple(map(index, shape)) if hasattr(shape, "__iter__") else (index(shape),)
    except TypeError:
        raise TypeError(f"empty: shape: an extent or a sequence of extents, not {shape!r}") from None
    if min(found, default=0) < 0:
        raise ValueError(f"empty: shape: no extent is negative, as in {shape!r}")
    return found


def bytes_at_a_line(size: int, zero: bool = False) -> Array:
    """Return `size` bytes that begin at a cache line, undefined or zero."""
    whole = (np.zeros if zero else np.empty)(size + CACHE_LINE - 1, np.uint8)
    first = -address_of(whole) % CACHE_LINE
    return whole[first : first + size]


def kept_at_a_line(contents: Array) -> Array:
    """Return a copy of bytes that begins at a cache line and is read-only, as panels from a pickle do."""
    made = bytes_at_a_line(contents.size)
    made[...] = contents
    made.setflags(write=False)
    return made
