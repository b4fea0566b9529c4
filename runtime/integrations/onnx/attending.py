"""Attention with masks, earlier keys and fewer heads of keys, and rotary positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...api import fused
from ...api.attention import attention
from ...kernel.callable import Kernel
from ...ops.matmul import matmul
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, along, elementwise
from .library import FLOATS, Array, Results, kernel_type

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


def _heads(x: Array, count: int) -> Array:
    """Return (batch, tokens, heads * size) as (batch, heads, tokens, size); four axes as they are."""
    if x.ndim == 4:
        return x
    return x.reshape(*x.shape[:2], count, x.shape[2] // max(1, count)).transpose(0, 2, 1, 3)


def _added(a: Array | None, b: Array) -> Array:
    """Return the sum of two masks; -inf stays."""
    return b if a is None else elementwise(ElementFunction(_plus), a, b)


def _plus(a: Expr, b: Expr) -> Expr:
    return a + b


def _hidden(visible: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return what is added to scores so that only visible keys count."""
    return np.where(visible, 0.0, -np.inf).astype(dtype)


def _positions(
    call: NodeCall, queries: int, keys: int, before: Array | int, wide: np.dtype[np.generic]
) -> Array | None:
    """Return the mask of causal attention and of windows, which follows from places. `before` is the number of keys
    before the first query: one for all samples, or one for each (samples, 1, 1, 1)."""
    left, right = call.whole("left_window_size", -1), call.whole("right_window_size", -1)
    ahead = np.arange(keys) - (np.arange(queries)[:, None] + before)
    visible = np.ones(ahead.shape, np.bool_)
    if call.whole("is_causal"):
        visible &= ahead <= 0
    if left >= 0:
        visible &= -ahead <= left
    if right >= 0:
        visible &= ahead <= right
    return None if visible.all() else _hidden(visible, wide)


def _bias(
    call: NodeCall, q: Array, k: Array, mask: Array | None, past: int, count: Array | None, wide: np.dtype[np.generic]
) -> Array | None:
    """Return all that is added to the scores, with two to four axes, or None."""
    queries, keys = q.shape[2], k.shape[2]
    found: Array | None = None
    if mask is not None:
        given = _hidden(mask, wide) if mask.dtype == np.bool_ else mask.astype(wide)
        missing = keys - given.shape[-1]
        if missing > 0:
            given = np.pad(given, [(0, 0)] * (given.ndim - 1) + [(0, missing)], constant_values=-np.inf)
        found = given.reshape(1, -1) if given.ndim == 1 else given
    before: Array | int = past
    if count is not None:
        each = count.reshape(-1, 1, 1, 1)
        before = each - queries
        found = _added(found, _hidden(np.arange(keys) < each, wide))
    places = _positions(call, queries, keys, before, wide)
    return found if places is None else _added(found, places)


def _capped(scores: Expr, scale: float, cap: float) -> Expr:
    return f.tanh(scores * (scale / cap)) * cap if cap else scores * scale


def _softmax(scores: Expr) -> Expr:
    """Softmax of rows; 0 where all scores are -inf."""
    largest = fused.max(scores, axis=1)
    power = f.exp(scores - f.select(largest == -np.inf, 0.0, largest))
    total = fused.sum(power, axis=1)
    return power / f.select(total == 0.0, 1.0, total)


def _in_one_kernel(call: NodeCall, q: Array, k: Array, v: Array, bias: Array | None, scale: float) -> Array | None:
    """Return the result of a kernel of attention for each sample, or None if there is none for these arrays."""
    heads, queries, size = q.shape[1:]
    if call.results > 3 or call.number("softcap") or v.shape[3] != size or size < 2 or not q.size or not k.size:
        return None
    if bias is not None:
        if bias.ndim > 2 and any(extent != 1 for extent in bias.shape[:-2]):
            return None
        bias = np.ascontiguousarray(np.broadcast_to(bias.reshape(bias.shape[-2:]), (queries, k.shape[2])))
    request: Callable[..., Kernel] = attention
    kernel = request(
        heads,
        queries,
        k.shape[2],
        size,
        mask=None if bias is None else "full",
        scale=scale,
        kv_heads=k.shape[1],
        dtype=kernel_type(q.dtype),
    )
    masks = [] if bias is None else [bias]
    given = ([np.ascontiguousarray(x[sample]) for x in (q, k, v)] for sample in range(len(q)))
    return np.stack([np.asarray(kernel(*each, *masks)) for each in given])


def _attention_of(
    call: NodeCall,
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    count: Array | None = None,
) -> Results:
    flat = q.ndim == 3
    q = _heads(q, call.whole("q_num_heads"))
    k, v = (_heads(x, call.whole("kv_num_heads")) for x in (k, v))
    past = 0
    if past_key is not None and past_value is not None:
        past = past_key.shape[2]
        k, v = np.concatenate([past_key, k], axis=2), np.concatenate([past_value, v], axis=2)
    scale = call.number("scale", 0.0) or q.shape[3] ** -0.5
    wide = F64 if q.dtype == F64 else F32
    bias = _bias(call, q, k, mask, past, count, wide)
    made, scores = _in_one_kernel(call, q, k, v, bias, scale), None
    if made is None:
        made, scores = _in_steps(call, q, k, v, bias, scale)
    if flat:
        made = made.transpose(0, 2, 1, 3).reshape(made.shape[0], made.shape[2], -1)
    return np.ascontiguousarray(made), np.ascontiguousarray(k), np.ascontiguousarray(v), scores


def _in_steps(call: NodeCall, q: Array, k: Array, v: Array, bias: Array | None, scale: float) -> tuple[Array, Array]:
    """Return the result by two products and a softmax, and the scores that the node asks for."""
    wide = F64 if q.dtype == F64 else F32
    times = q.shape[1] // k.shape[1]
    if times > 1:
        k, v = np.repeat(k, times, axis=1), np.repeat(v, times, axis=1)
    raw: Array = matmul(q, k.transpose(0, 1, 3, 2), dtype=kernel_type(wide))
    capped = elementwise(ElementFunction(_capped, (scale, call.number("softcap"))), raw)
    biased = capped if bias is None else elementwise(ElementFunction(_plus), capped, bias)
    power = along(ElementFunction(_softmax), biased, -1)
    if bias is not None:
        unseen = np.isneginf(np.broadcast_to(bias, biased.shape).max(-1, keepdims=True, initial=-np.inf))
        power = np.where(unseen, wide.type(0), power)
    mode = call.whole("qk_matmul_output_mode")
    scores = (capped, capped, biased, power)[mode].astype(q.dtype)
    values = v if v.dtype == wide else v.astype(wide)
    result: Array = matmul(power, values)
    return result.astype(q.dtype), scores


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
    OnnxRow("Attention", _attention_of, FLOATS, {2: FLOATS}, since=23, refuse=_attention_refused),
    OnnxRow("RotaryEmbedding", _rotary_of, since=23),
)
