"""Rules of rewriting, as text: a pattern of nodes, what it equals, and when.

    rules_of("u", "(x >> a) >> b = x >> a + b if a + b < n")     the rules by operation: {"right_shift.u": [...]}
    Rewrites(rules)(table, args, size)                          an equal node of the operation on `args`, or None
    NodePattern("u", "x ^ top").parts(table, node)              {"x": ...} if the node has this form, else None

The text is Python's notation of what numpy computes:

    x y z             any words; p q   any conditions
    a b k             constants; 0 1 1.0, ones (all bits are set), top (the highest one is) are numbers
    n                 the bits of a word
    low(x) high(x)    bounds of x as a signed integer, as far as its form shows them
    before(x, y)      whether x is the older node
    mask(p)           all bits are set if p holds, else none; number(p) is 1 or 0; real(x) a signed integer as a float

A letter says what words are: "u" unsigned, "i" signed, "f" floats; u(...) and i(...) say it of a part. ~x inverts all
bits of a word. Operands of commuting operations fit in both orders. Which rules may fit follows from the operations of
the operands, and is remembered.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import CodeType
from typing import Any, TypeVar

import numpy as np

from ...encoder.records import NamedTuple
from .facts import bounds
from .lanes import COMMUTING, MODULAR
from .values import WIDE, Operation, Table

T = TypeVar("T")
Parts = dict[str, int]
"""The nodes that the variables of a pattern stand for."""
_WORDS, _CONDITIONS, _CONSTANTS = frozenset("xyz"), frozenset("pq"), frozenset("abk")
_NAMES = {
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.USub: "negative",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
_SHORT = {"abs": "absolute", "min": "minimum", "max": "maximum"}
_TRUTHS = frozenset(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isnan", "invert"))
"""Operations whose results are conditions."""
_OF_BITS = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift"))
_EITHER_WAY = COMMUTING | {"minimum", "maximum"}
FUNCTIONS: dict[str, Any] = {}
"""Functions that numpy has not, by the name of the operation; `primitives` adds the fused multiply-add."""


class Term(NamedTuple):
    """A part of a rule: an operation on terms, whose operands' type has the letter `kind`; a variable; or a number."""

    name: str
    kind: str = ""
    args: tuple[Term, ...] = ()
    number: CodeType | None = None

    @property
    def holds(self) -> bool:
        """Whether the term is a condition."""
        return self.name in _CONDITIONS or self.name in _TRUTHS or (self.kind == "b" and self.name in _OF_BITS)

    def orders(self, args: Sequence[T]) -> tuple[Sequence[T], ...]:
        """Return the orders in which operands may fit those of the term."""
        return (args, (args[1], args[0], *args[2:])) if self.name in _EITHER_WAY else (args,)


