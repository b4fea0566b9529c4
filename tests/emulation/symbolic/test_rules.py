"""Every rule of the prover holds: numpy computes both sides of its text, for all small words.

Words are of 8 bits, floats of 16, and what the form of an integer shows of its bounds is the integer itself. `make
test` takes some values of a third constant; `make soak` takes all.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.profiles import is_soak, rotation
from tilesmith.emulation.symbolic import machine as machine  # the import registers all functions
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.rewrites import RULES
from tilesmith.emulation.symbolic.rules import Parts, RewriteRule, Term
from tilesmith.emulation.symbolic.values import Table

Array = np.ndarray[Any, Any]
EVERY = [(kind, line.strip()) for kinds, text in RULES.items() for kind in kinds for line in text.strip().splitlines()]
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: np.left_shift,
    ast.RShift: np.right_shift,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
CALLS: dict[str, Callable[..., Any]] = {
    "min": np.minimum,
    "max": np.maximum,
    "fma": lambda x, y, z: (x.astype("f8") * y.astype("f8") + z.astype("f8")).astype(x.dtype),
}
FEW = np.array([0, 0x8000, 1, 0x3C00, 0xC100, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7BFF], "u2")
"""Floats of each kind."""


class Sides:
    """Computes the parts of a rule from values of its variables: bits of words, and truth values."""

    def __init__(self, kind: str, size: int, values: dict[str, Any]) -> None:
        self.kind, self.size, self.values = kind, size, values
        self.numbers = {"n": 8 * size, "ones": (1 << 8 * size) - 1, "top": 1 << 8 * size - 1}

    def words(self, node: ast.expr, kind: str) -> Any:
        """Return a part over words of a kind."""
        made = self._made(node, kind)
        if isinstance(made, (int, float)):
            made = np.array(made, f"f{self.size}") if isinstance(made, float) else np.array(made, f"u{self.size}")
        return made if made.dtype == bool else made.view(f"u{self.size}")

    def _made(self, node: ast.expr, kind: str) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.values[node.id] if node.id in self.values else self.numbers[node.id]
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return self._called(node.func.id, node.args, kind)
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](self._operand(node.operand, kind))
        if isinstance(node, ast.Compare):
            pair = (self._operand(each, kind) for each in (node.left, node.comparators[0]))
            return OPERATORS[type(node.ops[0])](*pair)
        assert isinstance(node, ast.BinOp)
        bits = kind == "f" and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
        pair = (self._operand(each, kind, "u" if bits else kind) for each in (node.left, node.right))
        return OPERATORS[type(node.op)](*pair)

    def _operand(self, node: ast.expr, kind: str, held: str = "") -> Any:
        made = self.words(node, kind)
        return made if made.dtype == bool else made.view(f"{held or kind}{self.size}")

    def _called(self, name: str, args: list[ast.expr], kind: str) -> Any:
        if name in ("u", "i", "f"):
            return self.words(args[0], name)
        if name == "where":
            condition, *sides = args
            return np.where(self.words(condition, kind) != 0, *[self.words(each, kind) for each in sides])
        given = [self._operand(each, kind) for each in args]
        if name in ("mask", "number"):
            number = given[0].astype(f"u{self.size}")
            return -number if name == "mask" else number
        if name == "real":
            return given[0].view(f"i{self.size}").astype(f"f{self.size}")
        return CALLS.get(name, getattr(np, name, None))(*given)  # type: ignore[misc]  # numpy has all others

    def condition(self, node: ast.expr) -> Any:
        """Return for which values a condition holds, computed with whole numbers."""
        if isinstance(node, ast.BoolOp):
            return reduce(operator.and_, map(self.condition, node.values))
        if isinstance(node, ast.Compare):
            parts = [self.condition(each) for each in (node.left, *node.comparators)]
            found = [OPERATORS[type(op)](*pair) for op, pair in zip(node.ops, zip(parts, parts[1:]))]
            return reduce(operator.and_, found)
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](self.condition(node.left), self.condition(node.right))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](self.condition(node.operand))
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            if node.func.id == "before":
                return True
            return self._whole(ast.unparse(node.args[0]), "i")
        assert isinstance(node, ast.Name)
        return (
            self._whole(node.id, "i" if self.kind == "i" else "u") if node.id in self.values else self.numbers[node.id]
        )

    def _whole(self, name: str, kind: str) -> Any:
        return self.values[name].view(f"{kind}{self.size}").astype(np.int64 if self.size < 8 else object)


def values_of(kind: str, names: list[str], size: int) -> Iterator[dict[str, Any]]:
    """Yield values of the variables, in arrays of all combinations. A third word has one value at a time."""
    dtype, words = f"u{size}", [each for each in names if each not in "pq"]
    if size == 8:
        whole = np.array([0, 1, 5, 1 << 51, (1 << 51) - 1, 1 << 63, 1 << 52], dtype)
        pools = [np.concatenate([whole, -whole, np.array([0x4338 << 48, 0xC338 << 48], dtype)])] * len(words)
    elif kind == "f":
        pools = [np.arange(1 << 16, dtype=dtype), FEW, FEW if is_soak() else FEW[::3]]
    else:
        pools = [np.arange(256, dtype=dtype)] * len(words)
    held = words[2:]
    every = [pools[2] for _ in held]
    if held and not is_soak() and size == 1:
        rng = np.random.default_rng(int(rotation()) if rotation().isdecimal() else 0)
        every = [np.unique([0, 1, 0x7F, 0x80, 0xFF, *rng.integers(0, 256, 3)]).astype(dtype) for _ in held]
    truths = {each: np.array([False, True]) for each in names if each in "pq"}
    for held_values in product(*every):
        axes = [*pools[: len(words[:2])], *truths.values()]
        grids = [each.reshape(-1) for each in np.meshgrid(*axes, indexing="ij")]
        made = dict(zip([*words[:2], *truths], grids))
        yield made | {name: np.full(1, value, dtype) for name, value in zip(held, held_values)}


def check(kind: str, text: str, size: int) -> int:
    """Return for how many values a rule applies, after checking that both sides are equal for them."""
    equation, _, condition = text.partition(" if ")
    left, right = (ast.parse(each.strip(), mode="eval").body for each in equation.split(" = "))
    names = sorted({each.id for each in ast.walk(left) if isinstance(each, ast.Name)} & set("xyzpqabk"), reverse=True)
    applied = 0
    for values in values_of(kind, names, size):
        sides = Sides(kind, size, values)
        found, wanted = np.broadcast_arrays(*(sides.words(each, kind) for each in (left, right)))
        same = found == wanted if found.dtype == bool or wanted.dtype != bool else (found != 0) == wanted
        if kind == "f" and found.dtype != bool:
            same |= np.isnan(found.view(f"f{size}")) & np.isnan(wanted.view(f"f{size}"))
        when = sides.condition(ast.parse(condition.strip(), mode="eval").body) if condition else True
        applies = np.broadcast_to(when, same.shape).astype(bool)
        assert (same | ~applies).all(), {
            name: each[(~same & applies).argmax() % len(each)] for name, each in values.items()
        }
        applied += int(applies.sum())
    return applied


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_rule_holds() -> None:
    for kind, text in EVERY:
        size = 8 if "n == 64" in text else {"f": 2}.get(kind, 1)
        assert check(kind, text, size), f"no values are those of {text}"


@pytest.mark.parametrize("text", ["x & a = x", "(x >> a) >> b = x >> (a + b)", "min(x, y) = x if low(x) <= low(y) + 1"])
def test_a_wrong_rule_is_found(text: str) -> None:
    with pytest.raises(AssertionError):
        check("i", text, 1)


# The rules as the prover applies them

NUMBERS = (0, 1, 3, 4, 7, 127, 128, 0xF0, 255)
"""Constants, among which each rule finds some."""


def words_of(table: Table, size: int) -> Iterator[int]:
    """Yield words whose forms show different bounds."""
    leaf, other = table.inputs("x", 2, size).tolist()
    yield leaf
    low = table.applied(
        ("bitwise_and", f"u{size}"), np.bitwise_and, (f"u{size}",) * 2, f"u{size}", (leaf, table.constant(3, size))
    )
    high = table.applied(("bitwise_or", f"u{size}"), np.bitwise_or, (f"u{size}",) * 2, f"u{size}", (other, leaf))
    yield from (low, high, table.constant(7, size))
    if size > 1:
        yield table.applied(
            ("right_shift", f"u{size}"), np.right_shift, (f"u{size}",) * 2, f"u{size}", (leaf, table.constant(20, size))
        )


def fitting(rule: RewriteRule, table: Table, size: int) -> tuple[int, int] | None:
    """Return a node that a rule applies to, and what it makes of it."""
    pattern: Term = rule.pattern
    names = sorted(set(re.findall(r"\b[xyzpqabk]\b", rule.text.partition(" = ")[0])))
    words, holds = [*words_of(table, size)], table.inputs("p", 2, 1).tolist()
    numbers = [table.constant(each % (1 << 8 * size), size) for each in (*NUMBERS, 0x4338 << 48, 0xC338 << 48)]
    pools = [words if each in "xyz" else holds if each in "pq" else numbers for each in names]
    for values in product(*pools):
        parts: Parts = dict(zip(names, values))
        whole = rule._made(table, pattern, parts, rule._names(table, parts, size), size)
        operation, args = table.parts(whole)
        made = None if operation is None else rule.applied(table, args, 1 if pattern.holds else size)
        if made is not None:
            return whole, made
    return None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_rule_is_applied() -> None:
    rng = np.random.default_rng(1)
    for kind, text in EVERY:
        table, size = Table(), 8 if "n == 64" in text else {"f": 4}.get(kind, 1)
        found = fitting(RewriteRule(kind, text), table, 1 if kind == "b" else size)
        assert found is not None, f"{text} fits nothing"
        drawn: dict[int, Array] = {}

        def given(leaf: int, table: Table = table, drawn: dict[int, Array] = drawn) -> Array:
            name, own = (table.leaf(leaf) or ("", "", 0))[1], table.size(leaf)
            return drawn.setdefault(leaf, rng.integers(0, 2 if name == "p" else 256, (512, own), np.uint8))

        made = evaluated(table, found, given, 512)
        one, other = (np.ascontiguousarray(made[each]).view(f"u{made[each].shape[1]}") for each in found)
        same = (one != 0) == (other != 0) if table.size(found[0]) != table.size(found[1]) else one == other
        if kind == "f" and one.itemsize > 1:
            same |= np.isnan(one.view(f"f{one.itemsize}")) & np.isnan(other.view(f"f{other.itemsize}"))
        assert same.all(), text


def test_operations_of_other_rounding_modes_are_others() -> None:
    table, rule = Table(), RewriteRule("f", "(x < y) | (x == y) = x <= y")
    x, y = table.inputs("x", 2, 4).tolist()
    for mode, is_made in ((), True), (("toward zero",), False):
        pair = [
            table.applied((each.__name__, "f4", *mode), each, ("f4", "f4"), "b1", (x, y))
            for each in (np.less, np.equal)
        ]
        assert (rule.applied(table, pair, 1) is not None) is is_made
