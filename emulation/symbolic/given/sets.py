"""Sets of the values that words may have: exact, over the whole type, as binary decision diagrams.

    sets = Sets()
    within = sets.where(number, 1, {node: 0})       the words for which an expression is 1
    sets.any(within & ~...)                          see `both`, `without`, `example`

A diagram is the number of a node: 0 is the empty set, 1 is everything, and any other node asks one bit of a word and
goes on with one of two diagrams. Equal sets are equal numbers. Sums, comparisons, masks and shifts of a word have small
diagrams, since the lowest bit is asked first; products with large factors do not, and `TooMany` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..values import Undecided, place
from . import numbers
from .numbers import Integer

NOTHING, EVERYTHING = 0, 1
_MOST = 200_000
_BITS = 64


class Sets:
    """The sets of one proof. A bit of a word is asked for as `bit x the number of words + the number of the word`."""

    def __init__(self, words: int = 1) -> None:
        self.words = words
        self.nodes: list[tuple[int, int, int]] = [(_BITS * words, 0, 0), (_BITS * words, 1, 1)]
        self._known: dict[tuple[int, int, int], int] = {}
        self._chosen: dict[tuple[int, int, int], int] = {}

    def _node(self, bit: int, clear: int, set_: int) -> int:
        if clear == set_:
            return clear
        found = self._known.get((bit, clear, set_))
        if found is None:
            if len(self.nodes) > _MOST:
                raise Undecided("a condition on a word that has no small form")
            found = self._known[bit, clear, set_] = len(self.nodes)
            self.nodes.append((bit, clear, set_))
        return found

    def chosen(self, condition: int, a: int, b: int) -> int:
        """Return a where a condition holds, else b."""
        if condition == EVERYTHING or a == b:
            return a
        if condition == NOTHING:
            return b
        if a == EVERYTHING and b == NOTHING:
            return condition
        key = condition, a, b
        found = self._chosen.get(key)
        if found is None:
            parts = [self.nodes[each] for each in key]
            bit = min(each[0] for each in parts)
            sides = [[each[side] if each[0] == bit else whole for each, whole in zip(parts, key)] for side in (1, 2)]
            found = self._chosen[key] = self._node(bit, self.chosen(*sides[0]), self.chosen(*sides[1]))
        return found

    def both(self, a: int, b: int) -> int:
        """Return the intersection of two sets."""
        return self.chosen(a, b, NOTHING)

    def either(self, a: int, b: int) -> int:
        """Return the union of two sets."""
        return self.chosen(a, EVERYTHING, b)

    def without(self, a: int, b: int) -> int:
        """Return what is in a, but not in b."""
        return self.chosen(b, NOTHING, a)

    def _differ(self, a: int, b: int) -> int:
        return self.chosen(a, self.chosen(b, NOTHING, EVERYTHING), b)

    def example(self, a: int) -> list[int] | None:
        """Return a value of each word in a set, or None if it is empty. As many bits as possible are clear."""
        if a == NOTHING:
            return None
        found = [0] * self.words
        while a != EVERYTHING:
            bit, clear, set_ = self.nodes[a]
            if clear == NOTHING:
                found[bit % self.words] |= 1 << bit // self.words
            a = set_ if clear == NOTHING else clear
        return found

    # Numbers

    def where(self, number: Integer, value: int, places: Mapping[int, int]) -> int:
        """Return the words for which a number has a value. `places` numbers the words by their nodes."""
        return self._equal(number, numbers.constant(value), places, {})

    def between(self, low: int, high: int, word: int = 0) -> int:
        """Return the values of a word, as an unsigned number, from low up to high; none if high is less than low."""
        if high < low:
            return NOTHING
        bits = [self._node(bit * self.words + word, NOTHING, EVERYTHING) for bit in range(_BITS)]
        below = self._less(bits, _constant(low, _BITS)) if low else NOTHING
        beyond = self._less(_constant(high, _BITS), bits)
        return self.without(self.without(EVERYTHING, below), beyond)

    def _equal(self, a: Integer, b: Integer, places: Mapping[int, int], known: dict[int, list[int]]) -> int:
        width = _width(a, b)
        result = EVERYTHING
        for x, y in zip(self._bits(a, width, places, known), self._bits(b, width, places, known)):
            result = self.without(result, self._differ(x, y))
        return result

    def _less(self, a: list[int], b: list[int]) -> int:
        """Return where a < b, for unsigned numbers."""
        result = NOTHING
        for x, y in zip(a, b):
            result = self.chosen(self._differ(x, y), y, result)
        return result

    def _bits(self, number: Integer, width: int, places: Mapping[int, int], known: dict[int, list[int]]) -> list[int]:
        """Return the lowest bits of a number, the lowest first, each as the set where it is set."""
        own = min(width, _width(number))
        found = known.get(id(number))
        if found is None or len(found) < own:
            found = known[id(number)] = self._made(number, own, places, known)
        top = found[own - 1] if number.low < 0 else NOTHING
        return [*found[:own], *[top] * (width - own)]

    def _made(self, number: Integer, width: int, places: Mapping[int, int], known: dict[int, list[int]]) -> list[int]:
        op, args = number.op, number.args
        if op == numbers.CONSTANT:
            return _constant(number.low, width)
        if op == numbers.BYTES:
            return self._of_bytes(args, width, places)
        if op == numbers.UP:
            return [NOTHING] * min(args[1], width) + (
                self._bits(args[0], width - args[1], places, known) if width > args[1] else []
            )
        if op == numbers.DOWN:
            return self._bits(args[0], width + args[1], places, known)[args[1] :]
        if op == numbers.EQUAL:
            return [self._equal(args[0], args[1], places, known), *[NOTHING] * (width - 1)]
        if op == numbers.LESS:
            wide = _width(*args)
            a, b = (self._bits(each, wide, places, known) for each in args)
            a[-1], b[-1] = b[-1], a[-1]  # signed: the one with the highest bit is the smaller one
            return [self._less(a, b), *[NOTHING] * (width - 1)]
        if op == numbers.CHOSEN:
            zero = self._equal(args[0], numbers.constant(0), places, known)
            a, b = (self._bits(each, width, places, known) for each in args[1:])
            return [self.chosen(zero, y, x) for x, y in zip(a, b)]
        return self._computed(op, *[self._bits(each, width, places, known) for each in args])

    def _computed(self, op: str, a: list[int], b: list[int]) -> list[int]:
        if op == numbers.AND:
            return [self.both(x, y) for x, y in zip(a, b)]
        if op == numbers.OR:
            return [self.either(x, y) for x, y in zip(a, b)]
        if op == numbers.XOR:
            return [self._differ(x, y) for x, y in zip(a, b)]
        if op == numbers.ADD:
            return self._sum(a, b, NOTHING)
        if op == numbers.SUBTRACT:
            return self._sum(a, [self.without(EVERYTHING, y) for y in b], EVERYTHING)
        total = [NOTHING] * len(a)
        for at, bit in enumerate(b):  # a product
            if bit != NOTHING:
                row = [NOTHING] * at + [self.both(bit, x) for x in a[: len(a) - at]]
                total = self._sum(total, row, NOTHING)
        return total

    def _sum(self, a: list[int], b: list[int], carry: int) -> list[int]:
        result = []
        for x, y in zip(a, b):
            half = self._differ(x, y)
            result.append(self._differ(half, carry))
            carry = self.chosen(half, carry, x)
        return result

    def _of_bytes(self, data: Iterable[int], width: int, places: Mapping[int, int]) -> list[int]:
        found: list[int] = []
        for byte in data:
            if byte < 0:
                found += _constant(-1 - byte, 8)
                continue
            node, which = place(byte)
            found += [
                self._node((8 * which + bit) * self.words + places[node], NOTHING, EVERYTHING) for bit in range(8)
            ]
        return [*found, *[NOTHING] * (width - len(found))][:width]


def _constant(value: int, width: int) -> list[int]:
    return [value >> bit & 1 for bit in range(width)]


def _width(*of: Integer) -> int:
    """Return how many bits these numbers have in two's complement."""
    return 1 + max(max(each.high, ~each.low, 0).bit_length() for each in of)
