"""Kernels on arrays of any number of axes: functions of elements that broadcast, and functions of rows.

An array becomes a matrix whose rows lie along its last axes, and every operand one of its shape, a row, a column or an
element of it; what is none of these is copied. Kernels are made by `ts.equation` and kept by shapes and types.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from ....microkernels.expr.graph import Expr
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...api.eltwise import equation
from ...api.reduce import reduce
from ...arguments.arrays import Array
from ...kernel.callable import Kernel
from ...ops.spread import spread
from ...threads.policy import num_threads
from .library import kernel_type

Shape = tuple[int, ...]
BOOL = np.dtype(np.bool_)


class ElementFunction(NamedTuple):
    """A function of expressions, and the numbers that follow them: equal ones make the same kernel."""

    function: Callable[..., Expr | tuple[Expr, ...]]
    numbers: tuple[float | str | bool, ...] = ()

    def __call__(self, *operands: Expr) -> Expr | tuple[Expr, ...]:
        return self.function(*operands, *self.numbers)


# A traced function has a name for each operand.
_FORMS: tuple[Callable[[ElementFunction], Callable[..., object]], ...] = (
    lambda f: lambda: f(),
    lambda f: lambda a: f(a),
    lambda f: lambda a, b: f(a, b),
    lambda f: lambda a, b, c: f(a, b, c),
    lambda f: lambda a, b, c, d: f(a, b, c, d),
    lambda f: lambda a, b, c, d, e: f(a, b, c, d, e),
    lambda f: lambda a, b, c, d, e, g: f(a, b, c, d, e, g),
    lambda f: lambda a, b, c, d, e, g, h: f(a, b, c, d, e, g, h),
    lambda f: lambda a, b, c, d, e, g, h, i: f(a, b, c, d, e, g, h, i),
)
_NAMES = "abcdeghi"
# Types and names are those of the arrays and rows of a model, which no type checker knows.
_EQUATION: Callable[..., Kernel] = equation
_REDUCE: Callable[..., Kernel] = reduce


def spreads(elements: int) -> bool:
    """Whether a kernel of so many elements runs on all cores."""
    return elements >= INTEGRATIONS.spread and num_threads() > 1


def _called(kernel: Callable[..., object]) -> Callable[..., Array]:
    """Return a kernel as what returns a new array."""
    return cast("Callable[..., Array]", kernel)


@lru_cache(maxsize=4096)
def _kernel(
    traced: ElementFunction,
    shapes: tuple[Shape, ...],
    types: tuple[str, ...],
    out: str | tuple[str, ...] | None,
    compute: str | None,
    large: bool,
) -> Callable[..., Array | tuple[Array, ...]]:
    names = _NAMES[: len(shapes)]
    made = _EQUATION(
        _FORMS[len(shapes)](traced),
        dtype=dict(zip(names, types)),
        out=out,
        compute=compute,
        **dict(zip(names, shapes)),
    )
    return _called(spread(made) if large else made)


def _seen(array: Array) -> Array:
    """Return an array as kernels take it: truth values are bytes."""
    return array.view(np.uint8) if array.dtype == BOOL else array


def computed(
    traced: ElementFunction,
    matrices: Sequence[Array],
    out: str | tuple[str, ...] | None = None,
    compute: str | None = None,
) -> Array | tuple[Array, ...]:
    """Return the results of a traced function on matrices."""
    given = [_seen(np.ascontiguousarray(each)) for each in matrices]
    types = tuple(kernel_type(each.dtype) for each in given)
    shapes = tuple(each.shape for each in given)
    kernel = _kernel(traced, shapes, types, out, compute, spreads(max(each.size for each in given)))
    return kernel(*given)


def several(made: Array | tuple[Array, ...]) -> tuple[Array, ...]:
    """Return the results of a traced function as a tuple."""
    return made if isinstance(made, tuple) else (made,)


def _ways(shape: Shape, operands: Sequence[Shape], split: int) -> list[tuple[bool, bool] | None]:
    """Return for each operand whether it has the rows and the columns of a matrix whose rows begin at an axis; None
    where it has a part of either."""
    found = list[tuple[bool, bool] | None]()
    for each in operands:
        whole = (1,) * (len(shape) - len(each)) + each
        sides = [(whole[:split], shape[:split]), (whole[split:], shape[split:])]
        fits = [side == of or all(extent == 1 for extent in side) for side, of in sides]
        found.append((sides[0][0] == sides[0][1], sides[1][0] == sides[1][1]) if all(fits) else None)
    return found


@lru_cache(maxsize=4096)
def _matrix(shape: Shape, operands: tuple[Shape, ...]) -> tuple[int, tuple[tuple[bool, bool] | None, ...]]:
    """Return where the columns of the matrix begin, so that the fewest operands are copied."""
    splits = range(len(shape) - 1, -1, -1) if shape else (0,)
    split = min(splits, key=lambda each: _ways(shape, operands, each).count(None))
    return split, tuple(_ways(shape, operands, split))


def elementwise(
    traced: ElementFunction,
    *arrays: Array,
    out: np.dtype[np.generic] | None = None,
    compute: str | None = None,
) -> Array:
    """Return a function of elements of arrays that are broadcast, with elements of the type `out`, or that of the first
    one."""
    shape = np.broadcast_shapes(*(each.shape for each in arrays))
    dtype = arrays[0].dtype if out is None else out
    if not math.prod(shape):
        return np.empty(shape, dtype)
    split, ways = _matrix(shape, tuple(each.shape for each in arrays))
    rows, columns = math.prod(shape[:split]), math.prod(shape[split:])
    matrices = list[Array]()
    for each, way in zip(arrays, ways):
        if way is None:
            matrices.append(np.broadcast_to(each, shape).reshape(rows, columns))
        else:
            matrices.append(each.reshape(rows if way[0] else 1, columns if way[1] else 1))
    if all(each.shape != (rows, columns) for each in matrices):
        matrices[0] = np.broadcast_to(matrices[0], (rows, columns))
    made = computed(traced, matrices, kernel_type(dtype), compute)
    assert not isinstance(made, tuple)
    return (made.view(BOOL) if dtype == BOOL else made).reshape(shape)


def as_rows(x: Array, axes: Sequence[int]) -> tuple[Array, Shape]:
    """Return an array as a matrix whose rows lie along some axes, and the extents of the others. It is a copy if these
    axes are not the last ones."""
    inner = sorted(axis % x.ndim for axis in axes) if x.ndim else []
    outer = [axis for axis in range(x.ndim) if axis not in inner]
    turned = x.transpose(*outer, *inner) if x.ndim else x
    kept = tuple(x.shape[axis] for axis in outer)
    return turned.reshape(math.prod(kept), math.prod(x.shape[axis] for axis in inner)), kept


@lru_cache(maxsize=1024)
def _reduction(name: str, shape: Shape, axis: int, dtype: str, out: str | None, large: bool) -> Callable[..., Array]:
    made = _REDUCE(name, *shape, axis=axis, dtype=dtype, out=out)
    return _called(spread(made) if large else made)


def reduction(name: str, matrix: Array, axis: int, out: str | None = None) -> Array:
    """Return a reduction of `ts.reduce` of a matrix, along rows (axis 1) or down columns."""
    given = _seen(np.ascontiguousarray(matrix))
    large = spreads(given.size)
    kernel = _reduction(name, given.shape, axis, kernel_type(given.dtype), out, large)
    return kernel(given).reshape(-1)


def along(
    traced: ElementFunction, x: Array, axis: int, *rows: Array, out: str | None = None, compute: str | None = None
) -> Array:
    """Return a function of the rows along one axis, in the shape of x; `rows` are further operands, of one row."""
    if not x.size:
        return np.empty_like(x)
    turned = np.moveaxis(x, axis, -1) if x.ndim else x
    matrix = turned.reshape(-1, turned.shape[-1] if x.ndim else 1)
    made = computed(traced, [matrix, *rows], out, compute)
    assert not isinstance(made, tuple)
    return np.moveaxis(made.reshape(turned.shape), -1, axis) if x.ndim else made.reshape(())
