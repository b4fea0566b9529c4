"""Operators that move elements or make them of shapes: views, copies, gathers and scatters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, cast

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...api.gather import gather, scatter
from ...images.joined import concatenate, pad
from ...walks.permute import permute
from .call import NodeCall, OnnxRow
from .casting import dtype_of
from .elements import ElementFunction, elementwise
from .library import ANY, FLOATS, INTEGERS, KNOWN, UNSIGNED, Array, Results
from .pointwise import one, where

_INDICES = frozenset({"int32", "int64"})
_MOVED = KNOWN | UNSIGNED


def _kept(dtype: np.dtype[np.generic]) -> bool:
    """Whether kernels move elements of this type."""
    return dtype.kind in "biuf" or dtype.name in KNOWN


# Views


def _identity(call: NodeCall, x: Array, *_: Array | None) -> Array:
    return x


def _dropout(call: NodeCall, x: Array, *_: Array | None) -> Results:
    return x, np.ones(x.shape, np.bool_)


def _dropout_refused(call: NodeCall) -> str | None:
    return None if call.attributes.get("is_test", 1) else "is_test=0, training"


def _training_dropout(call: NodeCall, x: Array, ratio: Array | None = None, training: Array | None = None) -> Results:
    if training is not None and bool(training) and (ratio is None or float(ratio) != 0.0):
        raise UnsupportedError(f"{call.name}: Dropout in training draws random numbers that ONNX leaves open")
    return x, np.ones(x.shape, np.bool_)


def _reshape_to(call: NodeCall, x: Array, shape: Array | None = None) -> Array:
    wanted = [int(each) for each in shape] if shape is not None else list(call.ints("shape") or ())
    if not call.whole("allowzero"):
        wanted = [x.shape[axis] if extent == 0 else extent for axis, extent in enumerate(wanted)]
    return x.reshape(wanted)


def _bit_cast(call: NodeCall, x: Array) -> Array:
    to = dtype_of(call.whole("to"))
    assert to is not None
    return x.view(to)


def _bit_cast_refused(call: NodeCall) -> str | None:
    to = dtype_of(call.whole("to"))
    return None if to is not None and to.name in _MOVED else f"to={call.whole('to')}: numpy has no such elements"


def _compress(call: NodeCall, x: Array, condition: Array) -> Array:
    named = np.flatnonzero(condition)
    if "axis" not in call.attributes:
        return take(x.reshape(-1), named, 0)
    return take(x, named, call.whole("axis"))


def _flatten(call: NodeCall, x: Array) -> Array:
    axis = call.whole("axis", 1)
    axis += x.ndim if axis < 0 else 0
    return (
        x.reshape(math.prod(x.shape[:axis]), -1)
        if x.size
        else x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
    )


def _given_axes(call: NodeCall, axes: Array | None) -> tuple[int, ...] | None:
    return call.ints("axes") if axes is None else tuple(axes.reshape(-1).tolist())


def _squeeze(call: NodeCall, x: Array, axes: Array | None = None) -> Array:
    return x.squeeze(_given_axes(call, axes))


def _unsqueeze(call: NodeCall, x: Array, axes: Array | None = None) -> Array:
    return np.expand_dims(x, _given_axes(call, axes) or ())


def _shape_of(call: NodeCall, x: Array) -> Array:
    end = call.attributes.get("end")
    return np.asarray(x.shape[slice(call.whole("start"), end)], np.int64)


def _size_of(call: NodeCall, x: Array) -> Array:
    return np.asarray(x.size, np.int64)


def _slice(call: NodeCall, x: Array, *given: Array | None) -> Array:
    names = ("starts", "ends", "axes", "steps")
    lists: list[list[int] | tuple[int, ...] | None] = [call.ints(name) for name in names]
    if given:
        lists = [None if each is None else each.reshape(-1).tolist() for each in given]
    starts, ends, axes, steps = (lists[place] if place < len(lists) else None for place in range(len(names)))
    assert starts is not None and ends is not None
    places = [slice(None)] * x.ndim
    for place, axis in enumerate(axes if axes is not None else range(len(starts))):
        step = 1 if steps is None else steps[place]
        extent, start, end = x.shape[axis], starts[place], ends[place]
        if step > 0:
            places[axis] = slice(start, end, step)
        else:
            start = min(start + extent if start < 0 else start, extent - 1)
            end = max(end + extent if end < 0 else end, -1)
            places[axis] = slice(start, None if end < 0 else end, step) if start >= 0 else slice(0, 0)
    return x[tuple(places)]


def _split(call: NodeCall, x: Array, sizes: Array | None = None) -> Results:
    axis = call.whole("axis")
    parts = call.ints("split") if sizes is None else tuple(sizes.tolist())
    if parts is None:
        each = -(-x.shape[axis] // call.results)
        parts = tuple(min(each, x.shape[axis] - each * place) for place in range(call.results))
    return tuple(np.split(x, np.cumsum(parts)[:-1], axis))


def _expand(call: NodeCall, x: Array, shape: Array) -> Array:
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape.tolist())))


# Made of shapes


def _constant_of_shape(call: NodeCall, shape: Array) -> Array:
    value = call.attributes.get("value")
    filled = value.reshape(()) if isinstance(value, np.ndarray) else np.zeros((), np.float32)
    return np.full(tuple(shape.tolist()), filled, filled.dtype)


def _range(call: NodeCall, start: Array, limit: Array, delta: Array) -> Array:
    return np.arange(start.item(), limit.item(), delta.item()).astype(start.dtype)


def _constant(call: NodeCall) -> Array:
    for name, dtype in (("value_float", np.float32), ("value_floats", np.float32), ("value_int", np.int64)):
        if name in call.attributes:
            return np.asarray(call.attributes[name], dtype)
    value = call.attributes.get("value", call.attributes.get("value_ints"))
    return value if isinstance(value, np.ndarray) else np.asarray(value, np.int64)


def _constant_refused(call: NodeCall) -> str | None:
    held = {"value", "value_float", "value_floats", "value_int", "value_ints"}
    return None if held & set(call.attributes) else "texts and sparse arrays are no operands of kernels"


def _eye_like(call: NodeCall, x: Array) -> Array:
    dtype = dtype_of(call.whole("dtype")) if "dtype" in call.attributes else x.dtype
    return np.eye(x.shape[0], x.shape[1], k=call.whole("k")).astype(dtype or x.dtype)


# Copies


def _transpose(call: NodeCall, x: Array) -> Array:
    order = call.ints("perm") or tuple(reversed(range(x.ndim)))
    if not x.size or x.ndim < 2 or not _kept(x.dtype):
        return np.ascontiguousarray(x.transpose(order)) if x.ndim else x
    made: Array = permute(x, order)
    return made


def _concat(call: NodeCall, *arrays: Array) -> Array:
    axis = call.whole("axis", 1)
    if len(arrays) == 1:
        return arrays[0]
    if not _kept(arrays[0].dtype) or not all(each.size for each in arrays):
        return np.concatenate(arrays, axis)
    made: Array = concatenate(arrays, axis=axis)
    return made


def _pad(
    call: NodeCall, x: Array, pads: Array | None = None, value: Array | None = None, axes: Array | None = None
) -> Array:
    flat = (call.ints("pads") or ()) if pads is None else tuple(pads.tolist())
    chosen = list(range(x.ndim)) if axes is None else [axis % x.ndim for axis in axes.tolist()]
    widths = [(0, 0)] * x.ndim
    for place, axis in enumerate(chosen):
        widths[axis] = (flat[place], flat[place + len(chosen)])
    cut = [slice(max(0, -before), x.shape[axis] - max(0, -after)) for axis, (before, after) in enumerate(widths)]
    inner = x[tuple(cut)]
    around = [(max(0, before), max(0, after)) for before, after in widths]
    by_numpy = not _kept(x.dtype) or not inner.size or x.dtype == np.bool_
    padded: Callable[..., Array] = np.pad if by_numpy else pad
    mode = call.text("mode", "constant")
    if mode != "constant":
        return padded(inner, around, mode)
    filled = call.number("value") if value is None else value.reshape(()).item()
    return padded(inner, around, mode, constant_values=filled)


def _tile(call: NodeCall, x: Array, repeats: Array) -> Array:
    return np.tile(x, repeats.tolist())


def _space_to_depth(call: NodeCall, x: Array) -> Array:
    n, c, height, width = x.shape
    b = call.whole("blocksize")
    blocks = x.reshape(n, c, height // b, b, width // b, b)
    made: Array = permute(blocks, (0, 3, 5, 1, 2, 4) if call.text("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4))
    return made.reshape(n, c * b * b, height // b, width // b)


def _depth_to_space(call: NodeCall, x: Array) -> Array:
    n, c, height, width = x.shape
    b = call.whole("blocksize")
    if call.text("mode", "DCR") == "DCR":
        made: Array = permute(x.reshape(n, b, b, c // b**2, height, width), (0, 3, 4, 1, 5, 2))
    else:
        made = permute(x.reshape(n, c // b**2, b, b, height, width), (0, 1, 4, 2, 5, 3))
    return made.reshape(n, c // b**2, height * b, width * b)


def _trilu(call: NodeCall, x: Array, k: Array | None = None) -> Array:
    place = 0 if k is None else int(k.reshape(-1)[0])
    return np.triu(x, place) if call.whole("upper", 1) else np.tril(x, place)


def _reverse_sequence(call: NodeCall, x: Array, lengths: Array) -> Array:
    batch, time = call.whole("batch_axis", 1), call.whole("time_axis", 0)
    moved = np.moveaxis(x, (batch, time), (0, 1))
    made = moved.copy()
    for sample, length in enumerate(lengths.tolist()):
        made[sample, :length] = moved[sample, :length][::-1]
    return np.moveaxis(made, (0, 1), (batch, time))


# By an index


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
    if not _kept(x.dtype):
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


_ONE_HOT = FLOATS | INTEGERS
ROWS = (
    OnnxRow("Identity", _identity, ANY, moves=True),
    OnnxRow("Dropout", _training_dropout, ANY, since=12, fixed=(2,), moves=True),
    OnnxRow("Dropout", _dropout, ANY, until=12, refuse=_dropout_refused, moves=True),
    OnnxRow("BitCast", _bit_cast, ANY, refuse=_bit_cast_refused, moves=True),
    OnnxRow("Reshape", _reshape_to, ANY, reads=(1,), moves=True),
    OnnxRow("Flatten", _flatten, ANY, moves=True),
    OnnxRow("Squeeze", _squeeze, ANY, reads=(1,), moves=True),
    OnnxRow("Unsqueeze", _unsqueeze, ANY, reads=(1,), moves=True),
    OnnxRow("Shape", _shape_of, ANY, moves=True),
    OnnxRow("Size", _size_of, ANY, moves=True),
    OnnxRow("Slice", _slice, ANY, reads=(1, 2, 3, 4), moves=True),
    OnnxRow("Split", _split, ANY, reads=(1,), moves=True),
    OnnxRow("Expand", _expand, ANY, reads=(1,), moves=True),
    OnnxRow("Tile", _tile, ANY, reads=(1,), since=6, moves=True),
    OnnxRow("Constant", _constant, ANY, refuse=_constant_refused, moves=True),
    OnnxRow("ConstantOfShape", _constant_of_shape, ANY, reads=(0,), moves=True),
    OnnxRow("Range", _range, ANY, reads=(0, 1, 2), moves=True),
    OnnxRow("EyeLike", _eye_like, ANY, moves=True),
    OnnxRow("Trilu", _trilu, ANY, reads=(1,), moves=True),
    OnnxRow("ReverseSequence", _reverse_sequence, ANY, moves=True),
    OnnxRow("Transpose", _transpose, ANY),
    OnnxRow("Concat", _concat, ANY),
    OnnxRow("Pad", _pad, _MOVED, reads=(1, 3)),
    OnnxRow("SpaceToDepth", _space_to_depth, _MOVED),
    OnnxRow("DepthToSpace", _depth_to_space, _MOVED),
    OnnxRow("Gather", _gather, _MOVED, {1: _INDICES}),
    OnnxRow("Compress", _compress, _MOVED, reads=(1,)),
    OnnxRow("GatherElements", _gather_elements, _MOVED, {1: _INDICES}),
    OnnxRow("GatherND", _gather_nd, _MOVED, {1: _INDICES}),
    OnnxRow("ScatterElements", _scatter_elements, _MOVED, {1: _INDICES}),
    OnnxRow("Scatter", _scatter_elements, _MOVED, {1: _INDICES}),
    OnnxRow("ScatterND", _scatter_nd, _MOVED, {1: _INDICES}),
    OnnxRow("OneHot", _one_hot, _INDICES | FLOATS, {1: _INDICES | FLOATS, 2: _ONE_HOT}, reads=(1,)),
)
