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
from ....microkernels.fused import optimizers
from ....microkernels.fused.optimizers import StepOperands
from ....microkernels.operands import Operand
from ...api import eltwise
from ...arguments.tracebacks import shortening
from ...kernel.callable import Kernel
from ..xla.handler import ArrayType, Handler
from .arrays import Array, ArrayLike, array_of
from .operation import Arrays, XlaOperation, apply, differentiable
from .partition import LETTERS, SharedAxes
from .rowwise import outputs_of, plan_of_rows

Traced: TypeAlias = Callable[..., object]
_EQUATION: Callable[..., Kernel] = eltwise.equation


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
    """A step of an optimizer: of a weight, its states, its gradient and numbers in the order of `optimizers.STEPS`.
    New weights and states take over the memory of the old ones.

    kernel   the name of the function
    fixed    its constants
    """

    kernel: str
    fixed: tuple[tuple[str, float], ...]

    @property
    def operands(self) -> StepOperands:
        """What the function reads and writes."""
        return optimizers.STEPS[self.kernel]

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler: a weight is one row, or rows that cores share."""
        first, names = operands[0], self.operands.read
        rows = _even(prod(first.shape))
        shapes = {name: (1, 1) if name in optimizers.NUMBERS else rows for name in names}
        types = {name: each.dtype for name, each in zip(names, operands)}
        results = self.results(*operands)
        function = partial(getattr(optimizers, self.kernel), **dict(self.fixed))
        kernel = _EQUATION(function, dtype=types, out=tuple(each.dtype for each in results), **shapes)
        return plan_of_rows(kernel, operands, [each.shape for each in results])

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return arrays like the weight, and sums."""
        sums = [ArrayType(operands[-1].dtype, (1, 1))] * self.operands.sums  # numbers have their type
        return *(operands[place] for place in self.operands.places), *sums

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share the elements."""
        axes = LETTERS[: len(operands[0].shape)]
        given = tuple("yz" if name in optimizers.NUMBERS else axes for name in self.operands.read)
        return SharedAxes(given, (*[axes] * len(self.operands.written), *["yz"] * self.operands.sums), "yz")

    @property
    def aliases(self) -> Mapping[int, int]:
        """All that is written."""
        return {place: number for number, place in enumerate(self.operands.places)}

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further elements, if they share the numbers."""
        alike = all(each != (name in optimizers.NUMBERS) for each, name in zip(batched, self.operands.read))
        return apply(self, *operands) if alike and not self.operands.sums else super().batch(size, batched, operands)


def _even(elements: int) -> tuple[int, int]:
    rows = next((rows for rows in (64, 32, 16, 8) if elements % rows == 0 and elements >= rows * rows), 1)
    return rows, elements // rows


def arithmetic(weight: Array) -> jnp.dtype:
    """Return the type in which the numbers of a step of a weight are."""
    return jnp.promote_types(weight.dtype, jnp.float32)


def step_of(kernel: str, *operands: ArrayLike, **fixed: float) -> Arrays:
    """Return the new weight and its states, then sums, of operands in the order of `optimizers.STEPS`."""
    first, names = operands[0], optimizers.STEPS[kernel].read
    given = [
        jnp.asarray(each, arithmetic(first)).reshape(1, 1) if name in optimizers.NUMBERS else each
        for name, each in zip(names, operands, strict=True)
    ]
    options = tuple((name, float(value)) for name, value in fixed.items())
    return differentiable(StepOperation(kernel, options), *given)
