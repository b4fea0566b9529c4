"""Functions of column-major matrices, rewritten for the row-major transposes of all matrices.

y = x @ w, order "F"    is    y.T = w.T @ x.T, order "C"
"""

from __future__ import annotations

from collections.abc import Sequence

from .graph import Expr, expressions, rebuilt
from .node import in_transposes
from .program import Program, program


def of_transposes(results: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the transposes of the results, as expressions of the transposes of all parameters."""
    return rebuilt(results, in_transposes)


def mirrored_program(of: Program) -> Program:
    """Return the program of the transposes of all matrices."""
    return program(*of_transposes(expressions(of)))
