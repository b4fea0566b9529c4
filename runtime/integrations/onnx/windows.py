"""Convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...convolution.geometry import onnx_padding
from ...graph.values import GraphValue
from ...images import pooling
from .call import NodeCall, OnnxRow, Rule
from .elements import ElementFunction, elementwise
from .library import FLOATS, INTEGERS, Array
from .lowering import LoweredNode, ruled
from .reducing import reduction_of

NAMED_PADDINGS = {"VALID": "valid", "SAME_UPPER": "same", "SAME_LOWER": "same_lower"}
Padding = str | tuple[tuple[int, int], ...]


def _padding(call: NodeCall, dims: int) -> Padding:
    named = NAMED_PADDINGS.get(call.text("auto_pad", "NOTSET"))
    return named or tuple(onnx_padding(call.ints("pads") or (0,) * 2 * dims))


def window_of(call: NodeCall, dims: int) -> dict[str, Padding | tuple[int, ...]]:
    """Return the window of a convolution or a pool, as operators of the graph compiler have it."""
    each = (1,) * dims
    return {
        "strides": call.ints("strides") or each,
        "padding": _padding(call, dims),
        "dilations": call.ints("dilations") or each,
    }


def _conv(of: LoweredNode, x: GraphValue, w: GraphValue, b: GraphValue | None = None) -> GraphValue:
    return of.apply("conv", x, w, b, groups=of.call.whole("group", 1), **window_of(of.call, x.ndim - 2))


def axes_refused(call: NodeCall) -> str | None:
    taps = call.ints("kernel_shape")
    return None if taps is None or len(taps) in (1, 2, 3) else f"{len(taps)} axes; one to three have kernels"


def _totals(
    call: NodeCall, x: GraphValue, w: GraphValue, wanted: Sequence[int], more: Sequence[int]
) -> tuple[Padding, list[int]]:
    """Return the padding with which a transposed convolution has these extents, and what is added behind."""
    each = (1,) * (x.ndim - 2)
    steps, dilations = call.ints("strides") or each, call.ints("dilations") or each
    whole = [
        step * (extent - 1) + further + (taps - 1) * apart + 1
        for step, extent, further, taps, apart in zip(steps, x.shape[2:], more, w.shape[2:], dilations, strict=True)
    ]
    totals = [extent - to for extent, to in zip(whole, wanted)]
    behind = [further + max(0, -total) for further, total in zip(more, totals)]
    upper = call.text("auto_pad") == "SAME_UPPER"
    pairs = [(total // 2, total - total // 2) for total in (max(0, total) for total in totals)]
    return tuple(pair if upper else pair[::-1] for pair in pairs), behind


def _conv_transpose(of: LoweredNode, x: GraphValue, w: GraphValue, b: GraphValue | None = None) -> GraphValue:
    """ONNX may give the shape of the result, or ask for stride * extent, in place of the padding."""
    dims, wanted = x.ndim - 2, of.call.ints("output_shape")
    window, more = window_of(of.call, dims), list(of.call.ints("output_padding") or (0,) * dims)
    if of.call.text("auto_pad", "NOTSET").startswith("SAME"):
        steps = of.call.ints("strides") or (1,) * dims
        wanted = tuple(step * extent for step, extent in zip(steps, x.shape[2:]))
    if wanted is not None:
        window["padding"], more = _totals(of.call, x, w, wanted, more)
    groups = of.call.whole("group", 1)
    return of.apply("conv_transpose", x, w, b, groups=groups, output_padding=tuple(more), **window)


# Pooling


def _pool(of: LoweredNode, dims: int) -> dict[str, object]:
    """Return the window of a pool."""
    window = {"window": of.call.ints("kernel_shape") or (), **window_of(of.call, dims)}
    return {**window, "ceil_mode": bool(of.call.whole("ceil_mode"))}


def _max_pool(of: LoweredNode, x: GraphValue) -> GraphValue | tuple[GraphValue, ...]:
    """The largest elements, and their places in all of x, by rows or by columns."""
    y, places = of.graph.results("max_pool", x, **_pool(of, x.ndim - 2))
    if of.call.results < 2:
        return y
    extents, size = x.shape[2:], math.prod(x.shape[2:])
    if of.call.whole("storage_order"):
        turned = np.arange(size).reshape(extents[::-1]).T
        places = of.apply("gather", of.graph.constant(turned.reshape(-1)), places, negative=False)
    planes = np.arange(math.prod(x.shape[:2])).reshape(*x.shape[:2], *[1] * len(extents)) * size
    return y, of.apply("add", places, of.graph.constant(planes))


def _mean_pool(of: LoweredNode, x: GraphValue) -> GraphValue:
    window = {name: each for name, each in _pool(of, x.ndim - 2).items() if name != "dilations"}
    return of.apply("avg_pool", x, count_include_pad=bool(of.call.whole("count_include_pad")), **window)


def _average_refused(call: NodeCall) -> str | None:
    apart = call.ints("dilations")
    if apart is not None and any(each != 1 for each in apart):
        return "windows of means have no dilation"
    return axes_refused(call)


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
    window = window_of(call, dims)
    given = {"kernel_size": call.ints("kernel_shape"), "stride": window["strides"], "padding": window["padding"]}
    wide = np.dtype(np.float64) if p > 2 else x.dtype
    powers = elementwise(ElementFunction(_powers, (p,)), x, out=wide)
    means = function(powers, **given, count_include_pad=True)
    return elementwise(ElementFunction(_root, (math.prod(call.ints("kernel_shape") or ()), p)), means, out=x.dtype)


def _lp_refused(call: NodeCall) -> str | None:
    return "the last windows are whole" if call.whole("ceil_mode") else _average_refused(call)


def _global(name: str = "") -> Rule:
    """Return the rule of a reduction of each image; by default of the norm that the node names."""

    def lower(of: LoweredNode, x: GraphValue) -> GraphValue:
        return reduction_of(of, name or f"l{of.call.whole('p', 2)}", x, range(2, x.ndim), True)

    return lower


ROWS = (
    ruled("Conv", _conv, refuse=axes_refused),
    ruled("ConvTranspose", _conv_transpose, refuse=axes_refused),
    ruled("MaxPool", _max_pool, FLOATS | INTEGERS, refuse=axes_refused),
    ruled("AveragePool", _mean_pool, refuse=_average_refused),
    OnnxRow("LpPool", _lp_pool_of, since=11, refuse=_lp_refused),
    ruled("GlobalAveragePool", _global("mean")),
    ruled("GlobalMaxPool", _global("max")),
    ruled("GlobalLpPool", _global(), refuse=lambda call: None if call.whole("p", 2) in (1, 2) else "p is 1 or 2"),
)
