"""Functions of column-major matrices, rewritten for the row-major transposes of all matrices.

y = x @ w, order "F"    is    y.T = w.T @ x.T, order "C"
"""

from __future__ import annotations

from collections.abc import Sequence

from .coordinates import is_place
from .graph import Expr, expressions, node, rebuilt, with_args
from .node import transposed
from .products import PLAIN, PRODUCT, TRANSPOSE, TRANSPOSED
from .program import Program, program


def of_transposes(results: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the transposes of the results, as expressions of the transposes of all parameters."""
    return rebuilt([transposed(each, whole=True) for each in results], _of_transposes)


def mirrored_program(of: Program) -> Program:
    """Return the program of the transposes of all matrices."""
    return program(*of_transposes(expressions(of)))


def _of_transposes(expr: Expr, args: tuple[Expr, ...]) -> Expr:
    if expr.op == "input":
        return expr if is_place(str(expr.value)) else node(TRANSPOSE, (expr,), expr.dtype)
    factor = expr.args[-1] if expr.args else expr
    if factor.op == "input" and expr.op == TRANSPOSE:
        return factor
    if factor.op == "input" and expr.op == PRODUCT:
        return node(PRODUCT, (args[0], factor), expr.dtype, TRANSPOSED if expr.value == PLAIN else PLAIN)
    return with_args(expr, args)
