"""Index equations of tensor units: the arithmetic of one product, as data that a program can read and execute.

    Equation("c[i] += x[4*i+e] * y[e]", ("u8", "i8", "i32"), (("i", None), ("e", 4)))

Axes that index c are data parallel; the others are summed over. An extent of None is the number of accumulator
elements, which depends on the register width. The form follows UNIT (Weng et al., section II.C), so that a tensorizer
can match a loop nest against the axes and index expressions. `evaluate` executes the equation, as the oracle of the
unit.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import Protocol

from ...encoder.records import dataclass


class Array(Protocol):
    """The array operations that `evaluate` needs."""

    def __getitem__(self, place: tuple[int, ...], /) -> int: ...  # or of a float

    def __setitem__(self, place: tuple[int, ...], value: int, /) -> None: ...


@dataclass(frozen=True)
class Index:
    """An affine index: the sum of coefficient * axis over `terms`, plus a constant."""

    terms: tuple[tuple[int, str], ...]
    constant: int = 0

    def at(self, axes: dict[str, int]) -> int:
        """The value of the index at a point of the loops."""
        return self.constant + sum(coefficient * axes[axis] for coefficient, axis in self.terms)


@dataclass(frozen=True)
class Access:
    """An element of an operand: the operand's name, and an index for each of its dimensions."""

    operand: str
    indices: tuple[Index, ...]

    @property
    def axes(self) -> frozenset[str]:
        """The axes that occur in its indices."""
        return frozenset(axis for index in self.indices for _, axis in index.terms)


@dataclass(frozen=True)
class Equation:
    """`text` is `result += first * second`; `types` are the types of x, y and c; `extents` are in loop order."""

    text: str
    types: tuple[str, str, str]
    extents: tuple[tuple[str, int | None], ...]

    @cached_property
    def accesses(self) -> tuple[Access, Access, Access]:
        """The result and the two factors."""
        return accesses_of(self.text)

    @property
    def reduced(self) -> tuple[str, ...]:
        """The axes that are summed over."""
        return tuple(axis for axis, _ in self.extents if axis not in self.accesses[0].axes)

    def evaluate(self, c: Array, x: Array, y: Array, elements: int = 1) -> None:
        """Execute the equation on arrays. `elements` is the extent of axes whose extent is None."""
        operands = {"c": c, "x": x, "y": y}
        result, first, second = self.accesses
        names = [axis for axis, _ in self.extents]
        for point in product(*(range(elements if extent is None else extent) for _, extent in self.extents)):
            axes = dict(zip(names, point))
            places = [tuple(index.at(axes) for index in access.indices) for access in (result, first, second)]
            factors = operands[first.operand][places[1]] * operands[second.operand][places[2]]
            operands[result.operand][places[0]] += factors


@lru_cache(maxsize=64)
def accesses_of(text: str) -> tuple[Access, Access, Access]:
    """Return the result and the two factors of `result += first * second`."""
    statement = ast.parse(text).body[0]
    if not (
        isinstance(statement, ast.AugAssign)
        and isinstance(statement.op, ast.Add)
        and isinstance(statement.value, ast.BinOp)
        and isinstance(statement.value.op, ast.Mult)
    ):
        raise ValueError(f"{text!r}: an index equation is `result += factor * factor`")
    return _access(statement.target), _access(statement.value.left), _access(statement.value.right)


def _access(node: ast.expr) -> Access:
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)):
        raise ValueError(f"{ast.unparse(node)!r} is no element of an operand")
    indices: Sequence[ast.expr] = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return Access(node.value.id, tuple(_index(index) for index in indices))


def _index(node: ast.expr) -> Index:
    """Parse a constant, an axis, constant * axis, or a sum of these."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Index((), node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return Index((), -_index(node.operand).constant)
    if isinstance(node, ast.Name):
        return Index(((1, node.id),))
    if isinstance(node, ast.BinOp):
        left, right = _index(node.left), _index(node.right)
        if isinstance(node.op, ast.Add):
            return Index(left.terms + right.terms, left.constant + right.constant)
        if isinstance(node.op, ast.Mult) and not left.terms:
            return Index(tuple((left.constant * c, axis) for c, axis in right.terms), left.constant * right.constant)
    raise ValueError(f"{ast.unparse(node)!r} is no sum of axes times numbers")


def sum_type(*factors: str) -> str:
    """The type of the sums of products of these element types: i32 for integers, f64 if one is f64, else f32."""
    if all(each[0] in "iu" for each in factors):
        return "i32"
    return "f64" if "f64" in factors else "f32"
