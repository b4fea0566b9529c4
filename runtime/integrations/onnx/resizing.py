"""Resize and Upsample: along each axis, every result is a weighted sum of a few elements, or one of them.

Places and weights follow from extents alone; they are computed once in f64 and rounded to the type of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....microkernels.expr.graph import Expr
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .indexing import take
from .library import FLOATS, KNOWN, UNSIGNED, Array
from .pointwise import where

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


class ResizedAxis(NamedTuple):
    """One axis of a resized array: its extent before and after, results for each element, and the region of x."""

    extent: int
    results: int
    scale: float
    start: float
    end: float


def _places(mode: str, axis: ResizedAxis) -> Array:
    """Return where each result lies among the elements of x."""
    y, extent, scale = np.arange(axis.results, dtype=np.float64), axis.extent, axis.scale
    wide = scale * extent
    if mode == "align_corners":
        return y * 0 if wide == 1 else y * (extent - 1) / (wide - 1)
    if mode == "asymmetric":
        return y / scale
    if mode == "tf_crop_and_resize":
        region = axis.end - axis.start
        within = y * 0 + region * (extent - 1) / 2 if wide == 1 else y * region * (extent - 1) / (wide - 1)
        return within + axis.start * (extent - 1)
    if mode == "pytorch_half_pixel" and wide == 1:
        return y * 0 - 0.5
    centred = (y + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        return centred + extent / 2 * (1 - axis.results / wide)
    return centred


_NEAREST: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _hat(distance: Array, _: float) -> Array:
    return np.clip(1 - np.abs(distance), 0, 1)


def _cubic(distance: Array, a: float) -> Array:
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


_REACH: dict[str, tuple[int, Callable[[Array, float], Array]]] = {"linear": (1, _hat), "cubic": (2, _cubic)}
"""How many elements a weight reaches, and the weight of a distance."""


def _weighted(call: NodeCall, axis: ResizedAxis, places: Array) -> tuple[Array, Array]:
    """Return the elements of each result and their weights, both (results, taps). Elements beside the rims are those at
    the rims, or have no weight."""
    reach, weigh = _REACH[call.text("mode")]
    narrow = min(axis.scale, 1.0) if call.whole("antialias") else 1.0
    wide = math.ceil(reach / narrow)
    first = np.floor(places).astype(np.int64)[:, None]
    index = first + np.arange(1 - wide, wide + 1)
    weights = weigh((index - places[:, None]) * narrow, call.number("cubic_coeff_a", -0.75))
    if call.whole("exclude_outside"):
        weights = np.where((index < 0) | (index >= axis.extent), 0.0, weights)
    weights = weights / weights.sum(1, keepdims=True)
    index = np.clip(index, 0, axis.extent - 1)
    best = np.take_along_axis(index, np.abs(weights).argmax(1)[:, None], 1)
    return np.where(weights == 0, best, index), weights  # an element without weight is not read, lest it be infinite


def _first(a: Expr, weight: Expr) -> Expr:
    return a * weight


def _more(total: Expr, a: Expr, weight: Expr) -> Expr:
    return total + a * weight


def _along(call: NodeCall, x: Array, place: int, axis: ResizedAxis) -> Array:
    """Return an array that is resized along one axis."""
    mode = call.text("coordinate_transformation_mode", "half_pixel")
    places = _places(mode, axis)
    if call.text("mode") == "nearest":
        index = _NEAREST[call.text("nearest_mode", "round_prefer_floor")](places).astype(np.int64)
        made = take(x, np.clip(index, 0, axis.extent - 1), place)
    else:
        index, weights = _weighted(call, axis, places)
        shape = (-1, *[1] * (x.ndim - 1 - place))
        wide = F64 if x.dtype == F64 else F32
        each = [
            (take(x, index[:, tap], place), weights[:, tap].astype(wide).reshape(shape))
            for tap in range(index.shape[1])
            if weights[:, tap].any()
        ]
        made = elementwise(ElementFunction(_first), *each[0], out=wide)
        for taken, weight in each[1:]:
            made = elementwise(ElementFunction(_more), made, taken, weight)
    outside = (places < 0) | (places > axis.extent - 1)
    if mode == "tf_crop_and_resize" and outside.any():
        mask = np.broadcast_to(outside.reshape(-1, *[1] * (x.ndim - 1 - place)), made.shape)
        made = where(call, np.ascontiguousarray(mask), np.asarray(call.number("extrapolation_value"), made.dtype), made)
    return made


def _sizes(
    call: NodeCall, x: Array, scales: Array | None, sizes: Array | None, axes: list[int]
) -> dict[int, tuple[int, float]]:
    """Return the extent and the scale along each axis that the node names."""
    if sizes is None or not sizes.size:
        assert scales is not None
        return {
            axis: (int(scale * x.shape[axis]), float(scale)) for axis, scale in zip(axes, scales.astype(np.float64))
        }
    wanted = dict(zip(axes, sizes.tolist()))
    policy = call.text("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return {axis: (extent, extent / x.shape[axis]) for axis, extent in wanted.items()}
    ratios = [extent / x.shape[axis] for axis, extent in wanted.items()]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    return {axis: (int(scale * x.shape[axis] + 0.5), scale) for axis in wanted}


def _resize_of(
    call: NodeCall, x: Array, roi: Array | None = None, scales: Array | None = None, sizes: Array | None = None
) -> Array:
    named = call.ints("axes")
    axes = list(range(x.ndim)) if named is None else [axis % x.ndim for axis in named]
    made = x
    region = None if roi is None or not roi.size else roi.astype(np.float64).reshape(2, len(axes))
    for place, (axis, (results, scale)) in enumerate(_sizes(call, x, scales, sizes, axes).items()):
        start, end = (0.0, 1.0) if region is None else region[:, place].tolist()
        if results != x.shape[axis] or scale != 1.0 or (start, end) != (0.0, 1.0):
            made = _along(call, made, axis, ResizedAxis(x.shape[axis], results, scale, start, end))
    if made.dtype == x.dtype:
        return made
    return elementwise(ElementFunction(_as_it_is), made, out=x.dtype)


def _as_it_is(x: Expr) -> Expr:
    return x


def _scaled_of(call: NodeCall, x: Array, scales: Array) -> Array:
    """Resize of version 10, and Upsample: x and scales, places without a shift."""
    fixed = {**call.attributes, "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return _resize_of(call._replace(attributes=fixed), x, None, scales)


def _resize_refused(call: NodeCall) -> str | None:
    if call.text("mode", "nearest") not in ("nearest", "linear", "cubic"):
        return "mode is nearest, linear or cubic"
    return "antialias of nearest elements" if call.whole("antialias") and call.text("mode") == "nearest" else None


def _only_nearest(call: NodeCall) -> str | None:
    return _resize_refused(call) if call.text("mode", "nearest") == "nearest" else "weights of elements that are floats"


ROWS = (
    OnnxRow("Resize", _resize_of, FLOATS, since=11, refuse=_resize_refused, reads=(1, 2, 3)),
    OnnxRow("Resize", _resize_of, KNOWN | UNSIGNED, since=11, refuse=_only_nearest, reads=(1, 2, 3)),
    OnnxRow("Resize", _scaled_of, FLOATS, since=10, until=11, refuse=_resize_refused, reads=(1,)),
    OnnxRow("Upsample", _scaled_of, FLOATS, since=9, refuse=_resize_refused, reads=(1,)),
)
