"""Attention of torch and of this package in compiled graphs.

aot_autograd takes attention apart, into products and a softmax, where torch's own kernel does not take it: with
dropout, and of other than four axes. So it is replaced beforehand by the operator of `..attending`, which stays whole,
has rows, and drops by a seed of torch's generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import torch

from ....graph.values import GraphValue
from .. import functions
from ..attending import score_of
from ..library import DTYPES
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types

_NAMES = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
_TARGETS = (
    torch.nn.functional.scaled_dot_product_attention,
    torch.ops.aten.scaled_dot_product_attention.default,
)


def keep_attention(module: torch.fx.GraphModule, dropout: bool) -> None:
    """Let attention of a graph before aot_autograd be that of kernels, where these take it. dropout: also with it."""
    calls = [(each, _given(each)) for each in module.graph.nodes if each.target in _TARGETS]
    found = [each for each, given in calls if _is_taken(given) and (dropout or not given.get("dropout_p"))]
    for node in found:
        node.target = functions.scaled_dot_product_attention
    if found:
        module.recompile()


def _given(node: torch.fx.Node) -> Mapping[str, object]:
    """Return the arguments of a call by name, with fake tensors in place of tensors."""
    given = {**dict(zip(_NAMES, node.args)), **node.kwargs}
    return {
        name: each.meta.get("example_value", each.meta.get("val")) if isinstance(each, torch.fx.Node) else each
        for name, each in given.items()
    }


def _is_rate(rate: object) -> bool:
    return isinstance(rate, (int, float)) and 0 <= rate < 1


def _is_taken(given: Mapping[str, object]) -> bool:
    """Whether kernels compute a call: others stay torch's, which has broadcast batches, values of another size, and
    gradients of masks."""
    q, k, v, mask = (given.get(name) for name in _NAMES[:4])
    rate, causal, many = given.get("dropout_p", 0.0), given.get("is_causal", False), given.get("enable_gqa", False)
    if not all(isinstance(each, torch.Tensor) for each in (q, k, v)) or not _is_rate(rate):
        return False
    assert isinstance(q, torch.Tensor) and isinstance(k, torch.Tensor) and isinstance(v, torch.Tensor)
    if q.dtype not in DTYPES or not q.dtype == k.dtype == v.dtype or q.dim() < 3 or k.dim() != q.dim():
        return False
    if q.shape[:-3] != k.shape[:-3] or k.shape != v.shape or q.shape[-1] != k.shape[-1] or q.shape[-1] < 2:
        return False
    if not q.numel() or not k.numel() or not (q.shape[-3] == k.shape[-3] or many and q.shape[-3] % k.shape[-3] == 0):
        return False
    if mask is None:
        return True
    pairs = (*q.shape[:-1], k.shape[-2])
    return (
        isinstance(mask, torch.Tensor)
        and not mask.requires_grad
        and not causal
        and mask.dtype in (torch.bool, q.dtype)
        and mask.dim() <= len(pairs)
        and all(m in (1, n) for m, n in zip(mask.shape[::-1], pairs[::-1]))
    )


# The operators as nodes


def _samples(g: AtenLowering, x: GraphValue) -> GraphValue:
    """Return heads of any axes of samples as those of one such axis."""
    return g.reshaped(x, (prod(x.shape[:-3]), *x.shape[-3:]))


def _mask(g: AtenLowering, mask: GraphValue | None, q: GraphValue) -> GraphValue | None:
    """Return a mask for samples along one axis."""
    if mask is None or len(mask.shape) <= 3 or len(q.shape) == 4:
        return mask
    return _samples(g, g.broadcast(mask, (*q.shape[:-3], *mask.shape[-3:])))


def _attention(
    g: AtenLowering,
    q: GraphValue,
    k: GraphValue,
    v: GraphValue,
    mask: GraphValue | None,
    causal: bool,
    scale: float,
    dropout: float,
    seed: GraphValue | None,
    score: str,
) -> Lowered:
    g.need(q.dtype == k.dtype == v.dtype, "attention of several types")
    heads = (_samples(g, each) for each in (q, k, v))
    options = {"causal": causal, "scale": scale, "dropout": dropout, "score": score_of(score)}
    out, lse = g.several("attention", *heads, _mask(g, mask, q), seed, **options)
    return g.reshaped(out, q.shape), g.reshaped(lse, q.shape[:-1])


def _attention_backward(
    g: AtenLowering,
    gradient: GraphValue,
    q: GraphValue,
    k: GraphValue,
    v: GraphValue,
    mask: GraphValue | None,
    out: GraphValue,
    lse: GraphValue,
    causal: bool,
    scale: float,
    dropout: float,
    seed: GraphValue | None,
    score: str,
) -> Lowered:
    g.need(gradient.dtype == q.dtype == k.dtype == v.dtype, "attention of several types")
    first, *heads, out = (_samples(g, each) for each in (gradient, q, k, v, out))
    options = {"causal": causal, "scale": scale, "dropout": dropout, "score": score_of(score)}
    sums = g.reshaped(lse, out.shape[:-1])
    made = g.several("attention_backward", first, *heads, out, sums, _mask(g, mask, q), seed, **options)
    return tuple(g.reshaped(each, of.shape) for each, of in zip(made, (q, k, v)))


ATTENDING: dict[str, AtenRow] = {
    "attention": AtenRow(_attention, Types.KEPT),
    "attention_backward": AtenRow(_attention_backward, Types.KEPT),
}
"""The rows of these operators."""
