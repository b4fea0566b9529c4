"""Sums of arrays over some of their axes, by kernels of `reduce`, so that long ones are right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from ..api.reduce import reduce
from ..arguments.arrays import Array
from ..arguments.infer import type_of

if TYPE_CHECKING:
    from ..api.typed import DType


def sums_over(axes: Sequence[int], array: Array) -> Array:
    """Return the sums of an array with elements over these axes, in its type: f32 is rounded to 16 bits in the end."""
    return _sums(axes, array).astype(array.dtype, copy=False)


def _sums(axes: Sequence[int], array: Array) -> Array:
    """Return the sums, at least in f32."""
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    shape, first = [array.shape[axis] for axis in kept], array.transpose(*axes, *kept)
    if first.flags.c_contiguous:
        return _reduced(first.reshape(-1, math.prod(shape)), 0).reshape(shape)
    last = array.ndim - 1 - max(kept, default=-1)  # axes behind all others, such as the places of images
    if array.flags.c_contiguous and 0 < last < len(axes):
        outer = array.shape[:-last]
        return _sums(sorted(axes)[:-last], _reduced(array.reshape(math.prod(outer), -1), 1).reshape(outer))
    lines = np.ascontiguousarray(array.transpose(*kept, *axes))
    return _reduced(lines.reshape(math.prod(shape), -1), 1).reshape(shape)


def _reduced(lines: Array, axis: int) -> Array:
    dtype = cast("DType", type_of("array", lines))
    sums: DType = "f32" if lines.dtype.itemsize < 4 else dtype
    return np.asarray(reduce("sum", *lines.shape, axis=0 if axis == 0 else 1, dtype=dtype, out=sums)(lines))
