"""What a request says of the memory that its kernel leaves: a builder for each kind.

`movement` gives the bytes of every element of the result; `at_point` gives the values of a product at a random point
of a field (emulation/symbolic/reals.py). They are written from the definitions in docs/, not from the code that
generates kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ...emulation.symbolic.reals import PRIME, Point
from ...emulation.symbolic.values import Table
from ...encoder.features import Target
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from .elementwise import computed

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
"""Node numbers of the elements of each operand, with a last axis of one."""
Movement = Callable[[Any, Table, Inputs, Target], dict[str, Array]]


# Movement


def transform(spec: Any, table: Table, inputs: Inputs, target: Target) -> dict[str, Array]:
    """y = x, element by element, each in its layout; padding of y is zero."""
    size = ELEMENT_BYTES[spec.dtype]
    source, result = spec.layouts
    x = inputs["x"][..., 0]
    y = np.full((*result.shape(spec.m, spec.n), size), -1, np.int64)
    i, j = np.indices((spec.m, spec.n))
    data = table.bytes_of(x, size)
    y[_place(result, spec, i, j)] = data[_place(source, spec, i, j)]
    return {"y": y}


def _place(layout: Any, spec: Any, i: Array, j: Array) -> tuple[Array, Array]:
    """Row and column in the array of a layout of the elements (i, j)."""
    row: Array = np.zeros_like(i)
    column: Array = np.zeros_like(i)
    for digit, stride in layout.strides(spec.m, spec.n):
        number = (i if digit.dim == "i" else j) // digit.step
        if digit.radix:
            number = number % digit.radix
        if stride:
            column = column + number * stride
        else:
            row = number
    return row, column


def elementwise(spec: Any, table: Table, inputs: Inputs, target: Target) -> dict[str, Array]:
    """Each output is an input, broadcast, or an expression of the elements at its place."""
    steps = spec.program.steps
    copies = not spec.layouts and not spec.numbers and all(step.op == "input" for step in steps)
    if copies and len({each.dtype for each in spec.operands}) == 1:
        return {y.name: _spread(spec, table, inputs[steps[number].value]) for y, number in
                zip(spec.outputs, spec.program.outputs)}  # fmt: skip
    return computed(spec, table, inputs, target)


def _spread(spec: Any, table: Table, nodes: Array) -> Array:
    size = ELEMENT_BYTES[spec.outputs[0].dtype]
    whole = np.broadcast_to(nodes[..., 0], (spec.m, spec.n))
    return table.bytes_of(np.ascontiguousarray(whole), size)


# Products, over the reals


def product(spec: Any, point: Point, inputs: Inputs) -> list[list[int]]:
    """beta C + alpha sum_i A_i B_i at a point: rows of C."""
    alpha, beta = (_field(value) for value in (spec.alpha, spec.beta))
    total = [[0] * spec.n for _ in range(spec.m)]
    pairs = 1 if spec.batch is None else spec.batch
    for pair in range(pairs):
        a = _matrix(spec, point, inputs[f"a[{pair}]"], 0)
        b = _matrix(spec, point, inputs[f"b[{pair}]"], 1)
        columns = list(zip(*b))
        for i, row in enumerate(a):
            total[i] = [t + sum(x * y for x, y in zip(row, column)) for t, column in zip(total[i], columns)]
    c = inputs["c"][..., 0].tolist()
    kind = value_of(spec.dtypes[2])
    return [
        [(alpha * t + (beta * kind(point, old) if beta else 0)) % PRIME for t, old in zip(*rows)]
        for rows in zip(total, c)
    ]


def _matrix(spec: Any, point: Point, nodes: Array, which: int) -> list[list[int]]:
    """The values of A (m x k) or B (k x n)."""
    group = spec.groups[which]
    nodes = nodes[..., 0]
    if group > 1:
        if spec.blocks[which] or spec.k % group:
            raise UnsupportedError(f"verify: {'ab'[which]} in blocks of two rows, or k no multiple of {group}")
        nodes = nodes.transpose(0, 2, 1).reshape(spec.k, -1) if which else nodes.reshape(spec.m, -1)
    kind = value_of(spec.dtypes[which])
    return [[kind(point, node) for node in row] for row in nodes.tolist()]


def value_of(dtype: str) -> Callable[[Point, int], int]:
    """The value of an element of a type at a point."""
    if DTYPES[dtype].real:
        return Point.real
    if dtype in ("u8", "u16"):
        return lambda point, node: point.atom("unsigned", node)
    return Point.whole


def _field(value: float) -> int:
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME


MOVEMENTS: dict[str, Movement] = {"TransformSpec": transform, "EltwiseSpec": elementwise}
"""By the class of a request."""
PRODUCTS = ("GemmSpec",)
