"""Reductions inside an expression: along a row, whose result is one value for each row, and down the columns, whose
result is one row.

Such nodes have no row in `OPS`, because no machine computes them for one element: the fused kernels of
`microkernels/fused` compute them in passes over a row, and elementwise kernels refuse them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .graph import Expr, constant, node, rebuilt, with_args

ALONG = "along"
DOWN = "down"
MEAN = "mean"
REDUCTIONS = ("sum", MEAN, "product", "max", "min", "absmax")
"""The reductions that a traced function may ask for, as `ts.reduce` names them."""


def along(name: str, x: Expr) -> Expr:
    """The sum, product, largest... of x along its row."""
    return node(ALONG, (x,), x.dtype, name)


def down(name: str, x: Expr) -> Expr:
    """The same of each column of x: one row."""
    return node(DOWN, (x,), x.dtype, name)


def has_reductions(operations: Iterable[str]) -> bool:
    """Whether some of these operations are reductions."""
    return not {ALONG, DOWN}.isdisjoint(operations)


def without_means(results: Sequence[Expr], rows: int | Expr, columns: int, divided: bool = False) -> tuple[Expr, ...]:
    """The same expressions for matrices of this shape: a mean along a row is a sum divided by the number of columns,
    one down a column a sum of elements divided by the number of rows each, or `divided` a sum divided by that. rows:
    their number, or the expression that has it."""

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
