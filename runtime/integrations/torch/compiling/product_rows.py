"""ATen's products, convolutions, attention, tables and pools, as operators of the graph compiler."""

from __future__ import annotations

from collections.abc import Sequence

from ....graph.values import GraphValue
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types

_BAGS = ("sum", "mean", "max")


def _product(g: AtenLowering, a: GraphValue, b: GraphValue) -> GraphValue:
    _need_floats(g, a, "a product of integers, which wraps")
    return g("matmul", a, b)


def _need_floats(g: AtenLowering, x: GraphValue, reason: str) -> None:
    g.need(x.dtype.kind not in "iub", reason)


def _scaled_sum(g: AtenLowering, c: GraphValue, product: GraphValue, beta: float, alpha: float) -> Lowered:
    """Return beta c + alpha product; c is not read if beta is 0."""
    product = product if alpha == 1 else g("multiply", product, alpha)
    return product if beta == 0 else g("add", product, g.scaled(c, beta))


def _addmm(g: AtenLowering, c: GraphValue, a: GraphValue, b: GraphValue, beta: float, alpha: float) -> Lowered:
    return _scaled_sum(g, c, _product(g, a, b), beta, alpha)


def _addmv(g: AtenLowering, c: GraphValue, a: GraphValue, x: GraphValue, beta: float, alpha: float) -> Lowered:
    return _scaled_sum(g, c, _mv(g, a, x), beta, alpha)


def _mv(g: AtenLowering, a: GraphValue, x: GraphValue) -> GraphValue:
    return g.reshaped(_product(g, a, g.reshaped(x, (-1, 1))), (a.shape[0],))


def _addr(g: AtenLowering, c: GraphValue, x: GraphValue, y: GraphValue, beta: float, alpha: float) -> Lowered:
    return _scaled_sum(g, c, g("multiply", g.reshaped(x, (-1, 1)), y), beta, alpha)


def _dot(g: AtenLowering, x: GraphValue, y: GraphValue) -> Lowered:
    _need_floats(g, x, "a product of integers, which wraps")
    return g("sum", g("multiply", x, y), axes=(0,), keepdims=False)


# convolutions


def _each(numbers: Sequence[int], dims: int) -> tuple[int, ...]:
    """Return a number for each axis of an image, of which torch's lists may hold one for all."""
    return tuple(numbers) * dims if len(numbers) == 1 else tuple(numbers)


def _geometry(
    x: GraphValue, strides: Sequence[int], padding: Sequence[int], dilations: Sequence[int], groups: int
) -> dict[str, object]:
    dims = len(x.shape) - 2
    return {
        "strides": _each(strides, dims),
        "padding": tuple((pad, pad) for pad in _each(padding, dims)),
        "dilations": _each(dilations, dims),
        "groups": groups,
    }


def _convolution(
    g: AtenLowering,
    x: GraphValue,
    weight: GraphValue,
    bias: GraphValue | None,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    transposed: bool,
    further: Sequence[int],
    groups: int,
) -> Lowered:
    geometry = _geometry(x, strides, padding, dilations, groups)
    if transposed:
        return g("conv_transpose", x, weight, bias, **geometry, output_padding=_each(further, len(x.shape) - 2))
    return g("conv", x, weight, bias, **geometry)


def _convolution_backward(
    g: AtenLowering,
    gradient: GraphValue,
    x: GraphValue,
    weight: GraphValue,
    bias: Sequence[int] | None,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    transposed: bool,
    further: Sequence[int],
    groups: int,
    wanted: Sequence[bool],
) -> Lowered:
    more = {"output_padding": _each(further, len(x.shape) - 2)} if transposed else {}
    geometry = _geometry(x, strides, padding, dilations, groups)
    found = iter(g.several("conv_backward", gradient, x, weight, **geometry, **more, wanted=tuple(wanted)))
    return tuple(next(found) if each else None for each in wanted)


# attention


def _attention(
    g: AtenLowering,
    q: GraphValue,
    k: GraphValue,
    v: GraphValue,
    dropout: float,
    causal: bool,
    mask: GraphValue | None,
    scale: float | None,
) -> Lowered:
    g.need(dropout == 0, "attention with dropout")
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return g.several("attention", q, k, v, mask, causal=causal, scale=scale)


