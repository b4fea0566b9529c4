"""Reductions along axes, positions of extrema, softmax, running sums, and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...graph.values import GraphValue
from .call import NodeCall, OnnxRow, Rule, Types
from .elements import as_rows, reduction
from .library import BOOL, BYTES, FLOATS, Array, Compute, kernel_type
from .lowering import F64, LoweredNode, ruled, wide


def axes_of(call: NodeCall, x: Array, axes: Array | None) -> list[int] | None:
    """Return the axes of a reduction; None if none is reduced."""
    given = call.ints("axes") if axes is None else axes.reshape(-1).tolist()
    if given is None or not len(given):
        return None if call.whole("noop_with_empty_axes") else list(range(x.ndim))
    return sorted({axis % x.ndim for axis in given})


def _shape(x: Array, axes: Sequence[int], keep: bool) -> tuple[int, ...]:
    """Return the shape of a reduction along axes."""
    if keep:
        return tuple(1 if axis in axes else extent for axis, extent in enumerate(x.shape))
    return tuple(extent for axis, extent in enumerate(x.shape) if axis not in axes)


_OF_NOTHING = {"sum": 0.0, "max": -math.inf, "min": math.inf}


def _of_nothing(name: str, dtype: np.dtype[np.generic]) -> float | int | bool:
    """Return the reduction of no element."""
    found = _OF_NOTHING[name]
    if dtype.kind in "iu" and math.isinf(found):
        ends = np.iinfo(dtype.name)
        return int(ends.min if found < 0 else ends.max)
    return found if dtype.kind != "b" else found > 0


def reduced(name: str, x: Array, axes: Sequence[int], keep: bool = True) -> Array:
    """Return the sum, the largest or the least element of x along axes."""
    shape = _shape(x, axes, keep)
    if not x.size:
        return np.full(shape, _of_nothing(name, x.dtype), x.dtype)
    leading = list(axes) == list(range(len(axes))) and len(axes) < x.ndim
    if leading:
        matrix, axis = x.reshape(math.prod(x.shape[: len(axes)]), -1), 0
    else:
        matrix, axis = as_rows(x, axes)[0], 1
    made = reduction(name, matrix, axis, kernel_type(x.dtype))
    return (made.view(np.bool_) if x.dtype == np.bool_ else made).reshape(shape)


def reducing(name: str) -> Compute:
    """Return the operator of a reduction."""

    def compute(call: NodeCall, x: Array, axes: Array | None = None) -> Array:
        found = axes_of(call, x, axes)
        if found is None:
            return x.copy()
        return reduced(name, x, found, bool(call.whole("keepdims", 1)))

    return compute


def extremum(name: str) -> Compute:
    """Return the operator of the position of the largest or least element along an axis."""

    def compute(call: NodeCall, x: Array) -> Array:
        axis, keep = call.whole("axis") % max(1, x.ndim), bool(call.whole("keepdims", 1))
        last = bool(call.whole("select_last_index"))
        seen = np.flip(x, axis) if last else x
        made = reduction(name, as_rows(seen, [axis])[0], 1).astype(np.int64)
        if last:
            made = x.shape[axis] - 1 - made
        return made.reshape(_shape(x, [axis], keep))

    return compute


# Rules


_PARTS = {
    "sum": ("", "sum", ""),
    "mean": ("", "mean", ""),
    "max": ("", "max", ""),
    "min": ("", "min", ""),
    "product": ("", "prod", ""),
    "squares": ("square", "sum", ""),
    "l1": ("absolute", "sum", ""),
    "l2": ("square", "sum", "sqrt"),
    "log_sum": ("", "sum", "log"),
    "log_sum_exp": ("", "logsumexp", ""),
}
"""Reductions as operators of the graph compiler: of the elements, of what these give, and of the result."""


def reduction_of(of: LoweredNode, name: str, x: GraphValue, axes: Sequence[int], keep: bool) -> GraphValue:
    """Build a reduction, of the type of its operand."""
    before, operator, after = _PARTS[name if x.size or name != "log_sum_exp" else "log_sum"]
    made = of.apply(operator, of.apply(before, x) if before else x, axes=tuple(axes), keepdims=keep)
    return of.cast(of.apply(after, made) if after else made, x.dtype)


def _rule_of(name: str) -> Rule:
    def lower(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
        given = of.known[1].reshape(-1).tolist() if 1 in of.known else of.call.ints("axes")
        if x.dtype.kind == "b":
            raise UnsupportedError("truth values")
        if not given and of.call.whole("noop_with_empty_axes"):
            return x
        return reduction_of(of, name, x, given or range(x.ndim), bool(of.call.whole("keepdims", 1)))

    return lower


def _along(operator: str) -> Rule:
    """Return the rule of a function of the rows along an axis; before version 13 of all elements from an axis on."""

    def lower(of: LoweredNode, x: GraphValue) -> GraphValue:
        if of.call.version >= 13:
            return of.apply(operator, x, axis=of.call.whole("axis", -1))
        axis = of.call.whole("axis", 1)
        axis += x.ndim if axis < 0 else 0
        rows = of.apply("reshape", x, shape=(math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))
        return of.apply("reshape", of.apply(operator, rows, axis=1), shape=x.shape)

    return lower


def _hardmax(of: LoweredNode, x: GraphValue) -> GraphValue:
    """1 at the first largest element along an axis, and 0 elsewhere."""
    axis = of.call.whole("axis", -1) % x.ndim
    best = of.apply("argmax", x, axis=axis, keepdims=True)
    places = np.arange(x.shape[axis]).reshape(-1, *[1] * (x.ndim - 1 - axis))
    return of.cast(of.apply("equal", best, of.graph.constant(places)), x.dtype)


def _scan(operator: str) -> Rule:
    """Return the rule of running sums or products along an axis that is known."""

    def lower(of: LoweredNode, x: GraphValue, _: GraphValue) -> GraphValue:
        if 1 not in of.known:
            raise UnsupportedError("an axis that is not known")
        axis, back = int(of.known[1].reshape(-1)[0]) % x.ndim, bool(of.call.whole("reverse"))
        turned = of.apply("flip", x, axes=axis) if back else x
        made = of.apply(operator, turned, axis=axis, exclusive=bool(of.call.whole("exclusive")))
        return of.cast(of.apply("flip", made, axes=axis) if back else made, x.dtype)

    return lower


def _topk(of: LoweredNode, x: GraphValue, _: GraphValue | None = None) -> tuple[GraphValue, ...]:
    """The largest or smallest elements along an axis in order, and their places."""
    if 1 not in of.known:
        raise UnsupportedError("a number of elements that is not known")
    k, largest = int(of.known[1].reshape(-1)[0]), bool(of.call.whole("largest", 1))
    return of.graph.results("topk", x, k=k, axis=of.call.whole("axis", -1), largest=largest)


# Norms


def _eps(call: NodeCall) -> float:
    return call.number("epsilon", 1e-5)


def _inner(of: LoweredNode, x: GraphValue, *vectors: GraphValue | None) -> tuple[int, list[GraphValue | None]]:
    """Return the number of axes that are normalised together, and vectors as they lie along these."""
    inner = x.shape[of.call.whole("axis", -1) % max(1, x.ndim) :]
    return len(inner), [None if each is None else of.apply("broadcast_to", each, shape=inner) for each in vectors]


def _layer_norm(
    of: LoweredNode, x: GraphValue, scale: GraphValue, bias: GraphValue | None = None
) -> tuple[GraphValue, ...]:
    """The norm, and the means and inverse deviations, which have at least 32 bits."""
    axes, vectors = _inner(of, x, scale, bias)
    given = [x, *vectors]
    if of.call.results > 1:
        given = [None if each is None else of.cast(each, wide(x.dtype)) for each in given]
    y, *statistics = of.graph.results("layer_norm", *given, axes=axes, eps=_eps(of.call))
    return of.cast(y, x.dtype), *statistics


def _rms_norm(of: LoweredNode, x: GraphValue, scale: GraphValue) -> GraphValue:
    axes, vectors = _inner(of, x, scale)
    return of.graph.results("rms_norm", x, *vectors, axes=axes, eps=_eps(of.call))[0]


def _group_norm(each_channel: bool) -> Rule:
    def lower(of: LoweredNode, x: GraphValue, scale: GraphValue, bias: GraphValue) -> GraphValue:
        groups = x.shape[1] if each_channel else of.call.whole("num_groups")
        given = (of.cast(each, wide(x.dtype)) for each in (x, scale, bias))
        return of.cast(of.apply("group_norm", *given, groups=groups, eps=_eps(of.call)), x.dtype)

    return lower


def _batch_norm(
    of: LoweredNode, x: GraphValue, scale: GraphValue, bias: GraphValue, mean: GraphValue, variance: GraphValue
) -> GraphValue | tuple[GraphValue, ...]:
    """By the statistics that are given; in training by those of x, towards which the given ones move."""
    eps, own = _eps(of.call), x.dtype
    dtype = max((each.dtype for each in (x, scale, mean)), key=lambda each: each.itemsize)
    x, scale, bias = (of.cast(each, dtype) for each in (x, scale, bias))
    if not of.call.whole("training_mode"):
        made = of.apply("batch_norm", x, scale, bias, of.cast(mean, dtype), of.cast(variance, dtype), eps=eps)
        return of.cast(made, own)
    made, of_x, inverse = of.graph.results("batch_norm_training", x, scale, bias, eps=eps)
    spread = of.apply("subtract", of.apply("reciprocal", of.apply("square", inverse)), eps)
    return of.cast(made, own), _moved(of, mean, of_x), _moved(of, variance, spread)


def _moved(of: LoweredNode, old: GraphValue, new: GraphValue) -> GraphValue:
    """Return a mean of earlier steps and the one of this step, computed in f64."""
    momentum = of.call.number("momentum", 0.9)
    parts = (of.apply("multiply", of.cast(old, F64), momentum), of.apply("multiply", of.cast(new, F64), 1 - momentum))
    return of.cast(of.apply("add", *parts), old.dtype)


def _lp_norm(of: LoweredNode, x: GraphValue) -> GraphValue:
    axis = of.call.whole("axis", -1)
    total = reduction_of(of, f"l{of.call.whole('p', 2)}", x, (axis,), True)
    return of.apply("where", of.apply("equal", total, 0.0), 0.0, of.apply("divide", x, total))


def _lp_refused(call: NodeCall) -> str | None:
    return None if call.whole("p", 2) in (1, 2) else "p is 1 or 2"


def _local_response(of: LoweredNode, x: GraphValue) -> GraphValue:
    """Divide by a power of the mean square of neighbouring channels; those beside the first and last one are 0."""
    size, (n, c, *rest) = of.call.whole("size"), x.shape
    alpha, beta, bias = (of.call.number(name) for name in ("alpha", "beta", "bias"))
    squares = of.apply("reshape", of.apply("square", x), shape=(n, 1, c, math.prod(rest)))
    before = (size - 1) // 2
    padding = ((before, size - 1 - before), (0, 0))
    means = of.apply("avg_pool", squares, window=(size, 1), strides=(1, 1), padding=padding)
    means = of.apply("add", of.apply("multiply", of.apply("reshape", means, shape=x.shape), alpha), bias)
    return of.apply("multiply", x, of.apply("exp", of.apply("multiply", of.apply("log", means), -beta)))


def _reductions(name: str, operator: str, types: Types, compute: Compute | None = None) -> tuple[OnnxRow, OnnxRow]:
    """Return the rows of a reduction whose axes are attributes before a version, and operands from then on. compute: on
    arrays, also of types whose reductions the graph compiler does not have; None: the rule does."""
    rule, until = _rule_of(name), 13 if name == "sum" else 18
    first, last = (
        ruled(operator, rule, types, **versions) for versions in ({"until": until}, {"since": until, "reads": (1,)})
    )
    return (first, last) if compute is None else (first._replace(compute=compute), last._replace(compute=compute))


_PRODUCTS = FLOATS | {"int32"}
_ORDERED = FLOATS | BYTES | {"int32", "int64"} | BOOL
ROWS = (
    *_reductions("sum", "ReduceSum", FLOATS | {"int32", "int64"}, reducing("sum")),
    *_reductions("mean", "ReduceMean", FLOATS),
    *_reductions("max", "ReduceMax", _ORDERED, reducing("max")),
    *_reductions("min", "ReduceMin", _ORDERED, reducing("min")),
    *_reductions("product", "ReduceProd", _PRODUCTS),
    *_reductions("squares", "ReduceSumSquare", _PRODUCTS),
    *_reductions("l1", "ReduceL1", _PRODUCTS),
    *_reductions("l2", "ReduceL2", FLOATS),
    *_reductions("log_sum", "ReduceLogSum", FLOATS),
    *_reductions("log_sum_exp", "ReduceLogSumExp", FLOATS),
    OnnxRow("ArgMax", extremum("argmax"), FLOATS | BYTES | {"int32", "int64"}),
    OnnxRow("ArgMin", extremum("argmin"), FLOATS | BYTES | {"int32", "int64"}),
    ruled("Softmax", _along("softmax")),
    ruled("LogSoftmax", _along("log_softmax")),
    ruled("Hardmax", _hardmax, since=13),
    ruled("CumSum", _scan("cumsum"), FLOATS | {"int32", "int64"}, since=11, reads=(1,)),
    ruled("TopK", _topk, since=10, reads=(1,)),
    ruled("CumProd", _scan("cumprod"), FLOATS | {"int32"}, reads=(1,)),
    ruled("LayerNormalization", _layer_norm, since=17),
    ruled("RMSNormalization", _rms_norm, since=23),
    ruled("InstanceNormalization", _group_norm(each_channel=True), since=6),
    ruled("GroupNormalization", _group_norm(each_channel=False), since=21),
    ruled("BatchNormalization", _batch_norm, since=9),
    ruled("LpNormalization", _lp_norm, refuse=_lp_refused),
    ruled("LRN", _local_response, FLOATS - {"float16", "bfloat16"}),
)
