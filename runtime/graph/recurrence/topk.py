"""`topk`: the k largest or smallest elements along an axis, one after the other.

The order is total: by value, NaN above all numbers, and equal elements by their places. So the element behind another
one is the best of those that come after it, which a reduction of the row finds. Nothing is marked or moved, and a step
keeps one element and its place for each row. `scan` repeats the step k times.

A long row is cut into blocks first. Each has a best element, and the k best elements of the row lie in the k blocks
whose best elements are the best: a block beside them has k elements before its own. The steps go through the best
elements of the blocks, and then through the elements of k blocks, which rows of a gather put together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.graph import Expr, constant, is_nan, select
from ....microkernels.fused.losses import columns_of
from ....microkernels.tuning.products import PROGRAMS
from ...api import fused
from ..operators import axes_of
from ..values import Attribute, Builds, Given, GraphValue, Operator, TensorType, Values, add

_F32, _F64, _I64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


def _next_best(
    x: Expr, value: Expr, place: Expr, places: Expr | None = None, largest: bool = True, **_: Attribute
) -> tuple[Expr, Expr]:
    """Return the element of each row that comes after one with this value and place, and its place. places: those of
    the elements; None: their columns."""
    places, beyond = columns_of(x.dtype) if places is None else places, constant(math.inf, x.dtype)
    alike = (x == value) | (is_nan(x) & is_nan(value))
    later = alike & (place < places)
    if largest:
        later = later | (x < value) | (is_nan(value) & ~is_nan(x))
        best = fused.max(select(later, x, -beyond), axis=1)
        found = select(later & ((x == best) | is_nan(x)), places, beyond)
        return best, fused.min(found, axis=1)
    later = later | (value < x) | (is_nan(x) & ~is_nan(value))
    numbers = later & ~is_nan(x)
    least = fused.min(select(numbers, x, beyond), axis=1)
    of_numbers = fused.min(select(numbers & (x == least), places, beyond), axis=1)
    of_nan = fused.min(select(later & is_nan(x), places, beyond), axis=1)
    left = of_numbers < beyond
    return select(left, least, constant(math.nan, x.dtype)), select(left, of_numbers, of_nan)


def _next_kind(given: Given, /, **_: Attribute) -> tuple[TensorType, ...]:
    value, place = given[1:3]
    assert value is not None and place is not None
    return value, place


def _step(
    build: Builds,
    value: GraphValue,
    place: GraphValue,
    x: GraphValue,
    places: GraphValue | None = None,
    *,
    largest: bool,
) -> Values:
    found = build.results("next_best", x, value, place, places, largest=largest)
    return (*found, *found)


def _steps(
    build: Builds, x: GraphValue, k: int, largest: bool, places: GraphValue | None = None
) -> tuple[GraphValue, GraphValue]:
    """Build the k best elements of each row of a matrix and their places, both of x's type: (k, rows)."""
    before = math.nan if largest else -math.inf
    start = [build.constant(np.full((x.shape[0], 1), each, x.dtype)) for each in (before, -1)]
    function, given = partial(_step, largest=largest), (x,) if places is None else (x, places)
    made = build.results("scan", *start, *given, function=function, states=2, sequences=0, steps=k)
    values, found = (build.apply("reshape", each, shape=(k, x.shape[0])) for each in made[2:])
    return values, found


