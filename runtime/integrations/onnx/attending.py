"""Attention with masks, earlier keys and fewer heads of keys, and rotary positions."""

from __future__ import annotations

from functools import reduce

import numpy as np

from ....microkernels.expr.graph import Expr
from ...graph.values import GraphValue
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .library import FLOATS, Array
from .lowering import LoweredNode, ruled, wide


def _heads(of: LoweredNode, x: GraphValue, count: int) -> GraphValue:
    """Return (batch, tokens, heads * size) as (batch, heads, tokens, size); four axes as they are."""
    if x.ndim == 4:
        return x
    apart = of.apply("reshape", x, shape=(*x.shape[:2], count, x.shape[2] // max(1, count)))
    return of.apply("permute", apart, axes=(0, 2, 1, 3))


def _visible(of: LoweredNode, queries: int, keys: int, past: int, count: GraphValue | None) -> list[GraphValue]:
    """Return masks of the keys that count: by causal attention, windows, and the number of keys of each sample.

    past     the number of keys before the first query
    count    of each sample (samples): how many keys there are, of which the queries are the last ones
    """
    left, right = of.call.whole("left_window_size", -1), of.call.whole("right_window_size", -1)
    right = 0 if of.call.whole("is_causal") else right
    places = np.arange(keys) - np.arange(queries)[:, None]
    if count is None:
        masks = [places - past <= right] * (right >= 0) + [places - past >= -left] * (left >= 0)
        return [of.graph.constant(each) for each in masks if not each.all()]
    each = of.apply("reshape", count, shape=(-1, 1, 1, 1))
    ahead = of.apply("subtract", of.graph.constant(places + queries), each)
    found = [of.apply("less", of.graph.constant(np.arange(keys)), each)]
    if right >= 0:
        found.append(of.apply("less_equal", ahead, right))
    if left >= 0:
        found.append(of.apply("greater_equal", ahead, -left))
    return found


def _bias(
    of: LoweredNode, q: GraphValue, keys: int, mask: GraphValue | None, past: int, count: GraphValue | None
) -> GraphValue | None:
    """Return all that is added to the scores, with two to four axes, or None."""
    dtype, found = wide(q.dtype), _visible(of, q.shape[2], keys, past, count)
    added = [of.cast(of.apply("where", each, 0.0, -np.inf), dtype) for each in found]
    if mask is not None:
        given = of.cast(of.apply("where", mask, 0.0, -np.inf) if mask.dtype == np.bool_ else mask, dtype)
        missing, before = keys - given.shape[-1], (0,) * given.ndim
        if missing > 0:
            given = of.apply("pad", given, before=before, after=(*before[1:], missing), value=-np.inf)
        added.append(given if given.ndim > 1 else of.apply("reshape", given, shape=(1, keys)))
    return reduce(lambda a, b: of.apply("add", a, b), added) if added else None


def _attention(
    of: LoweredNode,
    q: GraphValue,
    k: GraphValue,
    v: GraphValue,
    mask: GraphValue | None = None,
    past_key: GraphValue | None = None,
    past_value: GraphValue | None = None,
    count: GraphValue | None = None,
) -> tuple[GraphValue, ...]:
    flat, past = q.ndim == 3, 0
    q = _heads(of, q, of.call.whole("q_num_heads"))
    k, v = (_heads(of, x, of.call.whole("kv_num_heads")) for x in (k, v))
    if past_key is not None and past_value is not None:
        past = past_key.shape[2]
        k, v = (of.apply("concatenate", *each, axis=2) for each in ((past_key, k), (past_value, v)))
    scale = of.call.number("scale", 0.0) or q.shape[3] ** -0.5
    bias = _bias(of, q, k.shape[2], mask, past, count)
    if of.call.number("softcap") or of.call.results > 3 or k.shape != v.shape or q.shape[3] < 2:
        made, *scores = _in_steps(of, q, k, v, bias, scale)
    else:
        made, *scores = of.graph.results("attention", q, k, v, bias, scale=scale)
    if flat:
        made = of.apply("permute", made, axes=(0, 2, 1, 3))
        made = of.apply("reshape", made, shape=(*made.shape[:2], made.shape[2] * made.shape[3]))
    return made, k, v, *scores


def _in_steps(
    of: LoweredNode, q: GraphValue, k: GraphValue, v: GraphValue, bias: GraphValue | None, scale: float
) -> tuple[GraphValue, GraphValue]:
    """Return the result by two products and a softmax, and the scores that the node asks for."""
    dtype, cap = wide(q.dtype), of.call.number("softcap")
    k, v = (_repeated(of, each, q.shape[1] // k.shape[1]) for each in (k, v))
    capped = of.apply("matmul", q, of.apply("permute", k, axes=(0, 1, 3, 2)), dtype=dtype)
    if cap:
        capped = of.apply("multiply", of.apply("tanh", of.apply("multiply", capped, scale / cap)), cap)
    else:
        capped = of.apply("multiply", capped, scale)
    biased = capped if bias is None else of.apply("add", capped, bias)
    unseen = of.apply("equal", of.apply("max", biased, axes=(3,), keepdims=True), -np.inf)
    power = of.apply("where", unseen, 0.0, of.apply("softmax", biased, axis=3))
    scores = (capped, capped, biased, power)[of.call.whole("qk_matmul_output_mode")]
    result = of.apply("matmul", power, of.cast(v, dtype))
    return of.cast(result, q.dtype), of.cast(scores, q.dtype)


def _repeated(of: LoweredNode, x: GraphValue, times: int) -> GraphValue:
    """Return heads that each serve as many heads of queries."""
    batch, heads, *rest = x.shape
    if times == 1:
        return x
    apart = of.apply("reshape", x, shape=(batch, heads, 1, *rest))
    spread = of.apply("broadcast_to", apart, shape=(batch, heads, times, *rest))
    return of.apply("reshape", spread, shape=(batch, heads * times, *rest))


def _attention_refused(call: NodeCall) -> str | None:
    if call.whole("qk_matmul_output_mode") == 0 and call.number("softcap") and call.results > 3:
        return "qk_matmul_output_mode=0 with a softcap: versions of ONNX differ in which scores these are"
    return None


# Rotary positions


def _real(a: Expr, b: Expr, cosine: Expr, sine: Expr) -> Expr:
    return cosine * a - sine * b


def _imaginary(a: Expr, b: Expr, cosine: Expr, sine: Expr) -> Expr:
    return sine * a + cosine * b


def _rotary_of(call: NodeCall, x: Array, cosine: Array, sine: Array, places: Array | None = None) -> Array:
    heads = x.transpose(0, 2, 1, 3) if x.ndim == 4 else x.reshape(*x.shape[:2], call.whole("num_heads"), -1)
    size = call.whole("rotary_embedding_dim") or heads.shape[-1]
    turned, rest = heads[..., :size], heads[..., size:]
    if places is not None:
        cosine, sine = cosine[places], sine[places]
    tables = [each[:, :, None, :] for each in (cosine, sine)]
    woven = bool(call.whole("interleaved"))
    parts = (turned[..., 0::2], turned[..., 1::2]) if woven else (turned[..., : size // 2], turned[..., size // 2 :])
    both = [elementwise(ElementFunction(each), *parts, *tables) for each in (_real, _imaginary)]
    joined = np.stack(both, -1).reshape(turned.shape) if woven else np.concatenate(both, -1)
    made = np.concatenate([joined, rest], -1)
    return made.transpose(0, 2, 1, 3).copy() if x.ndim == 4 else made.reshape(x.shape)


ROWS = (
    ruled("Attention", _attention, FLOATS, {2: FLOATS}, since=23, refuse=_attention_refused),
    OnnxRow("RotaryEmbedding", _rotary_of, since=23),
)
