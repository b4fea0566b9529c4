"""Reductions along a row inside an expression: their result is one value for each row.

Such a node has no row in `OPS`, because no machine computes it for one element: the fused kernels of
`microkernels/fused` compute it in a pass of its own over the row, and elementwise kernels refuse it.
"""

from __future__ import annotations

from collections.abc import Sequence

from .graph import Expr, constant, node, rebuilt

ALONG = "along"
MEAN = "mean"
REDUCTIONS = ("sum", MEAN, "product", "max", "min", "absmax")
"""The reductions that a traced function may ask for, as `ts.reduce` names them."""


def along(name: str, x: Expr) -> Expr:
    """The sum, product, largest... of x along its row."""
    return node(ALONG, (x,), x.dtype, name)


def without_means(results: Sequence[Expr], columns: int) -> tuple[Expr, ...]:
    """The same expressions for rows of so many columns: a mean is a sum divided by them."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == ALONG and expr.value == MEAN:
            return along("sum", args[0]) / constant(float(columns), expr.dtype)
        return node(expr.op, args, expr.dtype, expr.value)

    return rebuilt(results, change)
