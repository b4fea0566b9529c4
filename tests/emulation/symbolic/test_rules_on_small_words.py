"""Every rewrite keeps the value of every expression of small words, for all inputs.

The expressions are an operation on operations on x, y and constants, of 8 bits; floats are of 16. Whatever rule of
`SIMPLIFIERS` an expression meets, the node that it becomes has the value that numpy gives, for all values of x and y.
`make test` draws some of the expressions; `make soak` takes all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any

import numpy as np
import pytest

from tests.profiles import is_soak, rotation
from tilesmith.emulation.symbolic import machine as machine  # the import registers all rewrites
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.values import Table

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]
ARITHMETIC: tuple[Function, ...] = (np.add, np.subtract, np.bitwise_and, np.bitwise_or, np.bitwise_xor)
ORDERED: tuple[Function, ...] = (np.minimum, np.maximum, np.less, np.greater, np.equal, np.not_equal)
SHIFTS: tuple[Function, ...] = (np.left_shift, np.right_shift)
FLOATS: tuple[Function, ...] = (
    np.add,
    np.subtract,
    np.multiply,
    np.divide,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.equal,
    np.not_equal,
)
"""Operations on floats of 16 bits, which no kernel computes with: rules know them by the letter of their type."""
CONSTANTS = {"u1": (0, 1, 2, 7, 0x0F, 0x7F, 0x80, 0xF0, 0xFF), "i1": (0, 1, 3, 7, 15, 127, -128, -16, -1)}
SHARE = 100
"""One of so many expressions is drawn in `make test`."""


def _mask(x: Any) -> Any:
    return -x.astype(np.int8)


def of_one(x: Any, y: Any, kind: str) -> Iterator[Any]:
    """Yield values of x, y and constants, computed by one operation at most."""
    yield from (x, y)
    numbers = [np.array([each], kind) for each in CONSTANTS[kind]]
    for function in ARITHMETIC:
        yield function(x, y)
        yield from (function(x, each) for each in numbers)
    yield numbers[0] - x
    for function in (np.minimum, np.maximum):
        yield from (function(x, each) for each in numbers)
    for function, by in product(SHIFTS, (1, 3, 4, 7)):
        yield function(x, np.array([by], kind))
    yield np.abs(x)
    yield _mask(x < y).view(kind)
    yield _mask(~(x == y)).view(kind)
    yield np.where(x < y, x, y)
    yield np.where(x > y, np.array([0], kind), x)


def _where(order: Function, first: Any, second: Any) -> Any:
    return np.where(order(first, second), first, second)


def _where_not(order: Function, first: Any, second: Any) -> Any:
    return np.where(~order(first, second), second, first)


def _either(first: Function, second: Function, x: Any, y: Any) -> Any:
    return first(x, y) | second(x, y)


def _unequal(x: Any, y: Any) -> Any:
    return (np.less(x, y) | np.greater(x, y)) | (np.isnan(x) | np.isnan(y))


def of_two(x: Any, y: Any, kind: str) -> Iterator[tuple[Any, ...]]:
    """Yield operations on two such values, and selections: functions with what they are applied to."""
    inner = list(of_one(x, y, kind))
    for pair in product(inner, (*inner[:2], *(np.array([each], kind) for each in CONSTANTS[kind]))):
        yield from ((function, *pair) for function in (*ARITHMETIC, *ORDERED))
        yield _where, np.less, *pair
        yield _where_not, np.greater, *pair
        yield _either, np.less, np.equal, *pair
    for first, by in product(inner, (1, 4, 7)):
        yield from ((function, first, np.array([by], kind)) for function in SHIFTS)
    for first in inner:
        yield np.abs, first
        yield np.subtract, np.array([0], kind), first


def of_floats(x: Any, y: Any) -> Iterator[tuple[Any, ...]]:
    """Yield operations on floats and on their signs and orders, as `of_two`."""
    numbers = [np.array([each], "f2") for each in (0, -0.0, 1, -2, np.inf, np.nan)]
    flipped = (x.view("u2") ^ np.array([0x8000], "u2")).view("f2")
    for pair in product((x, flipped, x + y, x * y), (x, y, *numbers)):
        yield from ((function, *pair) for function in FLOATS)
        yield _either, np.less, np.equal, *pair
        yield _either, np.equal, np.greater, *pair
        yield _unequal, *pair
        yield _where_not, lambda a, b: np.isnan(b), *pair
    for first in (x, flipped, x + y):
        yield from ((function, first) for function in (np.negative, np.trunc, np.rint, np.isnan))


def _agree(table: Table, made: list[Any], wanted: list[Any], known: dict[int, Array], count: int) -> None:
    for number, (one, other) in enumerate(zip(made, wanted, strict=True)):
        if not isinstance(one, Lanes):
            found = np.broadcast_to(one, count)
        else:
            node = int(one.nodes()[0])
            found = evaluated(table, [node], lambda leaf: known[leaf], count)[node].reshape(-1).view(one.dtype)
        other = np.broadcast_to(other, count)
        same = found == other
        if other.dtype.kind == "f":
            same |= np.isnan(found) & np.isnan(other)
            same &= (np.signbit(found) == np.signbit(other)) | np.isnan(other)
        assert same.all(), f"expression {number}"


def _drawn(expressions: Iterator[tuple[Any, ...]]) -> list[Any]:
    """Return the values of all expressions in a soak, and else of a share that is another one each day."""
    step, drawn = 1 if is_soak() else SHARE, rotation()
    first = int(drawn) % step if drawn.isdecimal() else 0
    return [function(*given) for function, *given in islice(expressions, first, None, step)]


@pytest.mark.parametrize("kind", ["u1", "i1", "f2"])
def test_every_rewrite_keeps_every_value(kind: str) -> None:
    table, dtype = Table(SIMPLIFIERS), np.dtype(kind)
    if kind == "f2":  # x takes all values, y those of a few kinds
        few = np.array([0, 0x8000, 1, 0x3C00, 0xC100, 0x7C00, 0xFC00, 0x7E00], np.uint16).view(dtype)
        x, y = np.tile(np.arange(1 << 16, dtype=np.uint16).view(dtype), len(few)), np.repeat(few, 1 << 16)
    else:
        every = np.arange(256, dtype=np.uint8).view(dtype)
        x, y = np.repeat(every, 256), np.tile(every, 256)
    leaves = [int(table.inputs(name, 1, dtype.itemsize)[0]) for name in "xy"]
    given = [Lanes(table.bytes_of(np.array([leaf]), dtype.itemsize), dtype, table) for leaf in leaves]
    known = {leaf: each.view(np.uint8).reshape(len(each), -1) for leaf, each in zip(leaves, (x, y))}
    expressions = of_floats if kind == "f2" else lambda x, y: of_two(x, y, kind)
    with np.errstate(all="ignore"):
        made, wanted = (_drawn(expressions(*each)) for each in (given, (x, y)))
        _agree(table, made, wanted, known, len(x))
