"""Operations on arrays of JAX's: a handler for each types and shapes, rules of batching and gradients around it.

An `XlaOperation` is a request without shapes. `apply` traces one call of it: its handler is made for the shapes of that
trace. Under vmap, a batch of an operation is the same operation on larger arrays where its subclass says so, and else
one handler with a loop around the call. Gradients are those of `jax.custom_vjp`, outside of the rules of batching.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import prod
from typing import TypeAlias

import jax
from jax.custom_batching import custom_vmap

from ....microkernels.errors import UnsupportedError
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...threads.policy import num_threads
from ..xla.handler import ArrayType, Handler, HandlerLoop
from .arrays import Array, axes_of, empty_of, type_of, varying, varying_alike
from .partition import SharedAxes, partitioned
from .targets import called

Arrays: TypeAlias = tuple[Array, ...]


@dataclass(frozen=True)
class XlaOperation(ABC):
    """What is computed, apart from shapes and types."""

    @abstractmethod
    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler for operands without empty axes. Raises UnsupportedError if no kernel takes them."""

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return the types of the results; what the plan says, unless it can be told without a plan."""
        return self.planned(*operands).results

    def direct(self, *operands: ArrayType) -> bool:
        """Whether a handler takes such operands; empty ones have none."""
        return all(each.bytes for each in operands)

    def instead(self, *operands: Array) -> Arrays:
        """Return the results of operands that no handler takes: zeros of empty ones."""
        return tuple(map(empty_of, self.results(*map(type_of, operands))))

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Return the results of a batch along new first axes of the operands that have one."""
        return apply(BatchedOperation(self, size, tuple(batched)), *operands)

    @property
    def title(self) -> str:
        """What errors call it."""
        return type(self).__name__

    @property
    def aliases(self) -> Mapping[int, int]:
        """The operands whose memory results take over."""
        return {}

    def partition(self, *operands: ArrayType) -> SharedAxes | None:
        """Return along which axes devices may share the work; None: each has all of it."""
        return None

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Return what the gradient needs."""
        return ()

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return the gradients by all operands, given those by all results. Raises UnsupportedError if there are
        none."""
        raise UnsupportedError(
            f"{self.title} has no derivative: of these functions only products have derivatives of any order; "
            "jax.numpy's have them"
        )


@dataclass(frozen=True)
class BatchedOperation(XlaOperation):
    """An operation on each of several samples, by a loop around its call."""

    inner: XlaOperation
    size: int
    batched: tuple[bool, ...]

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the plan of a sample with one more loop."""
        plan = self.inner.planned(*map(_sample, operands, self.batched))
        results = tuple(ArrayType(each.dtype, (self.size, *each.shape)) for each in plan.results)
        steps = [each.bytes if moves else 0 for each, moves in zip(plan.arguments, self.batched)]
        steps += [each.bytes for each in plan.results]
        return plan._replace(
            arguments=tuple(operands), results=results, loops=(HandlerLoop(self.size, tuple(steps)), *plan.loops)
        )

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return those of a sample with one more axis."""
        found = self.inner.results(*map(_sample, operands, self.batched))
        return tuple(ArrayType(each.dtype, (self.size, *each.shape)) for each in found)

    def direct(self, *operands: ArrayType) -> bool:
        """Whether there are samples that a handler takes."""
        return self.size > 0 and self.inner.direct(*map(_sample, operands, self.batched))

    def instead(self, *operands: Array) -> Arrays:
        """Return those of each sample."""
        if not self.size:
            return super().instead(*operands)
        axes = tuple(0 if moves else None for moves in self.batched)
        made: Arrays = jax.vmap(self.inner.instead, axes)(*operands)
        return made

    @property
    def aliases(self) -> Mapping[int, int]:
        """Those of a sample, if both have the axis."""
        return {one: other for one, other in self.inner.aliases.items() if self.batched[one]}


def _sample(operand: ArrayType, batched: bool) -> ArrayType:
    return ArrayType(operand.dtype, operand.shape[1:]) if batched else operand


def apply(operation: XlaOperation, *operands: Array) -> Arrays:
    """Return the results of an operation as its rules call it, inside of the gradient."""
    made: Arrays = _with_rule(operation)(*operands)
    return made


def differentiable(operation: XlaOperation, *operands: Array) -> Arrays:
    """Return the results of an operation, with its gradient."""
    made: Arrays = _with_gradient(operation)(*varying_alike(operands))
    return made


@lru_cache(maxsize=INTEGRATIONS.traced)
def _with_rule(operation: XlaOperation) -> Callable[..., Arrays]:
    @custom_vmap
    def compute(*operands: Array) -> Arrays:
        types = tuple(map(type_of, operands))
        axes = operation.partition(*types) if operation.direct(*types) else None
        return partitioned(partial(_computed, operation), axes)(*operands) if axes else _computed(operation, *operands)

    @compute.def_vmap
    def rule(size: int, batched: Sequence[bool], *operands: Array) -> tuple[Arrays, tuple[bool, ...]]:
        made = operation.batch(size, batched, operands)
        return made, (True,) * len(made)

    function: Callable[..., Arrays] = compute
    return function


def _computed(operation: XlaOperation, *operands: Array) -> Arrays:
    """Return the results of a handler, if one takes such operands."""
    types = tuple(map(type_of, operands))
    if not operation.direct(*types):
        axes = axes_of(operands)
        return tuple(varying(each, axes) for each in operation.instead(*operands))
    return called(_plan(operation, types, num_threads()), operands, operation.aliases)


@lru_cache(maxsize=INTEGRATIONS.traced)
def _plan(operation: XlaOperation, types: tuple[ArrayType, ...], threads: int) -> Handler:
    """Return the plan; jobs are made for the number of threads at the time of the trace."""
    return operation.planned(*types)


@lru_cache(maxsize=INTEGRATIONS.traced)
def _with_gradient(operation: XlaOperation) -> Callable[..., Arrays]:
    def plain(*operands: Array) -> Arrays:
        return apply(operation, *operands)

    plain.__name__ = f"tilesmith_{operation.title}"  # as programs are printed
    compute = jax.custom_vjp(plain)

    def forward(*operands: Array) -> tuple[Arrays, Arrays]:
        results = compute(*operands)  # which has a gradient, too, if this one is differentiated
        return results, operation.kept(operands, results)

    compute.defvjp(forward, operation.gradients)
    function: Callable[..., Arrays] = compute
    return function


def rows_of(operand: ArrayType) -> tuple[int, int]:
    """Return an array's extents as a matrix whose rows lie along the last axis."""
    return prod(operand.shape[:-1]), operand.shape[-1]
