"""Tracing: a Python function is called once with operands, and its result is the expression graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from ...encoder.errors import shown
from ..errors import UnsupportedError
from .graph import Expr, operand
from .statistics import Statistic

F = TypeVar("F", bound=Callable[..., object])


def trace(function: Callable[..., Any], **dtypes: str) -> tuple[Expr, ...]:
    """Return the expressions that a Python function returns when it is called with inputs named like its parameters.

    dtypes: the type of each parameter; a parameter without one keeps its default. The function returns an expression,
    or a tuple of them.
    """
    names = required(function, dtypes)
    if sorted(names) != sorted(dtypes):
        raise TypeError(f"a type for each parameter ({', '.join(names)}), not for {', '.join(dtypes)}")
    operands = {name: operand(name, dtypes[name]) for name in names}
    return results(called(function, operands), [])


def called(function: Callable[..., Any], operands: Mapping[str, Expr]) -> Callable[[], Any]:
    """Return a call of a function with operands named like its parameters. Arguments are positional up to the first
    parameter that is left out, which keeps its default, and named after it."""
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


class Settled(Protocol):
    """A traced function that keeps its traces, keyed by the types of its operands, and the function itself."""

    traced: dict[tuple[Any, ...], Any]
    __wrapped__: Callable[..., Any]

    def __call__(self, *operands: Expr, **named: Expr) -> Any: ...


def settled(function: Callable[..., Any]) -> Settled:
    """Return the function with its traces kept by operand types: requests that differ only in shapes have the same
    expressions, whatever the function reads when they are made."""
    traced: dict[tuple[Any, ...], Any] = {}

    @wraps(function)
    def again(*operands: Expr, **named: Expr) -> Any:
        types = *(each.dtype for each in operands), *((name, each.dtype) for name, each in named.items())
        if types not in traced:
            traced.setdefault(types, function(*operands, **named))
        return traced[types]

    made = cast(Settled, again)
    made.traced = traced
    return made


class TracedResults:
    """The expressions that a function returned, as a key. Equal expressions are one object."""

    __slots__ = ("results",)

    def __init__(self, results: tuple[Expr, ...]) -> None:
        self.results = results

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.results)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TracedResults)
            and len(self.results) == len(other.results)
            and all(one is another for one, another in zip(self.results, other.results))
        )


def trace_key(
    function: Callable[..., Any], given: Collection[str], first: str, types: Mapping[str, str]
) -> TracedResults | None:
    """Return the trace of an epilogue, from the types of the product and of the operands by name; None if it takes
    others, or has a result that is no expression."""
    names = behind_first(function, given)
    if not types.keys() >= set(names[1:]):
        return None
    inputs = {name: operand(name, dtype) for name, dtype in zip(names, (first, *(types[each] for each in names[1:])))}
    made = with_statistics(called(function, inputs), [])
    found = tuple(each for each in made if isinstance(each, Expr))
    return TracedResults(found) if len(found) == len(made) else None


def required(function: Callable[..., Any], given: Collection[str]) -> list[str]:
    """Return the parameters of a function that are given, and those without a default, in order."""
    return _required(_parameters(function), given)


def _required(parameters: Mapping[str, inspect.Parameter], given: Collection[str]) -> list[str]:
    return [
        name
        for name, each in parameters.items()
        if name in given or each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]


def with_parameters(function: F, names: Sequence[str]) -> F:
    """Return a function, which shall be traced as one of parameters of these names."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def behind_first(function: Callable[..., Any], given: Collection[str]) -> list[str]:
    """Return the parameters of an epilogue: the first, which is the result, and the others that are operands, because
    they are given or have no default. Raises TypeError for what is no such function."""
    example = "as ts.relu or lambda c, bias: ts.relu(c + bias)"
    if not callable(function):
        raise TypeError(f"epilogue: a function of c and further operands, {example}, not {shown(function)}")
    parameters = _parameters(function)  # which takes most of the time, for a method
    first = next(iter(parameters), None)
    if first is None:
        raise TypeError(
            f"epilogue: a function whose first parameter is the result, {example}, not one without parameters"
        )
    return [first, *(name for name in _required(parameters, given) if name != first)]


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except ValueError:
        raise TypeError(
            f"{function!r}: its parameters, which become operands, are unknown; write a "
            "lambda that calls functions of ts"
        ) from None


def results(function: Callable[..., Any], operands: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the expressions that a Python function returns for these operands."""
    outputs = with_statistics(function, operands)
    for output in outputs:
        if isinstance(output, Statistic):
            raise UnsupportedError(
                f"{output.reduction}: a statistic must be a result after the first "
                "one of an epilogue, ts.brgemm(epilogue=); elsewhere use ts.reduce"
            )
    return tuple(output for output in outputs if isinstance(output, Expr))


def with_statistics(function: Callable[..., Any], operands: Sequence[Expr]) -> tuple[Expr | Statistic, ...]:
    """Return the same; statistics may be among them."""
    result = function(*operands)
    outputs = result if isinstance(result, tuple) else (result,)
    for output in outputs:
        if not isinstance(output, (Expr, Statistic)):
            raise TypeError(f"the traced function returns an expression or a tuple of them, not {output!r}")
    if not outputs:
        raise TypeError("the traced function returns an expression, not an empty tuple")
    return outputs
