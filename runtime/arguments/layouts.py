"""How arrays lie in memory: their strides, and new arrays that lie so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...encoder.records import NamedTuple
from .arrays import Array, numpy_dtype
from .infer import type_of


class MemoryLayout(NamedTuple):
    """How an array lies in memory: its type, and the elements from one place to the next of each axis."""

    dtype: str
    strides: tuple[int, ...]


def lying(array: Array) -> MemoryLayout:
    """Return how an array lies; axes of one element are as far apart as those inside of them span."""
    size, steps, inner = array.itemsize, list[int](), 1
    for extent, stride in zip(reversed(array.shape), reversed(array.strides)):
        steps.insert(0, stride // size if extent > 1 else inner)
        inner = max(inner, abs(steps[0]) * extent)
    return MemoryLayout(type_of("array", array), tuple(steps))


def like(shape: Sequence[int], order: Sequence[int], dtype: str) -> MemoryLayout:
    """Return how a new array lies whose axes have this order in memory, outermost first."""
    steps, step = [0] * len(shape), 1
    for axis in reversed(order):
        steps[axis] = step
        step *= shape[axis]
    return MemoryLayout(dtype, tuple(steps))


def gapless(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of an array in C order without gaps."""
    return like(shape, range(len(shape)), "").strides


def new(shape: tuple[int, ...], lying: MemoryLayout) -> Array:
    """Return a new array that lies so, without gaps."""
    extents, dtype, axes = order_in_memory(shape, lying)
    made: Array = np.empty(extents, dtype).transpose(axes)
    return made


@lru_cache(maxsize=1024)
def order_in_memory(shape: tuple[int, ...], lying: MemoryLayout) -> tuple[list[int], np.dtype[np.generic], list[int]]:
    """Return the extents in the order of memory, the type, and the place of each axis in that order."""
    order = sorted(range(len(shape)), key=lambda axis: -lying.strides[axis])
    return [shape[axis] for axis in order], numpy_dtype(lying.dtype), [order.index(axis) for axis in range(len(shape))]
