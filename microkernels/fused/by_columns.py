"""Fused requests whose matrices have contiguous columns, rewritten as requests of the row-major transposes.

    y = softmax(x, axis=1), order "F"    is    y.T = softmax(x.T, axis=0), order "C"

A reduction along the rows of a matrix is a reduction down the columns of its transpose, and vice versa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from ..eltwise.orders import COLUMNS, moved
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..operands import Operand, View, leading_dimension


def check(spec: EltwiseSpec) -> None:
    """Raise UnsupportedError unless all matrices have contiguous columns."""
    if moved(spec) is not None:
        raise UnsupportedError(
            f"{spec.name}: with reductions along rows all matrices need the same "
            'order, "C" or "F"; convert others with ts.transpose'
        )


def shaped(spec: EltwiseSpec, transposed_outputs: Sequence[Operand]) -> tuple[tuple[Operand, ...], tuple[str, ...]]:
    """Return the results, shaped like the transposed results of the transposes, and the layouts of all operands."""
    outputs = tuple(_shaped(spec, y, transposed) for y, transposed in zip(spec.outputs, transposed_outputs))
    layouts = [COLUMNS if y.view.order == "F" else "" for y in outputs]
    return outputs, (*spec.layouts[: len(spec.inputs)], *layouts)


def _shaped(spec: EltwiseSpec, y: Operand, transposed: Operand) -> Operand:
    if (transposed.rows, transposed.columns) == (spec.n, spec.m) and y.view.order == "F":
        return y
    return y._replace(rows=transposed.columns, columns=transposed.rows, view=View("C", transposed.rows))


def whole(spec: EltwiseSpec) -> EltwiseSpec:
    """Return the elementwise request from which this fused request was made."""
    leading = leading_dimension("", None, spec.m)
    outputs = tuple(
        y if y.view.order == "F" else y._replace(rows=spec.m, columns=spec.n, view=View("F", leading))
        for y in spec.outputs
    )
    layouts = (*spec.layouts[: len(spec.inputs)], *(COLUMNS for _ in outputs))
    made = replace(spec, outputs=outputs, layouts=layouts)
    return EltwiseSpec(**{each.name: getattr(made, each.name) for each in fields(EltwiseSpec)})