def _block_of(columns: int, k: int) -> int:
    """Return the elements of the blocks into which a row is cut, with the fewest elements to go through; 0: none."""
    block = max(PROGRAMS.topk_block, round(math.sqrt(columns / k)))
    steps = PROGRAMS.topk_heads * columns + k * (columns / block + k * block)
    return block if steps < k * columns and -(-columns // block) > k else 0


def _of_blocks(build: Builds, x: GraphValue, k: int, largest: bool, block: int) -> tuple[GraphValue, GraphValue]:
    """Build what `_steps` does, from blocks of this many elements."""
    (rows, columns), dtype = x.shape, x.dtype
    count = -(-columns // block)
    if short := count * block - columns:
        x = build.apply("pad", x, before=(0, 0), after=(0, short), value=-math.inf if largest else math.nan)
    blocks = build.apply("reshape", x, shape=(rows * count, block))
    heads, _ = _steps(build, blocks, 1, largest)
    _, best = _steps(build, build.apply("reshape", heads, shape=(rows, count)), k, largest)
    best = build.apply("permute", best, axes=(1, 0))
    first = build.constant(np.arange(0, rows * count, count, dtype=np.int64).reshape(rows, 1))
    index = build.apply("add", build.apply("cast", best, dtype=_I64), first)
    index = build.apply("reshape", index, shape=(rows * k,))
    near = build.apply("reshape", build.apply("gather", blocks, index, negative=False), shape=(rows, k * block))
    start = build.apply("multiply", build.apply("reshape", best, shape=(rows * k, 1)), float(block))
    places = build.apply("add", start, build.constant(np.arange(block, dtype=dtype)))
    return _steps(build, near, k, largest, build.apply("reshape", places, shape=(rows, k * block)))


def _topk(build: Builds, x: GraphValue, k: int, axis: int = -1, largest: bool = True) -> Values:
    """Build the values, of x's type, and their places along the axis, int64, in order."""
    (place,) = axes_of("topk", axis, max(1, x.ndim))
    if x.dtype.kind in "iub":
        raise UnsupportedError(f"topk of {x.dtype}: elements of float types; cast to float64, which holds 53 bits")
    columns = x.shape[place] if x.ndim else 1
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k <= columns:
        raise ValueError(f"topk: k from 0 to {columns}, the elements along axis {place}, not {k!r}")
    if not x.ndim:
        return build.apply("reshape", x, shape=()), build.constant(np.zeros((), np.int64))
    if not k:
        shape = (*x.shape[:place], 0, *x.shape[place + 1 :])
        return build.constant(np.empty(shape, x.dtype)), build.constant(np.empty(shape, np.int64))
    wide = x if x.dtype in (_F32, _F64) else build.apply("cast", x, dtype=_F32)
    order = (*(each for each in range(x.ndim) if each != place), place)
    turned = build.apply("permute", wide, axes=order) if place < x.ndim - 1 else wide
    matrix = build.apply("reshape", turned, shape=(x.size // columns, columns))
    block = _block_of(columns, int(k))
    made = _of_blocks(build, matrix, int(k), largest, block) if block else _steps(build, matrix, int(k), largest)
    back = tuple(np.argsort(order).tolist())
    shape = (*(x.shape[each] for each in order[:-1]), int(k))

    def returned(found: GraphValue, dtype: np.dtype[np.generic]) -> GraphValue:
        found = build.apply("reshape", build.apply("permute", found, axes=(1, 0)), shape=shape)
        found = build.apply("permute", found, axes=back) if place < x.ndim - 1 else found
        return found if found.dtype == dtype else build.apply("cast", found, dtype=dtype)

    values, places = (returned(each, dtype) for each, dtype in zip(made, (x.dtype, _I64)))
    assert values.node is not None
    values.node.through = x, partial(_topk_gradient, x, places, place)
    return values, places


def _topk_gradient(
    x: GraphValue, places: GraphValue, axis: int, build: Builds, _: object, gradients: Sequence[GraphValue], *__: object
) -> list[GraphValue]:
    """Build the gradients at the places of the values that they belong to, and 0 elsewhere."""
    none = build.constant(np.zeros(x.shape, x.dtype))
    return [build.apply("scatter_elements", none, places, gradients[0], axis=axis)]


add(
    Operator("next_best", "rowwise", _next_kind, _next_best, takes="largest"),
    Operator("topk", "composite", expand=_topk, takes="k axis largest"),
)
