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
    names = required(function, dtypes)
    if sorted(names) != sorted(dtypes):
        raise TypeError(f"a type for each parameter ({', '.join(names)}), not for {', '.join(dtypes)}")
    operands = {name: operand(name, dtypes[name]) for name in names}
    return results(called(function, operands), [])


def called(function: Callable[..., Any], operands: Mapping[str, Expr]) -> Callable[[], Any]:
    """What calls a function with operands named as its parameters: by place up to the first one that is left out, which
    keeps its default, and by name behind it."""
    by_place: list[Expr] = []
    by_name: dict[str, Expr] = {}
    left_out = False
    for name, each in _parameters(function).items():
        if name not in operands:
            left_out = True
        elif left_out or each.kind is each.KEYWORD_ONLY:
            by_name[name] = operands[name]
        else:
            by_place.append(operands[name])
    return lambda: function(*by_place, **by_name)


def required(function: Callable[..., Any], given: Collection[str]) -> list[str]:
    """The parameters of a function that are given, and those that have no default, in their order."""
    return [name for name, each in _parameters(function).items()
            if name in given or each.default is each.empty and each.kind is not each.VAR_KEYWORD]  # fmt: skip


def behind_first(function: Callable[..., Any], given: Collection[str]) -> list[str]:
    """The parameters of an epilogue: the first, which is the result, and those behind it that are operands, because
    they are given or have no default. Empty for a function without parameters."""
    first = next(iter(_parameters(function)), None)
    return [] if first is None else [first, *(name for name in required(function, given) if name != first)]


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except ValueError:
        raise TypeError(f"{function!r} does not tell its parameters, which become operands; write a lambda that calls "
                        "functions of ts") from None  # fmt: skip


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
