"""The sites of a module where a small change makes a mutant: comparisons, constants, operators, conditions, calls.

    for site in sites(ast.parse(source)):
        print(site.line, site.scope, site.before, "->", site.after)
        site.apply()         # changes the tree; a mutant has one site applied

Annotations, docstrings, the texts of errors and of f-strings, decorators, default values of `__repr__` and everything
below `if TYPE_CHECKING` are left alone, since a change there either does nothing or changes a message.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Site:
    """A change of a syntax tree."""

    line: int
    scope: str  # the names of class and function
    before: str
    after: str
    apply: Callable[[], None]


Put = Callable[[ast.AST], None]
"""Replaces a node in its place."""


def sites(tree: ast.Module) -> Iterator[Site]:
    """Yield every site of a module, in the order of its text."""
    yield from _body(tree, "")


def _body(node: ast.AST, scope: str) -> Iterator[Site]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        if isinstance(value, ast.AST):
            yield from _node(value, scope, _setter(node, field))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from _node(item, scope, _item_setter(value, index))


def _setter(node: ast.AST, field: str) -> Put:
    return lambda new: setattr(node, field, new)


def _item_setter(items: list[ast.AST], index: int) -> Put:
    return lambda new: items.__setitem__(index, new)


def _node(node: ast.AST, scope: str, put: Put) -> Iterator[Site]:
    if _is_left_alone(node):
        return
    if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
        scope = f"{scope}.{node.name}".lstrip(".")
    for new in _changes(node):
        yield _site(node, new, scope, put)
    yield from _body(node, scope)


def _is_left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # docstrings and attribute docstrings
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    if isinstance(node, FUNCTIONS):
        return node.name in ("__repr__", "__str__")
    return isinstance(node, (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom, ast.AnnAssign)) and not (
        isinstance(node, ast.AnnAssign) and node.value is not None
    )


def _site(node: ast.AST, new: ast.AST, scope: str, put: Put) -> Site:
    def apply() -> None:
        put(ast.fix_missing_locations(ast.copy_location(new, node)))

    return Site(getattr(node, "lineno", 0), scope, _text(node), _text(new), apply)


def _text(node: ast.AST) -> str:
    """Return a node as one line of text; for a statement with a body, only its head."""
    return " ".join(ast.unparse(node).splitlines()[0].split())


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may replace a node; the node itself is not changed."""
    for kind, changes in _CHANGES.items():
        if isinstance(node, kind):
            yield from changes(node)


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    for i, operator in enumerate(node.ops):
        operators = [*node.ops]
        operators[i] = _COMPARISONS[type(operator)]()
        yield ast.Compare(node.left, operators, node.comparators)


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node.value, float):
        yield ast.Constant(node.value * 1.5 + (node.value == 0))


def _binary(node: ast.BinOp) -> Iterator[ast.AST]:
    is_text = isinstance(node.left, (ast.JoinedStr, ast.List)) or (
        isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    )
    if type(node.op) in _OPERATORS and not is_text:
        yield ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)


def _boolean(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _unary(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield node.operand


def _condition(node: ast.If | ast.While) -> Iterator[ast.AST]:
    yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def _chosen(node: ast.IfExp) -> Iterator[ast.AST]:
    yield ast.IfExp(node.test, node.orelse, node.body)


def _call(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        yield ast.Call(ast.Name(_NAMES[node.func.id], ast.Load()), node.args, node.keywords)
    if len(node.args) >= 2 and not any(isinstance(argument, ast.Starred) for argument in node.args[:2]):
        first, second, *others = node.args
        if ast.dump(first) != ast.dump(second) and getattr(node.func, "id", "") not in (*_NAMES, "isinstance", "cast"):
            yield ast.Call(node.func, [second, first, *others], node.keywords)


def _statement(node: ast.Expr | ast.AugAssign) -> Iterator[ast.AST]:
    if isinstance(node, ast.AugAssign) or isinstance(node.value, ast.Call):
        yield ast.Pass()


def _filter(node: ast.comprehension) -> Iterator[ast.AST]:
    if node.ifs:
        yield ast.comprehension(node.target, node.iter, node.ifs[1:], node.is_async)


def _jump(node: ast.Continue | ast.Break) -> Iterator[ast.AST]:
    yield ast.Break() if isinstance(node, ast.Continue) else ast.Pass()


_CHANGES: dict[type[ast.AST] | tuple[type[ast.AST], ...], Callable[..., Iterator[ast.AST]]] = {
    ast.Compare: _compare,
    ast.Constant: _constant,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    (ast.If, ast.While): _condition,
    ast.IfExp: _chosen,
    ast.Call: _call,
    (ast.Expr, ast.AugAssign): _statement,
    ast.comprehension: _filter,
    (ast.Continue, ast.Break): _jump,
}
