"""Reductions inside an expression: along a row, with one value per row as the result, and down the columns, with one
row as the result.

These nodes have no row in `OPS`, because no machine computes them for one element. The fused kernels of
`microkernels/fused` compute them in passes over a row, and elementwise kernels refuse them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .graph import Expr, constant, node, rebuilt, with_args

ALONG = "along"
DOWN = "down"
MEAN = "mean"
REDUCTIONS = ("sum", MEAN, "product", "max", "min", "absmax")
"""The reductions that a traced function may use, with the names of `ts.reduce`."""


def along(name: str, x: Expr) -> Expr:
    """Return the sum, product, largest... of x along its row."""
    return node(ALONG, (x,), x.dtype, name)


def down(name: str, x: Expr) -> Expr:
    """Return the same of each column of x: one row."""
    return node(DOWN, (x,), x.dtype, name)


def has_reductions(operations: Iterable[str]) -> bool:
    """Whether some of these operations are reductions."""
    return not {ALONG, DOWN}.isdisjoint(operations)


def without_means(results: Sequence[Expr], rows: int | Expr, columns: int, divided: bool = False) -> tuple[Expr, ...]:
    """Return the same expressions without means, for matrices of this shape. A mean along a row becomes a sum divided
    by the number of columns. A mean down a column becomes a sum of elements that are each divided by the number of
    rows, or with `divided` a sum that is divided once. rows: the number of rows, or an expression of it."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == ALONG and expr.value == MEAN:
            return along("sum", args[0]) / constant(float(columns), expr.dtype)
        if expr.op == DOWN and expr.value == MEAN:
            if isinstance(rows, Expr):
                return down("sum", args[0]) / rows
            if divided:
                return down("sum", args[0]) / constant(float(rows), expr.dtype)
            return down("sum", args[0] * constant(1.0 / rows, expr.dtype))
        return with_args(expr, args)

    return rebuilt(results, change)
