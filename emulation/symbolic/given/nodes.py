"""Numbers as nodes of a table, and nodes as numbers: words move from general registers into vectors and back.

lowered(table, number, size)      the lowest bytes of a number, as bytes of nodes
Lifted(table, words).of(node)     the number that a node of words is, or None
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..lanes import COMMUTING
from ..values import Operation, Table, Undecided, place
from . import numbers
from .numbers import Integer

_ZERO = -1
_SIZES = (1, 2, 4, 8)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    numbers.ADD: np.add,
    numbers.SUBTRACT: np.subtract,
    numbers.MULTIPLY: np.multiply,
    numbers.AND: np.bitwise_and,
    numbers.OR: np.bitwise_or,
    numbers.XOR: np.bitwise_xor,
}


def lowered(table: Table, number: Integer, size: int) -> tuple[int, ...]:
    """Return the lowest bytes of a number, which are computed as vector instructions would compute them."""
    if number.op == numbers.CONSTANT:
        return tuple(-1 - (number.low >> 8 * at & 0xFF) for at in range(size))
    if number.op == numbers.BYTES:
        return (*number.args[:size], *(_ZERO,) * (size - len(number.args)))
    wide = next(each for each in _SIZES if each >= size)
    data = _computed(table, number, wide)
    return data[:size]


def _computed(table: Table, number: Integer, size: int) -> tuple[int, ...]:
    op, args = number.op, number.args
    below: tuple[int, ...]
    if op in _FUNCTIONS:
        return _operation(table, _FUNCTIONS[op], size, *[_node(table, each, size) for each in args])
    if op == numbers.UP:
        amount = table.constant(args[1], size)
        if args[1] >= 8 * size:
            return (_ZERO,) * size
        if args[1] % 8 == 0:
            below = (_ZERO,) * (args[1] // 8) + lowered(table, args[0], size)
            return below[:size]
        return _operation(table, np.left_shift, size, _node(table, args[0], size), amount)
    if op == numbers.DOWN:
        return _shifted(table, args[0], args[1], size)
    if op in (numbers.EQUAL, numbers.LESS):
        return (*_condition(table, number), *(_ZERO,) * (size - 1))
    raise Undecided("a selection between words in a general register becomes data")


def _node(table: Table, number: Integer, size: int) -> int:
    return table.joined(lowered(table, number, size))


def _operation(table: Table, function: Any, size: int, *args: int) -> tuple[int, ...]:
    name = function.__name__
    if name in COMMUTING:
        args = tuple(sorted(args))
    types = (f"u{size}",) * len(args)
    return table.split(table.applied((name, types[0]), function, types, types[0], args), size)


def _shifted(table: Table, of: Integer, by: int, size: int) -> tuple[int, ...]:
    kind = "u" if of.low >= 0 else "i"
    wide = next((each for each in (4, 8) if _fits(of, kind, each)), 0)
    if not wide:
        raise Undecided("a shift of more than 64 bits of a word")
    by = min(by, 8 * wide - 1)
    types = (f"{kind}{wide}",) * 2
    node = table.applied(
        ("right_shift", types[0]), np.right_shift, types, types[0], (_node(table, of, wide), table.constant(by, wide))
    )
    fill = (_ZERO,) * (size - wide)
    if kind == "i" and size > wide:
        raise Undecided("a negative word becomes data")
    return (*table.split(node, wide)[:size], *fill)


def _fits(number: Integer, kind: str, size: int) -> bool:
    least, most = (0, 1 << 8 * size) if kind == "u" else (-(1 << 8 * size - 1), 1 << 8 * size - 1)
    return least <= number.low and number.high < most


def _condition(table: Table, number: Integer) -> tuple[int, ...]:
    first, second = number.args
    kind = "u" if min(first.low, second.low) >= 0 else "i"
    wide = next((each for each in (4, 8) if _fits(first, kind, each) and _fits(second, kind, each)), 0)
    if not wide:
        raise Undecided("a comparison of more than 64 bits of a word")
    function = np.equal if number.op == numbers.EQUAL else np.less
    types = (f"{kind}{wide}",) * 2 if number.op == numbers.LESS else (f"u{wide}",) * 2
    args = tuple(_node(table, each, wide) for each in (first, second))
    key = (function.__name__, types[0])
    node = table.applied(key, function, types, "b1", tuple(sorted(args)) if number.op == numbers.EQUAL else args)
    return table.split(node, 1)


class Lifted:
    """Nodes of a table as numbers. `values` holds the words that have a value in this execution."""

    def __init__(self, table: Table, words: frozenset[int], values: Mapping[int, int]) -> None:
        self.table, self.words, self.values = table, words, values
        self._known: dict[int, Integer | None] = {}

    def of(self, root: int) -> Integer | None:
        """Return the number that a node is, or None if it depends on anything else, or on an unusual operation."""
        known = self._known
        if root not in known:
            for node in self.table.below([root], known):
                known[node] = self._made(node)
        return known[root]

    def of_bytes(self, data: tuple[int, ...]) -> Integer | None:
        """Return the number that bytes are."""
        if all(byte < 0 or place(byte)[0] in self.words for byte in data):
            return numbers.of_bytes(data, self.values)
        total, at = numbers.constant(0), 0
        while at < len(data):
            if data[at] < 0:
                part, count = numbers.constant(-1 - data[at]), 1
            else:
                (node, first), count = place(data[at]), 1
                while at + count < len(data) and data[at + count] == data[at] + count:
                    count += 1
                whole = self.of(node)
                if whole is None:
                    return None
                part = numbers.both(numbers.down(whole, 8 * first), numbers.constant((1 << 8 * count) - 1))
            total = numbers.either(total, numbers.up(part, 8 * at))
            at += count
        return total

    def _made(self, node: int) -> Integer | None:
        table = self.table
        if node & 1:
            return self.of_bytes(table.specials[node >> 1])
        operation, args = table.parts(node)
        if operation is None:
            return numbers.of_bytes(table.split(node, table.size(node)), self.values) if node in self.words else None
        given = [self._known[arg] for arg in args]
        known = [each for each in given if each is not None]
        if len(known) < len(given):
            return None
        made = _OPERATIONS.get(operation.name)
        try:
            return None if made is None else made(operation, *known)
        except Undecided:
            return None


def _bits(operation: Operation, at: int = 0) -> int:
    name = operation.types[at]
    return 1 if name == "b1" else 8 * int(name[1:])


def _typed(operation: Operation, number: Integer, at: int = 0) -> Integer:
    """Return a number as its operand's type has it."""
    return numbers.signed(number, _bits(operation, at)) if operation.types[at][0] == "i" else number