def _read(node: ast.expr, kind: str) -> Term:
    """Return the term of an expression over words of a kind."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    if isinstance(node, ast.Name) and names <= _WORDS | _CONDITIONS | _CONSTANTS:
        return Term(node.id)
    if not names & (_WORDS | _CONDITIONS):
        return Term("", number=compile(ast.Expression(node), "<rule>", "eval"))
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return _called(node.func.id, node.args, kind)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        inner = _read(node.operand, kind)
        return Term("invert", "b", (inner,)) if inner.holds else _operation("bitwise_xor", kind, inner, _ONES)
    if isinstance(node, ast.UnaryOp):
        return _operation(_NAMES[type(node.op)], kind, _read(node.operand, kind))
    if isinstance(node, ast.Compare):
        return _operation(_NAMES[type(node.ops[0])], kind, _read(node.left, kind), _read(node.comparators[0], kind))
    assert isinstance(node, ast.BinOp), ast.unparse(node)
    return _operation(_NAMES[type(node.op)], kind, _read(node.left, kind), _read(node.right, kind))


def _called(name: str, given: Sequence[ast.expr], kind: str) -> Term:
    if name in ("u", "i", "f"):
        return _read(given[0], name)
    args = [_read(each, kind) for each in given]
    if name == "mask":
        return Term("negative", "u", (Term("astype", "b", tuple(args)),))
    if name in ("number", "real"):
        return Term("astype", "b" if name == "number" else "i", tuple(args))
    return _operation(_SHORT.get(name, name), kind, *args)


def _operation(name: str, kind: str, *args: Term) -> Term:
    if name == "where" or any(each.holds for each in args):
        kind = "b"
    elif name in _OF_BITS or (kind == "i" and name in MODULAR):
        kind = "u"
    return Term(name, kind, args)


_ONES = Term("", number=compile("ones", "<rule>", "eval"))


def _bits(value: float, size: int) -> int:
    """Return the bits of a number in a word."""
    if isinstance(value, float):
        return int(np.array([value], f"f{size}").view(f"u{size}")[0])
    return int(value) % (1 << 8 * size)


def _numbers(size: int) -> dict[str, int]:
    """Return what the names of numbers mean for words of so many bytes."""
    return {"n": 8 * size, "ones": (1 << 8 * size) - 1, "top": 1 << 8 * size - 1}


def _fitting(table: Table, term: Term, node: int, size: int, known: Parts) -> Iterator[Parts]:
    """Yield the ways in which a node fits a term, given the nodes of some variables."""
    if term.args:
        operation, args = table.parts(node)
        if operation is not None and operation.name == term.name and _is_plain(operation, term.kind):
            size = table.size(args[0]) if term.name in _TRUTHS else size
            for order in term.orders(args):
                yield from _all_fitting(table, term.args, order, size, known)
    elif term.number is not None:
        if table.value(node) == _bits(eval(term.number, _numbers(size)), size):
            yield known
    elif known.get(term.name, node) == node and (term.name not in _CONSTANTS or table.value(node) is not None):
        yield {**known, term.name: node}


def _all_fitting(table: Table, terms: Sequence[Term], nodes: Sequence[int], size: int, known: Parts) -> Iterator[Parts]:
    if not terms:
        yield known
        return
    for each in _fitting(table, terms[0], nodes[0], size, known):
        yield from _all_fitting(table, terms[1:], nodes[1:], size, each)


def _is_plain(operation: Operation, kind: str) -> bool:
    """Whether operands have a type of this kind, and the key says nothing else, as of a rounding mode."""
    return operation.types[0][0] == kind and (operation.name == "astype" or operation.key[2:] in ((), (WIDE,)))


class NodePattern:
    """The form of a node."""

    def __init__(self, kind: str, text: str) -> None:
        self.term = _read(ast.parse(text, mode="eval").body, kind)

    def parts(self, table: Table, node: int) -> Parts | None:
        """Return the nodes of the variables of the first way in which a node fits, or None."""
        if _head(table, node) != self.term.name:  # most nodes
            return None
        return next(_fitting(table, self.term, node, table.size(node), {}), None)


class RewriteRule:
    """A pattern whose nodes equal others under a condition."""

    def __init__(self, kind: str, text: str) -> None:
        equation, _, condition = text.partition(" if ")
        left, right = equation.split(" = ")
        self.text, self.kind = text, kind
        self.pattern, self.equal = (_read(ast.parse(each.strip(), mode="eval").body, kind) for each in (left, right))
        self.condition = compile(condition.strip(), text, "eval") if condition else None
        letter = self.pattern.kind
        self.operation = f"{self.pattern.name}.{letter}"

    def may_fit(self, heads: Sequence[str]) -> bool:
        """Whether operands of these operations may fit; "#" are constants and joined bytes."""
        return any(
            all(
                head == each.name if each.args else head == "#" or (not each.number and each.name not in _CONSTANTS)
                for each, head in zip(self.pattern.args, order)
            )
            for order in self.pattern.orders(heads)
        )

    def applied(self, table: Table, args: Sequence[int], size: int) -> int | None:
        """Return the node that equals the pattern's operation on `args`, or None if these do not fit."""
        words = table.size(args[0]) if self.pattern.name in _TRUTHS else size
        for order in self.pattern.orders(args):
            for parts in _all_fitting(table, self.pattern.args, order, words, {}):
                names = self._names(table, parts, words)
                if self.condition is None or eval(self.condition, names):
                    return self._made(table, self.equal, parts, names, size if self.pattern.holds else words)
        return None

    def _names(self, table: Table, parts: Parts, size: int) -> dict[str, object]:
        """Return what names mean in conditions and numbers."""
        names: dict[str, object] = {**_numbers(size), **parts, "before": int.__lt__}
        names["low"], names["high"] = (partial(_bound, table, size, at) for at in (0, 1))
        for name in _CONSTANTS & parts.keys():
            number = table.value(parts[name])
            assert number is not None
            names[name] = number - (number >> 8 * size - 1 << 8 * size) * (self.kind == "i")
        return names

    def _made(self, table: Table, term: Term, parts: Parts, names: Mapping[str, object], size: int) -> int:
        """Return the node of a term. size: that of numbers."""
        if term.number is not None:
            return table.constant(_bits(eval(term.number, dict(names)), size), size)
        if not term.args:
            return parts[term.name]
        args = [self._made(table, each, parts, names, size) for each in term.args]
        name, kind = term.name, term.kind
        if name in COMMUTING:
            args[:2] = sorted(args[:2])
        if name == "where":
            word = f"u{table.size(args[1])}"
            return table.applied((name, table.size(args[1])), np.where, ("b1", word, word), word, tuple(args))
        of = f"{kind}{1 if kind == 'b' else table.size(args[0])}"
        if name == "astype":
            to = f"u{size}" if kind == "b" else f"f{of[1:]}"
            return table.applied((name, of, to), lambda x: x.astype(to), (of,), to, tuple(args))
        if (name, kind) == ("right_shift", "u") and (by := table.value(args[1])) is not None and by % 8 == 0:
            moved = table.split(args[0], size)[by // 8 :]
            return table.joined((*moved, *(-1,) * (size - len(moved))))
        function = FUNCTIONS.get(name) or getattr(np, name)
        return table.applied((name, of), function, (of,) * len(args), "b1" if term.holds else of, tuple(args))


def _bound(table: Table, size: int, at: int, node: int) -> int:
    return bounds(table, node, size)[at]


def rules_of(kinds: str, text: str) -> dict[str, list[RewriteRule]]:
    """Return the rules of a text, one a line, for words of each kind, by the operation and the type of its operands."""
    found: dict[str, list[RewriteRule]] = {}
    for kind in kinds:
        for line in text.strip().splitlines():
            rule = RewriteRule(kind, line.strip())
            found.setdefault(rule.operation, []).append(rule)
    return found


class Rewrites:
    """The rewriting of an operation by the first rule that fits."""

    def __init__(self, rules: Sequence[RewriteRule]) -> None:
        self.rules = rules
        self._likely: dict[tuple[str, ...], tuple[RewriteRule, ...]] = {}

    def __call__(self, table: Table, args: tuple[int, ...], size: int) -> int | None:
        heads = tuple([_head(table, arg) for arg in args])
        likely = self._likely.get(heads)
        if likely is None:
            likely = self._likely[heads] = tuple([rule for rule in self.rules if rule.may_fit(heads)])
        for rule in likely:
            made = rule.applied(table, args, size)
            if made is not None:
                return made
        return None


def _head(table: Table, node: int) -> str:
    """Return the operation of a node, "#" for constants and joined bytes, or "" for a leaf."""
    if node & 1:
        return "#"
    operation = table.entries[node >> 1][0]
    return operation.name if isinstance(operation, Operation) else ""