def _attention_backward(
    g: AtenLowering,
    gradient: GraphValue,
    q: GraphValue,
    k: GraphValue,
    v: GraphValue,
    out: GraphValue,
    lse: GraphValue,
    dropout: float,
    causal: bool,
    mask: GraphValue | None,
    scale: float | None,
) -> Lowered:
    g.need(dropout == 0, "attention with dropout")
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return g.several("attention_backward", gradient, q, k, v, out, lse, mask, causal=causal, scale=scale)


# tables


def _embedding(g: AtenLowering, table: GraphValue, indices: GraphValue, *_: object) -> Lowered:
    return g("gather", table, indices, axis=0)


def _indexed(g: AtenLowering, x: GraphValue, dim: int, indices: GraphValue) -> Lowered:
    if not x.shape:  # one element, which one index names
        return g.reshaped(g("gather", g.reshaped(x, (1,)), g.reshaped(indices, (-1,)), axis=0), ())
    axis = g.axis(x, dim)
    order = (axis, *(each for each in range(len(x.shape)) if each != axis))
    found = g("gather", g.permuted(x, order), g.reshaped(indices, (-1,)), axis=0)
    return g.permuted(found, [order.index(each) for each in range(len(order))])


def _embedding_backward(
    g: AtenLowering, gradient: GraphValue, indices: GraphValue, rows: int, padding: int, scaled: bool
) -> Lowered:
    g.need(not scaled and padding < 0, "gradients of a table with a padding row or scaled by frequency")
    return g("embedding_backward", gradient, indices, rows=rows)


def _embedding_bag(
    g: AtenLowering,
    table: GraphValue,
    indices: GraphValue,
    offsets: GraphValue,
    scaled: bool,
    mode: int,
    sparse: bool,
    weights: GraphValue | None,
    last: bool,
    padding: int,
) -> Lowered:
    g.need(weights is None and not last and padding < 0, "bags with weights, a last offset or a padding row")
    return g("embedding_bag", table, indices, offsets, mode=_BAGS[mode]), None, None, None


# pools


def _window(
    x: GraphValue,
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    **more: object,
) -> dict[str, object]:
    dims = len(window)
    return {
        "window": tuple(window),
        "strides": _each(strides, dims) or tuple(window),
        "padding": _each(padding, dims),
        **more,
    }


def _batched(g: AtenLowering, x: GraphValue, dims: int) -> None:
    g.need(len(x.shape) == dims + 2, "images without an axis of samples")
    g.need(g.result.kind not in "iub", f"windows of {g.result}")


def _max_pool(
    g: AtenLowering,
    x: GraphValue,
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    ceil: bool,
) -> Lowered:
    _batched(g, x, len(window))
    dilated = _each(dilations, len(window))
    return g.several("max_pool", x, **_window(x, window, strides, padding, dilations=dilated, ceil_mode=ceil))


def _max_pool_backward(
    g: AtenLowering,
    gradient: GraphValue,
    x: GraphValue,
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    ceil: bool,
    indices: GraphValue,
) -> Lowered:
    _batched(g, x, len(window))
    more = {"dilations": _each(dilations, len(window)), "ceil_mode": ceil, "shape": tuple(x.shape)}
    return g("max_pool_backward", gradient, indices, **_window(x, window, strides, padding, **more))


def _averages(ceil: bool, counts_padding: bool, divisor: int | None) -> dict[str, object]:
    return {"ceil_mode": ceil, "count_include_pad": counts_padding, "divisor": divisor}


def _mean_pool(
    g: AtenLowering,
    x: GraphValue,
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    *averages: object,
) -> Lowered:
    _batched(g, x, len(window))
    return g("avg_pool", x, **_window(x, window, strides, padding, **_averages(*averages)))  # type: ignore[arg-type]


def _mean_pool_backward(
    g: AtenLowering,
    gradient: GraphValue,
    x: GraphValue,
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    *averages: object,
) -> Lowered:
    _batched(g, x, len(window))
    more = _averages(*averages)  # type: ignore[arg-type]
    return g("avg_pool_backward", gradient, **_window(x, window, strides, padding, shape=tuple(x.shape), **more))