def _modular(function: Callable[..., Integer]) -> Callable[..., Integer]:
    def made(operation: Operation, *args: Integer) -> Integer:
        if operation.types[0][0] not in "iub":
            raise Undecided("arithmetic of floats")
        return numbers.both(function(*args), numbers.constant((1 << _bits(operation)) - 1))

    return made


def _ordered(function: Callable[[Integer, Integer], Integer]) -> Callable[..., Integer]:
    def made(operation: Operation, a: Integer, b: Integer) -> Integer:
        if operation.types[0][0] not in "iub":
            raise Undecided("a comparison of floats")
        return function(_typed(operation, a), _typed(operation, b))

    return made


def _not(number: Integer) -> Integer:
    return numbers.subtract(numbers.constant(1), number)


def _by_constant(function: Callable[[Integer, int], Integer]) -> Callable[..., Integer]:
    def made(operation: Operation, a: Integer, b: Integer) -> Integer:
        if b.op != numbers.CONSTANT or not 0 <= b.low < _bits(operation):
            raise Undecided("a shift by a word")
        ones = numbers.constant((1 << _bits(operation)) - 1)
        return numbers.both(function(_typed(operation, a), b.low), ones)

    return made


def _converted(operation: Operation, a: Integer) -> Integer:
    if operation.types[0][0] not in "iub" or operation.to[0] not in "iub":
        raise Undecided("a conversion to or from floats")
    if operation.to == "b1":
        return _not(numbers.equal(a, numbers.constant(0)))
    return numbers.both(_typed(operation, a), numbers.constant((1 << 8 * operation.size) - 1))


def _negative(operation: Operation, a: Integer) -> Integer:
    return _modular(lambda x: numbers.subtract(numbers.constant(0), x))(operation, a)


def _inverted(operation: Operation, a: Integer) -> Integer:
    return numbers.subtract(numbers.constant((1 << _bits(operation)) - 1), a)


def _extreme(least: bool) -> Callable[..., Integer]:
    def made(operation: Operation, a: Integer, b: Integer) -> Integer:
        smaller = _ordered(numbers.less)(operation, a, b)
        return numbers.chosen(smaller, a, b) if least else numbers.chosen(smaller, b, a)

    return made


def _packed(operation: Operation, *bits: Integer) -> Integer:
    total = numbers.constant(0)
    for at, bit in enumerate(bits):
        total = numbers.either(total, numbers.up(bit, at))
    return total


_OPERATIONS: dict[str, Callable[..., Integer]] = {
    "add": _modular(numbers.add),
    "subtract": _modular(numbers.subtract),
    "multiply": _modular(numbers.multiply),
    "bitwise_and": _modular(numbers.both),
    "bitwise_or": _modular(numbers.either),
    "bitwise_xor": _modular(numbers.differing),
    "logical_and": _modular(numbers.both),
    "logical_or": _modular(numbers.either),
    "negative": _negative,
    "invert": _inverted,
    "logical_not": _inverted,
    "left_shift": _by_constant(numbers.up),
    "right_shift": _by_constant(numbers.down),
    "equal": _ordered(numbers.equal),
    "not_equal": _ordered(lambda a, b: _not(numbers.equal(a, b))),
    "less": _ordered(numbers.less),
    "greater": _ordered(lambda a, b: numbers.less(b, a)),
    "less_equal": _ordered(lambda a, b: _not(numbers.less(b, a))),
    "greater_equal": _ordered(lambda a, b: _not(numbers.less(a, b))),
    "minimum": _extreme(True),
    "maximum": _extreme(False),
    "astype": _converted,
    "packed": _packed,
    "where": lambda operation, condition, a, b: numbers.chosen(condition, a, b),
}
