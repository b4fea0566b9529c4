"""Rowwise operators: reductions, scans, softmax and norms along the last axes, and sums over the first ones.

Kernels reduce along rows, the axes that are neighbours in memory. Other axes are permuted to the end first, which the
kernel of the region reads by strides, or a copy does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.fused import normalized
from ..api import functions as ts
from ..api import fused
from .operators import BOOL, arithmetic, axes_of, common, traced
from .values import Attribute, Builds, DType, Given, GraphValue, Operator, Shape, TensorType, Values, add

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """Return the shape of a reduction."""
    return tuple(1 if place in axes else extent for place, extent in enumerate(shape) if keepdims or place not in axes)


def is_last(axes: tuple[int, ...], ndim: int) -> bool:
    """Whether axes are the last ones."""
    return axes == tuple(range(ndim - len(axes), ndim))


def is_first(axes: tuple[int, ...]) -> bool:
    """Whether axes are the first ones."""
    return axes == tuple(range(len(axes)))


def _reduction_kind(
    name: str, given: Given, /, axes: tuple[int, ...] = (), keepdims: bool = False, **_: Attribute
) -> tuple[TensorType, ...]:
    (x,) = given
    assert x is not None
    dtype = common(name, given)
    if dtype == _INT64:
        raise UnsupportedError(f"{name} of int64: kernels reduce integers of up to 32 bits; cast to float64")
    traced(_REDUCTIONS[name], given, {"axis": 1}, "f64" if dtype in (_INT32, np.float64) else "f32")
    if name in ("argmax32", "argmin32"):
        dtype = _INT32
    elif dtype.kind in "iu" and name == "sum":
        dtype = _INT64
    return (TensorType(reduced_shape(x.shape, axes, keepdims), dtype),)


def last_axes(
    name: str, build: Builds, x: GraphValue, axes: object = None, keepdims: bool = False, **more: Attribute
) -> Values | None:
    """Build a reduction by one along the last axes, or for sums over the first ones; None if it is one."""
    asked, public = axes_of(name, axes, x.ndim), name.removesuffix("32")
    if not x.size and 0 not in reduced_shape(x.shape, asked, False) and public in _OF_SOMETHING:
        raise ValueError(
            f"{public}: x {x.shape} has no elements along {asked}, of which only sums and products have a value"
        )
    if not asked and name == "sum" and x.dtype.kind in "biu":
        return build.apply("cast", x, dtype=_INT64)
    if not asked and name == "absmax":
        return build.apply("absolute", x)
    if not asked:
        return build.apply("reshape", x, shape=x.shape) if not name.startswith("arg") else None
    narrow = x if name == "prod" else _narrow(x)
    if name == "prod" and x.dtype.kind in "biu" and x.dtype != _INT64:
        return _wrapping_product(build, x, asked, keepdims)
    if narrow.dtype == BOOL:
        narrow = build.apply("cast", narrow, dtype=_INT32)
    if narrow is not x:
        made = build.apply(name, narrow, axes=asked, keepdims=keepdims, **more)
        return build.apply("cast", made, dtype=_INT64 if x.dtype == BOOL and name == "sum" else x.dtype)
    if axes == asked and (
        is_last(asked, x.ndim) or name in _DOWNWARDS and is_first(asked) and x.dtype.kind not in "iu"
    ):
        return None
    if not is_last(asked, x.ndim) and not (name in _DOWNWARDS and is_first(asked) and x.dtype.kind not in "iu"):
        kept = tuple(axis for axis in range(x.ndim) if axis not in asked)
        turned = build.apply("permute", x, axes=(*kept, *asked))
        made = build.apply(name, turned, axes=tuple(range(len(kept), x.ndim)), keepdims=False, **more)
        return build.apply("reshape", made, shape=reduced_shape(x.shape, asked, keepdims))
    return build.apply(name, x, axes=asked, keepdims=bool(keepdims), **more)


def _wrapping_product(build: Builds, x: GraphValue, axes: tuple[int, ...], keepdims: bool) -> GraphValue:
    """Build a product of integers, int32 that wrap: the last of the running products."""
    kept = tuple(axis for axis in range(x.ndim) if axis not in axes)
    shape, count = [x.shape[axis] for axis in kept], prod(x.shape[axis] for axis in axes)
    if not count:
        return build.constant(np.ones(reduced_shape(x.shape, axes, keepdims), _INT32))
    turned = build.apply("reshape", build.apply("permute", x, axes=(*kept, *axes)), shape=(*shape, count))
    last = build.apply("slice", build.apply("cumprod", turned), starts=(count - 1,), stops=(count,), axes=(-1,))
    return build.apply("reshape", last, shape=reduced_shape(x.shape, axes, keepdims))


def _narrow(x: GraphValue) -> GraphValue:
    """Return integers of 64 bits as they were before a cast, which reductions take."""
    if x.dtype == _INT64 and x.node is not None and x.node.operator.name == "cast":
        before = x.node.operands[0]
        return before if before.dtype.kind in "biu" and before.dtype.itemsize <= 4 else x
    return x


def _argument(
    name: str, build: Builds, x: GraphValue, axis: int | None = None, keepdims: bool = False, **more: Attribute
) -> Values | None:
    """Build argmax or argmin, int64, from the row's column number, int32."""
    if x.dtype == np.bool_:  # masks in kernels, which have no order
        x = build.apply("cast", x, dtype=np.dtype(np.int32))
    flat = build.apply("reshape", x, shape=(x.size,)) if axis is None else x
    made = build.apply(f"{name}32", flat, axes=0 if axis is None else axis, keepdims=keepdims)
    if axis is None and keepdims:
        made = build.apply("reshape", made, shape=(1,) * x.ndim)
    return build.apply("cast", made, dtype=_INT64)


