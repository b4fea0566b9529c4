"""Views: operators that see the elements of their input in another way, and move none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar, cast

import numpy as np

from ..arguments.arrays import Array
from .operators import axes_of, broadcast, shape_of
from .values import Attribute, Builds, DType, Given, GraphValue, Operator, Shape, TensorType, Values, add

N = TypeVar("N")


class NoView(Exception):
    """The elements of a reshaped array do not lie at even distances, so that they are copied first."""


def fake(shape: Shape, strides: tuple[int, ...] | None, dtype: DType) -> Array:
    """Return an array of such a shape and strides, in elements, whose memory does not exist: for views of it only."""
    if strides is None:
        return np.broadcast_to(np.empty(1, dtype), shape) if 0 in shape else _spread(shape, contiguous(shape), dtype)
    return _spread(shape, strides, dtype)


def _spread(shape: Shape, strides: tuple[int, ...], dtype: DType) -> Array:
    steps = tuple(each * dtype.itemsize for each in strides)
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, steps, writeable=False)


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of an array in C order without gaps, in elements."""
    steps, step = [0] * len(shape), 1
    for axis in reversed(range(len(shape))):
        steps[axis] = step
        step *= max(shape[axis], 1)
    return tuple(steps)


def reshaped(shape: Shape, strides: tuple[int, ...], to: Shape) -> tuple[int, ...]:
    """Return the strides of an array under another shape of as many elements. Raises NoView if it has none."""
    axes: list[tuple[int, int]] = []
    for extent, step in zip(shape, strides):
        if axes and axes[-1][1] == extent * step:
            axes.append((axes.pop()[0] * extent, step))
        elif extent != 1:
            axes.append((extent, step))
    found: list[int] = []
    wanted = list(to)
    while wanted:
        extent = wanted.pop()
        if extent == 1:
            found.append(0)
            continue
        if not axes:
            raise NoView
        here, step = axes.pop()
        if here % extent:
            raise NoView
        found.append(step)
        if here > extent:
            axes.append((here // extent, step * extent))
    return tuple(reversed(found))


def _reshape(x: Array, shape: Shape) -> Array:
    size = x.itemsize
    if 0 in x.shape:
        return x.reshape(shape)
    steps = reshaped(x.shape, tuple(each // size for each in x.strides), shape)
    return np.lib.stride_tricks.as_strided(x, shape, tuple(each * size for each in steps))


def _slice(x: Array, starts: Sequence[int], stops: Sequence[int | None], steps: Sequence[int]) -> Array:
    return x[tuple(map(slice, starts, stops, steps))]


def _of_view(view: Callable[..., Array], given: Given, /, **attributes: Attribute) -> tuple[TensorType, ...]:
    (x,) = given
    assert x is not None
    return (TensorType(view(fake(x.shape, None, x.dtype), **attributes).shape, x.dtype),)


def _view(name: str, view: Callable[..., Array], expand: Callable[..., Values | None], takes: str) -> Operator:
    return Operator(name, "view", partial(_of_view, view), view=view, expand=expand, takes=takes)


def _settled(name: str, build: Builds, x: GraphValue, before: object, **settled: Attribute) -> Values | None:
    """Build a view with its attributes written out; the input itself if the view changes nothing."""
    if before == settled:
        return None
    return build.apply(name, x, **settled)


def _to_reshape(build: Builds, x: GraphValue, shape: object) -> Values | None:
    wanted = shape_of("reshape", shape, x.size)
    return x if wanted == x.shape else _settled("reshape", build, x, {"shape": shape}, shape=wanted)


def _to_permute(build: Builds, x: GraphValue, axes: Sequence[int] | None = None) -> Values | None:
    order = tuple(reversed(range(x.ndim))) if axes is None else tuple(int(each) % max(x.ndim, 1) for each in axes)
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"permute: each of {x.ndim} axes once, not {axes}")
    return x if order == tuple(range(x.ndim)) else _settled("permute", build, x, {"axes": axes}, axes=order)


def _to_broadcast(build: Builds, x: GraphValue, shape: Sequence[int]) -> Values | None:
    wanted = tuple(map(int, shape))
    if broadcast([x.shape, wanted]) != wanted:
        raise ValueError(f"broadcast_to: shape {x.shape} does not broadcast to {wanted}")
    return x if wanted == x.shape else _settled("broadcast_to", build, x, {"shape": shape}, shape=wanted)


def each_of(numbers: N | Sequence[N]) -> tuple[N, ...]:
    """Return numbers as a tuple; one that stands alone is that of one axis."""
    return tuple(numbers) if isinstance(numbers, (tuple, list)) else (cast("N", numbers),)


def _to_slice(
    build: Builds,
    x: GraphValue,
    starts: int | Sequence[int],
    stops: int | None | Sequence[int | None],
    steps: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
) -> Values | None:
    """Slices of the axes, or of all; as Python's, so that a stop may be None and places may count from the end. A
    number is that of one axis."""
    asked: dict[int, slice] = {}
    firsts, ends, apart = each_of(starts), each_of(stops), each_of(1 if steps is None else steps)
    apart = apart * len(firsts) if steps is None else apart
    for number, axis in enumerate(range(len(firsts)) if axes is None else each_of(axes)):
        asked[int(axis) % x.ndim] = slice(firsts[number], ends[number], apart[number])
    found = [asked.get(axis, slice(None)).indices(extent) for axis, extent in enumerate(x.shape)]
    written = [(start, None if stop < 0 else stop, step) for start, stop, step in found]
    settled = {name: tuple(each[place] for each in written) for place, name in enumerate(("starts", "stops", "steps"))}
    if written == [(0, extent, 1) for extent in x.shape]:
        return x
    before = {"starts": starts, "stops": stops, "steps": steps, **({} if axes is None else {"axes": axes})}
    return _settled("slice", build, x, before, **settled)


def _squeeze(build: Builds, x: GraphValue, axes: object = None) -> Values:
    gone = axes_of("squeeze", axes, x.ndim)
    left = tuple(extent for axis, extent in enumerate(x.shape) if axis not in gone or axes is None and extent != 1)
    if axes is not None and any(x.shape[axis] != 1 for axis in gone):
        raise ValueError(f"squeeze: axes of one element, not {axes} of shape {x.shape}")
    return build.apply("reshape", x, shape=left)


def _unsqueeze(build: Builds, x: GraphValue, axes: object) -> Values:
    count = len(axes) if isinstance(axes, (tuple, list)) else 1
    new = axes_of("unsqueeze", axes, x.ndim + count)
    old = iter(x.shape)
    shape = tuple(1 if axis in new else next(old) for axis in range(x.ndim + count))
    return build.apply("reshape", x, shape=shape)


def _split(build: Builds, x: GraphValue, sizes: Sequence[int], axis: int = 0) -> Values:
    (place,) = axes_of("split", axis, x.ndim)
    if sum(sizes) != x.shape[place]:
        raise ValueError(f"split: sizes that add up to {x.shape[place]}, not {tuple(sizes)}")
    ends = np.cumsum([0, *sizes]).tolist()
    return tuple(
        build.apply("slice", x, starts=(first,), stops=(end,), axes=(place,)) for first, end in zip(ends, ends[1:])
    )


def _flip(build: Builds, x: GraphValue, axes: object = None) -> Values:
    turned = axes_of("flip", axes, x.ndim)
    return build.apply(
        "slice", x, starts=(None,) * len(turned), stops=(None,) * len(turned), steps=(-1,) * len(turned), axes=turned
    )


add(
    _view("reshape", _reshape, _to_reshape, "shape"),
    _view("permute", np.transpose, _to_permute, "axes"),
    _view("broadcast_to", np.broadcast_to, _to_broadcast, "shape"),
    _view("slice", _slice, _to_slice, "starts stops steps axes"),
    Operator("squeeze", "composite", expand=_squeeze, takes="axes"),
    Operator("unsqueeze", "composite", expand=_unsqueeze, takes="axes"),
    Operator("split", "composite", expand=_split, takes="sizes axis"),
    Operator("flip", "composite", expand=_flip, takes="axes"),
)
