"""Operators with kernels of their own: products, convolutions, attention, pooling, gathers, joins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...encoder.deferred import lazy
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, numpy_dtype
from ..arguments.factors import types_of
from .operators import axes_of, broadcast, common, type_name
from .values import Attribute, Builds, DType, Given, GraphValue, Operator, Shape, TensorType, Values, add

if TYPE_CHECKING:
    from ..aggregation import functions as aggregation
    from ..api import attention as attending
    from ..api.typed import Padding, PerAxis
    from ..convolution import functions as convolution
    from ..convolution import geometry, gradients
    from ..images import norm, pooling

aggregation = lazy(__package__, "..aggregation.functions")
attending = lazy(__package__, "..api.attention")
convolution = lazy(__package__, "..convolution.functions")
geometry = lazy(__package__, "..convolution.geometry")
gradients = lazy(__package__, "..convolution.gradients")
norm = lazy(__package__, "..images.norm")
pooling = lazy(__package__, "..images.pooling")

Outputs = Sequence["Array | None"]
"""Arrays for the results; None for one that nothing reads."""
_INT64 = np.dtype(np.int64)
_F32 = np.dtype(np.float32)


class Evaluate(Protocol):
    """What computes a node on arrays, and writes its results to arrays."""

    def __call__(self, *arrays: Array | None, out: Outputs, **attributes: Attribute) -> None: ...


def present(name: str, given: Given, count: int) -> list[TensorType]:
    """Return the first operands, which must be given."""
    found = [each for each in given[:count] if each is not None]
    if len(found) < count:
        raise TypeError(f"{name}: {count} operands, not {len(found)}")
    return found


def written(made: object, out: Outputs) -> None:
    """Copy results to arrays that are not theirs."""
    for array, to in zip(made if isinstance(made, tuple) else (made,), out):
        if to is not None and array is not to:
            to[...] = array


# Products


def product_type(name: str, a: DType, b: DType, wanted: DType | None) -> DType:
    """Return the type of a product's elements, as `ts.matmul` has it."""
    of_c = types_of(np.empty(0, a), np.empty(0, b), None, wanted, f"{name}({{}})")[2]
    return numpy_dtype(of_c)


def _matmul_kind(given: Given, /, dtype: DType | None = None, **_: Attribute) -> tuple[TensorType, ...]:
    a, b = present("matmul", given, 2)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: as many columns of a as rows of b, not shapes {a.shape} and {b.shape}")
    batch = broadcast([a.shape[:-2], b.shape[:-2]])
    return (TensorType((*batch, a.shape[-2], b.shape[-1]), product_type("matmul", a.dtype, b.dtype, dtype)),)


def _matmul_of_matrices(build: Builds, a: GraphValue, b: GraphValue, **more: Attribute) -> Values | None:
    """Build a product with vectors by one of matrices, as numpy does, and one of several matrices by the same one as
    one of all rows; None if it is neither."""
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: arrays of one axis or more; multiply scalars with multiply")
    if a.ndim > 2 and b.ndim == 2 and a.size and a.shape[-1] == b.shape[0]:
        made = build.apply("matmul", build.apply("reshape", a, shape=(-1, a.shape[-1])), b, **more)
        return build.apply("reshape", made, shape=(*a.shape[:-1], b.shape[-1]))
    if a.ndim > 1 and b.ndim > 1:
        return None
    x = build.apply("reshape", a, shape=(1, *a.shape)) if a.ndim == 1 else a
    y = build.apply("reshape", b, shape=(*b.shape, 1)) if b.ndim == 1 else b
    made = build.apply("matmul", x, y, **more)
    shape = [*made.shape]
    if b.ndim == 1:
        del shape[-1]
    if a.ndim == 1:
        del shape[-1 if b.ndim == 1 else -2]
    return build.apply("reshape", made, shape=tuple(shape))


def _linear(build: Builds, x: GraphValue, w: GraphValue, b: GraphValue | None = None, **more: Attribute) -> Values:
    """x @ w + b, of weights (inputs, outputs)."""
    made = build.apply("matmul", x, w, **more)
    return made if b is None else build.apply("add", made, b)


# Convolutions


