"""Evaluate expressions with reductions, on symbolic elements or on numbers.

    evaluated(program, given, operations, reduced)      reduced(step, values) computes a reduction or a product

A value per row has one column; a single number has one row and one column. They are broadcast like numpy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ....emulation.symbolic.lanes import Lanes
from ....microkernels.expr.along import ALONG, DOWN
from ....microkernels.expr.coordinates import COLUMN, ROW
from ....microkernels.expr.products import BATCHED, PRODUCT, TRANSPOSE, TRANSPOSED
from ..elementwise import evaluated as by_elements

Value = Any
Reduced = Callable[[Any, list[Value]], Value]
"""Computes a reduction or product from a step and its operands. A reduction gets the value of its operand and, if the
operand is a product of elements, the values of the factors. A matrix product gets both matrices, the right one
transposed so that each row belongs to one column of the result."""


def evaluated(of: Any, given: Mapping[str, Value], operations: Mapping[str, Any], reduced: Reduced) -> list[Value]:
    """Return the results of a program."""

    def product(step: Any, values: list[Value]) -> Value:
        left, right = (values[arg] for arg in step.args)
        if step.value == BATCHED:  # one product; its left factor holds the matrices of the batch side by side
            rows = left.shape[0] * left.shape[1] // right.shape[0]
            left = side_by_side(left, rows)
        return reduced(step, [left, right.transpose(1, 0) if step.value == TRANSPOSED else right])

    def reduction(step: Any, values: list[Value]) -> Value:
        inner = of.steps[step.args[0]]
        factors = [values[arg] for arg in inner.args] if inner.op == "mul" else []
        return reduced(step, [values[step.args[0]], *factors])

    return by_elements(
        of,
        given,
        operations,
        {
            TRANSPOSE: lambda step, values: values[step.args[0]].transpose(1, 0),
            PRODUCT: product,
            ALONG: reduction,
            DOWN: reduction,
        },
    )


def side_by_side(stacked: Any, rows: int) -> Any:
    """Return matrices of `rows` rows, which are stacked one below the other, side by side."""
    order = np.arange(stacked.shape[0] * stacked.shape[1]).reshape(-1, rows, stacked.shape[1])
    places = order.transpose(1, 0, 2).reshape(rows, -1)
    return stacked[places // stacked.shape[1], places % stacked.shape[1]]


def coordinates(m: int, n: int) -> dict[str, Value]:
    """Return the row and column numbers of elements as inputs of a program."""
    return {ROW: np.arange(m, dtype=np.int32)[:, None], COLUMN: np.arange(n, dtype=np.int32)[None, :]}


def nodes_of(value: Value, shape: tuple[int, int], table: Any) -> Any:
    """Return the nodes of a value, broadcast to a shape."""
    if not isinstance(value, Lanes):
        made = [
            table.constant(int.from_bytes(each.tobytes(), "little"), each.itemsize)
            for each in np.asarray(value).reshape(-1)
        ]
        nodes = np.array(made, np.int64).reshape(np.shape(value))
    else:
        nodes = value.nodes()
    return np.ascontiguousarray(np.broadcast_to(nodes, shape))
