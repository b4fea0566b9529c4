"""Traced functions with products of column-major matrices, rewritten for the row-major transposes of all matrices.

y = x @ w, order "F"    is    y.T = w.T @ x.T, order "C"
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.coordinates import is_place
from ..expr.graph import Expr, node, rebuilt, with_args
from ..expr.node import transposed
from ..expr.products import PLAIN, PRODUCT, TRANSPOSE, TRANSPOSED
from ..operands import Operand, View


def of_transposes(results: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the transposes of the results, as expressions of the transposes of all parameters."""
    return rebuilt([transposed(each) for each in results], _of_transposes)


def _of_transposes(expr: Expr, args: tuple[Expr, ...]) -> Expr:
    if expr.op == "input":
        return expr if is_place(str(expr.value)) else node(TRANSPOSE, (expr,), expr.dtype)
    factor = expr.args[-1] if expr.args else expr
    if factor.op == "input" and expr.op == TRANSPOSE:
        return factor
    if factor.op == "input" and expr.op == PRODUCT:
        return node(PRODUCT, (args[0], factor), expr.dtype, TRANSPOSED if expr.value == PLAIN else PLAIN)
    return with_args(expr, args)


def by_columns(operand: Operand) -> Operand:
    """Return the column-major matrix whose row-major transpose an operand is."""
    return operand._replace(rows=operand.columns, columns=operand.rows, view=View("F", operand.view.leading))
