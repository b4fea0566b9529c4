"""The orders of axes of images in memory: those that arrays have, and those that have names."""

from __future__ import annotations

import numpy as np

from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, ascends, overlaps_itself
from ..arguments.layouts import MemoryLayout as MemoryLayout  # where pickles of earlier versions look for it


def order_of(array: Array) -> tuple[int, ...]:
    """Return the order of the axes of images in memory: channels last if they are, else channels first."""
    axes = range(array.ndim)
    wide = [axis for axis in axes if array.shape[axis] > 1]
    last = 1 in wide and all(abs(array.strides[1]) <= abs(array.strides[axis]) for axis in wide)
    return (0, *range(2, array.ndim), 1) if last else tuple(axes)


def readable(images: Array) -> Array:
    """Return images that kernels read: channels or the last axis are neighbours in memory; else a copy."""
    near = images.itemsize in (abs(images.strides[1]), abs(images.strides[-1]))
    if near and ascends(images) and not overlaps_itself(images):
        return images
    return np.array(images, order="C")


def order_named(layout: str | None, dims: int) -> tuple[int, ...]:
    """Return the order of axes in memory that a name such as "NHWC" says: N, C, and D, H, W as there are axes. Lower
    case is the same."""
    letters = "NC" + "DHW"[-dims:]
    layout = letters if layout is None else layout
    if not isinstance(layout, str) or sorted(layout.upper()) != sorted(letters):
        raise ValueError(
            f"layout: the letters {letters} in the order of memory, such as {letters} for channels first and "
            f"N{letters[2:]}C for channels last, not {layout!r}"
        )
    places = tuple(letters.index(letter) for letter in layout.upper())
    if places[0] != 0:
        raise UnsupportedError(f"layout: images outermost, N first, not {layout!r}")
    return places