def _adaptive(g: AtenLowering, x: GraphValue, shape: Sequence[int]) -> Lowered:
    _batched(g, x, len(shape))
    return g("adaptive_avg_pool", x, shape=tuple(shape))


def _adaptive_backward(dims: int) -> AtenRow:
    def lower(g: AtenLowering, gradient: GraphValue, x: GraphValue) -> Lowered:
        _batched(g, x, dims)
        return g("adaptive_avg_pool_backward", gradient, shape=tuple(x.shape))

    return AtenRow(lower)


def _resized(mode: str) -> AtenRow:
    """Return the row of an operator that resizes images by the ratio of their extents."""

    def lower(g: AtenLowering, x: GraphValue, size: Sequence[int], *options: float | bool | None) -> Lowered:
        if mode == "bilinear":
            _need_floats(g, x, "integers, whose weights have fixed points in torch")
        corners = mode == "bilinear" and bool(options[0])
        factors = options[1:] if mode == "bilinear" else options
        ratios = [wide / here for wide, here in zip(size, x.shape[2:])]
        given = all(each is None or each == ratio for each, ratio in zip(factors, ratios))
        g.need(given, "a scale that is not the ratio of the extents")
        return g("resize", x, size=tuple(size), mode=mode, align_corners=corners)

    return AtenRow(lower, Types.KEPT)


def _rows_at(g: AtenLowering, x: GraphValue, indices: Sequence[GraphValue | None]) -> Lowered:
    g.need(len(indices) == 1 and indices[0] is not None, "indices of several axes")
    assert indices[0] is not None
    g.need(indices[0].dtype.kind in "iu", "a mask as an index")
    return g("gather", x, indices[0], axis=0)


PRODUCTS: dict[str, AtenRow] = {
    "mm": AtenRow(_product),
    "bmm": AtenRow(_product),
    "mv": AtenRow(_mv),
    "dot": AtenRow(_dot),
    "addmm": AtenRow(_addmm),
    "baddbmm": AtenRow(_addmm),
    "addmv": AtenRow(_addmv),
    "addr": AtenRow(_addr),
    "convolution": AtenRow(_convolution),
    "convolution_backward": AtenRow(_convolution_backward),
    "_scaled_dot_product_flash_attention_for_cpu": AtenRow(_attention, Types.KEPT),
    "_scaled_dot_product_flash_attention_for_cpu_backward": AtenRow(_attention_backward, Types.KEPT),
    "embedding": AtenRow(_embedding, Types.KEPT),
    "index_select": AtenRow(_indexed, Types.KEPT),
    "index.Tensor": AtenRow(_rows_at, Types.KEPT),
    "_unsafe_index.Tensor": AtenRow(_rows_at, Types.KEPT),
    **{f"upsample_nearest{dims}d": _resized("nearest") for dims in (1, 2, 3)},
    "upsample_linear1d": _resized("bilinear"),
    "upsample_bilinear2d": _resized("bilinear"),
    "upsample_trilinear3d": _resized("bilinear"),
    "embedding_dense_backward": AtenRow(_embedding_backward, Types.KEPT),
    "_embedding_bag": AtenRow(_embedding_bag, Types.KEPT),
    "_embedding_bag_forward_only": AtenRow(_embedding_bag, Types.KEPT),
    "max_pool2d_with_indices": AtenRow(_max_pool, Types.KEPT),
    "max_pool3d_with_indices": AtenRow(_max_pool, Types.KEPT),
    "max_pool2d_with_indices_backward": AtenRow(_max_pool_backward, Types.KEPT),
    "max_pool3d_with_indices_backward": AtenRow(_max_pool_backward, Types.KEPT),
    "avg_pool2d": AtenRow(_mean_pool),
    "avg_pool3d": AtenRow(_mean_pool),
    "avg_pool2d_backward": AtenRow(_mean_pool_backward),
    "avg_pool3d_backward": AtenRow(_mean_pool_backward),
    "_adaptive_avg_pool2d": AtenRow(_adaptive),
    "_adaptive_avg_pool3d": AtenRow(_adaptive),
    "_adaptive_avg_pool2d_backward": _adaptive_backward(2),
    "_adaptive_avg_pool3d_backward": _adaptive_backward(3),
}
