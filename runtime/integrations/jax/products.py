"""Products of matrices and layers, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, TypeAlias, cast

import jax.numpy as jnp

from ....microkernels.choice import Refusal, tried
from ...api import functions as expressions
from ...api.brgemm import brgemm
from ...kernel.callable import Kernel
from ...ops.gemm import Gemm, gemm
from ...ops.product_shapes import MatrixLayout, ProductShapes, Work, computes_transposed, is_small
from ..xla.callees import callee_of
from ..xla.handler import ArrayType, Handler, HandlerLoop
from .arrays import Array, type_of
from .operation import Arrays, XlaOperation, apply, differentiable
from .partition import SharedAxes
from .rowwise import on_cores, slope_of

if TYPE_CHECKING:
    from ...api.typed import Order

NONE = "none"
Traced: TypeAlias = Callable[..., object]
ACTIVATIONS = ("gelu", "gelu_tanh", "relu", "sigmoid", "silu", "softplus", "tanh", "elu", "leaky_relu")
"""Names of elementwise functions that have a gradient."""
_ORDERS: tuple[Order, Order] = ("C", "F")
_kernel: Callable[..., Kernel] = brgemm
_nest = cast("Callable[..., Gemm]", gemm)


@lru_cache(maxsize=64)
def epilogue_of(activation: str, biased: bool) -> Traced | None:
    """Return the function of a layer's sums."""
    function = None if activation == NONE else getattr(expressions, activation)
    if function is None:
        return (lambda c, bias: c + bias) if biased else None
    return (lambda c, bias: function(c + bias)) if biased else (lambda c: function(c))


