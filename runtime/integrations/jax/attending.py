"""Attention, and its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

import jax.numpy as jnp

from ...api import attention
from ...kernel.callable import Kernel
from ..xla.handler import ArrayType, Handler
from .arrays import Array
from .operation import Arrays, XlaOperation, apply, differentiable
from .partition import LETTERS, SharedAxes
from .rowwise import plan_of_rows

Mask: TypeAlias = Literal["row", "full"] | None
_FORWARD: Callable[..., Kernel] = attention.attention
_BACKWARD: Callable[..., Kernel] = attention.attention_inv


@dataclass(frozen=True)
class AttentionOperation(XlaOperation):
    """Attention of q (..., heads, queries, size), k and v (..., heads of k, keys, size), and perhaps a mask.

    The results are the values and the logarithms of the sums of powers (..., heads, queries), which the gradient needs.
    """

    causal: bool
    scale: float
    mask: Mask = None

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler."""
        q, k, *_ = operands
        kernel = _FORWARD(*_extents(q, k), **_options(self, q, k), lse=True)
        return plan_of_rows(kernel, operands, [each.shape for each in self.results(*operands)])

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return an array like q, and one without its last axis, in f32 for narrower types."""
        q = operands[0]
        return q, ArrayType(q.dtype if q.dtype == "f64" else "f32", q.shape[:-1])

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share the axes of samples, and heads."""
        axes, of_k, whole = _axes(*operands[:2])
        return SharedAxes((axes, of_k, of_k, *_of_mask(operands[3:])), (axes, axes[:-1]), whole)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further heads, if they share their mask."""
        if any(batched[3:]):
            return super().batch(size, batched, operands)
        return apply(self, *_further_heads(size, batched, operands, 3), *operands[3:])

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Keep everything."""
        return *operands, *results

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return the gradients by q, k and v; masks have none."""
        q, k, v, *mask, out, lse = kept
        made = differentiable(
            AttentionGradient(self.causal, self.scale, self.mask), slopes[0], q, k, v, out, lse, *mask
        )
        narrowed = (one.astype(other.dtype) for one, other in zip(made, (q, k, v)))
        return *narrowed, *[None] * len(mask)


@dataclass(frozen=True)
class AttentionGradient(XlaOperation):
    """The gradients of attention by q, k and v: of g, q, k, v, the values, the logarithms, and perhaps the mask."""

    causal: bool
    scale: float
    mask: Mask = None

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler. The kernel's mask comes before the results of the forward pass."""
        g, q, k, v, out, lse, *mask = operands
        kernel = _BACKWARD(*_extents(q, k), **_options(self, q, k))
        shapes = [each.shape for each in self.results(*operands)]
        plan = plan_of_rows(kernel, (g, q, k, v, *mask, out, lse), shapes)
        if not mask:
            return plan
        places = {4: 6, 5: 4, 6: 5}
        words = tuple(each._replace(base=places.get(each.base, each.base)) for each in plan.callee.words)
        return plan._replace(arguments=operands, callee=plan.callee._replace(words=words))

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return arrays like q, k and v, in f32 for narrower types, since they are sums in memory."""
        return tuple(ArrayType("f64" if each.dtype == "f64" else "f32", each.shape) for each in operands[1:4])

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share the axes of samples, and heads."""
        axes, of_k, whole = _axes(*operands[1:3])
        of_results = axes, axes[:-1], *_of_mask(operands[6:])
        return SharedAxes((axes, axes, of_k, of_k, *of_results), (axes, of_k, of_k), whole)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further heads, if they share their mask."""
        if any(batched[6:]):
            return super().batch(size, batched, operands)
        return apply(self, *_further_heads(size, batched, operands, 6), *operands[6:])


def _extents(q: ArrayType, k: ArrayType) -> tuple[int, int, int, int]:
    return prod(q.shape[:-2]), q.shape[-2], k.shape[-2], q.shape[-1]


def _axes(q: ArrayType, k: ArrayType) -> tuple[str, str, str]:
    """Return the axes of q and of k, and those that every device has whole: heads, too, if k has fewer."""
    lead = LETTERS[: len(q.shape) - 3]
    if q.shape[-3] == k.shape[-3]:
        return f"{lead}hqz", f"{lead}hkz", "qkz"
    return f"{lead}hqz", f"{lead}gkz", "hgqkz"


def _of_mask(mask: Sequence[ArrayType]) -> list[str]:
    return ["k" if len(each.shape) == 1 else "qk" for each in mask]


def _options(asked: AttentionOperation | AttentionGradient, q: ArrayType, k: ArrayType) -> dict[str, object]:
    heads = prod(k.shape[:-2])
    return {"causal": asked.causal, "scale": asked.scale, "mask": asked.mask, "kv_heads": heads, "dtype": q.dtype}


def _further_heads(size: int, batched: Sequence[bool], operands: Sequence[Array], count: int) -> list[Array]:
    """Return the first operands with an axis of samples each."""
    return [
        each if moves else jnp.broadcast_to(each, (size, *each.shape)) for each, moves in zip(operands[:count], batched)
    ]
