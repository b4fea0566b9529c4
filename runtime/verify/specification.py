"""Specifications of requests that move elements or compute them one by one: one builder for each class of request.

A builder returns the expected bytes of every element of the results. The builders follow the definitions in docs/, not
the code that generates kernels. Products are specified in `products`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...emulation.numerics.expressions import NUMPY, SEMANTICS
from ...emulation.symbolic.exact import OPERATIONS
from ...emulation.symbolic.lanes import Lanes
from ...emulation.symbolic.values import Table, encoded
from ...encoder.features import Target
from ...microkernels.baked.spec import BakedSpec
from ...microkernels.depthwise.spec import DepthwiseSpec
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.machines.registry import facts_of
from .conversions import NUMPY_TYPES, loaded, stored
from .elementwise import computed
from .layouts import places

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
"""The expression node of each element of each operand, keyed by the operand's name. The last axis has length one."""
Numbers = Mapping[str, int]
"""The values that the call passes for the request's numbers, keyed by name."""
Movement = Callable[[Any, Table, Inputs, Target, Numbers], dict[str, Array]]


# Movement


def transform(spec: Any, table: Table, inputs: Inputs, target: Target, numbers: Numbers) -> dict[str, Array]:
    """Return y = x, element by element, with x and y each in its own layout. The padding of y is zero."""
    size = ELEMENT_BYTES[spec.dtype]
    source, result = spec.layouts
    x = table.bytes_of(inputs["x"][..., 0], size)
    y = np.full((*result.shape(spec.m, spec.n), size), -1, np.int64)
    y[places(result, spec.m, spec.n)] = x[places(source, spec.m, spec.n)]
    return {"y": y}


def elementwise(spec: Any, table: Table, inputs: Inputs, target: Target, numbers: Numbers) -> dict[str, Array]:
    """Return the outputs of an elementwise request. Each output is a broadcast input, or an expression of the elements
    at the same position."""
    steps = spec.program.steps
    copies = not spec.layouts and not spec.numbers and all(step.op == "input" for step in steps)
    if copies and len({each.dtype for each in spec.operands}) == 1:
        return {
            y.name: _spread(spec, table, inputs[steps[number].value])
            for y, number in zip(spec.outputs, spec.program.outputs)
        }
    return computed(spec, table, inputs, target, numbers)


def _spread(spec: Any, table: Table, nodes: Array) -> Array:
    size = ELEMENT_BYTES[spec.outputs[0].dtype]
    whole = np.broadcast_to(nodes[..., 0], (spec.m, spec.n))
    return table.bytes_of(np.ascontiguousarray(whole), size)


def depthwise(spec: DepthwiseSpec, table: Table, inputs: Inputs, target: Target, numbers: Numbers) -> dict[str, Array]:
    """Return y = f(sums)."""
    sums = sums_of_taps(spec, table, inputs, target)
    return computed(
        spec.elementwise, table, {**inputs, spec.elementwise.inputs[0].name: sums[..., None]}, target, numbers
    )


