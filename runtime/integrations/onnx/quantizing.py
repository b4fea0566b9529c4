"""Quantized numbers: to bytes and back, with a scale and a zero point for all, for each element of an axis, or for
each block along it."""

from __future__ import annotations

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...graph.values import Builds, GraphValue
from .call import NodeCall, OnnxRow
from .casting import cast, dtype_of
from .elements import ElementFunction, elementwise
from .library import EIGHTS, FLOATS, SMALL, Array
from .lowering import F32, LoweredNode, ruled

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


def _quantize_refused(call: NodeCall) -> str | None:
    wanted = call.whole("output_dtype")
    dtype = dtype_of(wanted) if wanted else None
    if wanted and (dtype is None or dtype.name not in SMALL | EIGHTS):
        return f"output_dtype={wanted}: kernels have no elements of this type"
    return None if call.whole("precision") in (0, 1) else "precision is that of f32"


# Rules


def _whole_quantized(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    scale, zero = of.scalar(1), of.scalar(2) or 0.0
    if x.dtype != F32 or scale is None or of.types[0].kind not in "iu":
        raise UnsupportedError("scales for all elements, which are f32")
    ends = np.iinfo(of.types[0].name)
    made = of.apply("rint", of.apply("divide", x, scale))
    made = made if not zero else of.apply("add", made, zero)
    clipped = of.apply("clip", made, low=float(ends.min), high=float(ends.max))
    return of.apply("cast", clipped, dtype=of.types[0])


def _whole_dequantized(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    scale, zero = of.scalar(1), of.scalar(2) or 0.0
    if of.types[0] != F32 or scale is None or x.dtype.itemsize > 2:
        raise UnsupportedError("scales for all elements, of small numbers")
    made = of.apply("cast", x, dtype=F32)
    made = made if not zero else of.apply("subtract", made, zero)
    return of.apply("multiply", made, scale)


def _dynamically(of: LoweredNode, x: GraphValue) -> tuple[GraphValue, ...]:
    """Bytes by the largest and least element, the scale and the zero point."""
    y, scale, zero = dynamic_bytes(of.graph, x)
    return y, scale, of.apply("cast", zero, dtype=np.uint8)


def dynamic_bytes(build: Builds, x: GraphValue) -> tuple[GraphValue, GraphValue, GraphValue]:
    """Return x as bytes by its largest and least element, the scale, and the zero point as a float."""
    high = build.apply("maximum", build.apply("max", x), 0.0)
    low = build.apply("minimum", build.apply("min", x), 0.0)
    scale = build.apply("divide", build.apply("subtract", high, low), 255.0)
    scale = build.apply("where", build.apply("equal", scale, 0.0), 1.0, scale)
    point = build.apply("rint", build.apply("divide", build.apply("negative", low), scale))
    zero = build.apply("clip", point, low=0.0, high=255.0)
    moved = build.apply("add", build.apply("rint", build.apply("divide", x, scale)), zero)
    y = build.apply("cast", build.apply("clip", moved, low=0.0, high=255.0), dtype=np.uint8)
    return y, scale, zero


ROWS = (
    OnnxRow(
        "QuantizeLinear",
        _quantize_of,
        FLOATS - {"float64"} | {"int32"},
        {2: SMALL | EIGHTS},
        since=10,
        refuse=_quantize_refused,
        rule=_whole_quantized,
    ),
    OnnxRow("DequantizeLinear", _dequantize_of, SMALL | EIGHTS | {"int32"}, since=10, rule=_whole_dequantized),
    ruled("DynamicQuantizeLinear", _dynamically, frozenset({"float32"})),
)
