"""ATen's reductions, softmax and norms, as operators of the graph compiler."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....graph.values import GraphValue
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types


def _reduction(operator: str, form: str) -> dict[str, AtenRow]:
    """Return the rows of a reduction of all elements, and along axes, with the type of the sum if it has one."""
    return {
        operator: AtenRow(lambda g, x, *_: g.reduced(operator, x, None)),
        f"{operator}.{form}": AtenRow(lambda g, x, dims, keep, _: g.reduced(operator, x, dims, keep)),
    }


def _truth(operator: str) -> dict[str, AtenRow]:
    """Return the rows of `any` or `all`."""

    def lower(g: AtenLowering, x: GraphValue, dims: int | Sequence[int] | None = None, keep: bool = False) -> Lowered:
        g.need(not isinstance(dims, list) or bool(dims), "a reduction along no axis")
        return g.reduced(operator, g.truth(x), dims, keep)

    return {f"{operator}{form}": AtenRow(lower, Types.KEPT) for form in ("", ".dim", ".dims")}


def _best(extreme: str, place: str) -> AtenRow:
    """Return the row of the largest or smallest element along an axis, and its position."""

    def lower(g: AtenLowering, x: GraphValue, dim: int, keep: bool) -> Lowered:
        if not x.shape:
            return x, g.full((), 0, np.dtype("i8"))
        axis = g.axis(x, dim)
        return g(extreme, x, axes=(axis,), keepdims=keep), g(place, x, axis=axis, keepdims=keep)

    return AtenRow(lower, Types.KEPT)


def _place(operator: str) -> AtenRow:
    def lower(g: AtenLowering, x: GraphValue, dim: int | None, keep: bool) -> Lowered:
        if not x.shape:
            return g.full((), 0, np.dtype("i8"))
        if dim is None:
            flat = g(operator, g.reshaped(x, (-1,)), axis=0, keepdims=False)
            return g.reshaped(flat, g.shapes[0])
        return g(operator, x, axis=g.axis(x, dim), keepdims=keep)

    return AtenRow(lower, Types.KEPT)


def _norm(
    g: AtenLowering, x: GraphValue, order: float | None, dims: Sequence[int] | None, keep: bool, *_: object
) -> Lowered:
    axes, order = g.axes(x, dims), 2 if order is None else order
    if not axes:
        g.need(order != 0, "the norm of order 0")
        return g("absolute", x)
    if order == 2:
        return g("sqrt", g("sum", g("multiply", x, x), axes=axes, keepdims=keep))
    named = {1: "sum", math.inf: "max", -math.inf: "min"}.get(order)
    g.need(named is not None, f"the norm of order {order}")
    return g(str(named), g("absolute", x), axes=axes, keepdims=keep)


# softmax


def _softmax(operator: str) -> AtenRow:
    def lower(g: AtenLowering, x: GraphValue, dim: int, _: bool) -> Lowered:
        g.need(len(x.shape) > 0, "the softmax of one element")
        return g(operator, x, axis=g.axis(x, dim))

    return AtenRow(lower)


def _scan(operator: str) -> AtenRow:
    """Return the row of running sums or products, of the type of the result, which is int64 for integers."""

    def lower(g: AtenLowering, x: GraphValue, dim: int, _: object = None) -> Lowered:
        if not x.shape:
            return g("reshape", x, shape=())
        return g(operator, x, axis=g.axis(x, dim))

    return AtenRow(lower)


def _topk(g: AtenLowering, x: GraphValue, k: int, dim: int, largest: bool, _: bool) -> Lowered:
    return g.several("topk", x, k=k, axis=dim, largest=largest)


def _softmax_backward(operator: str) -> AtenRow:
    def lower(g: AtenLowering, gradient: GraphValue, y: GraphValue, dim: int, _: object) -> Lowered:
        g.need(len(y.shape) > 0, "the softmax of one element")
        return g(operator, gradient, y, axis=g.axis(y, dim))

    return AtenRow(lower)


# norms


def _layer_norm(
    g: AtenLowering,
    x: GraphValue,
    shape: Sequence[int],
    weight: GraphValue | None,
    bias: GraphValue | None,
    eps: float,
) -> Lowered:
    return g.several("layer_norm", x, weight, bias, axes=len(shape), eps=eps)


def _layer_norm_backward(
    g: AtenLowering,
    gradient: GraphValue,
    x: GraphValue,
    shape: Sequence[int],
    mean: GraphValue,
    inverse: GraphValue,
    weight: GraphValue | None,
    bias: GraphValue | None,
    wanted: Sequence[bool],
) -> Lowered:
    made = g.several("layer_norm_backward", gradient, x, mean, inverse, weight, axes=len(shape))
    return tuple(each if asked else None for each, asked in zip(made, wanted))


def _rms_norm(
    g: AtenLowering, x: GraphValue, shape: Sequence[int], weight: GraphValue | None, eps: float | None
) -> Lowered:
    eps = float(np.finfo(g.result).eps) if eps is None else eps
    return g.several("rms_norm", x, weight, axes=len(shape), eps=eps)


def _rms_norm_backward(
    g: AtenLowering,
    gradient: GraphValue,
    x: GraphValue,
    shape: Sequence[int],
    inverse: GraphValue,
    weight: GraphValue | None,
    wanted: Sequence[bool],
) -> Lowered:
    made = g.several("rms_norm_backward", gradient, x, inverse, weight, axes=len(shape))
    return tuple(each if asked else None for each, asked in zip(made, wanted))


def _batch_norm(
    g: AtenLowering,
    x: GraphValue,
    weight: GraphValue | None,
    bias: GraphValue | None,
    mean: GraphValue,
    variance: GraphValue,
    momentum: float,
    eps: float,
) -> Lowered:
    """By statistics that were given. Those of training are empty results then, which only torch makes."""
    return g("batch_norm", x, weight, bias, mean, variance, eps=eps), None, None


def _batch_norm_training(
    g: AtenLowering,
    x: GraphValue,
    weight: GraphValue | None,
    bias: GraphValue | None,
    running_mean: GraphValue,
    running_variance: GraphValue,
    training: bool,
    momentum: float,
    eps: float,
) -> Lowered:
    if not training:
        given = _batch_norm(g, x, weight, bias, running_mean, running_variance, momentum, eps)
        assert isinstance(given, tuple)
        return *given, running_mean, running_variance
    number = g.count(x, (0, *range(2, len(x.shape))))
    g.need(number > 1, "the variance of one element")
    y, mean, inverse = g.several("batch_norm_training", x, weight, bias, eps=eps)
    variance = g("subtract", g("reciprocal", g("square", inverse)), eps)

    def moved(old: GraphValue, new: GraphValue, factor: float) -> GraphValue:
        return g("add", g("multiply", old, 1 - momentum), g("multiply", new, momentum * factor))

    moving = moved(running_mean, mean, 1.0), moved(running_variance, variance, number / (number - 1))
    return y, mean, inverse, *moving


def _batch_norm_backward(
    g: AtenLowering,
    gradient: GraphValue,
    x: GraphValue,
    weight: GraphValue | None,
    running_mean: GraphValue | None,
    running_variance: GraphValue | None,
    mean: GraphValue | None,
    inverse: GraphValue | None,
    training: bool,
    eps: float,
    wanted: Sequence[bool],
) -> Lowered:
    if not training:
        g.need(running_mean is not None and running_variance is not None, "batch norm without statistics")
        assert running_variance is not None
        mean, inverse = running_mean, g("rsqrt", g("add", running_variance, eps))
    made = g.several("batch_norm_backward", gradient, x, mean, inverse, weight, training=training)
    return tuple(each if asked else None for each, asked in zip(made, wanted))


def _group_norm(
    g: AtenLowering,
    x: GraphValue,
    weight: GraphValue | None,
    bias: GraphValue | None,
    samples: int,
    channels: int,
    positions: int,
    groups: int,
    eps: float,
) -> Lowered:
    inside = g.reshaped(x, (samples * groups, channels // groups * positions))
    y, mean, inverse = g.several("layer_norm", inside, None, None, axes=1, eps=eps)
    y = g.reshaped(y, (samples, channels, positions))
    for operator, each in (("multiply", weight), ("add", bias)):
        y = y if each is None else g(operator, y, g.reshaped(each, (channels, 1)))
    return g.reshaped(y, x.shape), *(g.reshaped(each, (samples, groups)) for each in (mean, inverse))


REDUCTIONS: dict[str, AtenRow] = {
    **_reduction("sum", "dim_IntList"),
    **_reduction("mean", "dim"),
    **_reduction("prod", "dim_int"),
    **_truth("any"),
    **_truth("all"),
    "amax": AtenRow(lambda g, x, dims, keep: g.reduced("max", x, dims, keep)),
    "amin": AtenRow(lambda g, x, dims, keep: g.reduced("min", x, dims, keep)),
    "max": AtenRow(lambda g, x: g.reduced("max", x, None)),
    "min": AtenRow(lambda g, x: g.reduced("min", x, None)),
    "max.dim": _best("max", "argmax"),
    "min.dim": _best("min", "argmin"),
    "argmax": _place("argmax"),
    "argmin": _place("argmin"),
    "var.correction": AtenRow(lambda g, x, dims, correction, keep: g.moments(x, dims, correction, keep)[0], Types.WIDE),
    "std.correction": AtenRow(
        lambda g, x, dims, correction, keep: g("sqrt", g.moments(x, dims, correction, keep)[0]), Types.WIDE
    ),
    "var_mean.correction": AtenRow(
        lambda g, x, dims, correction, keep: g.moments(x, dims, correction, keep), Types.WIDE
    ),
    "linalg_vector_norm": AtenRow(_norm, Types.WIDE),
    "norm.ScalarOpt_dim": AtenRow(_norm, Types.WIDE),
    "norm.Scalar": AtenRow(lambda g, x, order: _norm(g, x, order, None, False), Types.WIDE),
    "logsumexp": AtenRow(lambda g, x, dims, keep: g.reduced("logsumexp", x, dims, keep), Types.WIDE),
    "topk": AtenRow(_topk, Types.KEPT),
    "cumsum": _scan("cumsum"),
    "cumprod": _scan("cumprod"),
    "_softmax": _softmax("softmax"),
    "_log_softmax": _softmax("log_softmax"),
    "_softmax_backward_data": _softmax_backward("softmax_backward"),
    "_log_softmax_backward_data": _softmax_backward("log_softmax_backward"),
    "native_layer_norm": AtenRow(_layer_norm, Types.WIDE),
    "native_layer_norm_backward": AtenRow(_layer_norm_backward, Types.WIDE),
    "_fused_rms_norm": AtenRow(_rms_norm, Types.WIDE),
    "_fused_rms_norm_backward": AtenRow(_rms_norm_backward, Types.WIDE),
    "_native_batch_norm_legit_no_training": AtenRow(_batch_norm, Types.WIDE),
    "_native_batch_norm_legit_functional": AtenRow(_batch_norm_training, Types.WIDE),
    "native_batch_norm_backward": AtenRow(_batch_norm_backward, Types.WIDE),
    "native_group_norm": AtenRow(_group_norm, Types.WIDE),
}
