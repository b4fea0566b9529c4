"""Expressions with reductions, on symbolic elements or on numbers.

    evaluated(program, given, operations, reduced)      reduced(step, values): what a reduction or product is

A value of the row has one column, a number one row and one column; they are broadcast where elements are computed of
them, as arrays are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ....emulation.numerics.expressions import NUMPY, SEMANTICS
from ....emulation.symbolic.lanes import Lanes
from ....microkernels.expr.along import ALONG, DOWN
from ....microkernels.expr.coordinates import COLUMN, ROW
from ....microkernels.expr.products import BATCHED, PRODUCT, TRANSPOSE, TRANSPOSED

Value = Any
Reduced = Callable[[Any, list[Value]], Value]
"""What a step of a reduction or product gives. Of a reduction it has the value of the operand and, where that is a
product of elements, those of its factors; of a product of matrices both, the right one by rows of the sums."""


def evaluated(of: Any, given: Mapping[str, Value], operations: Mapping[str, Any], reduced: Reduced) -> list[Value]:
    """The results of a program."""
    values: list[Value] = []
    for step in of.steps:
        if step.op == "input":
            value = given[step.value]
        elif step.op == "const":
            to = NUMPY[step.dtype]
            value = np.array(step.value, f"u{to.itemsize}").view(to)
        elif step.op == TRANSPOSE:
            value = values[step.args[0]].transpose(1, 0)
        elif step.op == PRODUCT:
            left, right = (values[arg] for arg in step.args)
            if step.value == BATCHED:  # one product, whose left factor has the matrices of the batch side by side
                rows = left.shape[0] * left.shape[1] // right.shape[0]
                left = side_by_side(left, rows)
            value = reduced(step, [left, right.transpose(1, 0) if step.value == TRANSPOSED else right])
        elif step.op in (ALONG, DOWN):
            inner = of.steps[step.args[0]]
            factors = [values[arg] for arg in inner.args] if inner.op == "mul" else []
            value = reduced(step, [values[step.args[0]], *factors])
        else:
            operation = operations.get(step.op, SEMANTICS[step.op])
            value = operation(*(values[arg] for arg in step.args), value=step.value)
        values.append(value)
    return [values[output] for output in of.outputs]


def side_by_side(stacked: Any, rows: int) -> Any:
    """Matrices of so many rows, which lie one below the other, beside each other."""
    order = np.arange(stacked.shape[0] * stacked.shape[1]).reshape(-1, rows, stacked.shape[1])
    places = order.transpose(1, 0, 2).reshape(rows, -1)
    return stacked[places // stacked.shape[1], places % stacked.shape[1]]


def coordinates(m: int, n: int) -> dict[str, Value]:
    """The rows and columns of elements as inputs."""
    return {ROW: np.arange(m, dtype=np.int32)[:, None], COLUMN: np.arange(n, dtype=np.int32)[None, :]}


def nodes_of(value: Value, shape: tuple[int, int], table: Any) -> Any:
    """The nodes of a value, broadcast to a shape."""
    if not isinstance(value, Lanes):
        made = [table.constant(int.from_bytes(each.tobytes(), "little"), each.itemsize)
                for each in np.asarray(value).reshape(-1)]  # fmt: skip
        nodes = np.array(made, np.int64).reshape(np.shape(value))
    else:
        nodes = value.nodes()
    return np.ascontiguousarray(np.broadcast_to(nodes, shape))
