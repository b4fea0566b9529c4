"""Kernels of rows, which lie along the last axis: softmax, norms, elementwise functions, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import jax.numpy as jnp

from ....microkernels.choice import tried
from ....microkernels.operands import Operand, last_outputs
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...api.eltwise import binary, unary
from ...api.fused import fused
from ...kernel.callable import Kernel
from ...ops.spread import Spread, spread
from ...ops.spread_cuts import Request
from ...threads.policy import num_threads
from ..xla.callees import callee_of
from ..xla.handler import ArrayType, Handler
from .arrays import Array
from .operation import Arrays, XlaOperation, apply, differentiable, rows_of
from .partition import LETTERS, SharedAxes

_REQUESTS: dict[str, Callable[..., Kernel]] = {"fused": fused, "unary": unary, "binary": binary}


def outputs_of(kernel: Kernel) -> tuple[Operand, ...]:
    """Return what a kernel writes, its last arguments."""
    spec: Request = kernel.spec
    return last_outputs(spec.interface.arguments)


def plan_of_rows(kernel: Kernel, operands: Sequence[ArrayType], shapes: Sequence[tuple[int, ...]]) -> Handler:
    """Return the handler of a kernel whose pointers are operands and then results of these shapes; on all cores if it
    is large."""
    made = outputs_of(kernel)
    results = tuple(ArrayType(each.dtype, shape) for each, shape in zip(made, shapes, strict=True))
    elements, buffers = max(prod(each.shape) for each in (*operands, *results)), range(len(operands) + len(results))
    return Handler(kernel.name, tuple(operands), results, callee_of(on_cores(kernel, elements), buffers))


def on_cores(kernel: Kernel, elements: int) -> Kernel | Spread:
    """Return a kernel, or its parts on all cores, if it computes so many elements that this pays. One core computes the
    same parts, unless they have the kernel's own bits."""
    made = tried("parts", lambda: spread(kernel)) if elements >= INTEGRATIONS.spread else None
    return made if isinstance(made, Spread) and (num_threads() > 1 or not made.exact) else kernel


@dataclass(frozen=True)
class RowsOperation(XlaOperation):
    """A kernel on the rows of arrays of one shape, and on vectors along the last axis.

    request   which function makes the kernel
    kernel    its name
    matrices  how many operands have rows; the others are vectors
    vectors   how many results are vectors, sums of all rows, behind one with rows
    fixed     further arguments of the request
    """

    request: str
    kernel: str
    matrices: int = 1
    vectors: int = 0
    fixed: tuple[tuple[str, float], ...] = ()

    @property
    def title(self) -> str:
        """The kernel's name."""
        return self.kernel

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler: all axes but the last one are rows."""
        first = operands[0]
        kernel = _REQUESTS[self.request](self.kernel, *rows_of(first), dtype=first.dtype, **dict(self.fixed))
        return plan_of_rows(kernel, operands, [each.shape for each in self.results(*operands)])

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return an array like the first, and vectors."""
        first = operands[0]
        return first, *[ArrayType(first.dtype, first.shape[-1:])] * self.vectors

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share the rows, and add up what are sums of them."""
        axes = LETTERS[: len(operands[0].shape)]
        of_all = [axes] * self.matrices + [axes[-1:]] * (len(operands) - self.matrices)
        return SharedAxes(tuple(of_all), (axes, *[axes[-1:]] * self.vectors), axes[-1:])

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further rows, if they have no vectors of their own."""
        if self.vectors or any(batched[self.matrices :]):
            return super().batch(size, batched, operands)
        matrices = [
            each if moves else jnp.broadcast_to(each, (size, *each.shape))
            for each, moves in zip(operands[: self.matrices], batched)
        ]
        return apply(self, *matrices, *operands[self.matrices :])


@dataclass(frozen=True)
class SoftmaxOperation(RowsOperation):
    """softmax or log_softmax, whose gradients need the result."""

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Keep the result."""
        return results

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return the gradient by x."""
        return differentiable(RowsOperation("fused", f"{self.kernel}_inv", 2), *slopes, *kept)


@dataclass(frozen=True)
class NormOperation(RowsOperation):
    """layernorm or rmsnorm, whose gradients need x and the weight."""

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Keep x and the weight."""
        return operands[:2]

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return the gradients by x, the weight, and the bias of a layer norm."""
        vectors = 2 if self.kernel == "layernorm" else 1
        return differentiable(RowsOperation("fused", f"{self.kernel}_inv", 2, vectors, self.fixed), *slopes, *kept)


def slope_of(activation: str, slope: Array, sums: Array) -> Array:
    """Return the gradient by the argument of an elementwise function, given that by its result."""
    return differentiable(RowsOperation("binary", f"{activation}_inv", 2), slope, sums)[0]
