"""Products and convolutions of bytes: their sums are exact whole numbers, of which multiples of zero points are taken.

Each is a function of arrays, and a rule for weights that are known.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...convolution.layers import conv
from ...graph.values import GraphValue
from ...graph.whole import conv_window
from ...ops.matmul import matmul
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise, reduction
from .library import BYTES, Array
from .lowering import F32, LoweredNode, Operands
from .windows import axes_refused, window_of

WHOLE = np.dtype(np.int32)
_SUMS = np.dtype(np.int16)


def _less_zero(x: Expr, zero: Expr) -> Expr:
    return x - zero


def _less_sums(c: Expr, sums: Expr, zero: float) -> Expr:
    return c - sums * zero


def _centred(x: Array, zero: Array | None, column: bool) -> Array:
    """Return the numbers less their zero points, one for all or one for each row or column, in 16 bits."""
    if zero is None or not zero.any():
        return x.astype(_SUMS)
    points = zero.reshape(-1, 1) if column and zero.ndim == 1 and zero.size > 1 else zero
    return elementwise(ElementFunction(_less_zero), x, points, out=_SUMS)


def whole_product(a: Array, b: Array, zero_a: Array | None = None, zero_b: Array | None = None) -> Array:
    """Return (a - zero_a) @ (b - zero_b) of bytes, exactly, in i32.

    zero_a is one number, one for each row of a, or of the shape (..., rows, 1); zero_b one number or one for each
    column. Bytes with a sign on the right and no zero points there are multiplied as they are: the zero points of a
    then take away their multiples of the sums of b's columns. Others have 9 bits, and both factors are of 16.
    """
    exact = zero_b is None or not zero_b.any()
    if exact and b.dtype == np.int8 and a.ndim > 1 and b.ndim == 2 and (zero_a is None or zero_a.size == 1):
        made: Array = matmul(a, b, dtype="i32")
        zero = 0 if zero_a is None else int(zero_a.reshape(-1)[0])
        if not zero or not made.size or not b.size:
            return made
        sums = reduction("sum", b, 0, "i32")
        return elementwise(ElementFunction(_less_sums, (zero,)), made, sums)
    wide: Array = matmul(_centred(a, zero_a, True), _centred(b, zero_b, False), dtype="i32")
    return wide


def _matmul_integer(
    call: NodeCall, a: Array, b: Array, zero_a: Array | None = None, zero_b: Array | None = None
) -> Array:
    return whole_product(a, b, zero_a, zero_b)


def _requantized(c: Expr, factor: Expr, zero: Expr) -> Expr:
    """A sum of whole numbers as a byte: rounded to nearest even, moved, and saturated by the store."""
    return f.rint(c * factor) + zero


def _qlinear_matmul(
    call: NodeCall,
    a: Array,
    scale_a: Array,
    zero_a: Array,
    b: Array,
    scale_b: Array,
    zero_b: Array,
    scale_y: Array,
    zero_y: Array,
) -> Array:
    sums = whole_product(a, b, zero_a, zero_b)
    left = scale_a.reshape(-1, 1) if scale_a.ndim == 1 and scale_a.size > 1 else scale_a
    factor = (left.astype(np.float32) * scale_b.astype(np.float32) / scale_y.astype(np.float32)).astype(np.float32)
    return elementwise(ElementFunction(_requantized), sums, factor, zero_y.astype(np.float32), out=zero_y.dtype)


def whole_convolution(call: NodeCall, x: Array, w: Array, zero_x: Array | None, zero_w: Array | None) -> Array:
    """Return the convolution of (x - zero_x) by (w - zero_w), exactly, in i32. Weights less a zero point have 9 bits;
    then both factors are of 16."""
    types = (x.dtype.name, w.dtype.name, "int32")
    if (zero_w is not None and zero_w.any()) or w.dtype != np.int8:
        zeros = np.zeros(1, np.int16) if zero_w is None else zero_w.astype(np.int16)
        w = w.astype(np.int16) - zeros.reshape(-1, *[1] * (x.ndim - 1))
        x, types = x.astype(np.int16), ("int16", "int16", "int32")
    point = 0 if zero_x is None else int(zero_x.reshape(-1)[0])
    window = {**conv_window(window_of(call, x.ndim - 2)), "groups": call.whole("group", 1)}
    request: Callable[..., Callable[..., Array]] = conv
    layer = request(x.shape, w.shape, dtype=types, zero_point=point, bias=False, **window)
    return layer(x, layer.pack(w))  # type: ignore[attr-defined]


def _conv_integer(
    call: NodeCall, x: Array, w: Array, zero_x: Array | None = None, zero_w: Array | None = None
) -> Array:
    return whole_convolution(call, x, w, zero_x, zero_w)


def _requantized_with_bias(c: Expr, bias: Expr, factor: Expr, zero: Expr) -> Expr:
    return _requantized(c + bias, factor, zero)


def _qlinear_conv(
    call: NodeCall,
    x: Array,
    scale_x: Array,
    zero_x: Array,
    w: Array,
    scale_w: Array,
    zero_w: Array,
    scale_y: Array,
    zero_y: Array,
    bias: Array | None = None,
) -> Array:
    sums = whole_convolution(call, x, w, zero_x, zero_w)
    beside = (-1, *[1] * (x.ndim - 2))
    factor = (scale_x * np.reshape(scale_w, beside) / scale_y).astype(np.float32)
    zero = zero_y.astype(np.float32)
    if bias is None:
        return elementwise(ElementFunction(_requantized), sums, factor, zero, out=zero_y.dtype)
    return elementwise(
        ElementFunction(_requantized_with_bias), sums, bias.reshape(beside), factor, zero, out=zero_y.dtype
    )


# Rules


def _scales(of: LoweredNode, beside: tuple[int, ...]) -> GraphValue:
    """Return the product of both scales, of which that of the weights may differ along an axis."""
    if 2 not in of.known or 4 not in of.known:
        raise UnsupportedError("scales that are not known")
    other = of.known[4].reshape(beside) if of.known[4].ndim else of.known[4]
    return of.graph.constant(np.asarray(of.known[2].reshape(()) * other, F32))


def dequantized_product(
    of: LoweredNode, x: GraphValue, w: GraphValue, scale_x: object, zero: GraphValue | None, *_: GraphValue | None
) -> GraphValue:
    sums = of.apply("cast", _product_sums(of, x, _signed_bytes(of, 5, 2), zero), dtype=F32)
    return of.apply("multiply", sums, _scales(of, (-1,)))


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


def dequantized_convolution(
    of: LoweredNode, x: GraphValue, w: GraphValue, scale_x: object, zero: GraphValue | None, *more: GraphValue | None
) -> GraphValue:
    beside = (-1, *[1] * (x.ndim - 2))
    sums = of.apply("cast", _window_sums(of, x, _signed_bytes(of, 5, x.ndim), zero), dtype=F32)
    made = of.apply("multiply", sums, _scales(of, beside))
    bias = more[2] if len(more) > 2 else None
    return made if bias is None else of.apply("add", made, of.apply("reshape", bias, shape=beside))


ROWS = (
    OnnxRow("MatMulInteger", _matmul_integer, BYTES, {1: BYTES}, rule=_whole_product),
    OnnxRow("QLinearMatMul", _qlinear_matmul, BYTES, {3: BYTES, 7: BYTES}),
    OnnxRow("ConvInteger", _conv_integer, BYTES, {1: BYTES}, refuse=axes_refused, rule=_whole_convolution),
    OnnxRow("QLinearConv", _qlinear_conv, BYTES, {3: BYTES, 7: BYTES}, refuse=axes_refused),
)
