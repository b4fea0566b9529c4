"""Composites: operators that are built of others, whose nodes the compiler joins into one kernel again; and `scatter`,
of which those of elements by an index are built."""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.coordinates import EXACT
from ...microkernels.tuning.products import PROGRAMS
from .operators import axes_of, type_name
from .rowwise import reduced_shape
from .values import Attribute, Builds, Given, GraphValue, Operator, TensorType, Values, add
from .whole import present

_I64 = np.dtype(np.int64)
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)


def _power(build: Builds, x: GraphValue, exponent: GraphValue) -> Values:
    """x ** n, of a number: multiplications, roots and a reciprocal."""
    n = exponent.number
    if n is None:
        raise UnsupportedError(
            "power: exponents that are arrays are not computed; write exp(log(x) * y), whose error grows with it"
        )
    if n == int(n) and abs(n) <= PROGRAMS.power:
        base, rest, made = x, abs(int(n)), None
        while rest:
            if rest & 1:
                made = base if made is None else build.apply("multiply", made, base)
            rest >>= 1
            base = build.apply("square", base) if rest else base
        if made is None:
            return build.apply("add", build.apply("multiply", x, 0), 1)
        return made if n > 0 else build.apply("reciprocal", made)
    if n * 2 == int(n * 2) and abs(n) <= PROGRAMS.power:
        root = build.apply("sqrt", x)
        whole = abs(n) - 0.5
        made = root if not whole else build.apply("multiply", root, build.apply("power", x, whole))
        return made if n > 0 else build.apply("reciprocal", made)
    raise UnsupportedError(f"power: whole numbers and halves up to {PROGRAMS.power}, not {n}; write exp(log(x) * {n})")


def _any(every: bool, build: Builds, x: GraphValue, axes: object = None, keepdims: bool = False) -> Values:
    mask = x if x.dtype == np.bool_ else build.apply("not_equal", x, 0)
    numbers = build.apply("cast", mask, dtype=np.float32)
    found = build.apply("min" if every else "max", numbers, axes=axes, keepdims=keepdims)
    return build.apply("not_equal", found, 0)


def _var(build: Builds, x: GraphValue, axes: object = None, keepdims: bool = False, correction: float = 0) -> Values:
    asked = axes_of("var", axes, x.ndim)
    centred = build.apply("subtract", x, build.apply("mean", x, axes=asked, keepdims=True))
    total = build.apply("sum", build.apply("square", centred), axes=asked, keepdims=keepdims)
    return build.apply("divide", total, prod(x.shape[axis] for axis in asked) - correction)


def _logsumexp(build: Builds, x: GraphValue, axes: object = None, keepdims: bool = False) -> Values:
    """max x + log(sum(exp(x - max x))), where an infinite maximum stays by itself."""
    asked = axes_of("logsumexp", axes, x.ndim)
    largest = build.apply("max", x, axes=asked, keepdims=True)
    finite = build.apply("where", build.apply("isinf", largest), build.apply("multiply", largest, 0.0), largest)
    finite = build.apply("where", build.apply("isnan", finite), 0.0, finite)
    total = build.apply("sum", build.apply("exp", build.apply("subtract", x, finite)), axes=asked, keepdims=True)
    made = build.apply("add", build.apply("log", total), finite)
    return made if keepdims else build.apply("reshape", made, shape=reduced_shape(x.shape, asked, False))


def _channels(build: Builds, x: GraphValue, vector: GraphValue) -> GraphValue:
    """A vector of an element for each channel, as it broadcasts to images."""
    return build.apply("reshape", vector, shape=(-1, *(1,) * (x.ndim - 2)))


