"""Functions for use inside a traced function: `ts.equation(lambda x, g: ts.tanh(x) * g, ...)`.

They take and return expressions, never arrays. Their accuracy is that of the kernel that the traced function becomes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...microkernels.expr import graph as expr
from ...microkernels.expr import statistics
from ...microkernels.expr.graph import Expr, call
from ...microkernels.expr.statistics import Statistic
from ...microkernels.functions import bf16_split, threefry
from ...microkernels.functions.activations import CATALOGUE, contract_of
from ...microkernels.functions.catalogue import UNARY

Function = Callable[..., Expr]


def _refuse(name: str, values: tuple[Any, ...]) -> None:
    """Raise TypeError unless an expression is among the values and all others are numbers."""
    wrong = [each for each in values if not isinstance(each, (Expr, int, float))]
    if wrong or not any(isinstance(each, Expr) for each in values):
        what = type((wrong or [*values, None])[0]).__name__
        written = f"{name}(x, ...)" if len(values) > 1 else f"{name}(x)"
        made = f'ts.unary("{name}", m, n)' if name in UNARY else f"ts.equation(lambda x: ts.{written}, x=(m, n))"
        instead = f"; for arrays make a kernel: k = {made}; k(x, y)" * (name != "statistic")
        raise TypeError(
            f"{name}: an expression, inside a function given to ts.equation or as an epilogue, not {what}{instead}"
        )


def _of_type(name: str, dtype: Any) -> Any:
    """Return the type of random numbers, which are numbers for each element and of no operand."""
    if isinstance(dtype, str):
        return dtype
    raise TypeError(
        f"{name}: the name of a type, inside a function given to ts.equation or as an epilogue, not "
        f'{type(dtype).__name__}; for arrays make a kernel: k = ts.unary("{name}", m, n); k(seed, y)'
    )


def _described(name: str) -> str:
    """Return what a function computes and its error bound, if it is not exact, as its contract promises."""
    formula = UNARY[name].formula
    if name not in CATALOGUE:
        return formula
    error, double = CATALOGUE[name].contract, contract_of(name, "f64")
    tabled = f" ({error.tabled.ulp:g} where a machine looks up {error.tables} f32)" if error.tabled else ""
    return (
        f'{formula}.\n\nThe error is at most 4 ulp in a kernel with accuracy="standard", the default, and '
        f'{error.accurate:g} ulp with "accurate".\nWith "fast" it is {error.fast:g} ulp in f32{tabled} and '
        f"{double.fast:,.0f} in f64.\nFor sources, and where the error is relative to a floor, see "
        "docs/activations.md and docs/numerics.md."
    )


def _named(name: str) -> Callable[[Expr], Expr]:
    """Return the function of this name. Its form is chosen when the kernel's accuracy is known."""

    def function(x: Expr) -> Expr:
        _refuse(name, (x,))
        return call(name, x)

    function.__name__, function.__qualname__, function.__doc__ = name, name, _described(name)
    return function


def _exact(name: str) -> Callable[[Expr], Expr]:
    """Return the primitive of this name, which is exact. It takes floats, and integers if it has a meaning for them."""

    def function(x: Expr) -> Expr:
        _refuse(name, (x,))
        made: Expr = UNARY[name].function(x)
        return made

    function.__name__, function.__qualname__, function.__doc__ = name, name, _described(name)
    return function


def _plain(name: str) -> Function:
    """Return an operation of the expression language."""
    of = getattr(expr, name)

    @wraps(of, assigned=("__name__", "__qualname__", "__doc__"))
    def function(*operands: Any) -> Expr:
        _refuse(name, operands)
        made: Expr = of(*operands)
        return made

    return function


exp, exp2, log, tanh, sigmoid = map(_named, ("exp", "exp2", "log", "tanh", "sigmoid"))
gelu, gelu_tanh, silu, elu, softplus = map(_named, ("gelu", "gelu_tanh", "silu", "elu", "softplus"))
relu, leaky_relu, reciprocal, rsqrt, square = map(_exact, ("relu", "leaky_relu", "reciprocal", "rsqrt", "square"))
sqrt, fma, maximum, minimum, clamp = map(_plain, ("sqrt", "fma", "maximum", "minimum", "clamp"))
select, rint, floor, ceil, trunc = map(_plain, ("select", "rint", "floor", "ceil", "trunc"))


def dropout(x: Expr, rate: float) -> Expr:
    """x / (1 - rate), or 0 with probability rate. The kernel takes the seed as a number before its outputs."""
    _refuse("dropout", (x,))
    return threefry.dropout(x, rate=rate)


def dropout_mask(x: Expr, rate: float) -> tuple[Expr, Expr]:
    """The dropout of x and the mask of the elements that are kept. As a result, the mask has one bit per element."""
    _refuse("dropout_mask", (x,))
    return threefry.dropout_mask(x, rate=rate)


def random(dtype: str = "i32") -> Expr:
    """32 random bits for each element, or 64 as i64, from the seed that the kernel takes before its outputs."""
    return threefry.random(out=_of_type("random", dtype))


def statistic(name: str, x: Expr, axis: int = 0) -> Statistic:
    """A result with one element for each column of x (axis 0), or for each row (axis 1), after the first result of an
    epilogue: "sum", "squares" (the sum of squares), "max", "min", "absmax" or "product" of its elements.

    The elements are combined one after the other, from the first row (or column) to the last, in the type of x.
    """
    _refuse("statistic", (x,))
    return statistics.statistic(name, x, axis)


def pack(high: Expr, low: Expr) -> Expr:
    """The f32 with these upper and lower 16 bits, whose types are bf16 (or u16) and u16; see unpack."""
    _refuse("pack", (high, low))
    return bf16_split.pack(high, low)


def unpack(x: Expr) -> tuple[Expr, Expr]:
    """The upper 16 bits of an f32, which are a bf16 rounded towards zero, and its lower 16 bits, for results with
    out=("bf16", "u16")."""
    _refuse("unpack", (x,))
    return bf16_split.unpack(x, out=("bf16", "u16"))


def uniform(dtype: str = "f32") -> Expr:
    """A random number in [0, 1) for each element, from the seed that the kernel takes before its outputs.

    dtype: "f64" in a kernel that computes in f64: a multiple of 2^-53, whose upper 24 bits are the f32 number.
    """
    return threefry.uniform(out=_of_type("uniform", dtype))
