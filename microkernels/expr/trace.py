"""From Python functions to expressions: a function is called once with operands, and its result is the graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .graph import Expr, operand


def trace(function: Callable[..., Any], **dtypes: str) -> tuple[Expr, ...]:
    """The expressions that a Python function returns when it is called with inputs named as its parameters.

    dtypes: the type of each parameter. The function returns an expression, or a tuple of them.
    """
    names = list(inspect.signature(function).parameters)
    if sorted(names) != sorted(dtypes):
        raise TypeError(f"a type for each parameter ({', '.join(names)}), not for {', '.join(dtypes)}")
    return results(function, [operand(name, dtypes[name]) for name in names])


def results(function: Callable[..., Any], operands: Sequence[Expr]) -> tuple[Expr, ...]:
    """The expressions that a Python function returns for these operands."""
    result = function(*operands)
    outputs = result if isinstance(result, tuple) else (result,)
    for output in outputs:
        if not isinstance(output, Expr):
            raise TypeError(f"the traced function returns an expression or a tuple of them, not {output!r}")
    if not outputs:
        raise TypeError("the traced function returns an expression, not an empty tuple")
    return outputs
