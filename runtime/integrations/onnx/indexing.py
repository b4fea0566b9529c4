"""Operators that move elements by an index: gathers and scatters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, cast

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...api.gather import gather, scatter
from ...graph.values import GraphValue
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .library import FLOATS, INTEGERS, Array, Results
from .lowering import LoweredNode
from .moving import MOVED, has_kernels
from .pointwise import one, where

_INDICES = frozenset({"int32", "int64"})


def wrapped(index: Array, extent: int) -> Array:
    """Return an index whose negative numbers count from the end."""
    return np.where(index < 0, index + extent, index)


def take(x: Array, index: Array, axis: int) -> Array:
    """Return the elements of an axis that an index names, as numpy.take does."""
    axis %= max(1, x.ndim)
    outer, size, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    if not math.prod(shape):
        return np.empty(shape, x.dtype)
    places = wrapped(index, size).reshape(-1).astype(np.int64)
    if not has_kernels(x.dtype):
        return np.take(x, places, axis).reshape(shape)
    bits = x.view(_words(x.dtype))
    kind = _KINDS[bits.dtype.itemsize]
    if inner == 1:
        kernel = _gatherer("columns", outer, places.size, size=size, dtype=kind)
        return kernel(_dense(bits, outer, size), places).view(x.dtype).reshape(shape)
    places = (np.arange(outer, dtype=np.int64)[:, None] * size + places).reshape(-1) if outer > 1 else places
    kernel = _gatherer("rows", places.size, inner, size=outer * size, dtype=kind)
    return kernel(_dense(bits, outer * size, inner), places).view(x.dtype).reshape(shape)


_gatherer = cast("Callable[..., Callable[..., Array]]", gather)


def _dense(x: Array, rows: int, columns: int) -> Array:
    return np.ascontiguousarray(x).reshape(rows, columns)


_KINDS: dict[int, Literal["u8", "u16", "i32", "i64"]] = {1: "u8", 2: "u16", 4: "i32", 8: "i64"}


def _words(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """Return whole numbers of the same size, whose bits kernels move."""
    return np.dtype({1: np.uint8, 2: np.uint16, 4: np.int32, 8: np.int64}[dtype.itemsize])


def _gather(call: NodeCall, x: Array, index: Array) -> Array:
    return take(x, index, call.whole("axis"))


def _offsets(shape: Sequence[int], index: Array, axis: int) -> Array:
    """Return the place of each element in an array without gaps, where an index has the place along an axis."""
    grid: list[Array] = list(np.indices(index.shape, sparse=True))
    grid[axis] = wrapped(index, shape[axis])
    steps = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
    made = sum(step * each for step, each in zip(steps, grid))
    return np.asarray(np.broadcast_to(made, index.shape), np.int64)


def _at(x: Array, places: Array) -> Array:
    """Return the elements of an array without gaps at these places."""
    if not places.size:
        return np.empty(places.shape, x.dtype)
    bits = np.ascontiguousarray(x).reshape(-1).view(_words(x.dtype))
    flat = places.reshape(1, -1)
    kernel = _gatherer("offsets", *flat.shape, size=bits.size, dtype=_KINDS[bits.itemsize])
    return kernel(bits, flat).view(x.dtype).reshape(places.shape)


def _gather_elements(call: NodeCall, x: Array, index: Array) -> Array:
    return _at(x, _offsets(x.shape, index, call.whole("axis") % max(1, x.ndim)))


def _gather_nd(call: NodeCall, x: Array, index: Array) -> Array:
    batch, depth = call.whole("batch_dims"), index.shape[-1]
    outer, named = x.shape[:batch], x.shape[batch : batch + depth]
    rows = math.prod(outer) * math.prod(named)
    inner = x.shape[batch + depth :]
    places = _nd_places(index, named)
    first = np.arange(math.prod(outer)).reshape(*outer, *[1] * (places.ndim - batch)) * math.prod(named)
    found = take(x.reshape(rows, -1), (places + first).reshape(-1), 0)
    return found.reshape(*index.shape[:-1], *inner)


def _nd_places(index: Array, extents: Sequence[int]) -> Array:
    """Return the number of the row that the last axis of an index names."""
    places = np.zeros(index.shape[:-1], np.int64)
    for axis, extent in enumerate(extents):
        places = places * extent + wrapped(index[..., axis], extent)
    return places


_JOINED: dict[str, str] = {"add": "sum", "mul": "product", "max": "max", "min": "min"}


def _placed(call: NodeCall, x: Array, places: Array, updates: Array) -> Array:
    """Return a copy of x (rows, n) whose rows at these places are replaced by updates, or joined with them.

    Updates of one place are applied one after the other: in each round every place is written once."""
    how = call.text("reduction", "none")
    made = x.copy()
    if not updates.size:
        return made
    if how == "none":
        _scattered(made, places, updates)
        return made
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    begins = np.r_[0, np.flatnonzero(np.diff(ordered)) + 1]
    turn = np.empty_like(ordered)
    turn[order] = np.arange(ordered.size) - np.repeat(begins, np.diff(np.r_[begins, ordered.size]))
    for each in range(int(turn.max()) + 1):
        now = turn == each
        old = take(made, places[now], 0)
        _scattered(made, places[now], _joined(call, how, old, np.ascontiguousarray(updates[now])))
    return made


def _joined(call: NodeCall, how: str, old: Array, new: Array) -> Array:
    made = BINARY[how](call, old, new)
    assert isinstance(made, np.ndarray)
    return made


BINARY: dict[str, Callable[..., Results]] = {}
"""The elementwise operators that scatters join with, by their names; `table` fills it."""


def _scattered(y: Array, places: Array, updates: Array) -> None:
    words = _words(y.dtype)
    kind = _KINDS[words.itemsize]
    kernel = scatter("rows", places.size, y.shape[1], size=y.shape[0], dtype=kind)
    kernel(np.ascontiguousarray(updates).view(words), places.astype(np.int64), y.view(words))


def _scatter_elements(call: NodeCall, x: Array, index: Array, updates: Array) -> Array:
    places = _offsets(x.shape, index, call.whole("axis") % max(1, x.ndim)).reshape(-1)
    return _placed(call, np.ascontiguousarray(x).reshape(-1, 1), places, updates.reshape(-1, 1)).reshape(x.shape)


def _scatter_nd(call: NodeCall, x: Array, index: Array, updates: Array) -> Array:
    depth = index.shape[-1]
    places = _nd_places(index, x.shape[:depth]).reshape(-1)
    rows = np.ascontiguousarray(x).reshape(math.prod(x.shape[:depth]), -1)
    return _placed(call, rows, places, updates.reshape(places.size, -1)).reshape(x.shape)


def _marked(place: object, index: object) -> object:
    return one(place == index)  # type: ignore[arg-type]


def _one_hot(call: NodeCall, index: Array, depth: Array, values: Array) -> Array:
    """Return values[1] where an axis has the place that an index names, else values[0]."""
    extent, axis = int(depth.reshape(-1)[0]), call.whole("axis", -1)
    axis = axis % (index.ndim + 1)
    named = np.expand_dims(wrapped(index.astype(np.int64), extent), axis)
    places = np.arange(extent, dtype=np.int64).reshape(-1, *[1] * (index.ndim - axis))
    mask = elementwise(ElementFunction(_marked), named, places, out=np.dtype(np.bool_))  # type: ignore[arg-type]
    return where(call, mask, values[1:2].reshape(()), values[:1].reshape(()))


def _compress(call: NodeCall, x: Array, condition: Array) -> Array:
    named = np.flatnonzero(condition)
    if "axis" not in call.attributes:
        return take(x.reshape(-1), named, 0)
    return take(x, named, call.whole("axis"))


def _gather_rule(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    """A row at a place that is known."""
    axis, index = of.call.whole("axis"), of.known.get(1)
    if index is None or index.size != 1:
        raise UnsupportedError("several places, or one that is not known")
    (place,) = index.reshape(-1).tolist()
    place += x.shape[axis] * (place < 0)
    row = of.apply("slice", x, starts=[place], stops=[place + 1], axes=[axis])
    return of.apply("reshape", row, shape=of.shapes[0])


_ONE_HOT = FLOATS | INTEGERS
ROWS = (
    OnnxRow("Gather", _gather, MOVED, {1: _INDICES}, rule=_gather_rule),
    OnnxRow("Compress", _compress, MOVED, reads=(1,)),
    OnnxRow("GatherElements", _gather_elements, MOVED, {1: _INDICES}),
    OnnxRow("GatherND", _gather_nd, MOVED, {1: _INDICES}),
    OnnxRow("ScatterElements", _scatter_elements, MOVED, {1: _INDICES}),
    OnnxRow("Scatter", _scatter_elements, MOVED, {1: _INDICES}),
    OnnxRow("ScatterND", _scatter_nd, MOVED, {1: _INDICES}),
    OnnxRow("OneHot", _one_hot, _INDICES | FLOATS, {1: _INDICES | FLOATS, 2: _ONE_HOT}, reads=(1,)),
)
