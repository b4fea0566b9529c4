"""Convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...convolution import functions as convolution
from ...convolution.geometry import onnx_padding
from ...convolution.layers import conv
from ...images import pooling
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .library import BYTES, FLOATS, INTEGERS, Array, Results
from .products import requantized
from .reducing import reduced

NAMED_PADDINGS = {"VALID": "valid", "SAME_UPPER": "same", "SAME_LOWER": "same_lower"}
Padding = str | tuple[tuple[int, int], ...]


def _padding(call: NodeCall, dims: int) -> Padding:
    named = NAMED_PADDINGS.get(call.text("auto_pad", "NOTSET"))
    return named or tuple(onnx_padding(call.ints("pads") or (0,) * 2 * dims))


def _each(call: NodeCall, name: str, dims: int) -> tuple[int, ...]:
    return call.ints(name) or (1,) * dims


def _window(call: NodeCall, dims: int) -> dict[str, Padding | tuple[int, ...] | int]:
    """Return the keywords of a convolution."""
    return {
        "padding": _padding(call, dims),
        "stride": _each(call, "strides", dims),
        "dilation": _each(call, "dilations", dims),
        "groups": call.whole("group", 1),
    }


def _plus(y: Expr, bias: Expr) -> Expr:
    return y + bias


def _conv_of(call: NodeCall, x: Array, w: Array, bias: Array | None = None) -> Array:
    dims = x.ndim - 2
    function: Callable[..., Array] = getattr(convolution, f"conv{dims}d")
    return function(x, w, bias, **_window(call, dims))


def _axes_refused(call: NodeCall) -> str | None:
    taps = call.ints("kernel_shape")
    return None if taps is None or len(taps) in (1, 2, 3) else f"{len(taps)} axes; one to three have kernels"


def _totals(
    call: NodeCall, x: Array, w: Array, wanted: Sequence[int], more: Sequence[int]
) -> tuple[Padding, list[int]]:
    """Return the padding with which a transposed convolution has these extents, and what is added behind."""
    dims = x.ndim - 2
    each = zip(
        _each(call, "strides", dims), x.shape[2:], more, w.shape[2:], _each(call, "dilations", dims), strict=True
    )
    whole = [step * (extent - 1) + further + (taps - 1) * apart + 1 for step, extent, further, taps, apart in each]
    totals = [extent - to for extent, to in zip(whole, wanted)]
    behind = [further + max(0, -total) for further, total in zip(more, totals)]
    upper = call.text("auto_pad") == "SAME_UPPER"
    pairs = [(total // 2, total - total // 2) for total in (max(0, total) for total in totals)]
    return tuple(pair if upper else pair[::-1] for pair in pairs), behind


def _conv_transpose_of(call: NodeCall, x: Array, w: Array, bias: Array | None = None) -> Array:
    """ONNX may give the shape of the result, or ask for stride * extent, in place of the padding."""
    dims = x.ndim - 2
    more = list(call.ints("output_padding") or (0,) * dims)
    wanted = call.ints("output_shape")
    if call.text("auto_pad", "NOTSET").startswith("SAME"):
        wanted = tuple(step * extent for step, extent in zip(_each(call, "strides", dims), x.shape[2:]))
    if wanted is None:
        padding: Padding = tuple(onnx_padding(call.ints("pads") or (0,) * 2 * dims))
    else:
        padding, more = _totals(call, x, w, wanted, more)
    function: Callable[..., Array] = getattr(convolution, f"conv_transpose{dims}d")
    return function(x, w, bias, output_padding=more, **_window(call, dims) | {"padding": padding})


# Integers


def whole_convolution(call: NodeCall, x: Array, w: Array, zero_x: Array | None, zero_w: Array | None) -> Array:
    """Return the convolution of (x - zero_x) by (w - zero_w), exactly, in i32. Weights less a zero point have 9 bits;
    then both factors are of 16."""
    types = (x.dtype.name, w.dtype.name, "int32")
    if (zero_w is not None and zero_w.any()) or w.dtype != np.int8:
        zeros = np.zeros(1, np.int16) if zero_w is None else zero_w.astype(np.int16)
        w = w.astype(np.int16) - zeros.reshape(-1, *[1] * (x.ndim - 1))
        x, types = x.astype(np.int16), ("int16", "int16", "int32")
    point = 0 if zero_x is None else int(zero_x.reshape(-1)[0])
    request: Callable[..., Callable[..., Array]] = conv
    layer = request(x.shape, w.shape, dtype=types, zero_point=point, bias=False, **_window(call, x.ndim - 2))
    return layer(x, layer.pack(w))  # type: ignore[attr-defined]


def _conv_integer(
    call: NodeCall, x: Array, w: Array, zero_x: Array | None = None, zero_w: Array | None = None
) -> Array:
    return whole_convolution(call, x, w, zero_x, zero_w)


def _requantized_with_bias(c: Expr, bias: Expr, factor: Expr, zero: Expr) -> Expr:
    return requantized(c + bias, factor, zero)


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
        return elementwise(ElementFunction(requantized), sums, factor, zero, out=zero_y.dtype)
    return elementwise(
        ElementFunction(_requantized_with_bias), sums, bias.reshape(beside), factor, zero, out=zero_y.dtype
    )


# Pooling


def _pool(call: NodeCall, dims: int) -> dict[str, Padding | tuple[int, ...] | bool]:
    return {
        "kernel_size": call.ints("kernel_shape") or (),
        "stride": _each(call, "strides", dims),
        "padding": _padding(call, dims),
        "ceil_mode": bool(call.whole("ceil_mode")),
    }


def _max_pool_of(call: NodeCall, x: Array) -> Results:
    """Return the largest elements, and their places in all of x, by rows or by columns."""
    dims = x.ndim - 2
    function: Callable[..., Array | tuple[Array, Array]] = getattr(pooling, f"max_pool{dims}d")
    given = {**_pool(call, dims), "dilation": _each(call, "dilations", dims)}
    if call.results < 2:
        return function(x, **given)
    y, places = function(x, **given, return_indices=True)
    within = np.unravel_index(places, x.shape[2:])
    turned = bool(call.whole("storage_order"))
    shape = x.shape[:1:-1] if turned else x.shape[2:]
    planes = np.arange(math.prod(x.shape[:2])).reshape(*x.shape[:2], *[1] * dims) * math.prod(x.shape[2:])
    return y, (np.ravel_multi_index(within[::-1] if turned else within, shape) + planes).astype(np.int64)


def _average_pool_of(call: NodeCall, x: Array) -> Array:
    dims = x.ndim - 2
    function: Callable[..., Array] = getattr(pooling, f"avg_pool{dims}d")
    return function(x, **_pool(call, dims), count_include_pad=bool(call.whole("count_include_pad")))


def _average_refused(call: NodeCall) -> str | None:
    apart = call.ints("dilations")
    if apart is not None and any(each != 1 for each in apart):
        return "windows of means have no dilation"
    return _axes_refused(call)


def _powers(x: Expr, p: int) -> Expr:
    return abs(x) ** p


def _root(mean: Expr, count: float, p: int) -> Expr:
    """The p-th root of a sum of powers, which is not below 0."""
    total = mean * count
    if p < 3:
        return f.sqrt(total) if p == 2 else total
    return f.select(total == 0.0, total, f.exp(f.log(total) * (1.0 / p)))


def _lp_pool_of(call: NodeCall, x: Array) -> Array:
    """Return a norm of each window: a root of means, times the number of elements, of powers."""
    dims, p = x.ndim - 2, call.whole("p", 2)
    function: Callable[..., Array] = getattr(pooling, f"avg_pool{dims}d")
    given = _pool(call, dims)
    wide = np.dtype(np.float64) if p > 2 else x.dtype
    powers = elementwise(ElementFunction(_powers, (p,)), x, out=wide)
    means = function(powers, **given, count_include_pad=True)
    return elementwise(ElementFunction(_root, (math.prod(call.ints("kernel_shape") or ()), p)), means, out=x.dtype)


def _lp_refused(call: NodeCall) -> str | None:
    return "the last windows are whole" if call.whole("ceil_mode") else _average_refused(call)


def _global_lp_of(call: NodeCall, x: Array) -> Array:
    return reduced("l1" if call.whole("p", 2) == 1 else "l2", x, range(2, x.ndim))


def _global(name: str) -> Callable[[NodeCall, Array], Array]:
    return lambda call, x: reduced(name, x, range(2, x.ndim))


_POOLED = FLOATS | INTEGERS
ROWS = (
    OnnxRow("Conv", _conv_of, refuse=_axes_refused),
    OnnxRow("ConvTranspose", _conv_transpose_of, refuse=_axes_refused),
    OnnxRow("ConvInteger", _conv_integer, BYTES, {1: BYTES}, refuse=_axes_refused),
    OnnxRow("QLinearConv", _qlinear_conv, BYTES, {3: BYTES, 7: BYTES}, refuse=_axes_refused),
    OnnxRow("MaxPool", _max_pool_of, _POOLED, refuse=_axes_refused),
    OnnxRow("AveragePool", _average_pool_of, refuse=_average_refused),
    OnnxRow("LpPool", _lp_pool_of, since=11, refuse=_lp_refused),
    OnnxRow("GlobalAveragePool", _global("mean")),
    OnnxRow("GlobalMaxPool", _global("max")),
    OnnxRow("GlobalLpPool", _global_lp_of, refuse=lambda call: None if call.whole("p", 2) in (1, 2) else "p is 1 or 2"),
)
