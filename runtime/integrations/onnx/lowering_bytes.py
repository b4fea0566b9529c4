"""Operators of quantized numbers as operators of the graph compiler: sums of bytes that zero points are taken from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...graph.values import Builds, GraphValue
from .library import Array
from .lowering import LoweredNode, Operands, Rule, window_of
from .windows import whole_convolution

F32, WHOLE = np.dtype(np.float32), np.dtype(np.int32)


def _scales(of: LoweredNode, beside: tuple[int, ...]) -> GraphValue:
    """Return the product of both scales, of which that of the weights may differ along an axis."""
    if 2 not in of.known or 4 not in of.known:
        raise UnsupportedError("scales that are not known")
    other = of.known[4].reshape(beside) if of.known[4].ndim else of.known[4]
    return of.graph.constant(np.asarray(of.known[2].reshape(()) * other, F32))


def _dequantized_product(
    of: LoweredNode, x: GraphValue, w: GraphValue, scale_x: object, zero: GraphValue | None, *_: GraphValue | None
) -> GraphValue:
    sums = of.apply("cast", _product_sums(of, x, _signed_bytes(of, 5, 2), zero), dtype=F32)
    return of.apply("multiply", sums, _scales(of, (-1,)))


def _quantized(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    scale, zero = of.scalar(1), of.scalar(2) or 0.0
    if x.dtype != F32 or scale is None or of.types[0].kind not in "iu":
        raise UnsupportedError("scales for all elements, which are f32")
    ends = np.iinfo(of.types[0].name)
    made = of.apply("rint", of.apply("divide", x, scale))
    made = made if not zero else of.apply("add", made, zero)
    clipped = of.apply("clip", made, low=float(ends.min), high=float(ends.max))
    return of.apply("cast", clipped, dtype=of.types[0])


def _dequantized(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    scale, zero = of.scalar(1), of.scalar(2) or 0.0
    if of.types[0] != F32 or scale is None or x.dtype.itemsize > 2:
        raise UnsupportedError("scales for all elements, of small numbers")
    made = of.apply("cast", x, dtype=F32)
    made = made if not zero else of.apply("subtract", made, zero)
    return of.apply("multiply", made, scale)


def _signed_bytes(of: LoweredNode, place: int, axes: int) -> tuple[Array, Array | None]:
    """Return the second operand, known bytes, as bytes with a sign, and what they stand for 0 with; None: with 0.

    place    that of the operand's zero points
    """
    weights, zero = of.known.get(1), of.known.get(place, np.zeros((), np.int8))
    if weights is None or weights.itemsize > 1 or weights.ndim != axes:
        raise UnsupportedError("weights that are not known bytes")
    less = 128 if weights.dtype == np.uint8 else 0
    shift = zero.astype(WHOLE) - less
    return (weights.astype(np.int16) - less).astype(np.int8), shift if shift.any() else None


def _product_sums(
    of: LoweredNode, x: GraphValue, factor: tuple[Array, Array | None], zero: GraphValue | None
) -> GraphValue:
    """Sums of (x - zero) (w - shift): those of x w, less the zero points times sums of the others. A further column of
    ones sums x."""
    weights, shift = factor
    depth, columns = weights.shape
    if x.dtype.itemsize > 1:
        raise UnsupportedError("numbers that are not bytes")
    wide = weights if shift is None else np.concatenate([weights, np.ones((depth, 1), np.int8)], 1)
    sums, rest = of.apply("matmul", x, of.graph.constant(wide), dtype=WHOLE), weights.sum(0, dtype=WHOLE)
    if shift is not None:
        sums, rest = _shifted(of, sums, shift, columns, -1), rest - shift * depth
    return _less(of, sums, rest, zero)


def _shifted(of: LoweredNode, sums: GraphValue, shift: Array, count: int, axis: int) -> GraphValue:
    """Return the first sums along an axis, less a shift times the last one."""
    own = of.apply("slice", sums, starts=(0,), stops=(count,), axes=(axis,))
    last = of.apply("slice", sums, starts=(count,), stops=(count + 1,), axes=(axis,))
    return of.apply("subtract", own, of.apply("multiply", last, of.graph.constant(shift)))


def _less(of: LoweredNode, sums: GraphValue, rest: Array, zero: GraphValue | None) -> GraphValue:
    """Return sums less a zero point, which may be computed in the call, times what is known."""
    if zero is None:
        return sums
    if zero.size != 1:
        raise UnsupportedError("zero points of rows")
    if zero.constant is not None:
        known = int(zero.constant.reshape(-1)[0])
        return sums if not known else of.apply("subtract", sums, of.graph.constant(known * rest))
    point = of.apply("cast", of.apply("reshape", zero, shape=()), dtype=WHOLE)
    return of.apply("subtract", sums, of.apply("multiply", of.graph.constant(rest), point))


def _window_sums(
    of: LoweredNode, x: GraphValue, factor: tuple[Array, Array | None], zero: GraphValue | None
) -> GraphValue:
    """Sums over windows as those of products: padding counts as 0, so that what is beside it is known for each place.
    A further filter of ones sums x."""
    weights, shift = factor
    groups, filters = of.call.whole("group", 1), len(weights)
    if x.dtype.itemsize > 1 or (shift is not None and (groups > 1 or shift.ndim)):
        raise UnsupportedError("numbers that are not bytes, or zero points of filters")
    wide = weights if shift is None else np.concatenate([weights, np.ones_like(weights[:1])])
    window = {"groups": groups, **window_of(of.call, x.ndim - 2)}
    sums = of.apply("conv", x, of.graph.constant(wide), None, dtype=WHOLE, **window)
    rest = whole_convolution(of.call, np.ones((1, *x.shape[1:]), np.uint8), wide, None, None)
    if shift is not None:
        sums, rest = _shifted(of, sums, shift, filters, 1), rest[:, :filters] - shift * rest[:, filters:]
    return _less(of, sums, rest, zero)


def _known_zeros(of: LoweredNode, zeros: Operands) -> GraphValue | None:
    """Return the zero point of the first factor. Raises UnsupportedError if that of the second one is not known."""
    if len(zeros) > 1 and zeros[1] is not None and 3 not in of.known:
        raise UnsupportedError("zero points of weights that are not known")
    return zeros[0] if zeros else None


def _whole_product(of: LoweredNode, a: GraphValue, b: GraphValue, *zeros: GraphValue | None) -> GraphValue:
    return _product_sums(of, a, _signed_bytes(of, 3, 2), _known_zeros(of, zeros))


def _whole_convolution(of: LoweredNode, x: GraphValue, w: GraphValue, *zeros: GraphValue | None) -> GraphValue:
    return _window_sums(of, x, _signed_bytes(of, 3, x.ndim), _known_zeros(of, zeros))


def _dequantized_convolution(
    of: LoweredNode, x: GraphValue, w: GraphValue, scale_x: object, zero: GraphValue | None, *more: GraphValue | None
) -> GraphValue:
    beside = (-1, *[1] * (x.ndim - 2))
    sums = of.apply("cast", _window_sums(of, x, _signed_bytes(of, 5, x.ndim), zero), dtype=F32)
    made = of.apply("multiply", sums, _scales(of, beside))
    bias = more[2] if len(more) > 2 else None
    return made if bias is None else of.apply("add", made, of.apply("reshape", bias, shape=beside))


def _dynamically(of: LoweredNode, x: GraphValue) -> tuple[GraphValue, ...]:
    """Bytes by the largest and least element, the scale and the zero point."""
    y, scale, zero = dynamic_bytes(of.graph, x)
    return y, scale, of.apply("cast", zero, dtype=of.types[0])


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


QUANTIZED: Mapping[str, Rule] = {
    "DequantizedConv": _dequantized_convolution,
    "ConvInteger": _whole_convolution,
    "MatMulInteger": _whole_product,
    "DynamicQuantizeLinear": _dynamically,
    "DequantizedMatMul": _dequantized_product,
    "QuantizeLinear": _quantized,
    "DequantizeLinear": _dequantized,
}
"""The rules, by names of ONNX and of `folding`."""
