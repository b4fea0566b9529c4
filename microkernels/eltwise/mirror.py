"""Requests whose matrices all have contiguous columns, rewritten for their row-major transposes."""

from __future__ import annotations

from dataclasses import replace

from ..expr.transposes import mirrored_program
from ..operands import Operand, View
from .orders import contiguous
from .spec import EltwiseSpec


def mirrored(spec: EltwiseSpec) -> EltwiseSpec:
    """Return the same request with rows and columns exchanged, for row-major matrices."""
    inputs = tuple(_mirrored(spec, x) for x in spec.inputs)
    outputs = tuple(_mirrored(spec, y) for y in spec.outputs)
    made = mirrored_program(spec.program)
    return replace(spec, m=spec.n, n=spec.m, program=made, inputs=inputs, outputs=outputs, layouts=())


def _mirrored(spec: EltwiseSpec, operand: Operand) -> Operand:
    if spec.layout_of(operand):
        return operand._replace(rows=spec.n, columns=spec.m, view=View("C", operand.view.leading))
    if operand.rows == 1:
        return operand._replace(rows=operand.columns, columns=1, view=View("C", 1))
    contiguous(operand)
    return operand._replace(rows=1, columns=operand.rows, view=View("C", operand.rows))
