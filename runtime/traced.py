"""Functions for use inside a traced function: `ts.equation(lambda x, g: ts.tanh(x) * g, ...)`.

They take and give expressions, never arrays. Their accuracy is that of the kernel which the traced function becomes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..microkernels import expr, random
from ..microkernels.errors import UnsupportedError
from ..microkernels.expr import Expr, call
from ..microkernels.primitives import FUNCTIONS

Function = Callable[..., Expr]


def _refuse(name: str, values: tuple[Any, ...]) -> None:
    """TypeError unless an expression is among the values and all others are numbers."""
    wrong = [each for each in values if not isinstance(each, (Expr, int, float))]
    if wrong or not any(isinstance(each, Expr) for each in values):
        what = type((wrong or [*values, None])[0]).__name__
        raise TypeError(f"{name}: an expression, inside a function given to ts.equation or as an epilogue, not {what}; "
                        f'for arrays make a kernel: k = ts.unary("{name}", m, n); k(x, y)')  # fmt: skip


def _named(name: str) -> Function:
    """The function of this name, put in when the kernel's accuracy is known."""

    def function(*operands: Any) -> Expr:
        _refuse(name, operands)
        if name not in FUNCTIONS:
            raise UnsupportedError(f"{name}: not available; functions are {', '.join(sorted(FUNCTIONS))}")
        return call(name, *(each for each in operands if isinstance(each, Expr)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of an expression; its accuracy is that of the kernel."
    return function


def _plain(name: str) -> Function:
    """An operation of the expression language."""
    of = getattr(expr, name)

    def function(*operands: Any) -> Expr:
        _refuse(name, operands)
        made: Expr = of(*operands)
        return made

    function.__name__, function.__qualname__, function.__doc__ = name, name, of.__doc__
    return function


exp, exp2, log, tanh, sigmoid = map(_named, ("exp", "exp2", "log", "tanh", "sigmoid"))
gelu, gelu_tanh, silu, elu, softplus = map(_named, ("gelu", "gelu_tanh", "silu", "elu", "softplus"))
relu, leaky_relu, reciprocal, rsqrt, square = map(_named, ("relu", "leaky_relu", "reciprocal", "rsqrt", "square"))
sqrt, fma, maximum, minimum, clamp = map(_plain, ("sqrt", "fma", "maximum", "minimum", "clamp"))
select, rint, floor, ceil, trunc = map(_plain, ("select", "rint", "floor", "ceil", "trunc"))


def dropout(x: Expr, rate: float) -> Expr:
    """x / (1 - rate), or 0 with probability rate; the kernel takes the seed as a number, before its outputs."""
    _refuse("dropout", (x,))
    return random.dropout(x, rate=rate)


def uniform() -> Expr:
    """A random f32 in [0, 1) for each element, by the seed that the kernel takes as a number, before its outputs."""
    return random.uniform()
