"""How arrays lie in memory: their strides, and new arrays that lie so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from ...encoder.records import NamedTuple
from .arrays import Array, numpy_dtype
from .infer import type_of


class MemoryLayout(NamedTuple):
    """How an array lies in memory: its type, and the elements from one place to the next of each axis."""

    dtype: str
    strides: tuple[int, ...]

    @property
    def turns(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The order of the axes in memory, outermost first, and the place of each axis in it: what transposes to arrays
        in C order, and back."""
        axes = range(len(self.strides))
        order = sorted(axes, key=lambda axis: -self.strides[axis])
        return tuple(order), tuple(sorted(axes, key=order.__getitem__))

    def copied(self, name: str) -> str:
        """Return the expression of a copy of an array that lies so, without gaps."""
        order, back = self.turns
        if order == back == tuple(range(len(order))):
            return f"np.ascontiguousarray({name})"
        return f"np.ascontiguousarray({name}.transpose{order}).transpose{back}"


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
    made: Array = maker(shape, lying)()
    return made


@lru_cache(maxsize=1024)
def maker(shape: tuple[int, ...], lying: MemoryLayout) -> Callable[[], Array]:
    """Return what makes new arrays that lie so, without gaps."""
    order, back = lying.turns
    extents, dtype = [shape[axis] for axis in order], numpy_dtype(lying.dtype)
    if order == back == tuple(range(len(order))):
        return partial(np.empty, extents, dtype)
    return lambda: np.empty(extents, dtype).transpose(back)
