"""Rows by an index inside an expression: `gathered` reads the rows that an index names, `scattered` writes them.

These nodes have no row in `OPS`. The kernels of `microkernels/indexed` locate the rows, and elementwise kernels refuse
the nodes. Tables and indices are parameters of the traced function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .graph import Expr, node, real

GATHER, SCATTER = "gather", "scatter"
PUT, ADD = "put", "add"
"""The first item of a scatter's value: whether rows are written, or added to the rows in memory. The second item is the
number of rows of the result."""


def gathered(table: Any, index: Any) -> Expr:
    """Return the rows of a table that an index names, one for each element of the index."""
    for what, each in (("table", table), ("index", index)):
        if not isinstance(each, Expr) or each.op != "input":
            raise TypeError(
                f"ts.gather(table, index) inside a traced function: the {what} must be a "
                "parameter of the function, because its rows are read from memory; store "
                "computed values with an earlier kernel"
            )
    return node(GATHER, (table, index), table.dtype)


def scattered(x: Any, index: Any, rows: Any, add: Any = False) -> Expr:
    """Return a result of `rows` rows. Row i of x is written to its row index[i], or added to it."""
    if not isinstance(x, Expr) or not isinstance(index, Expr) or index.op != "input":
        raise TypeError(
            "ts.scatter(x, index, rows) inside a traced function: x must be an expression, "
            "and the index a parameter of the function"
        )
    value = real(x)
    return node(SCATTER, (value, index), value.dtype, (ADD if add else PUT, rows))


def has_indices(operations: Iterable[str]) -> bool:
    """Whether some of these operations locate rows by an index."""
    return not {GATHER, SCATTER}.isdisjoint(operations)