def _conv_kind(
    backwards: bool,
    given: Given,
    /,
    strides: PerAxis = 1,
    padding: Padding = 0,
    dilations: PerAxis = 1,
    groups: int = 1,
    output_padding: PerAxis = 0,
    dtype: DType | None = None,
) -> tuple[TensorType, ...]:
    x, w = present("conv", given, 2)
    window = geometry.ConvolutionWindow(strides, padding, dilations, groups, output_padding if backwards else None)
    found = window.of(x.shape, w.shape, "conv_transpose" if backwards else "conv")
    return (TensorType(found.x if backwards else found.y, product_type("conv", x.dtype, w.dtype, dtype)),)


def conv_window(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Return the window of a convolution as the public functions call its parameters."""
    names = {"strides": "stride", "padding": "padding", "dilations": "dilation"}
    return {names.get(name, name): value for name, value in attributes.items() if name != "dtype"}


def _conv_with_bias(
    name: str, build: Builds, x: GraphValue, w: GraphValue, b: GraphValue | None = None, **more: Attribute
) -> Values | None:
    """Build a convolution with a bias by one without, and an addition, which the kernel finishes its sums with."""
    if b is None:
        return None
    made = build.apply(name, x, w, **more)
    return build.apply("add", made, build.apply("reshape", b, shape=(-1, *(1,) * (x.ndim - 2))))


def _conv_backward_kind(
    given: Given, /, wanted: Sequence[bool] = (True, True, True), **_: Attribute
) -> tuple[TensorType, ...]:
    g, x, w = present("conv_backward", given, 3)
    common("conv_backward", given)
    kinds = (x, w, TensorType(g.shape[1:2], x.dtype))
    return tuple(kind for kind, each in zip(kinds, wanted) if each)


def _conv_backward(
    g: Array,
    x: Array,
    w: Array,
    *,
    out: Outputs,
    wanted: Sequence[bool] = (True, True, True),
    output_padding: object = None,
    **window: Attribute,
) -> None:
    names = [name for name, each in zip(("dx", "dw", "db"), wanted) if each]
    dims, asked = x.ndim - 2, conv_window(window)
    if output_padding is None:
        function = getattr(gradients, f"conv{dims}d_backward")
    else:
        function, asked = (
            getattr(gradients, f"conv_transpose{dims}d_backward"),
            {**asked, "output_padding": output_padding},
        )
    written(tuple(function(g, x, w, wanted=names, **asked)), out)


# Attention


def _attention_kind(given: Given, /, dropout: float = 0.0, **_: Attribute) -> tuple[TensorType, ...]:
    q, k, v = present("attention", given, 3)
    common("attention", given[:3])
    if (
        len(q.shape) != 4
        or len(k.shape) != 4
        or k.shape != v.shape
        or (q.shape[0], q.shape[3]) != (k.shape[0], k.shape[3])
    ):
        raise UnsupportedError(
            f"attention: q (batch, heads, queries, size), k and v (batch, heads of k, keys, size), not {q.shape}, "
            f"{k.shape} and {v.shape}"
        )
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"attention: a number of heads of k that divides the {q.shape[1]} of q, not {k.shape[1]}")
    mask = given[3] if len(given) > 3 else None
    if mask is not None and broadcast([mask.shape, (*q.shape[:3], k.shape[2])]) != (*q.shape[:3], k.shape[2]):
        raise ValueError(f"attention: a mask that broadcasts to {(*q.shape[:3], k.shape[2])}, not {mask.shape}")
    _check_seed("attention", given[4:], dropout)
    sums = q.dtype if q.dtype.itemsize > 2 else _F32
    return q, TensorType(q.shape[:3], sums)


def _check_seed(name: str, given: Given, dropout: float) -> None:
    """Raise ValueError or TypeError unless there is a seed where probabilities are dropped, and none elsewhere."""
    seed = given[0] if given else None
    if not 0 <= dropout < 1:
        raise ValueError(f"{name}: dropout from 0 to less than 1, not {dropout}")
    if bool(dropout) != (seed is not None):
        raise TypeError(f"{name}: a seed, behind the mask, with dropout and only then; dropout is {dropout}")
    if seed is not None and seed != TensorType((), _INT64):
        raise TypeError(f"{name}: a seed of int64 and shape (), not {seed}")


def _attention_backward_kind(given: Given, /, dropout: float = 0.0, **_: Attribute) -> tuple[TensorType, ...]:
    g, q, k, v = present("attention_backward", given, 4)
    _attention_kind((q, k, v))
    _check_seed("attention_backward", given[7:], dropout)
    if g.shape != q.shape:
        raise ValueError(f"attention_backward: a gradient of shape {q.shape}, that of q, not {g.shape}")
    dtype = q.dtype if q.dtype.itemsize > 2 else _F32
    return tuple(TensorType(each.shape, dtype) for each in (q, k, v))


def _attention_of(
    build: Builds,
    q: GraphValue,
    k: GraphValue,
    v: GraphValue,
    mask: GraphValue | None = None,
    seed: GraphValue | None = None,
    **more: Attribute,
) -> Values | None:
    """Build attention with a mask of numbers that are added; None if it has none other."""
    added = _added(build, q, mask)
    return None if added is mask else build.apply("attention", q, k, v, added, seed, **more)


def _attention_backward_of(
    build: Builds,
    g: GraphValue,
    q: GraphValue,
    k: GraphValue,
    v: GraphValue,
    out: GraphValue,
    lse: GraphValue,
    mask: GraphValue | None = None,
    seed: GraphValue | None = None,
    **more: Attribute,
) -> Values | None:
    """Build the gradients of attention with a mask of numbers that are added; None if it has none other."""
    added = _added(build, q, mask)
    return None if added is mask else build.apply("attention_backward", g, q, k, v, out, lse, added, seed, **more)


def _added(build: Builds, q: GraphValue, mask: GraphValue | None) -> GraphValue | None:
    """Return a mask as numbers of the type of the sums: of booleans 0, or -inf where False."""
    sums = q.dtype if q.dtype.itemsize > 2 else _F32
    if mask is None or mask.dtype == sums:
        return mask
    made = build.apply("where", mask, 0.0, -np.inf) if mask.dtype == np.bool_ else mask
    return made if made.dtype == sums else build.apply("cast", made, dtype=sums)


# Pooling and resizing


def _pool_kind(
    average: bool,
    given: Given,
    /,
    window: PerAxis,
    strides: PerAxis | None = None,
    padding: Padding = 0,
    dilations: PerAxis = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor: int | None = None,
) -> tuple[TensorType, ...]:
    (x,) = present("pool", given, 1)
    inputs = x.shape[2:]
    if average:
        axes = pooling.averaged(inputs, window, strides, padding, ceil_mode, count_include_pad, divisor)
    else:
        axes = pooling.of_window(inputs, window, strides, padding, dilations, ceil_mode)
    y = TensorType((*x.shape[:2], *(axis.results for axis in axes)), x.dtype)
    return (y,) if average else (y, TensorType(y.shape, _INT64))


def _pool_backward_kind(
    name: str, forward: Callable[..., Sequence[TensorType]], given: Given, /, shape: Shape, **window: Attribute
) -> tuple[TensorType, ...]:
    """shape: that of the images. Every operand has the shape of the pool's result."""
    operands = [each for each in given if each is not None]
    (g,) = present(name, operands, 1)
    x = TensorType(tuple(shape), g.dtype)
    wanted = forward((x,), **window)[0].shape
    for each in operands:
        if each.shape != wanted:
            raise ValueError(f"{name}: arrays of shape {wanted}, the pool's of {x.shape}, not {each.shape}")
    return (x,)


def _adaptive_backward_kind(given: Given, /, shape: Shape) -> tuple[TensorType, ...]:
    (g,) = present("adaptive_avg_pool_backward", given, 1)
    return _pool_backward_kind("adaptive_avg_pool_backward", partial(_adaptive_kind, shape=g.shape[2:]), given, shape)


def _adaptive_kind(given: Given, /, shape: Sequence[int | None]) -> tuple[TensorType, ...]:
    (x,) = present("adaptive_avg_pool", given, 1)
    axes = pooling.adapted(x.shape[2:], tuple(shape))
    return (TensorType((*x.shape[:2], *(axis.results for axis in axes)), x.dtype),)


def _resize_kind(given: Given, /, size: Sequence[int], **_: Attribute) -> tuple[TensorType, ...]:
    (x,) = present("resize", given, 1)
    return (TensorType((*x.shape[:2], *map(int, size)), x.dtype),)


# Norms over images


def _batch_norm_kind(given: Given, /, **_: Attribute) -> tuple[TensorType, ...]:
    (x,) = present("batch_norm_training", given, 1)
    channel = TensorType(x.shape[1:2], x.dtype if x.dtype.itemsize > 2 else _F32)
    return x, channel, channel


def _batch_norm(x: Array, w: Array | None, b: Array | None, *, out: Outputs, eps: float = 1e-5) -> None:
    made = norm.batch_norm(x, None, None, w, b, training=True, eps=eps, return_statistics=True, out=out[0])
    written(made, out)


def _batch_norm_backward_kind(given: Given, /, **_: Attribute) -> tuple[TensorType, ...]:
    g, x, mean = present("batch_norm_backward", given, 3)
    return x, mean, mean


def _batch_norm_backward(
    g: Array, x: Array, mean: Array, inverse: Array, w: Array | None, *, out: Outputs, training: bool = True
) -> None:
    statistics = [np.asarray(each, np.float64) for each in (mean, inverse)]
    written(norm.batch_norm_backward(g, x, w, *statistics, training=training), out)


# Gathers and bags


def _from_the_front(
    build: Builds, table: GraphValue, indices: GraphValue, axis: int = 0, negative: bool = True
) -> Values | None:
    """Build a gather by indices from 0 on, along the first axis: negative ones count from the last, unless `negative`
    says that there are none. None if it is that."""
    (place,) = axes_of("gather", axis, table.ndim)
    if place:
        order = (place, *(each for each in range(table.ndim) if each != place))
        made = build.apply("gather", build.apply("permute", table, axes=order), indices, negative=negative)
        ahead, count = indices.ndim, table.ndim - 1
        back = (*range(ahead, ahead + place), *range(ahead), *range(ahead + place, ahead + count))
        return build.apply("permute", made, axes=back)
    if not negative:
        return None
    behind = build.apply("add", indices, table.shape[0])
    wrapped = build.apply("where", build.apply("less", indices, 0), behind, indices)
    return build.apply("gather", table, wrapped, negative=False)


def _wide_bag(
    build: Builds, table: GraphValue, indices: GraphValue, offsets: GraphValue, **more: Attribute
) -> Values | None:
    """Build the bags by offsets that end with the number of indices, and of narrow elements the rounding of their
    sums, which are f32; None if they are those."""
    if "ended" in more:
        return None
    end = build.constant(np.array([indices.size], np.int64))
    ends = build.apply("concatenate", build.apply("cast", offsets, dtype=_INT64), end)
    made = build.apply("embedding_bag", table, indices, ends, ended=True, **more)
    return made if made.dtype == table.dtype else build.apply("cast", made, dtype=table.dtype)


def _gather_kind(given: Given, /, **_: Attribute) -> tuple[TensorType, ...]:
    table, indices = present("gather", given, 2)
    if type_name(indices.dtype) not in ("i64", "i32"):
        raise UnsupportedError(f"gather: indices of int64 or int32, not {indices.dtype}; cast them")
    return (TensorType((*indices.shape, *table.shape[1:]), table.dtype),)


def _bag_kind(given: Given, /, mode: str = "sum", **_: Attribute) -> tuple[TensorType, ...]:
    table, indices, offsets = present("embedding_bag", given, 3)
    if len(table.shape) != 2 or len(indices.shape) != 1 or len(offsets.shape) != 1:
        raise UnsupportedError("embedding_bag: a table of two axes, indices and offsets of one")
    dtype = table.dtype if table.dtype.itemsize > 2 else _F32
    return (TensorType((offsets.shape[0] - 1, table.shape[1]), dtype),)


def _rows_kind(given: Given, /, rows: int) -> tuple[TensorType, ...]:
    g, indices = present("embedding_backward", given, 2)
    if g.shape[: len(indices.shape)] != indices.shape:
        raise ValueError(f"embedding_backward: a row of g for each index of {indices.shape}, not {g.shape}")
    return (TensorType((rows, *g.shape[len(indices.shape) :]), g.dtype),)


def _embedding_backward(g: Array, indices: Array, *, out: Outputs, rows: int) -> None:
    """Sums of the rows of g with the same index: a reduction over the graph whose rows are the entries."""
    flat = np.ascontiguousarray(indices).reshape(-1)
    grads = np.ascontiguousarray(g).reshape(flat.size, prod(g.shape[indices.ndim :]))
    ends = np.arange(flat.size + 1, dtype=np.int64)
    table = np.zeros((rows, grads.shape[1]), grads.dtype)
    made, _ = aggregation.graph_reduce_backward(grads, ends, flat.astype(np.int64), table, "sum", wanted="table")
    to = out[0]
    assert to is not None
    to[...] = np.asarray(made).reshape(to.shape)


# Joins


def _concatenate_kind(given: Given, /, axis: int = 0) -> tuple[TensorType, ...]:
    found = present("concatenate", given, len(given))
    dtype = found[0].dtype
    (place,) = axes_of("concatenate", axis, len(found[0].shape))
    if any(each.dtype != dtype for each in found):
        raise TypeError("concatenate: arrays of one type; cast them")
    outside = {(*each.shape[:place], *each.shape[place + 1 :]) for each in found}
    if len(outside) > 1:
        raise ValueError(f"concatenate: equal extents but along axis {place}, not {[each.shape for each in found]}")
    first = found[0].shape
    return (TensorType((*first[:place], sum(each.shape[place] for each in found), *first[place + 1 :]), dtype),)


def _pad_kind(given: Given, /, before: Sequence[int], after: Sequence[int], **_: Attribute) -> tuple[TensorType, ...]:
    (x,) = present("pad", given, 1)
    if len(before) != len(x.shape) or len(after) != len(x.shape):
        raise ValueError(f"pad: elements before and after each of {len(x.shape)} axes, not {before} and {after}")
    return (TensorType(tuple(a + n + b for n, a, b in zip(x.shape, before, after)), x.dtype),)


def _cropped(
    build: Builds, x: GraphValue, before: Sequence[int], after: Sequence[int], **more: Attribute
) -> Values | None:
    """Build padding with negative numbers by a slice first; None if there are none."""
    if min((*before, *after), default=0) >= 0:
        return None
    starts = tuple(max(0, -each) for each in before)
    stops = tuple(extent - max(0, -each) for extent, each in zip(x.shape, after))
    cut = build.apply("slice", x, starts=starts, stops=stops)
    return build.apply(
        "pad", cut, before=tuple(max(0, n) for n in before), after=tuple(max(0, n) for n in after), **more
    )


def _whole(
    name: str,
    infer: Callable[..., Sequence[TensorType]],
    evaluate: Callable[..., None] | None = None,
    expand: Callable[..., Values | None] | None = None,
    takes: str = "",
) -> Operator:
    return Operator(name, "whole", infer, evaluate=evaluate, expand=expand, takes=takes)


_CONV = "strides padding dilations groups output_padding"
_POOL = "window strides padding dilations ceil_mode count_include_pad divisor"
_MAX_POOL, _AVG_POOL = (partial(_pool_kind, average) for average in (False, True))


add(
    Operator("matmul", "product", _matmul_kind, expand=_matmul_of_matrices, takes="dtype"),
    Operator("linear", "composite", expand=_linear, takes="dtype"),
    Operator(
        "conv", "product", partial(_conv_kind, False), expand=partial(_conv_with_bias, "conv"), takes=f"{_CONV} dtype"
    ),
    Operator(
        "conv_transpose",
        "product",
        partial(_conv_kind, True),
        expand=partial(_conv_with_bias, "conv_transpose"),
        takes=f"{_CONV} dtype",
    ),
    _whole("conv_backward", _conv_backward_kind, _conv_backward, takes=f"{_CONV} wanted"),
    _whole("attention", _attention_kind, expand=_attention_of, takes="causal scale dropout score"),
    _whole(
        "attention_backward",
        _attention_backward_kind,
        expand=_attention_backward_of,
        takes="causal scale dropout score",
    ),
    _whole("max_pool", _MAX_POOL, takes=_POOL),
    _whole("max_pool_backward", partial(_pool_backward_kind, "max_pool_backward", _MAX_POOL), takes=f"shape {_POOL}"),
    _whole("avg_pool", _AVG_POOL, takes=_POOL),
    _whole("avg_pool_backward", partial(_pool_backward_kind, "avg_pool_backward", _AVG_POOL), takes=f"shape {_POOL}"),
    _whole("adaptive_avg_pool", _adaptive_kind, takes="shape"),
    _whole("adaptive_avg_pool_backward", _adaptive_backward_kind, takes="shape"),
    _whole("resize", _resize_kind, takes="size mode align_corners"),
    _whole("batch_norm_training", _batch_norm_kind, _batch_norm, takes="eps"),
    _whole("batch_norm_backward", _batch_norm_backward_kind, _batch_norm_backward, takes="training"),
    _whole("gather", _gather_kind, expand=_from_the_front, takes="axis negative"),
    _whole("embedding_bag", _bag_kind, expand=_wide_bag, takes="mode ended"),
    _whole("embedding_backward", _rows_kind, _embedding_backward, takes="rows"),
    _whole("concatenate", _concatenate_kind, takes="axis"),
    _whole("pad", _pad_kind, expand=_cropped, takes="before after mode value"),
)
