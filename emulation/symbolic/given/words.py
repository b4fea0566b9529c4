"""Words that a call gives, in general registers: they are computed with, and what they decide is recorded.

Words without a value (seeds) may not decide anything. Words with a value in this execution (indices, offsets, counts)
may decide a branch, a selection, a mask, a count or an address. Each decision is recorded with the exact expression
that decided, so that it is known afterwards for which other values the execution would have been the same (`paths`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ....encoder.records import NamedTuple
from ..values import Array, Table, Undecided, place
from ..words import Word
from . import nodes, numbers
from .numbers import Integer

_WORD_BYTES = 8


class Reached(NamedTuple):
    """An access to memory whose address depends on words: the expression of the address, and where it was."""

    address: Integer
    place: int
    size: int
    at: int
    """The offset of the instruction."""


class Words:
    """The words of one execution, and what they decided.

    open      the nodes of the words that have no value
    decided   (number, its value in this execution) of each decision, in order
    reached   the accesses whose addresses depend on words
    """

    def __init__(self, table: Table, open_: Iterable[int], values: Mapping[int, int]) -> None:
        self.table, self.values, self.open = table, dict(values), frozenset(open_)
        self.nodes = self.open | frozenset(values)
        self.lifted = nodes.Lifted(table, self.nodes, self.values)
        self.decided: list[tuple[Integer, int]] = []
        self.reached: list[Reached] = []
        self.stored: dict[tuple[int, ...], Integer] = {}
        """The numbers without a value that became these bytes, so that they are numbers again when they are loaded."""
        self._leaves: dict[int, frozenset[int]] = {}
        self._kept: list[Integer] = []  # the numbers whose identities are keys

    def leaves(self, number: Integer) -> frozenset[int]:
        """Return the nodes of the words that a number depends on."""
        known = self._leaves
        for each in numbers.unknown(number, known):
            own = numbers.leaves(each) if each.op == numbers.BYTES else frozenset()
            known[id(each)] = own.union(*(known[id(part)] for part in numbers.parts(each)))
            self._kept.append(each)
        return known[id(number)]

    def word(self, data: tuple[int, ...]) -> Any:
        """Return bytes as a general register holds them: an integer, a `Given`, or a `Word` of other data. What vector
        instructions have computed from words without a value is data."""
        if (known := self.stored.get(data)) is not None:
            return given(self, known)
        if sources(data) <= self.nodes:
            return given(self, numbers.of_bytes(data, self.values))
        number = self.lifted.of_bytes(data) if self.values else None
        return Word(data, self.table) if number is None or number.value is None else given(self, number)

    def elements(self, raw: Array, dtype: np.dtype[Any]) -> list[Any] | None:
        """Return elements as integers and words with values, or None if some depend on anything else."""
        found: list[Any] = []
        for row in raw.reshape(-1, raw.shape[-1]).tolist():
            number = self.lifted.of_bytes(tuple(row))
            if number is None or number.value is None:
                return None
            found.append(given(self, numbers.signed(number, 8 * len(row)) if dtype.kind == "i" else number))
        return found

    def settled(self, raw: Array, dtype: np.dtype[Any]) -> Array | None:
        """Return the elements as they are in this execution and record that they decide, or None as `elements`."""
        if dtype.kind not in "iub" or (found := self.elements(raw, dtype)) is None:
            return None
        settled: Array = np.array([int(each) for each in found]).astype(dtype).reshape(raw.shape[:-1])
        return settled

    def decides(self, number: Integer) -> int:
        """Return the value of a number in this execution and record that it decides."""
        if number.op == numbers.CONSTANT:
            return number.low
        if number.value is None:
            raise Undecided(
                "a number that the call gives, which may be any, decides on an address, a count or a branch"
            )
        self.decided.append((number, number.value))
        return number.value

    def address(self, number: Integer, size: int, at: int) -> int:
        """Return the address of an access in this execution and record its expression."""
        if number.value is None or number.low < 0 or number.high > numbers.WORD:
            raise Undecided("a number that the call gives, which may be any, decides on an address")
        self.reached.append(Reached(number, number.value, size, at))
        return number.value


def given(words: Words, number: Integer) -> Any:
    """Return a number as a general register holds it: an integer if it is the same in every call."""
    return number.low if number.op == numbers.CONSTANT else Given(words, number)


def _operation(function: Callable[[Integer, Integer], Integer]) -> Any:
    """Return the method for an operator, and that for exchanged operands."""

    def method(self: Given, other: Any) -> Any:
        number = _number(other)
        return NotImplemented if number is None else given(self.words, function(self.number, number))

    def exchanged(self: Given, other: Any) -> Any:
        number = _number(other)
        return NotImplemented if number is None else given(self.words, function(number, self.number))

    return method, exchanged


def _number(value: Any) -> Integer | None:
    if isinstance(value, Given):
        return value.number
    if isinstance(value, (int, np.integer, np.bool_)):
        return numbers.constant(int(value))
    return None


def _not(number: Integer) -> Integer:
    return numbers.subtract(numbers.constant(1), number)


class Given(Word):
    """An integer that depends on words that the call gives, and on nothing else."""

    __slots__ = ("words", "number")
    computes = True

    def __init__(self, words: Words, number: Integer) -> None:
        self.words, self.number = words, number

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The table that the words belong to."""
        return self.words.table

    @property
    def data(self) -> tuple[int, ...]:  # type: ignore[override]
        """The bytes of the word."""
        return tuple(self.bytes(_WORD_BYTES))

    def bytes(self, size: int) -> list[int]:
        """Return the lowest bytes."""
        data, number = nodes.lowered(self.table, self.number, size), self.number
        if number.value is None and number.op != numbers.BYTES:
            self.words.stored[data] = numbers.both(number, numbers.constant((1 << 8 * size) - 1))
        return list(data)

    # Arithmetic

    __add__, __radd__ = _operation(numbers.add)
    __sub__, __rsub__ = _operation(numbers.subtract)
    __mul__, __rmul__ = _operation(numbers.multiply)
    _and, _rand = _operation(numbers.both)
    _or, _ror = _operation(numbers.either)
    _xor, _rxor = _operation(numbers.differing)
    __eq__, _ = _operation(numbers.equal)
    __ne__, _ = _operation(lambda a, b: _not(numbers.equal(a, b)))
    __lt__, __gt__ = _operation(numbers.less)
    __ge__, __le__ = _operation(lambda a, b: _not(numbers.less(a, b)))
    __hash__ = object.__hash__

    def __and__(self, other: Any) -> Any:
        return self._and(other) if _number(other) is not None else Word(self.data, self.table) & other

    def __or__(self, other: Any) -> Any:
        return self._or(other) if _number(other) is not None else Word(self.data, self.table) | other

    def __xor__(self, other: Any) -> Any:
        return self._xor(other) if _number(other) is not None else Word(self.data, self.table) ^ other

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __neg__(self) -> Any:
        return given(self.words, numbers.subtract(numbers.constant(0), self.number))

    def __invert__(self) -> Any:
        return given(self.words, numbers.subtract(numbers.constant(-1), self.number))

    def __lshift__(self, by: Any) -> Any:
        return given(self.words, numbers.up(self.number, int(by)))

    def __rshift__(self, by: Any) -> Any:
        return given(self.words, numbers.down(self.number, int(by)))

    def __mod__(self, other: Any) -> Any:
        if not isinstance(other, int) or other & other - 1:
            raise Undecided("a remainder of a word")
        return self & other - 1

    # Decisions

    def __bool__(self) -> bool:
        number = self.number
        if number.low < 0 or number.high > 1:
            return not self.words.decides(numbers.equal(number, numbers.constant(0)))
        return bool(self.words.decides(number))

    def __index__(self) -> int:
        return self.words.decides(self.number)

    __int__ = __index__

    def placed(self) -> int:
        """Return the address that the word is in this execution, which it decides."""
        return int(self)

    def address(self, size: int, at: int) -> int:
        """Return the address that the word is in this execution."""
        return self.words.address(self.number, size, at)

    def settled(self) -> Any:
        """Return the word as a vector holds it: a word with a value is a number there, and its value decides."""
        return self if self.number.value is None else int(self)

    def signed(self, bits: int) -> Any:
        """Return the word as a two's complement number of at most `bits` bits."""
        return given(self.words, numbers.signed(self.number, bits))


def sources(data: Iterable[int]) -> frozenset[int]:
    """Return the nodes that bytes come from."""
    return frozenset(place(byte)[0] for byte in data if byte >= 0)
