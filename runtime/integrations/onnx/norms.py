"""Norms of rows, channels and groups of channels."""

from __future__ import annotations

import math

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...api import fused
from ...images.norm import batch_norm
from ...images.pooling import avg_pool2d
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, along, computed, elementwise
from .library import FLOATS, Array, Results, kernel_type


def _spread_out(x: Expr, eps: float) -> tuple[Expr, Expr, Expr]:
    mean = fused.mean(x, axis=1)
    away = x - mean
    inverse = 1.0 / f.sqrt(fused.mean(away * away, axis=1) + eps)
    return away * inverse, mean, inverse


def _layer(x: Expr, scale: Expr, bias: Expr, eps: float) -> tuple[Expr, Expr, Expr]:
    made, mean, inverse = _spread_out(x, eps)
    return made * scale + bias, mean, inverse


def _layer_without_bias(x: Expr, scale: Expr, eps: float) -> tuple[Expr, Expr, Expr]:
    made, mean, inverse = _spread_out(x, eps)
    return made * scale, mean, inverse


def _layer_of(call: NodeCall, x: Array, scale: Array, bias: Array | None = None) -> Results:
    axis = call.whole("axis", -1) % max(1, x.ndim)
    inner = x.shape[axis:]
    rows, columns = math.prod(x.shape[:axis]), math.prod(inner)
    stash = np.dtype(np.float64 if x.dtype == np.float64 else np.float32)
    kept = (*x.shape[:axis], *[1] * len(inner))
    if not x.size:
        return np.empty_like(x), np.zeros(kept, stash), np.zeros(kept, stash)
    vectors = [np.broadcast_to(each, inner).reshape(1, columns) for each in (scale, bias) if each is not None]
    traced = ElementFunction(_layer if bias is not None else _layer_without_bias, (call.number("epsilon", 1e-5),))
    types = (kernel_type(x.dtype), kernel_type(stash), kernel_type(stash))
    y, mean, inverse = computed(traced, [x.reshape(rows, columns), *vectors], types)
    return y.reshape(x.shape), mean.reshape(kept), inverse.reshape(kept)


def _rms(x: Expr, scale: Expr, eps: float) -> Expr:
    return x / f.sqrt(fused.mean(x * x, axis=1) + eps) * scale


def _rms_of(call: NodeCall, x: Array, scale: Array) -> Array:
    axis = call.whole("axis", -1) % max(1, x.ndim)
    if not x.size:
        return np.empty_like(x)
    columns = math.prod(x.shape[axis:])
    vector = np.broadcast_to(scale, x.shape[axis:]).reshape(1, columns)
    made = computed(ElementFunction(_rms, (call.number("epsilon", 1e-5),)), [x.reshape(-1, columns), vector])
    assert not isinstance(made, tuple)
    return made.reshape(x.shape)


def _grouped(x: Expr, eps: float) -> Expr:
    return _spread_out(x, eps)[0]


def _instance(x: Expr, scale: Expr, bias: Expr, eps: float) -> Expr:
    return _spread_out(x, eps)[0] * scale + bias


def _instance_of(call: NodeCall, x: Array, scale: Array, bias: Array) -> Array:
    n, c = x.shape[:2]
    if not x.size:
        return np.empty_like(x)
    columns = [np.tile(each.reshape(1, c), (n, 1)).reshape(n * c, 1) for each in (scale, bias)]
    made = computed(ElementFunction(_instance, (call.number("epsilon", 1e-5),)), [x.reshape(n * c, -1), *columns])
    assert not isinstance(made, tuple)
    return made.reshape(x.shape)


def _affine(x: Expr, scale: Expr, bias: Expr) -> Expr:
    return x * scale + bias


def _group_of(call: NodeCall, x: Array, scale: Array, bias: Array) -> Array:
    if not x.size:
        return np.empty_like(x)
    rows = x.shape[0] * call.whole("num_groups")
    wide = None if x.dtype in (np.float32, np.float64) else "f32"
    made = computed(ElementFunction(_grouped, (call.number("epsilon", 1e-5),)), [x.reshape(rows, -1)], wide)
    assert not isinstance(made, tuple)
    channels = (1, x.shape[1], *[1] * (x.ndim - 2))
    return elementwise(
        ElementFunction(_affine), made.reshape(x.shape), scale.reshape(channels), bias.reshape(channels), out=x.dtype
    )


def _blended(old: Expr, new: Expr, momentum: float) -> Expr:
    return old * momentum + new * (1.0 - momentum)


def _variance(inverse: Expr, eps: float) -> Expr:
    return 1.0 / (inverse * inverse) - eps


def _batch_of(call: NodeCall, x: Array, scale: Array, bias: Array, mean: Array, var: Array) -> Results:
    eps = call.number("epsilon", 1e-5)
    if not call.whole("training_mode"):
        made: Array = batch_norm(x, mean, var, scale, bias, eps=eps)
        return made
    y, own, inverse = batch_norm(x, None, None, scale, bias, training=True, eps=eps, return_statistics=True)
    moved = ElementFunction(_blended, (call.number("momentum", 0.9),))
    variance = elementwise(ElementFunction(_variance, (eps,)), inverse)
    means = elementwise(moved, mean, own, out=mean.dtype, compute="f64")
    return y, means, elementwise(moved, var, variance, out=var.dtype, compute="f64")


def _lp1(x: Expr) -> Expr:
    total = fused.sum(abs(x), axis=1)
    return f.select(total == 0.0, x * 0.0, x / total)


def _lp2(x: Expr) -> Expr:
    total = f.sqrt(fused.sum(x * x, axis=1))
    return f.select(total == 0.0, x * 0.0, x / total)


def _lp_of(call: NodeCall, x: Array) -> Array:
    return along(ElementFunction(_lp1 if call.whole("p", 2) == 1 else _lp2), x, call.whole("axis", -1))


def _lp_refused(call: NodeCall) -> str | None:
    return None if call.whole("p", 2) in (1, 2) else "p is 1 or 2"


def _square(x: Expr) -> Expr:
    return x * x


def _response(x: Expr, mean: Expr, alpha: float, beta: float, bias: float) -> Expr:
    return x * f.exp(-beta * f.log(bias + alpha * mean))


def _lrn_of(call: NodeCall, x: Array) -> Array:
    """Divide by a power of the mean square of neighbouring channels; those beside the first and last one are 0."""
    size = call.whole("size")
    n, c = x.shape[:2]
    squares = elementwise(ElementFunction(_square), x).reshape(n, 1, c, -1)
    before = (size - 1) // 2
    means = avg_pool2d(squares, (size, 1), 1, ((before, size - 1 - before), (0, 0)))
    numbers = tuple(call.number(name) for name in ("alpha", "beta", "bias"))
    return elementwise(ElementFunction(_response, numbers), x, means.reshape(x.shape))


ROWS = (
    OnnxRow("LayerNormalization", _layer_of, since=17),
    OnnxRow("RMSNormalization", _rms_of, since=23),
    OnnxRow("InstanceNormalization", _instance_of, since=6),
    OnnxRow("GroupNormalization", _group_of, since=21),
    OnnxRow("BatchNormalization", _batch_of, since=14),
    OnnxRow("BatchNormalization", _batch_of, since=9, until=14),
    OnnxRow("LpNormalization", _lp_of, refuse=_lp_refused),
    OnnxRow("LRN", _lrn_of, FLOATS - {"float16", "bfloat16"}),
)