def _batch_norm(
    build: Builds,
    x: GraphValue,
    w: GraphValue | None,
    b: GraphValue | None,
    mean: GraphValue,
    variance: GraphValue,
    eps: float = 1e-5,
) -> Values:
    """x * s + (b - mean * s), where s = w / sqrt(variance + eps): a convolution before it takes both into its own."""
    scale = build.apply("rsqrt", build.apply("add", variance, eps))
    scale = scale if w is None else build.apply("multiply", scale, w)
    shift = build.apply("negative", build.apply("multiply", mean, scale))
    shift = shift if b is None else build.apply("add", b, shift)
    scaled = build.apply("multiply", x, _channels(build, x, scale))
    return build.apply("add", scaled, _channels(build, x, shift))


def _group_norm(
    build: Builds,
    x: GraphValue,
    w: GraphValue | None = None,
    b: GraphValue | None = None,
    groups: int = 1,
    eps: float = 1e-5,
) -> Values:
    if x.ndim < 2 or x.shape[1] % groups:
        raise ValueError(f"group_norm: groups that divide the channels of {x.shape}, not {groups}")
    rows = build.apply("reshape", x, shape=(x.shape[0] * groups, -1))
    made, _, _ = build.results("layer_norm", rows, None, None, eps=eps)
    made = build.apply("reshape", made, shape=x.shape)
    made = made if w is None else build.apply("multiply", made, _channels(build, x, w))
    return made if b is None else build.apply("add", made, _channels(build, x, b))


def _norm_backward(
    centred: bool,
    build: Builds,
    g: GraphValue,
    x: GraphValue,
    *more: GraphValue | None,
    axes: int = 1,
    **_: Attribute,
) -> Values:
    """The gradients of layer_norm(g, x, mean, inverse, w) -> (gx, gw, gb), or of rms_norm(g, x, inverse, w) ->
    (gx, gw); mean and inverse are those that the norm returned."""
    mean, inverse, w = more if centred else (None, *more)
    last, first = tuple(range(x.ndim - axes, x.ndim)), tuple(range(x.ndim - axes))
    near = x if mean is None else build.apply("subtract", x, mean)
    normal = build.apply("multiply", near, inverse)
    scaled = g if w is None else build.apply("multiply", g, w)
    along = build.apply("mean", build.apply("multiply", scaled, normal), axes=last, keepdims=True)
    inner = build.apply("subtract", scaled, build.apply("multiply", normal, along))
    if centred:
        inner = build.apply("subtract", inner, build.apply("mean", scaled, axes=last, keepdims=True))
    gx = build.apply("multiply", inner, inverse)
    gw = build.apply("sum", build.apply("multiply", g, normal), axes=first)
    return (gx, gw, build.apply("sum", g, axes=first)) if centred else (gx, gw)


# Elements that an index names


def _scatter_kind(given: Given, /, add: bool = False) -> tuple[TensorType, ...]:
    x, index, values = present("scatter", given, 3)
    if type_name(index.dtype) not in ("i64", "i32"):
        raise UnsupportedError(f"scatter: indices of int64 or int32, not {index.dtype}; cast them")
    if values.dtype != x.dtype:
        raise TypeError(f"scatter: rows of {x.dtype}, the type of x, not {values.dtype}; cast them")
    if values.shape != (*index.shape, *x.shape[1:]):
        raise ValueError(f"scatter: rows {(*index.shape, *x.shape[1:])} for the indices, not {values.shape}")
    if add and x.dtype not in (_F32, _F64):
        raise UnsupportedError(f"scatter: sums of float32 or float64, not {x.dtype}; cast them")
    return (x,)


