"""Traced functions as functions on arrays of JAX's, and steps of optimizers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import TypeAlias

import jax
import jax.numpy as jnp

from ....microkernels.errors import UnsupportedError
from ....microkernels.operands import Operand
from ...api import eltwise, fused
from ...arguments.tracebacks import shortening
from ...kernel.callable import Kernel
from ..xla.handler import ArrayType, Handler
from .arrays import Array, ArrayLike, array_of
from .operation import Arrays, XlaOperation, apply, differentiable
from .partition import LETTERS, SharedAxes
from .rowwise import outputs_of, plan_of_rows

Traced: TypeAlias = Callable[..., object]
_EQUATION: Callable[..., Kernel] = eltwise.equation
_FUSED: Callable[..., Kernel] = fused.fused


@dataclass(frozen=True)
class EquationOperation(XlaOperation):
    """A traced function of arrays whose leading axes are rows.

    function   what `ts.equation` traces
    names      of its parameters
    slope      the traced gradients: of the results' gradients, then of the operands; or None
    """

    function: Traced
    names: tuple[str, ...]
    slope: Traced | None = None

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler."""
        whole = max((each.shape for each in operands), key=lambda shape: (len(shape), prod(shape)))
        shapes = {name: _matrix(name, each.shape, whole) for name, each in zip(self.names, operands)}
        types = {name: each.dtype for name, each in zip(self.names, operands)}
        alike = len(set(types.values())) == 1
        kernel = _EQUATION(self.function, dtype=operands[0].dtype if alike else types, **shapes)
        return plan_of_rows(kernel, operands, [_shown(each, shapes, whole) for each in outputs_of(kernel)])

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Keep the operands."""
        return operands

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return the traced gradients; those of operands that are broadcast are summed."""
        if self.slope is None:
            raise UnsupportedError(
                "equation: no gradient is given; equation(f, gradient=lambda g, x: ...) takes one, a function of the "
                "gradients of the results and of all operands that returns those of the operands"
            )
        found = differentiable(EquationOperation(self.slope, _names(self.slope)), *slopes, *kept)
        if len(found) != len(kept):
            raise ValueError(f"gradient: {len(kept)} results, one for each operand, not {len(found)}")
        return tuple(_summed(one, other) for one, other in zip(found, kept))


def _matrix(name: str, shape: tuple[int, ...], whole: tuple[int, ...]) -> tuple[int, int]:
    """Return the matrix as which a kernel takes an array beside the largest one."""
    if len(shape) < 2:
        return 1, prod(shape)
    if len(shape) == len(whole) and shape[:-1] not in (whole[:-1], (1,) * (len(whole) - 1)) and len(whole) > 2:
        raise UnsupportedError(
            f"{name}: the leading axes of the largest operand {whole}, or 1, not {shape}; jnp.broadcast_to makes them"
        )
    return prod(shape[:-1]), shape[-1]


def _shown(result: Operand, shapes: Mapping[str, tuple[int, int]], whole: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a result: rows are the leading axes of the largest operand."""
    rows, columns = result.rows, result.columns
    if len(whole) > 2 and rows == prod(whole[:-1]):
        return *whole[:-1], columns
    if len(whole) < 2 and rows == 1:
        return (columns,) if whole else ()
    return rows, columns


def _summed(slope: Array, operand: Array) -> Array:
    """Return a gradient in the shape of an operand, summed over the axes along which that was broadcast."""
    if slope.shape == operand.shape:
        return slope
    if slope.size == operand.size:
        return slope.reshape(operand.shape)
    shape = (1,) * (slope.ndim - operand.ndim) + operand.shape
    axes = tuple(axis for axis, (one, other) in enumerate(zip(slope.shape, shape)) if one != other)
    return slope.sum(axis=axes, keepdims=True).reshape(operand.shape)


def _names(function: Traced) -> tuple[str, ...]:
    """Return the names of a function's parameters without a default."""
    return tuple(
        name for name, each in inspect.signature(function).parameters.items() if each.default is inspect.Parameter.empty
    )


def equation(function: Traced, *, gradient: Traced | None = None) -> Callable[..., Array | Arrays]:
    """Return a function on arrays of JAX's that computes a traced function in one kernel, as `ts.equation` does.

        gated = tsj.equation(
            lambda x, w: ts.tanh(x) * w,
            gradient=lambda g, x, w: (g * w * (1 - ts.tanh(x) ** 2), g * ts.tanh(x)),
        )

    function   of expressions. Its operands are matrices, rows (n,) or (1, n), columns (m, 1), or numbers; leading axes
               of arrays are rows. The kernel is made for the shapes and types of the first call of each kind
    gradient   a traced function of the gradients of the results and then of all operands, with the gradients of the
               operands as results; of those that are broadcast the results are summed. None: there is no gradient
    """
    if not callable(function):
        raise TypeError(f"equation: a Python function of expressions, not {type(function).__name__}")
    operation = EquationOperation(function, _names(function), gradient)

    @shortening
    def compute(*operands: ArrayLike) -> Array | Arrays:
        if len(operands) != len(operation.names):
            raise TypeError(
                f"equation: {len(operation.names)} arrays, {', '.join(operation.names)}, not {len(operands)}"
            )
        first = array_of(operation.names[0], operands[0])
        others = (array_of(name, each, first) for name, each in zip(operation.names[1:], operands[1:]))
        return _computed(operation, first, *others)

    compute.__name__, compute.__doc__ = getattr(function, "__name__", "equation"), function.__doc__
    return compute


@partial(jax.jit, static_argnums=0, inline=True)
def _computed(operation: EquationOperation, *operands: Array) -> Array | Arrays:
    made = differentiable(operation, *operands)
    return made[0] if len(made) == 1 else made


# Optimizers


@dataclass(frozen=True)
class StepOperation(XlaOperation):
    """A step of an optimizer: of a weight, its states and its gradient, and of numbers, whose memory the new weight and
    states take over.

    kernel   the name of the composite
    states   how many operands become results
    fixed    its options
    """

    kernel: str
    states: int
    fixed: tuple[tuple[str, float], ...]

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler: a weight is one row, or rows that cores share."""
        first = operands[0]
        kernel = _FUSED(self.kernel, *_even(prod(first.shape)), dtype=first.dtype, **dict(self.fixed))
        return plan_of_rows(kernel, operands, [first.shape] * self.states)

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return arrays like the weight."""
        return operands[: self.states]

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share the elements."""
        axes = LETTERS[: len(operands[0].shape)]
        numbers = len(operands) - self.states - 1
        return SharedAxes((*[axes] * (self.states + 1), *["yz"] * numbers), (axes,) * self.states, "yz")

    @property
    def aliases(self) -> Mapping[int, int]:
        """All states."""
        return {number: number for number in range(self.states)}

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further elements, if they share the numbers."""
        if not all(batched[: self.states + 1]) or any(batched[self.states + 1 :]):
            return super().batch(size, batched, operands)
        return apply(self, *operands)


def _even(elements: int) -> tuple[int, int]:
    rows = next((rows for rows in (64, 32, 16, 8) if elements % rows == 0 and elements >= rows * rows), 1)
    return rows, elements // rows


def step_of(
    kernel: str, states: Sequence[Array], gradient: Array, numbers: Sequence[ArrayLike], **fixed: float
) -> Arrays:
    """Return the new weight and its states."""
    first = states[0]
    numbers = [jnp.asarray(each, first.dtype).reshape(1, 1) for each in numbers]
    options = tuple((name, float(value)) for name, value in fixed.items())
    return differentiable(StepOperation(kernel, len(states), options), *states, gradient, *numbers)