def _moved(name: str, build: Builds, *operands: GraphValue, axis: int = -1, **more: Attribute) -> Values | None:
    """Build a function along one axis by one along the last; None if it is that."""
    names = ("g", "y") if name.endswith("_backward") else ("x",)
    if len(operands) != len(names):
        raise TypeError(f"{name}: takes {', '.join(names)}, not {len(operands)}; by name: axis")
    ndim = operands[0].ndim
    (place,) = axes_of(name, axis, ndim)
    if place == ndim - 1:
        return None if axis == place else build.apply(name, *operands, axis=place, **more)
    order = (*(each for each in range(ndim) if each != place), place)
    back = tuple(np.argsort(order).tolist())
    turned = [build.apply("permute", each, axes=order) for each in operands]
    return build.apply("permute", build.apply(name, *turned, axis=ndim - 1, **more), axes=back)


def _like_first(name: str, given: Given, /, **_: Attribute) -> tuple[TensorType, ...]:
    common(name, given)
    assert given[0] is not None
    return (given[0],)


def _scan(name: str, given: Given, /, exclusive: bool = False, **_: Attribute) -> tuple[TensorType, ...]:
    row, dtype = SCANS[name], common(name, given)
    traced(row, given, {"exclusive": exclusive}, arithmetic(dtype) or "i32")
    return _like_first(name, given)


def _along_last(
    name: str, build: Builds, x: GraphValue, axis: int = -1, exclusive: bool = False, **more: Attribute
) -> Values | None:
    """Build a scan along one axis by one along the last. Running sums of integers are int64 and running products int32,
    since no kernel multiplies int64; both wrap."""
    if x.dtype == BOOL and name in ("cummax", "cummin"):
        scanned = build.apply(name, build.apply("cast", x, dtype=_INT32), axis=axis, exclusive=exclusive)
        return build.apply("cast", scanned, dtype=BOOL)
    widths: dict[str, DType] = {"cumsum": _INT64, "cumprod": _INT32}
    wide = widths.get(name)
    if wide is not None and x.dtype.kind in "biu" and x.dtype.itemsize < wide.itemsize:
        return build.apply(name, build.apply("cast", x, dtype=wide), axis=axis, exclusive=exclusive)
    return _moved(name, build, x, axis=axis, exclusive=exclusive, **more)


