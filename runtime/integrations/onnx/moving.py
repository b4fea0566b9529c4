"""Operators that move elements or make them of shapes: views and copies."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...graph.values import GraphValue
from ...images.joined import concatenate, pad
from ...walks.permute import permute
from .call import NodeCall, OnnxRow
from .casting import dtype_of
from .library import ANY, KNOWN, UNSIGNED, Array, Results
from .lowering import LoweredNode, floats

MOVED = KNOWN | UNSIGNED


def has_kernels(dtype: np.dtype[np.generic]) -> bool:
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
    return None if to is not None and to.name in MOVED else f"to={call.whole('to')}: numpy has no such elements"


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


_LISTS = ("starts", "ends", "axes", "steps")


def _slice(call: NodeCall, x: Array, *given: Array | None) -> Array:
    lists: list[list[int] | tuple[int, ...] | None] = [call.ints(name) for name in _LISTS]
    if given:
        lists = [None if each is None else each.reshape(-1).tolist() for each in given]
    starts, ends, axes, steps = (lists[place] if place < len(lists) else None for place in range(len(_LISTS)))
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
    if not x.size or x.ndim < 2 or not has_kernels(x.dtype):
        return np.ascontiguousarray(x.transpose(order)) if x.ndim else x
    made: Array = permute(x, order)
    return made


def _concat(call: NodeCall, *arrays: Array) -> Array:
    axis = call.whole("axis", 1)
    if len(arrays) == 1:
        return arrays[0]
    if not has_kernels(arrays[0].dtype) or not all(each.size for each in arrays):
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
    by_numpy = not has_kernels(x.dtype) or not inner.size or x.dtype == np.bool_
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


# Rules


def _reshape_rule(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    return of.apply("reshape", x, shape=of.shapes[0])


def _expand_rule(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    return of.apply("broadcast_to", x, shape=of.shapes[0])


def _identity_rule(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    if of.call.results > 1:
        raise UnsupportedError("a mask as a result")
    return x


def _transpose_rule(of: LoweredNode, x: GraphValue) -> GraphValue:
    return of.apply("permute", x, axes=of.call.ints("perm"))


def _concat_rule(of: LoweredNode, *values: GraphValue) -> GraphValue:
    return of.apply("concatenate", *values, axis=of.call.whole("axis"))


def _slice_rule(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    lists = {
        name: of.known[place + 1].reshape(-1).tolist() for place, name in enumerate(_LISTS) if place + 1 in of.known
    }
    if "starts" not in lists:
        raise UnsupportedError("attributes of an old version")
    if any(step < 0 for step in lists.get("steps", ())):
        raise UnsupportedError("backwards")
    axes = lists.get("axes", list(range(len(lists["starts"]))))
    steps = lists.get("steps", [1] * len(axes))
    return of.apply("slice", x, starts=lists["starts"], stops=lists["ends"], steps=steps, axes=axes)


def _split_rule(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> tuple[GraphValue, ...]:
    axis = of.call.whole("axis")
    sizes = [shape[axis] for shape in of.shapes]
    return of.graph.results("split", x, sizes=sizes, axis=axis)


def _reflected(of: LoweredNode, x: GraphValue, axis: int, before: int, after: int) -> GraphValue:
    """Elements before and after those along an axis, which do not repeat those at its ends."""
    last, parts = x.shape[axis] - 1, [x]
    if before:
        parts.insert(0, of.apply("slice", x, starts=[before], stops=[0], steps=[-1], axes=[axis]))
    if after:
        stop = last - 1 - after
        parts.append(
            of.apply("slice", x, starts=[last - 1], stops=[stop if stop >= 0 else None], steps=[-1], axes=[axis])
        )
    return of.apply("concatenate", *parts, axis=axis) if len(parts) > 1 else x


def _pad_rule(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    mode = of.call.text("mode", "constant")
    if mode not in ("constant", "reflect") or 3 in of.known or 1 not in of.known:
        raise UnsupportedError("other elements than a constant or reflected ones around all axes")
    flat = of.known[1].tolist()
    if mode == "reflect":
        ends = [*zip(flat[: x.ndim], flat[x.ndim :])]
        if any(not 0 <= each < extent for extent, pair in zip(x.shape, ends) for each in pair):
            raise UnsupportedError("fewer elements than are reflected")
        return reduce(lambda made, axis: _reflected(of, made, axis, *ends[axis]), range(x.ndim), floats(x))
    value = of.scalar(2) or 0.0
    return of.apply("pad", floats(x), before=flat[: x.ndim], after=flat[x.ndim :], value=value)


ROWS = (
    OnnxRow("Identity", _identity, ANY, moves=True, rule=_identity_rule),
    OnnxRow("Dropout", _training_dropout, ANY, since=12, fixed=(2,), moves=True, rule=_identity_rule),
    OnnxRow("Dropout", _dropout, ANY, until=12, refuse=_dropout_refused, moves=True, rule=_identity_rule),
    OnnxRow("BitCast", _bit_cast, ANY, refuse=_bit_cast_refused, moves=True),
    OnnxRow("Reshape", _reshape_to, ANY, reads=(1,), moves=True, rule=_reshape_rule),
    OnnxRow("Flatten", _flatten, ANY, moves=True, rule=_reshape_rule),
    OnnxRow("Squeeze", _squeeze, ANY, reads=(1,), moves=True, rule=_reshape_rule),
    OnnxRow("Unsqueeze", _unsqueeze, ANY, reads=(1,), moves=True, rule=_reshape_rule),
    OnnxRow("Shape", _shape_of, ANY, moves=True),
    OnnxRow("Size", _size_of, ANY, moves=True),
    OnnxRow("Slice", _slice, ANY, reads=(1, 2, 3, 4), moves=True, rule=_slice_rule),
    OnnxRow("Split", _split, ANY, reads=(1,), moves=True, rule=_split_rule),
    OnnxRow("Expand", _expand, ANY, reads=(1,), moves=True, rule=_expand_rule),
    OnnxRow("Tile", _tile, ANY, reads=(1,), since=6, moves=True),
    OnnxRow("Constant", _constant, ANY, refuse=_constant_refused, moves=True),
    OnnxRow("ConstantOfShape", _constant_of_shape, ANY, reads=(0,), moves=True),
    OnnxRow("Range", _range, ANY, reads=(0, 1, 2), moves=True),
    OnnxRow("EyeLike", _eye_like, ANY, moves=True),
    OnnxRow("Trilu", _trilu, ANY, reads=(1,), moves=True),
    OnnxRow("ReverseSequence", _reverse_sequence, ANY, moves=True),
    OnnxRow("Transpose", _transpose, ANY, rule=_transpose_rule),
    OnnxRow("Concat", _concat, ANY, rule=_concat_rule),
    OnnxRow("Pad", _pad, MOVED, reads=(1, 3), rule=_pad_rule),
    OnnxRow("SpaceToDepth", _space_to_depth, MOVED),
    OnnxRow("DepthToSpace", _depth_to_space, MOVED),
)
