"""Expressions on the command line, such as `relu(c + bias)`: functions of the names that occur in them.

Numbers, + - * / @ and unary minus, comparisons, `w.T`, and the functions that traced Python functions use: `tanh` and
others, and reductions and scans such as `sum(x, axis=1)`. Nothing else is evaluated: a text may come from a stranger.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import operator
from collections.abc import Callable
from typing import Any

from ...microkernels.names import nearest
from ..api import functions, fused

_Function = Callable[..., Any]
_OPERATORS: dict[type, _Function] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.MatMult: operator.matmul,
    ast.USub: operator.neg,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, _Function] = {
    name: each
    for name, each in vars(functions).items()
    if callable(each) and name[0].islower() and getattr(each, "__module__", "") == functions.__name__
}
_ALONG: dict[str, _Function] = {
    name: getattr(fused, name)
    for name in (
        *("sum", "prod", "max", "min", "mean", "absmax", "argmax", "argmin"),
        *("cumsum", "cumprod", "cummax", "cummin"),
        *("softmax", "log_softmax", "layernorm", "rmsnorm"),
    )
}
_TOO_DEEP = "{:.40}...: an expression of too many operations; write it as a Python function"


def _found(name: str, known: dict[str, _Function]) -> _Function:
    if name not in known:
        near = nearest(name, known)
        hint = f"; did you mean {near}?" if near else ""
        raise ValueError(f"no function {name}; there are {', '.join(sorted(known))}{hint}")
    return known[name]


def activation(name: str) -> _Function:
    """Return the function of an option. Raise ArgumentTypeError, which argparse reports, if there is none."""
    try:
        return _found(name, _FUNCTIONS)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class Formula:
    """A function of the names in a text, in the order in which they occur. The name `first`, if given, comes first."""

    def __init__(self, text: str, first: str | None = None) -> None:
        self.text = text
        found = dict.fromkeys([first] if first else [])
        try:
            self.tree = ast.parse(text, mode="eval").body
            self._names(self.tree, found)
        except SyntaxError as error:
            raise ValueError(f"{text!r}: not an expression: {error.msg}") from error
        except RecursionError:
            raise ValueError(_TOO_DEEP.format(text)) from None
        self.names = tuple(found)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in self.names])
        self.__name__ = "formula"

    def __call__(self, *operands: Any) -> Any:
        """Return the expression of these operands."""
        try:
            given = dict(zip(self.names, operands))
            if isinstance(self.tree, ast.Tuple):
                return tuple(self._value(each, given) for each in self.tree.elts)
            return self._value(self.tree, given)
        except RecursionError:
            raise ValueError(_TOO_DEEP.format(self.text)) from None
        except (ArithmeticError, TypeError) as error:  # 1/0 of numbers, or a function with too few operands
            raise ValueError(f"{self.text!r}: {error}") from None

    def _names(self, node: ast.AST, found: dict[str, None]) -> None:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                self._function(node.func.id)
            for argument in (*node.args, *(each.value for each in node.keywords)):
                self._names(argument, found)
        elif isinstance(node, ast.Name):
            found[node.id] = None
        else:
            for each in ast.iter_child_nodes(node):
                self._names(each, found)

    def _value(self, node: ast.AST, operands: dict[str, Any]) -> Any:
        kind = type(getattr(node, "op", None))
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            return operands[node.id]
        if isinstance(node, ast.BinOp) and kind in _OPERATORS:
            return _OPERATORS[kind](self._value(node.left, operands), self._value(node.right, operands))
        if isinstance(node, ast.UnaryOp) and kind in _OPERATORS:
            return _OPERATORS[kind](self._value(node.operand, operands))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
            left, right = (self._value(each, operands) for each in (node.left, node.comparators[0]))
            return _OPERATORS[type(node.ops[0])](left, right)
        if isinstance(node, ast.Attribute) and node.attr == "T" and isinstance(node.value, ast.Name):
            return operands[node.value.id].T
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and all(each.arg for each in node.keywords):
            named = {str(each.arg): self._value(each.value, operands) for each in node.keywords}
            return self._function(node.func.id)(*(self._value(each, operands) for each in node.args), **named)
        raise ValueError(
            f"{self.text!r}: numbers, names, + - * / @, comparisons, w.T and functions by their names alone, as "
            f'"relu(c + bias)", not {ast.unparse(node)!r}'
        )

    def _function(self, name: str) -> _Function:
        try:
            return _found(name, _FUNCTIONS | _ALONG)
        except ValueError as error:
            raise ValueError(f"{self.text!r}: {error}") from None
