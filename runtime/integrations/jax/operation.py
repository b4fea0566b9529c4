"""Operations on arrays of JAX's: a handler for each types and shapes, rules of batching and gradients around it.

An `Operation` is a request without shapes. `apply` traces one call of it: its handler is made for the shapes of that
trace. Under vmap, a batch of an operation is the same operation on larger arrays where its subclass says so, and else
one handler with a loop around the call. Gradients are those of `jax.custom_vjp`, outside of the rules of batching.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TypeAlias

import jax
import jax.numpy as jnp

from ...threads.policy import num_threads
from .handler import ArrayType, BatchLoop, HandlerPlan
from .library import Array, custom_vmap, empty_of, type_of
from .targets import called

Arrays: TypeAlias = tuple[Array, ...]
KEPT = 4096
"""The most operations whose functions are kept."""


@dataclass(frozen=True)
class Operation(ABC):
    """What is computed, apart from shapes and types."""

    @abstractmethod
    def planned(self, *operands: ArrayType) -> HandlerPlan:
        """Return the handler for operands without empty axes. Raises UnsupportedError if no kernel takes them."""

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return the types of the results; what the plan says, unless it can be told without a plan."""
        return self.planned(*operands).results

    def without_elements(self, *operands: Array) -> Arrays | None:
        """Return the results of operands some of which are empty, or None if they are no special case."""
        if all(each.size for each in operands):
            return None
        return tuple(empty_of(each) for each in self.results(*map(type_of, operands)))

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Return the results of a batch along new first axes of the operands that have one."""
        return apply(BatchedOperation(self, size, tuple(batched)), *operands)

    @property
    def aliases(self) -> Mapping[int, int]:
        """The operands whose memory results take over."""
        return {}

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Return what the gradient needs."""
        raise NotImplementedError

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return the gradients by all operands, given those by all results."""
        raise NotImplementedError


@dataclass(frozen=True)
class BatchedOperation(Operation):
    """An operation on each of several samples, by a loop around its call."""

    inner: Operation
    size: int
    batched: tuple[bool, ...]

    def planned(self, *operands: ArrayType) -> HandlerPlan:
        """Return the plan of a sample with one more loop."""
        plan = self.inner.planned(*map(_sample, operands, self.batched))
        results = tuple(ArrayType(each.dtype, (self.size, *each.shape)) for each in plan.results)
        steps = [each.bytes if moves else 0 for each, moves in zip(plan.arguments, self.batched)]
        steps += [each.bytes for each in plan.results]
        return plan._replace(
            arguments=tuple(operands), results=results, loops=(BatchLoop(self.size, tuple(steps)), *plan.loops)
        )

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return those of a sample with one more axis."""
        found = self.inner.results(*map(_sample, operands, self.batched))
        return tuple(ArrayType(each.dtype, (self.size, *each.shape)) for each in found)

    def without_elements(self, *operands: Array) -> Arrays | None:
        """Return those of each sample."""
        if all(each.size for each in operands):
            return None
        samples = [jnp.zeros(each.shape[1:], each.dtype) if b else each for each, b in zip(operands, self.batched)]
        if not self.size:
            return tuple(empty_of(each) for each in self.results(*map(type_of, operands)))
        made = [
            self.inner.without_elements(*(each[number] if b else each for each, b in zip(operands, self.batched)))
            or apply(self.inner, *samples)
            for number in range(self.size)
        ]
        return tuple(map(jnp.stack, zip(*made)))

    @property
    def aliases(self) -> Mapping[int, int]:
        """Those of a sample, if both have the axis."""
        return {one: other for one, other in self.inner.aliases.items() if self.batched[one]}


def _sample(operand: ArrayType, batched: bool) -> ArrayType:
    return ArrayType(operand.dtype, operand.shape[1:]) if batched else operand


def apply(operation: Operation, *operands: Array) -> Arrays:
    """Return the results of an operation, without a gradient."""
    made: Arrays = _with_rule(operation)(*operands)
    return made


def differentiable(operation: Operation, *operands: Array) -> Arrays:
    """Return the results of an operation, with its gradient."""
    made: Arrays = _with_gradient(operation)(*operands)
    return made


@lru_cache(maxsize=KEPT)
def _with_rule(operation: Operation) -> Callable[..., Arrays]:
    @custom_vmap
    def compute(*operands: Array) -> Arrays:
        made = operation.without_elements(*operands)
        if made is not None:
            return made
        plan = _plan(operation, tuple(map(type_of, operands)), num_threads())
        return called(plan, operands, operation.aliases)

    @compute.def_vmap
    def rule(size: int, batched: Sequence[bool], *operands: Array) -> tuple[Arrays, tuple[bool, ...]]:
        made = operation.batch(size, batched, operands)
        return made, (True,) * len(made)

    function: Callable[..., Arrays] = compute
    return function


@lru_cache(maxsize=KEPT)
def _plan(operation: Operation, types: tuple[ArrayType, ...], threads: int) -> HandlerPlan:
    """Return the plan; jobs are made for the number of threads at the time of the trace."""
    return operation.planned(*types)


@lru_cache(maxsize=KEPT)
def _with_gradient(operation: Operation) -> Callable[..., Arrays]:
    @jax.custom_vjp
    def compute(*operands: Array) -> Arrays:
        return apply(operation, *operands)

    def forward(*operands: Array) -> tuple[Arrays, Arrays]:
        results = apply(operation, *operands)
        return results, operation.kept(operands, results)

    compute.defvjp(forward, operation.gradients)
    return compute


def rows_of(operand: ArrayType) -> tuple[int, int]:
    """Return an array's extents as a matrix whose rows lie along the last axis."""
    return prod(operand.shape[:-1]), operand.shape[-1]