@dataclass(frozen=True)
class ProductOperation(XlaOperation):
    """A product of matrices, or of a stack of them in one or both operands.

    turned      whether a and b are the transposes of the factors
    activation  of a layer, or NONE
    biased      whether a row is added, the third operand
    """

    turned: tuple[bool, bool] = (False, False)
    activation: str = NONE
    biased: bool = False

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler of a product, or of a stack, by one kernel if the products are small."""
        a, b, *_ = operands
        m, n, k = self._extents(a, b)
        results = self.results(*operands)
        count = results[0].shape[0] if len(results[0].shape) > 2 else 0
        epilogue = epilogue_of(self.activation, self.biased)
        more: dict[str, object] = {"epilogue": epilogue, "operands": {"bias": "row"} if self.biased else None}
        orders = [_ORDERS[each] for each in self.turned]
        lying = [MatrixLayout((order, each.shape[-1])) for order, each in zip((*orders, "C"), (a, b, *results))]
        types = (a.dtype,) * 3
        shapes = ProductShapes((count,) if count else (), m, n, k, results[0].shape, (False, False))
        work = Work(shapes, types, None, None)
        small = is_small(work, lying)
        request: dict[str, object] = {"dtype": a.dtype, "beta": 0.0, **(more if epilogue else {})}
        order, buffers = "".join(orders) + "C", [0, 1, len(operands), *range(2, len(operands))]
        if count and small and epilogue is None:
            return self._stacked(operands, results, (m, n, k), request, order)
        if epilogue is None and not small and computes_transposed(work, lying, {}):
            turned = "".join("CF"[each == "C"] for each in (order[1], order[0], order[2]))
            made: Kernel | Gemm = _nest(n, m, k, order=turned, **request)
            buffers[:2] = 1, 0
        else:
            made = _one(small, (m, n, k), order=order, **request)
        name = f"product_{a.dtype}_{m}x{n}x{k}"
        plan = Handler(name, operands, results, callee_of(made, buffers))
        return plan._replace(loops=(_loop(count, operands, results),)) if count else plan

    def _stacked(
        self,
        operands: Sequence[ArrayType],
        results: tuple[ArrayType, ...],
        extents: tuple[int, int, int],
        request: dict[str, object],
        order: str,
    ) -> Handler:
        """Return the handler of a stack of small products by one call."""
        loop = _loop(results[0].shape[0], operands, results)
        kernel = tried("a stack", lambda: _kernel(*extents, stack=loop.times, order=order, **request))
        if isinstance(kernel, Refusal):
            single = callee_of(_one(True, extents, order=order, **request), (0, 1, 2))
            return Handler("products", tuple(operands), results, single, (loop,))
        callee = callee_of(on_cores(kernel, loop.times * prod(extents)), (0, 1, 2), loop.steps)
        return Handler(kernel.name, tuple(operands), results, callee)

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return the product, of as many matrices as either operand has."""
        a, b, *_ = operands
        m, n, _ = self._extents(a, b)
        return (ArrayType(a.dtype, (*(a.shape[:-2] or b.shape[:-2]), m, n)),)

    def _extents(self, a: ArrayType, b: ArrayType) -> tuple[int, int, int]:
        m, k = reversed(a.shape[-2:]) if self.turned[0] else a.shape[-2:]
        return m, b.shape[-2 if self.turned[1] else -1], k

    def instead(self, *operands: Array) -> Arrays:
        """Return sums without terms: zeros, or the bias, in a layer its activation."""
        a, b, *bias = operands
        m, n, k = self._extents(type_of(a), type_of(b))
        if k or not m or not n or epilogue_of(self.activation, self.biased) is None:
            return super().instead(*operands)
        return apply(self, jnp.zeros((*a.shape[:-1], 1), a.dtype), jnp.zeros((1, n), b.dtype), *bias)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further rows of a, or further members of a stack, unless they have biases of their own."""
        a, b, *bias = operands
        plain = any(batched[:2]) and not any(batched[2:])
        depth = [each.ndim - moves for each, moves in zip((a, b), batched)]
        if plain and not batched[1] and depth == [2, 2] and not self.turned[0]:
            (made,) = apply(self, a.reshape(-1, a.shape[-1]), b, *bias)
            return (made.reshape(size, -1, made.shape[-1]),)
        if plain and depth == [2, 2]:
            return apply(self, *operands)
        if plain and not bias and max(depth) == 3:
            return (self._deeper(size, batched, (a, b), depth),)
        return super().batch(size, batched, operands)

    def _deeper(self, size: int, batched: Sequence[bool], operands: Arrays, depth: Sequence[int]) -> Array:
        """Return the products of several stacks as one longer stack."""
        count = next(each.shape[-3] for each, axes in zip(operands, depth) if axes == 3)
        folded = []
        for each, moves, axes in zip(operands, batched, depth):
            wide = each if moves else each[None]
            wide = wide if axes == 3 else wide[:, None]
            wide = jnp.broadcast_to(wide, (size, count, *wide.shape[-2:]))
            folded.append(wide.reshape(size * count, *wide.shape[-2:]))
        (made,) = apply(self, *folded)
        return made.reshape(size, count, *made.shape[-2:])

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share rows, columns and the products of a stack. They share terms of sums, and add them up, only
        if nothing is applied to the sums."""
        a, b, *bias = operands
        of_a, of_b = ("km" if self.turned[0] else "mk"), ("nk" if self.turned[1] else "kn")
        stacks = ["s" if len(each.shape) > 2 else "" for each in (a, b)]
        plain = self.activation == NONE and not bias
        result = ("s" if any(stacks) else "") + "mn"
        return SharedAxes((stacks[0] + of_a, stacks[1] + of_b, *["n"] * len(bias)), (result,), "" if plain else "k")

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Keep the operands."""
        return operands

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return products of the slope, for a layer that by its sums, which are computed again."""
        a, b, *bias = kept
        (slope,) = slopes
        if self.activation != NONE:
            (sums,) = differentiable(ProductOperation(self.turned, NONE, self.biased), *kept)
            slope = slope_of(self.activation, slope, sums)
        by_a, by_b = _slopes(self.turned, a, b, slope)
        return by_a, by_b, *([jnp.sum(slope, axis=tuple(range(slope.ndim - 1)))] if bias else [])


def product(turned: tuple[bool, bool], a: Array, b: Array) -> Array:
    """Return the product of matrices, or stacks, of which a and b may be the transposes; differentiable."""
    return differentiable(ProductOperation(turned), a, b)[0]


def _slopes(turned: tuple[bool, bool], a: Array, b: Array, slope: Array) -> tuple[Array, Array]:
    """Return the gradients by both factors; one that all products of a stack share is summed over them."""
    of_a, of_b = turned
    by_a = product((of_b, True), b, slope) if of_a else product((False, not of_b), slope, b)
    by_b = product((True, of_a), slope, a) if of_b else product((not of_a, False), a, slope)
    return (
        by_a.sum(0) if by_a.ndim > a.ndim else by_a,
        by_b.sum(0) if by_b.ndim > b.ndim else by_b,
    )


def _one(small: bool, extents: tuple[int, int, int], **request: object) -> Kernel | Gemm:
    """Return one kernel for a small product, if it packs its operands, or a nest."""
    if small:
        made = tried("one BRGEMM", lambda: _kernel(*extents, **request))
        if not isinstance(made, Refusal):
            return made
    return _nest(*extents, **request)


def _loop(count: int, operands: Sequence[ArrayType], results: Sequence[ArrayType]) -> HandlerLoop:
    """Return the loop over the products of a stack; a factor that all share stays."""
    arrays = (*operands, *results)
    return HandlerLoop(count, tuple(each.bytes // count if len(each.shape) > 2 else 0 for each in arrays))
