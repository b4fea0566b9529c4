"""Reductions along axes, positions of extrema, softmax, and running sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...api import fused
from ...graph.functions import topk
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, along, as_rows, computed, elementwise, reduction
from .library import BOOL, BYTES, FLOATS, Array, Compute, kernel_type
from .pointwise import absolute, one


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


def _log_sum_exp(x: Expr) -> Expr:
    largest = fused.max(x, axis=1)
    shift = f.select(abs(largest) == math.inf, 0.0, largest)
    return shift + f.log(fused.sum(f.exp(x - shift), axis=1))


def _norm(x: Expr) -> Expr:
    return f.sqrt(fused.sum(x * x, axis=1))


def _log_sum(x: Expr) -> Expr:
    return f.log(fused.sum(x, axis=1))


def _sum_of_magnitudes(x: Expr) -> Expr:
    return fused.sum(abs(x), axis=1)


_TRACED: dict[str, Callable[[Expr], Expr]] = {
    "l1": _sum_of_magnitudes,
    "l2": _norm,
    "log_sum": _log_sum,
    "log_sum_exp": _log_sum_exp,
}
_OF_NOTHING = {
    "sum": 0.0,
    "squares": 0.0,
    "l1": 0.0,
    "l2": 0.0,
    "product": 1.0,
    "log_sum": -math.inf,
    "log_sum_exp": -math.inf,
    "mean": math.nan,
    "max": -math.inf,
    "min": math.inf,
}


def _of_nothing(name: str, dtype: np.dtype[np.generic]) -> float | int | bool:
    """Return the reduction of no element."""
    found = _OF_NOTHING[name]
    if dtype.kind in "iu" and math.isinf(found):
        ends = np.iinfo(dtype.name)
        return int(ends.min if found < 0 else ends.max)
    return found if dtype.kind != "b" else found > 0


def reduced(name: str, x: Array, axes: Sequence[int], keep: bool = True) -> Array:
    """Return a reduction of x along axes: one of `ts.reduce`, or a traced one of rows."""
    shape = _shape(x, axes, keep)
    if not x.size:
        return np.full(shape, _of_nothing(name, x.dtype), x.dtype)
    if name in _TRACED and x.dtype.kind not in "iu":
        matrix, _ = as_rows(x, axes)
        made = computed(ElementFunction(_TRACED[name]), [matrix])
        assert not isinstance(made, tuple)
        return made.reshape(shape)
    if name == "l1":
        name, x = "sum", elementwise(ElementFunction(absolute), x)
    squared = name == "squares"
    leading = list(axes) == list(range(len(axes))) and len(axes) < x.ndim
    if leading:
        matrix, axis = x.reshape(math.prod(x.shape[: len(axes)]), -1), 0
    else:
        matrix, axis = as_rows(x, axes)[0], 1
    made = reduction("sum" if squared else name, matrix, axis, kernel_type(x.dtype), squared)
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


def _softmax(x: Expr) -> Expr:
    return fused.softmax(x, axis=1)


def _log_softmax(x: Expr) -> Expr:
    return fused.log_softmax(x, axis=1)


def _marked(place: Expr, best: Expr) -> Expr:
    return one(place == best)


def _hardmax(call: NodeCall, x: Array) -> Array:
    """Return 1 at the first largest element along an axis, and 0 elsewhere."""
    axis = call.whole("axis", -1) % max(1, x.ndim)
    best = reduction("argmax", as_rows(x, [axis])[0], 1).reshape(_shape(x, [axis], True)).astype(np.int32)
    places = np.arange(x.shape[axis], dtype=np.int32).reshape(-1, *[1] * (x.ndim - 1 - axis))
    return elementwise(ElementFunction(_marked), places, best, out=x.dtype)


def rowwise(function: Callable[[Expr], Expr]) -> Compute:
    """Return the operator of a function of the elements along an axis."""

    def compute(call: NodeCall, x: Array) -> Array:
        return along(ElementFunction(function), x, call.whole("axis", -1))

    return compute


def flattened(function: Callable[[Expr], Expr]) -> Compute:
    """Return the operator as it was before version 13: of all elements from an axis on."""

    def compute(call: NodeCall, x: Array) -> Array:
        axis = call.whole("axis", 1) % max(1, x.ndim + 1)
        return along(ElementFunction(function), x.reshape(math.prod(x.shape[:axis]), -1), 1).reshape(x.shape)

    return compute


softmax = rowwise(_softmax)


def _scan(name: str) -> Compute:
    """Return the operator of running sums or products along an axis."""
    functions = {exclusive: ElementFunction(_SCANNED[name], (exclusive,)) for exclusive in (False, True)}

    def compute(call: NodeCall, x: Array, axis: Array) -> Array:
        place, exclusive = int(axis.reshape(-1)[0]) % x.ndim, bool(call.whole("exclusive"))
        if not x.size:
            return x.copy()
        if not call.whole("reverse"):
            return along(functions[exclusive], x, place)
        return np.ascontiguousarray(np.flip(along(functions[exclusive], np.flip(x, place), place), place))

    return compute


def _running_sum(x: Expr, exclusive: bool) -> Expr:
    return fused.cumsum(x, axis=1, exclusive=exclusive)


def _running_product(x: Expr, exclusive: bool) -> Expr:
    return fused.cumprod(x, axis=1, exclusive=exclusive)


_SCANNED = {"sum": _running_sum, "product": _running_product}


def _topk(call: NodeCall, x: Array, count: Array) -> tuple[Array, ...]:
    """Return the largest or smallest elements along an axis in order, and their places."""
    values, places = topk(
        x, int(count.reshape(-1)[0]), axis=call.whole("axis", -1), largest=bool(call.whole("largest", 1))
    )
    return values, places


def _reductions(name: str, operator: str, types: frozenset[str], attributes_until: int = 18) -> tuple[OnnxRow, OnnxRow]:
    """Return the rows of a reduction whose axes are attributes before a version, and operands from then on."""
    compute = reducing(name)
    return (
        OnnxRow(operator, compute, types, until=attributes_until),
        OnnxRow(operator, compute, types, since=attributes_until, reads=(1,)),
    )


_SUMS = FLOATS | {"int32", "int64"}
_PRODUCTS = FLOATS | {"int32"}
_ORDERED = FLOATS | BYTES | {"int32", "int64"} | BOOL
ROWS = (
    *_reductions("sum", "ReduceSum", _SUMS, 13),
    *_reductions("mean", "ReduceMean", FLOATS),
    *_reductions("max", "ReduceMax", _ORDERED),
    *_reductions("min", "ReduceMin", _ORDERED),
    *_reductions("product", "ReduceProd", _PRODUCTS),
    *_reductions("squares", "ReduceSumSquare", _PRODUCTS),
    *_reductions("l1", "ReduceL1", _PRODUCTS),
    *_reductions("l2", "ReduceL2", FLOATS),
    *_reductions("log_sum", "ReduceLogSum", FLOATS),
    *_reductions("log_sum_exp", "ReduceLogSumExp", FLOATS),
    OnnxRow("ArgMax", extremum("argmax"), FLOATS | BYTES | {"int32", "int64"}),
    OnnxRow("ArgMin", extremum("argmin"), FLOATS | BYTES | {"int32", "int64"}),
    OnnxRow("Softmax", softmax, since=13),
    OnnxRow("Softmax", flattened(_softmax), until=13),
    OnnxRow("LogSoftmax", rowwise(_log_softmax), since=13),
    OnnxRow("LogSoftmax", flattened(_log_softmax), until=13),
    OnnxRow("Hardmax", _hardmax, since=13),
    OnnxRow("CumSum", _scan("sum"), FLOATS | {"int32", "int64"}, since=11, reads=(1,)),
    OnnxRow("TopK", _topk, since=10, reads=(1,)),
    OnnxRow("CumProd", _scan("product"), FLOATS | {"int32"}, reads=(1,)),
)