def _scan_function(name: str, function: Callable[..., Expr]) -> Operator:
    def expression(x: Expr, exclusive: bool = False, **_: Attribute) -> Expr:
        return function(x, axis=1, exclusive=exclusive)

    expand = partial(_along_last, name)
    return Operator(name, "rowwise", partial(_scan, name), expression, expand=expand, takes="axis exclusive")


def _norm_kind(name: str, given: Given, /, axes: int = 1, **_: Attribute) -> tuple[TensorType, ...]:
    """The norm, and of layer_norm the mean and the inverse deviation of each row."""
    x = given[0]
    assert x is not None
    common(name, given)
    if not 0 < axes <= len(x.shape):
        raise ValueError(f"{name}: from 1 to {len(x.shape)} last axes, not {axes}")
    for each in given[1:]:
        if each is not None and each.shape != x.shape[-axes:]:
            raise ValueError(f"{name}: weight and bias of shape {x.shape[-axes:]}, not {each.shape}")
    rows = TensorType((*x.shape[:-axes], *(1,) * axes), x.dtype)
    return (x, rows, rows) if name == "layer_norm" else (x, rows)


def _layer_norm(x: Expr, w: Expr | None, b: Expr | None, eps: float = 1e-5, **_: Attribute) -> tuple[Expr, Expr, Expr]:
    mean, inverse = normalized.statistics(x, eps)
    y = (x - mean) * inverse
    y = y if w is None else y * w
    return (y if b is None else y + b), mean, inverse


def _rms_norm(x: Expr, w: Expr | None, eps: float = 1e-6, **_: Attribute) -> tuple[Expr, Expr]:
    inverse = 1.0 / ts.sqrt(fused.mean(x * x, axis=1) + eps)
    y = x * inverse
    return (y if w is None else y * w), inverse


def _reduction(name: str, function: Callable[..., Expr], public: str = "") -> Operator:
    def expression(x: Expr, axis: int = 1, **_: Attribute) -> Expr:
        return function(x, axis=axis)

    return Operator(
        name,
        "rowwise",
        partial(_reduction_kind, name),
        expression,
        expand=partial(last_axes, name),
        takes="axes keepdims",
    )


def _row_function(name: str, function: Callable[..., Expr]) -> Operator:
    def expression(*operands: Expr, **_: Attribute) -> Expr:
        return function(*operands)

    return Operator(name, "rowwise", partial(_like_first, name), expression, expand=partial(_moved, name), takes="axis")


_OF_SOMETHING = ("max", "min", "argmax", "argmin")
"""Reductions that have no value of no elements, as in numpy."""
_DOWNWARDS = ("sum", "mean", "max", "min")
_REDUCTIONS = {
    row.name: row
    for row in (
        *(_reduction(name, getattr(fused, name)) for name in ("sum", "mean", "max", "min", "prod", "absmax")),
        _reduction("argmax32", fused.argmax),
        _reduction("argmin32", fused.argmin),
    )
}
SCANS = {name: _scan_function(name, getattr(fused, name)) for name in ("cumsum", "cumprod", "cummax", "cummin")}
add(
    *_REDUCTIONS.values(),
    *SCANS.values(),
    *(
        Operator(name, "composite", expand=partial(_argument, name), takes="axis keepdims")
        for name in ("argmax", "argmin")
    ),
    _row_function("softmax", normalized.softmax),
    _row_function("log_softmax", normalized.log_softmax),
    _row_function("softmax_backward", normalized.softmax_inv),
    _row_function("log_softmax_backward", normalized.log_softmax_inv),
    Operator("layer_norm", "rowwise", partial(_norm_kind, "layer_norm"), _layer_norm, takes="axes eps"),
    Operator("rms_norm", "rowwise", partial(_norm_kind, "rms_norm"), _rms_norm, takes="axes eps"),
)
