"""For which values of a word an execution would have been the same: what its decisions allow, and whether its addresses
follow the word.

    path(sets, words, node)                  the values of a word for which every decision is the same
    Affine(node, low, high).of(number)       (factor, constant) of an address that is factor x word + constant
"""

from __future__ import annotations

from ..values import Undecided
from . import numbers
from .numbers import WORD, Integer
from .sets import EVERYTHING, Sets
from .words import Words


def path(sets: Sets, words: Words, node: int) -> int:
    """Return the set of the values of a word for which all decisions are those of the execution. Raise Undecided if a
    decision depends on another word, too."""
    found = EVERYTHING
    for number, value in words.decided:
        on = words.leaves(number)
        if node not in on:
            continue
        if len(on) > 1:
            raise Undecided("a decision on two words together")
        found = sets.both(found, sets.where(number, value, {node: 0}))
    return found


_Form = tuple[int, int, bool]
"""(factor, constant, exact): whether the number is factor x word + constant exactly, or else modulo 2^64."""


class AffineNumbers:
    """Numbers as factor x word + constant modulo 2^64, for all values of one word from `low` to `high`. Numbers that
    others consist of are looked at once: an address that a loop moves on is a sum of as many terms as it has
    iterations."""

    def __init__(self, node: int, low: int, high: int) -> None:
        self.node, self.low, self.high = node, low, high
        self._known: dict[int, _Form | None] = {}
        self._kept: list[Integer] = []  # the numbers whose identities are keys

    def of(self, number: Integer) -> tuple[int, int] | None:
        """Return (factor, constant), or None if the number has no such form."""
        known = self._known
        for each in numbers.unknown(number, known):
            known[id(each)] = self._form(each, [known[id(part)] for part in numbers.parts(each)])
            self._kept.append(each)
        found = known[id(number)]
        return None if found is None else (found[0] & WORD, found[1] & WORD)

    def _form(self, number: Integer, forms: list[_Form | None]) -> _Form | None:
        """Return the form of a number from those of the numbers that it consists of."""
        op, args = number.op, number.args
        if op == numbers.CONSTANT:
            return 0, number.low, True
        if op == numbers.BYTES:
            return _of_bytes(args, self.node, self.high)
        whole = [each for each in forms if each is not None]
        if len(whole) < len(forms):
            return None
        if op in (numbers.UP, numbers.DOWN):
            factor, constant, exact = whole[0]
            if op == numbers.UP:
                return factor << args[1], constant << args[1], exact
            ends = {(factor * each + constant) >> args[1] for each in (self.low, self.high)}
            return (0, ends.pop(), True) if exact and len(ends) == 1 else None
        return _combined(op, whole, self.low, self.high)


def _of_bytes(data: tuple[int, ...], node: int, high: int) -> _Form | None:
    """Return the form of the lowest bytes of a word, which are the word if no value has higher bytes."""
    first = next((byte for byte in data if byte >= 0), 0)
    whole = data == tuple(range(first, first + len(data))) and first & 15 == 0 and first >> 6 == node
    return (1, 0, True) if whole and high < 1 << 8 * len(data) else None


def _combined(op: str, forms: list[_Form], low: int, high: int) -> _Form | None:
    (f, c, exact), *rest = forms
    if len(rest) != 1:
        return None
    g, d, other = rest[0]
    if op in (numbers.ADD, numbers.SUBTRACT):
        sign = 1 if op == numbers.ADD else -1
        return f + sign * g, c + sign * d, exact and other
    if op == numbers.MULTIPLY and 0 in (f, g):
        return (f * d, c * d, exact and other) if not g else (g * c, d * c, exact and other)
    if op == numbers.AND and not g and not d & d + 1:  # cut to the lowest bits
        ends = {(f * each + c) // (d + 1) for each in (low, high)}
        if exact and len(ends) == 1:
            return f, c - ends.pop() * (d + 1), True
        return (f, c, False) if d >= WORD and (d + 1) % (WORD + 1) == 0 else None
    return None