def _places(build: Builds, name: str, x: GraphValue, index: GraphValue, axis: int) -> GraphValue:
    """Return the places among all elements of x that an index names along an axis.

    What an index adds to the place of an element comes from a table of the extent of the axis, so that an index outside
    of it is an IndexError of the call, and no element of another row.
    """
    (along,) = axes_of(name, axis, x.ndim)
    fits = all(n <= m or place == along for place, (n, m) in enumerate(zip(index.shape, x.shape)))
    if index.ndim != x.ndim or not fits:
        raise ValueError(f"{name}: an index of {x.ndim} axes within those of x {x.shape}, not {index.shape}")
    steps = [prod(x.shape[place + 1 :]) for place in range(x.ndim)]
    table = build.constant(np.arange(x.shape[along], dtype=_I64) * steps[along])
    places = build.apply("gather", table, index, axis=0, negative=False)
    others = np.zeros((1,) * x.ndim, _I64)
    for place, (extent, step) in enumerate(zip(index.shape, steps)):
        if place != along:
            shape = [extent if each == place else 1 for each in range(x.ndim)]
            others = others + (np.arange(extent, dtype=_I64) * step).reshape(shape)
    return build.apply("add", places, build.constant(others)) if others.any() else places


def _gather_elements(build: Builds, x: GraphValue, index: GraphValue, axis: int = 0) -> Values:
    """Build the element of x that an index names along an axis, for each element of the index."""
    places = _places(build, "gather_elements", x, index, axis)
    return build.apply("gather", build.apply("reshape", x, shape=(-1,)), places, axis=0, negative=False)


def _scatter_elements(
    build: Builds, x: GraphValue, index: GraphValue, values: GraphValue, axis: int = 0, add: bool = False
) -> Values:
    """Build x with values where an index names elements along an axis, the last of several, or with their sums."""
    places = _places(build, "scatter_elements", x, index, axis)
    made = build.apply("scatter", build.apply("reshape", x, shape=(-1,)), places, values, add=add)
    return build.apply("reshape", made, shape=x.shape)


def _running_place(extremum: str, build: Builds, x: GraphValue, axis: int = -1) -> Values:
    """Build the place along an axis of the largest or smallest element so far, int64: of equal ones, and of NaNs, the
    last."""
    (along,) = axes_of(extremum, axis, x.ndim)
    wide = build.apply("cast", x, dtype=_F32) if x.dtype.itemsize <= 2 else x  # f32 has all numbers of 16 bits
    best = build.apply("equal", wide, build.apply(extremum, wide, axis=along))
    if x.dtype.kind not in "iub":
        best = build.apply("logical_or", best, build.apply("isnan", wide))
    dtype = _F64 if wide.dtype == _F64 or x.shape[along] > EXACT else _F32
    numbers = np.arange(x.shape[along], dtype=dtype).reshape([-1 if each == along else 1 for each in range(x.ndim)])
    places = build.apply("where", best, build.constant(numbers), -1.0)
    return build.apply("cast", build.apply("cummax", places, axis=along), dtype=_I64)


def _argcummax(build: Builds, x: GraphValue, axis: int = -1) -> Values:
    return _running_place("cummax", build, x, axis)


def _argcummin(build: Builds, x: GraphValue, axis: int = -1) -> Values:
    return _running_place("cummin", build, x, axis)


add(
    Operator("power", "composite", expand=_power),
    Operator("any", "composite", expand=partial(_any, False), takes="axes keepdims"),
    Operator("all", "composite", expand=partial(_any, True), takes="axes keepdims"),
    Operator("var", "composite", expand=_var, takes="axes keepdims correction"),
    Operator("logsumexp", "composite", expand=_logsumexp, takes="axes keepdims"),
    Operator("batch_norm", "composite", expand=_batch_norm, takes="eps"),
    Operator("group_norm", "composite", expand=_group_norm, takes="groups eps"),
    Operator("layer_norm_backward", "composite", expand=partial(_norm_backward, True), takes="axes"),
    Operator("rms_norm_backward", "composite", expand=partial(_norm_backward, False), takes="axes"),
    Operator("scatter", "whole", _scatter_kind, takes="add"),
    Operator("gather_elements", "composite", expand=_gather_elements, takes="axis"),
    Operator("scatter_elements", "composite", expand=_scatter_elements, takes="axis add"),
    Operator("argcummax", "composite", expand=_argcummax, takes="axis"),
    Operator("argcummin", "composite", expand=_argcummin, takes="axis"),
)
