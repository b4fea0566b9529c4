"""From Python functions to expressions: a function is called once with operands, and its result is the graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..errors import UnsupportedError
from .graph import Expr, operand
from .statistics import Statistic


def trace(function: Callable[..., Any], **dtypes: str) -> tuple[Expr, ...]:
    """The expressions that a Python function returns when it is called with inputs named as its parameters.

    dtypes: the type of each parameter; one that is missing keeps its default. The function returns an expression, or a
    tuple of them.
    """
    parameters = inspect.signature(function).parameters
    names = _required(parameters, dtypes)
    if sorted(names) != sorted(dtypes):
        raise TypeError(f"a type for each parameter ({', '.join(names)}), not for {', '.join(dtypes)}")
    operands = {name: operand(name, dtypes[name]) for name in names}
    if len(names) == len(parameters):
        return results(function, list(operands.values()))
    return results(lambda: function(**operands), [])


def required(function: Callable[..., Any], given: Collection[str]) -> list[str]:
    """The parameters of a function that are given, and those that have no default, in their order."""
    return _required(inspect.signature(function).parameters, given)


def _required(parameters: Mapping[str, inspect.Parameter], given: Collection[str]) -> list[str]:
    return [name for name, each in parameters.items() if name in given or each.default is each.empty]


def results(function: Callable[..., Any], operands: Sequence[Expr]) -> tuple[Expr, ...]:
    """The expressions that a Python function returns for these operands."""
    outputs = with_statistics(function, operands)
    for output in outputs:
        if isinstance(output, Statistic):
            raise UnsupportedError(f"{output.reduction}: statistics are results of an epilogue behind the first, "
                                   "ts.brgemm(epilogue=); elsewhere ts.reduce makes a kernel for them")  # fmt: skip
    return tuple(output for output in outputs if isinstance(output, Expr))


def with_statistics(function: Callable[..., Any], operands: Sequence[Expr]) -> tuple[Expr | Statistic, ...]:
    """The same; statistics may be among them."""
    result = function(*operands)
    outputs = result if isinstance(result, tuple) else (result,)
    for output in outputs:
        if not isinstance(output, (Expr, Statistic)):
            raise TypeError(f"the traced function returns an expression or a tuple of them, not {output!r}")
    if not outputs:
        raise TypeError("the traced function returns an expression, not an empty tuple")
    return outputs
