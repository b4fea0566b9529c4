"""Quantized numbers: to bytes and back, with a scale and a zero point for all, for each element of an axis, or for
each block along it."""

from __future__ import annotations

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from .call import NodeCall, OnnxRow
from .casting import cast, dtype_of
from .elements import ElementFunction, elementwise, reduction
from .library import EIGHTS, FLOATS, SMALL, Array, Results

_LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


def _quantized(x: Expr, scale: Expr, zero: Expr) -> Expr:
    return f.rint(x / scale) + zero


def _divided(x: Expr, scale: Expr, largest: float) -> Expr:
    return f.clamp(x / scale, -largest, largest)


def _dequantized(x: Expr, zero: Expr, scale: Expr) -> Expr:
    return (x - zero) * scale


def _scaled(x: Expr, scale: Expr) -> Expr:
    return x * scale


def _beside(x: Array, parameter: Array, axis: int, block: int) -> Array:
    """Return scales or zero points in a shape that is broadcast to that of x."""
    if parameter.ndim == 0 or parameter.size == 1:
        return parameter.reshape(())
    if parameter.ndim == 1 and x.ndim > 1 or not block:
        return parameter.reshape(-1, *[1] * (x.ndim - 1 - axis % x.ndim))
    return np.repeat(parameter, block, axis).take(range(x.shape[axis]), axis)


def _quantize_of(call: NodeCall, x: Array, scale: Array, zero: Array | None = None) -> Array:
    axis, block = call.whole("axis", 1), call.whole("block_size")
    wide = np.dtype(np.float32)
    given = x if x.dtype.kind == "f" or x.dtype.name == "bfloat16" else cast(x, wide)
    scales = _beside(x, scale, axis, block).astype(wide)
    out = zero.dtype if zero is not None else dtype_of(call.whole("output_dtype")) or np.dtype(np.uint8)
    if out.name in EIGHTS:
        return elementwise(ElementFunction(_divided, (_LARGEST[out.name],)), given, scales, out=out)
    zeros = np.zeros((), wide) if zero is None else _beside(x, zero, axis, block).astype(wide)
    return elementwise(ElementFunction(_quantized), given, scales, zeros, out=out)


def _dequantize_of(call: NodeCall, x: Array, scale: Array, zero: Array | None = None) -> Array:
    axis, block = call.whole("axis", 1), call.whole("block_size")
    scales = _beside(x, scale, axis, block)
    if x.dtype.name in EIGHTS or zero is None or not zero.astype(np.float32).any():
        return elementwise(ElementFunction(_scaled), x, scales, out=scale.dtype)
    return elementwise(ElementFunction(_dequantized), x, _beside(x, zero, axis, block), scales, out=scale.dtype)


def _dynamic_of(call: NodeCall, x: Array) -> Results:
    return dynamically(x)


def dynamically(x: Array) -> tuple[Array, Array, Array]:
    """Quantize by the largest and least element: y, the scale and the zero point."""
    ends = [float(reduction(name, x.reshape(1, -1), 1)[0]) if x.size else 0.0 for name in ("min", "max")]
    low, high = np.float32(min(ends[0], 0.0)), np.float32(max(ends[1], 0.0))
    scale = np.float32((high - low) / np.float32(255))
    if scale == 0:
        scale = np.float32(1)
    zero = np.uint8(np.clip(np.rint(np.float32(0 - low) / scale), 0, 255))
    y = elementwise(
        ElementFunction(_quantized), x, np.asarray(scale), np.asarray(zero, np.float32), out=np.dtype(np.uint8)
    )
    return y, np.asarray(scale), np.asarray(zero)


def _quantize_refused(call: NodeCall) -> str | None:
    wanted = call.whole("output_dtype")
    dtype = dtype_of(wanted) if wanted else None
    if wanted and (dtype is None or dtype.name not in SMALL | EIGHTS):
        return f"output_dtype={wanted}: kernels have no elements of this type"
    return None if call.whole("precision") in (0, 1) else "precision is that of f32"


ROWS = (
    OnnxRow(
        "QuantizeLinear",
        _quantize_of,
        FLOATS - {"float64"} | {"int32"},
        {2: SMALL | EIGHTS},
        since=10,
        refuse=_quantize_refused,
    ),
    OnnxRow("DequantizeLinear", _dequantize_of, SMALL | EIGHTS | {"int32"}, since=10),
    OnnxRow("DynamicQuantizeLinear", _dynamic_of, frozenset({"float32"})),
)
