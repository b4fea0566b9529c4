"""Definitions of pooling and draws of its arguments, one window at a time, which share no code with the runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

Array = np.ndarray[Any, Any]
TYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16}
TOLERANCES = {"f32": 2e-6, "f64": 1e-14, "bf16": 2**-7, "f16": 2**-10}
LAYOUTS = "first", "last", "gaps"


def laid(values: Array, layout: str) -> Array:
    """Return a copy with channels first, last, or first with gaps between images, channels and rows."""
    if layout == "first":
        return np.ascontiguousarray(values)
    if layout == "last":
        axes = (0, *range(2, values.ndim), 1)
        return np.ascontiguousarray(values.transpose(axes)).transpose(np.argsort(axes))
    wide = np.zeros([extent + 2 for extent in values.shape], values.dtype)[tuple(map(slice, values.shape))]
    wide[...] = values
    return wide


def windows(
    shape: Sequence[int],
    size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil: bool,
) -> list[list[tuple[int, list[int]]]]:
    """Return for each axis and result where its window begins, and the elements of x in it."""
    made = []
    for extent, taps, step, around, apart in zip(shape, size, stride, padding, dilation):
        reach, axis = apart * (taps - 1) + 1, list[tuple[int, list[int]]]()
        start = -around
        while start + reach <= extent + around or (ceil and start < extent and start - step + reach < extent + around):
            inside = [start + tap * apart for tap in range(taps) if 0 <= start + tap * apart < extent]
            axis.append((start, inside))
            start += step
        made.append(axis)
    return made


def pooled(
    x: Array, of_axes: Sequence[Sequence[Sequence[int]]], function: Callable[[Array, tuple[int, ...]], Any]
) -> Array:
    """Return function(elements of a window (n, c, ...), its place) for each window."""
    counts = [len(axis) for axis in of_axes]
    made = np.zeros((*x.shape[:2], *counts))
    for place in product(*map(range, counts)):
        inside = x[(slice(None), slice(None), *np.ix_(*(axis[at] for axis, at in zip(of_axes, place))))]
        made[(..., *place)] = function(inside.reshape(*x.shape[:2], -1), place)
    return made


@st.composite
def poolings(draw: Any, dims: int) -> dict[str, Any]:
    """Draw extents, windows and layouts."""

    def each(least: int, most: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(least, most)) for _ in range(dims))

    size, dilation = each(1, 4), each(1, 2)
    reach = [apart * (taps - 1) + 1 for taps, apart in zip(size, dilation)]
    return {
        "shape": (
            draw(st.integers(1, 2)),
            draw(st.sampled_from([1, 3, 17, 70])),
            *(draw(st.integers(least, least + 9)) for least in reach),
        ),
        "size": size,
        "stride": each(1, 3),
        "padding": tuple(draw(st.integers(0, far - 1)) for far in reach),
        "dilation": dilation,
        "ceil": draw(st.booleans()),
        "layout": draw(st.sampled_from(LAYOUTS)),
        "seed": draw(st.integers(0, 1000)),
    }
