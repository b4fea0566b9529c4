"""Rows by an index inside an expression: `gathered` reads those that an index names, `scattered` writes them.

Such nodes have no row in `OPS`: the kernels of `microkernels/indexed` find the rows, and elementwise kernels refuse
them. Tables and indices are parameters of the traced function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .graph import Expr, node, real

GATHER, SCATTER = "gather", "scatter"
PUT, ADD = "put", "add"
"""The first part of a scatter's value: rows are written, or added to what is there. The second one is how many there
are."""


def gathered(table: Any, index: Any) -> Expr:
    """The rows of a table that an index names, one for each element of it."""
    for what, each in (("table", table), ("index", index)):
        if not isinstance(each, Expr) or each.op != "input":
            raise TypeError(f"ts.gather(table, index) inside a traced function: the {what} is a parameter of the "
                            "function, because rows of it are found in memory; what is computed there is stored by a "
                            "kernel before this one")  # fmt: skip
    return node(GATHER, (table, index), table.dtype)


def scattered(x: Any, index: Any, rows: Any, add: Any = False) -> Expr:
    """A result of so many rows: row number index[i] of it is row i of x, or has that added."""
    if not isinstance(x, Expr) or not isinstance(index, Expr) or index.op != "input":
        raise TypeError("ts.scatter(x, index, rows) inside a traced function: x is an expression, the index a "
                        "parameter of the function")  # fmt: skip
    value = real(x)
    return node(SCATTER, (value, index), value.dtype, (ADD if add else PUT, rows))


def has_indices(operations: Iterable[str]) -> bool:
    """Whether some of these operations find rows by an index."""
    return not {GATHER, SCATTER}.isdisjoint(operations)
