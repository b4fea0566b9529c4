"""The derivative of an expression by one of its inputs, as an expression.

Where a function has a corner, as `abs` at 0, `maximum` of equal numbers and `select` at its border, the derivative is
that of one side. Functions that give whole numbers are constant between their steps, and have the derivative 0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..errors import UnsupportedError
from .graph import Expr, call, constant, fma_or_twice, ordered, select

Slopes = tuple[Expr | None, ...]
"""The derivatives of the operands of a node. None stands for 0."""


def derivative(of: Expr, by: str, gradients: Collection[str], times: Expr | None = None) -> Expr:
    """Return the derivative of a float expression by the input of this name.

    times      what the derivative is multiplied by; None: 1
    gradients  the names of functions (g, x) that multiply g by the derivative of a function of x: "tanh_inv" of "tanh"

    Raises UnsupportedError for operations that have no derivative here, as those on bits.
    """
    slopes: dict[Expr, Expr | None] = {}
    for node in ordered([of]):
        given = tuple(slopes[each] for each in node.args)
        if node.op == "input":
            first = constant(1.0, node.dtype) if times is None else times
            slopes[node] = first if node.value == by else None
        elif all(each is None for each in given) or node.op in _STEPS:
            slopes[node] = None
        elif node.op == "call":
            slopes[node] = _of_call(node, given, gradients)
        else:
            rule = _RULES.get(node.op)
            if rule is None:
                raise UnsupportedError(f"{node.op} has no derivative by {by}; {_INSTEAD}")
            slopes[node] = rule(node, given)
    found = slopes[of]
    return constant(0.0, of.dtype) if found is None else found


_INSTEAD = "arithmetic, maximum, minimum, select, sqrt and functions as exp and tanh have one"
_STEPS = ("rint", "floor", "ceil", "trunc", "lt", "le", "eq", "ne")


def _of_call(node: Expr, slopes: Slopes, gradients: Collection[str]) -> Expr:
    name, *more = node.value
    (slope,) = slopes if len(slopes) == 1 else (None,)
    if slope is None or more or f"{name}_inv" not in gradients:
        raise UnsupportedError(f"{name} has no derivative here; {_INSTEAD}")
    return call(f"{name}_inv", slope, node.args[0])


def _sum(a: Expr | None, b: Expr | None) -> Expr | None:
    return b if a is None else a if b is None else a + b


def _times(a: Expr | None, factor: Expr) -> Expr | None:
    if a is None:
        return None
    return factor if a is constant(1.0, a.dtype) else a * factor


def _less(a: Expr | None, b: Expr | None) -> Expr | None:
    return a if b is None else -b if a is None else a - b


def _chosen(mask: Expr, a: Expr | None, b: Expr | None, dtype: str) -> Expr:
    zero = constant(0.0, dtype)
    return select(mask, zero if a is None else a, zero if b is None else b)


def _product(node: Expr, slopes: Slopes) -> Expr | None:
    return _sum(_times(slopes[0], node.args[1]), _times(slopes[1], node.args[0]))


def _quotient(node: Expr, slopes: Slopes) -> Expr | None:
    rest = _less(slopes[0], _times(slopes[1], node))
    return None if rest is None else rest / node.args[1]


def _fma(node: Expr, slopes: Slopes) -> Expr | None:
    a, b, _ = node.args
    of_a, of_b, of_c = slopes
    if of_b is None and of_a is not None and of_c is not None:
        return fma_or_twice(of_a, b, of_c)
    return _sum(_sum(_times(of_a, b), _times(of_b, a)), of_c)


_RULES: dict[str, Callable[[Expr, Slopes], Expr | None]] = {
    "add": lambda node, slopes: _sum(*slopes),
    "sub": lambda node, slopes: _less(*slopes),
    "mul": _product,
    "div": _quotient,
    "fma": _fma,
    "neg": lambda node, slopes: _less(None, slopes[0]),
    "abs": lambda node, slopes: _chosen(node.args[0] < 0.0, _less(None, slopes[0]), slopes[0], node.dtype),
    "max": lambda node, slopes: _chosen(node.args[0] < node.args[1], slopes[1], slopes[0], node.dtype),
    "min": lambda node, slopes: _chosen(node.args[1] < node.args[0], slopes[1], slopes[0], node.dtype),
    "sqrt": lambda node, slopes: None if slopes[0] is None else slopes[0] / (node + node),
    "select": lambda node, slopes: _chosen(node.args[0], slopes[1], slopes[2], node.dtype),
}
"""The derivative of a node from its operands' ones, by its operation."""