def sums_of_taps(spec: DepthwiseSpec, table: Table, inputs: Inputs, target: Target) -> Array:
    """Return the sum of each pixel and channel, which takes its taps in the order of rows, columns and channels,
    starting from 0."""
    compute, operations = NUMPY[spec.acc_dtype], {**SEMANTICS, **OPERATIONS[target.arch]}
    rounded_twice = facts_of(target).multiply_add > 1
    x, w = (_numbers(table, inputs[name], dtype, spec.acc_dtype) for name, dtype in zip("xw", spec.dtypes))
    rows, columns = spec.extents
    n, ((top, _), (left, _)) = spec.channels, spec.padding
    sums = np.broadcast_to(encoded(np.zeros(1, compute)), (rows, columns, n, compute.itemsize)).copy()
    for tap, (r, s, d) in enumerate(np.ndindex(*spec.taps, spec.depth)):
        i = np.arange(rows) * spec.stride[0] - top + r * spec.dilation[0]
        j = np.arange(columns) * spec.stride[1] - left + s * spec.dilation[1]
        inside = np.ix_(np.flatnonzero((i >= 0) & (i < spec.height)), np.flatnonzero((j >= 0) & (j < spec.width)))
        pixels = i[inside[0]] * spec.pitch + j[inside[1]]
        if not pixels.size:
            continue
        terms, total = x[pixels, d * n : (d + 1) * n], Lanes(sums[inside], compute, table)
        weights = w[np.full(pixels.shape, tap)]
        if rounded_twice:
            made = operations["add"](total, operations["mul"](terms, weights, value=None), value=None)
        else:
            made = operations["fma"](terms, weights, total, value=None)
        sums[inside] = made.raw if isinstance(made, Lanes) else encoded(made)
    sums = sums.reshape(rows * columns, n, -1)
    if spec.whole:
        whole = operations["to_int"](Lanes(sums, compute, table), value=None)
        sums = whole.raw if isinstance(whole, Lanes) else encoded(whole)
    return table.nodes_of(sums)


def baked(spec: BakedSpec, table: Table, inputs: Inputs, target: Target, numbers: Numbers) -> dict[str, Array]:
    """Return c. Each of its elements is a sum of products of entries in the order of k, starting from 0 or from c."""
    compute, operations = NUMPY[spec.acc_dtype], {**SEMANTICS, **OPERATIONS[target.arch]}
    rounded_twice = facts_of(target).multiply_add > 1

    def lines(name: str) -> Array:
        return inputs[name] if spec.side == "left" else inputs[name].swapaxes(0, 1)

    b = _numbers(table, lines("b"), spec.dtypes[0], spec.acc_dtype)
    values = np.frombuffer(bytes.fromhex(spec.left.values), compute)
    size = ELEMENT_BYTES[spec.dtypes[1]]
    made = np.empty((spec.left.rows, *lines("b").shape[1:-1], size), np.int64)
    for row in range(spec.left.rows):
        entries = spec.left.entries(row)
        if spec.adds:
            nodes = lines("c")[row]
            made[row] = table.bytes_of(nodes[..., 0], size)
            total = _numbers(table, nodes, spec.dtypes[1], spec.acc_dtype)
        else:
            zeros = encoded(np.zeros(1, compute))
            total = Lanes(np.broadcast_to(zeros, (*made.shape[1:-1], compute.itemsize)), compute, table)
        for k, number in entries:
            value = np.broadcast_to(values[number], made.shape[1:-1])
            if rounded_twice:
                total = operations["add"](total, operations["mul"](b[k], value, value=None), value=None)
            else:
                total = operations["fma"](b[k], value, total, value=None)
        if entries or not spec.adds:
            y = stored(total, spec.dtypes[1])
            made[row] = y.raw if isinstance(y, Lanes) else encoded(y)
    return {"c": made if spec.side == "left" else made.swapaxes(0, 1)}


def _numbers(table: Table, nodes: Array, dtype: str, compute: str) -> Lanes | Array:
    """Return the elements of an operand, converted to the type of the sums."""
    own = np.dtype(NUMPY_TYPES[dtype])
    made: Lanes | Array = loaded(Lanes(table.bytes_of(nodes[..., 0], own.itemsize), own, table), dtype, NUMPY[compute])
    return made


MOVEMENTS: dict[str, Movement] = {
    "TransformSpec": transform,
    "EltwiseSpec": elementwise,
    "DepthwiseSpec": depthwise,
    "BakedSpec": baked,
}
"""Builders keyed by the class name of the request."""


def computes(spec: Any) -> bool:
    """Whether the request computes elements; otherwise it moves them unchanged."""
    spec = getattr(spec, "request", spec)
    if not hasattr(spec, "program"):
        return bool(getattr(spec, "converts", hasattr(spec, "bags")))
    return any(step.op != "input" for step in spec.program.steps) or any(
        each.dtype != spec.compute for each in spec.operands
    )
