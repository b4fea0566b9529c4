"""Reductions inside an expression: along a row, with one value per row as the result, and down the columns, with one
row as the result. Scans give each element the reduction of all elements up to it, along its row or down its column.

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
SCAN = "scan"
SCAN_DOWN = "scan_down"
SCANS = (SCAN, SCAN_DOWN)
SCANNED = ("sum", "product", "max", "min")
"""The reductions that a scan may take of the elements up to each."""


def along(name: str, x: Expr) -> Expr:
    """Return the sum, product, largest... of x along its row."""
    return node(ALONG, (x,), x.dtype, name)


def down(name: str, x: Expr) -> Expr:
    """Return the same of each column of x: one row."""
    return node(DOWN, (x,), x.dtype, name)


def scan(name: str, x: Expr, exclusive: bool = False) -> Expr:
    """Return for each element of x the sum, product... of the elements of its row up to it, or only of those before
    it."""
    return node(SCAN, (x,), x.dtype, (name, exclusive))


def scan_down(name: str, x: Expr, exclusive: bool = False) -> Expr:
    """Return the same down the columns."""
    return node(SCAN_DOWN, (x,), x.dtype, (name, exclusive))


def has_reductions(operations: Iterable[str]) -> bool:
    """Whether some of these operations are reductions or scans, so that an element depends on others."""
    return not {ALONG, DOWN, *SCANS}.isdisjoint(operations)


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
