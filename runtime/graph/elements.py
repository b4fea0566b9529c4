"""Elements that an index names along an axis: what is read there, and what is written or added there."""

from __future__ import annotations

from math import prod

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.coordinates import EXACT
from .operators import axes_of, type_name
from .values import Builds, Given, GraphValue, Operator, TensorType, Values, add
from .whole import present

_I64 = np.dtype(np.int64)
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)


def _scatter_kind(given: Given, /, add: bool = False) -> tuple[TensorType, ...]:
    x, index, values = present("scatter", given, 3)
    if type_name(index.dtype) not in ("i64", "i32"):
        raise UnsupportedError(f"scatter: indices of int64 or int32, not {index.dtype}; cast them")
    if values.dtype != x.dtype:
        raise TypeError(f"scatter: rows of {x.dtype}, the type of x, not {values.dtype}; cast them")
    if values.shape != (*index.shape, *x.shape[1:]):
        raise ValueError(f"scatter: rows {(*index.shape, *x.shape[1:])} for the indices, not {values.shape}")
    if add and x.dtype not in (_F32, _F64):
        raise UnsupportedError(f"scatter: sums of float32 or float64, not {x.dtype}; cast them")
    return (x,)


def _places(build: Builds, name: str, x: GraphValue, index: GraphValue, axis: int) -> GraphValue:
    """Return the places among all elements of x that an index names along an axis.

    What an index adds to the place of an element comes from a table of the extent of the axis, so that an index outside
    of it is an IndexError of the call, and no element of another row.
    """
    (along,) = axes_of(name, axis, x.ndim)
    fits = all(n <= m or place == along for place, (n, m) in enumerate(zip(index.shape, x.shape)))
    if index.ndim != x.ndim or not fits:
        raise ValueError(f"{name}: an index of {x.ndim} axes within those of x {x.shape}, not {index.shape}")
    steps = [prod(x.shape[place + 1 :]) for place in range(x.ndim)]
    table = build.constant(np.arange(x.shape[along], dtype=_I64) * steps[along])
    places = build.apply("gather", table, index, axis=0, negative=False)
    others = np.zeros((1,) * x.ndim, _I64)
    for place, (extent, step) in enumerate(zip(index.shape, steps)):
        if place != along:
            shape = [extent if each == place else 1 for each in range(x.ndim)]
            others = others + (np.arange(extent, dtype=_I64) * step).reshape(shape)
    return build.apply("add", places, build.constant(others)) if others.any() else places


def _gather_elements(build: Builds, x: GraphValue, index: GraphValue, axis: int = 0) -> Values:
    """Build the element of x that an index names along an axis, for each element of the index."""
    places = _places(build, "gather_elements", x, index, axis)
    return build.apply("gather", build.apply("reshape", x, shape=(-1,)), places, axis=0, negative=False)


def _scatter_elements(
    build: Builds, x: GraphValue, index: GraphValue, values: GraphValue, axis: int = 0, add: bool = False
) -> Values:
    """Build x with values where an index names elements along an axis, the last of several, or with their sums."""
    places = _places(build, "scatter_elements", x, index, axis)
    made = build.apply("scatter", build.apply("reshape", x, shape=(-1,)), places, values, add=add)
    return build.apply("reshape", made, shape=x.shape)


def _running_place(extremum: str, build: Builds, x: GraphValue, axis: int = -1) -> Values:
    """Build the place along an axis of the largest or smallest element so far, int64: of equal ones, and of NaNs, the
    last."""
    (along,) = axes_of(extremum, axis, x.ndim)
    wide = build.apply("cast", x, dtype=_F32) if x.dtype.itemsize <= 2 else x  # f32 has all numbers of 16 bits
    best = build.apply("equal", wide, build.apply(extremum, wide, axis=along))
    if x.dtype.kind not in "iub":
        best = build.apply("logical_or", best, build.apply("isnan", wide))
    dtype = _F64 if wide.dtype == _F64 or x.shape[along] > EXACT else _F32
    numbers = np.arange(x.shape[along], dtype=dtype).reshape([-1 if each == along else 1 for each in range(x.ndim)])
    places = build.apply("where", best, build.constant(numbers), -1.0)
    return build.apply("cast", build.apply("cummax", places, axis=along), dtype=_I64)


def _argcummax(build: Builds, x: GraphValue, axis: int = -1) -> Values:
    return _running_place("cummax", build, x, axis)


def _argcummin(build: Builds, x: GraphValue, axis: int = -1) -> Values:
    return _running_place("cummin", build, x, axis)


add(
    Operator("scatter", "whole", _scatter_kind, takes="add"),
    Operator("gather_elements", "composite", expand=_gather_elements, takes="axis"),
    Operator("scatter_elements", "composite", expand=_scatter_elements, takes="axis add"),
    Operator("argcummax", "composite", expand=_argcummax, takes="axis"),
    Operator("argcummin", "composite", expand=_argcummin, takes="axis"),
)
