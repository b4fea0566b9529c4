"""What a request says of the memory that its kernel leaves: a builder for each kind.

A builder gives the bytes of every element of the results. They are written from the definitions in docs/, not from the
code that generates kernels. Those of products are in `products`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...emulation.symbolic.values import Table
from ...encoder.features import Target
from ...microkernels.dtypes import ELEMENT_BYTES
from .elementwise import computed
from .layouts import places

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
"""Node numbers of the elements of each operand, with a last axis of one."""
Numbers = Mapping[str, int]
"""What the call gives for the numbers of the request."""
Movement = Callable[[Any, Table, Inputs, Target, Numbers], dict[str, Array]]


# Movement


def transform(spec: Any, table: Table, inputs: Inputs, target: Target, numbers: Numbers) -> dict[str, Array]:
    """y = x, element by element, each in its layout; padding of y is zero."""
    size = ELEMENT_BYTES[spec.dtype]
    source, result = spec.layouts
    x = table.bytes_of(inputs["x"][..., 0], size)
    y = np.full((*result.shape(spec.m, spec.n), size), -1, np.int64)
    y[places(result, spec.m, spec.n)] = x[places(source, spec.m, spec.n)]
    return {"y": y}


def elementwise(spec: Any, table: Table, inputs: Inputs, target: Target, numbers: Numbers) -> dict[str, Array]:
    """Each output is an input, broadcast, or an expression of the elements at its place."""
    steps = spec.program.steps
    copies = not spec.layouts and not spec.numbers and all(step.op == "input" for step in steps)
    if copies and len({each.dtype for each in spec.operands}) == 1:
        return {y.name: _spread(spec, table, inputs[steps[number].value]) for y, number in
                zip(spec.outputs, spec.program.outputs)}  # fmt: skip
    return computed(spec, table, inputs, target, numbers)


def _spread(spec: Any, table: Table, nodes: Array) -> Array:
    size = ELEMENT_BYTES[spec.outputs[0].dtype]
    whole = np.broadcast_to(nodes[..., 0], (spec.m, spec.n))
    return table.bytes_of(np.ascontiguousarray(whole), size)


MOVEMENTS: dict[str, Movement] = {"TransformSpec": transform, "EltwiseSpec": elementwise}
"""By the class of a request."""


def computes(spec: Any) -> bool:
    """Whether elements are computed; else they are moved as they are."""
    spec = getattr(spec, "request", spec)
    if not hasattr(spec, "program"):
        return bool(getattr(spec, "converts", hasattr(spec, "bags")))
    return any(step.op != "input" for step in spec.program.steps) or any(
        each.dtype != spec.compute for each in spec.operands
    )
