"""Elementwise requests: elements of results are broadcast inputs, or expressions of the elements at the same position.

The expression is the request's own, with functions expanded to their operations (`EltwiseSpec.expanded`); the code that
generates kernels is not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....emulation.numerics.expressions import NUMPY
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.expr.coordinates import COLUMN, ROW
from ....microkernels.operands import ORIGIN
from .algebra import Algebra, Array, raw_of, type_of
from .conversions import stored
from .layouts import array_of, matrix_of
from .programs import evaluated, refuse_flushed


def elementwise(spec: Any, algebra: Algebra) -> dict[str, Array]:
    """Return the bytes of each output. Machines choose different forms of some functions."""
    steps = spec.program.steps
    copies = not spec.layouts and not spec.numbers and all(step.op == "input" for step in steps)
    if copies and len({each.dtype for each in spec.operands}) == 1:
        sources = [steps[number].value for number in spec.program.outputs]
        size = ELEMENT_BYTES[spec.outputs[0].dtype]
        return {y.name: _whole(spec, algebra.raw(name, size)) for y, name in zip(spec.outputs, sources)}
    type_of(spec.compute, spec.name)
    if algebra.target is not None:
        refuse_flushed(spec, algebra.target)
    program = algebra.program(spec.numerics, spec.expanded)
    results = evaluated(program, inputs_of(spec, algebra, program), algebra.operations)
    types = [program.steps[place].dtype for place in program.outputs]
    return {y.name: _result(spec, y, value, of, algebra) for y, of, value in zip(spec.outputs, types, results)}


def inputs_of(spec: Any, algebra: Algebra, program: Any) -> dict[str, Any]:
    """Return the inputs of a request's program: elements of operands, their row and column numbers, and words of
    numbers."""
    read = {step.value: NUMPY[step.dtype] for step in spec.program.steps if step.op == "input"}
    columns = getattr(spec, "n", 1)
    given = coordinates(spec, algebra)
    for x in spec.inputs:
        if x.name in getattr(spec, "bits", ()):
            given[x.name] = algebra.conditions(x.name, bits_in_a_row(x, columns, columns))
            continue
        size = ELEMENT_BYTES[x.dtype]
        raw = matrix_of(algebra.raw(x.name, size), _layout(spec, x), spec.m, columns)
        raw = raw if raw.ndim == 3 else raw.reshape(x.rows, x.columns, size)  # a vector
        given[x.name] = algebra.having({x.name: raw}).loaded(x.name, x.dtype, read.get(x.name, NUMPY[spec.compute]))
    return given | algebra.words(program)


def bits_in_a_row(operand: Any, own: int, columns: int) -> int:
    """Return the number of mask elements per row, where the operand's columns count bytes. It is `own`, the number of
    columns of the mask's value, or `columns`, whichever fills the bytes; otherwise 1, a single value per row."""
    return next((each for each in (own, columns) if -(-each // 8) == operand.columns), 1)


def coordinates(spec: Any, algebra: Algebra) -> dict[str, Any]:
    """Return the row and column numbers of elements as inputs of a program."""
    rows = np.arange(spec.m, dtype=np.int32)[:, None]
    columns = np.arange(getattr(spec, "n", 1), dtype=np.int32)[None, :]
    if not getattr(spec, "moved", False):
        return {ROW: rows, COLUMN: columns}
    row, column = (algebra.word(name, 0) for name in ORIGIN)
    return {ROW: row + rows, COLUMN: column + columns}


def _layout(spec: Any, operand: Any) -> str:
    return spec.layout_of(operand) if getattr(spec, "layouts", ()) else ""


def _result(spec: Any, y: Any, value: Any, of: str, algebra: Algebra) -> Array:
    if y.name in spec.bits:
        return algebra.packed(value, spec.m, spec.n)
    raw = raw_of(value if y.dtype == of else stored(value, y.dtype))
    return array_of(_whole(spec, raw), _layout(spec, y), ELEMENT_BYTES[y.dtype])


def _whole(spec: Any, raw: Array) -> Array:
    return np.ascontiguousarray(np.broadcast_to(raw, (spec.m, spec.n, raw.shape[-1])))
