"""How arrays lie in memory: their strides, new arrays that lie so, and the orders of axes that have names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, ascends, numpy_dtype, overlaps_itself
from ..arguments.infer import type_of
from ..kernel.request_cache import RECENT


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


def order_of(array: Array) -> tuple[int, ...]:
    """Return the order of the axes of images in memory: channels last if they are, else channels first."""
    axes = range(array.ndim)
    wide = [axis for axis in axes if array.shape[axis] > 1]
    last = 1 in wide and all(abs(array.strides[1]) <= abs(array.strides[axis]) for axis in wide)
    return (0, *range(2, array.ndim), 1) if last else tuple(axes)


def new(shape: tuple[int, ...], lying: MemoryLayout) -> Array:
    """Return a new array that lies so, without gaps."""
    extents, dtype, axes = _order(shape, lying)
    made: Array = np.empty(extents, dtype).transpose(axes)
    return made


@lru_cache(maxsize=RECENT)
def _order(shape: tuple[int, ...], lying: MemoryLayout) -> tuple[list[int], np.dtype[np.generic], list[int]]:
    """Return the extents in the order of memory, the type, and the place of each axis in that order."""
    order, back = lying.turns
    return [shape[axis] for axis in order], numpy_dtype(lying.dtype), [order.index(axis) for axis in range(len(shape))]


def readable(images: Array) -> Array:
    """Return images that kernels read: channels or the last axis are neighbours in memory; else a copy."""
    near = images.itemsize in (abs(images.strides[1]), abs(images.strides[-1]))
    if near and ascends(images) and not overlaps_itself(images):
        return images
    return np.array(images, order="C")


def order_named(layout: str | None, dims: int) -> tuple[int, ...]:
    """Return the order of axes in memory that a name such as "NHWC" says: N, C, and D, H, W as there are axes."""
    letters = "NC" + "DHW"[-dims:]
    layout = letters if layout is None else layout
    if not isinstance(layout, str) or sorted(layout) != sorted(letters):
        raise ValueError(
            f"layout: the letters {letters} in the order of memory, such as NC{letters[2:]}, not {layout!r}"
        )
    if letters.index(layout[0]) != 0:
        raise UnsupportedError(f"layout: images outermost, N first, not {layout!r}")
    return tuple(letters.index(letter) for letter in layout)
