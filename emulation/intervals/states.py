"""What the analysis of intervals knows before an instruction, and the arithmetic of intervals.

An interval has a step: the numbers of elements of m rows of three are 0, 3, 6 and so on, so that after blocks of six no
two pairs are left.
"""

from __future__ import annotations

from math import gcd

from ...encoder.records import NamedTuple

Interval = tuple[int, int, int]
"""(least, most, step): every number is the least one and some steps, and so is the most. One number has the step 0."""
Place = tuple[str, int]
"""A general register ("r", number) or a word of the stack ("s", offset from the stack pointer at entry)."""
LEAST, MOST = -(1 << 63), (1 << 63) - 1
ANYTHING: Interval = (LEAST, MOST, 1)
WORD = 8
FRAMES, FRAME = -(1 << 50), 1 << 32
"""Where frames lie whose distance from the stack pointer at entry is unknown, and how far apart."""
SOMEWHERE: Place = ("s", -(1 << 62))
"""Any word of the stack, where the stack pointer is not followed."""
ELSEWHERE: Place = ("e", 0)
"""Any word of the stack that a pointer other than the stack pointer names."""
PATIENCE = 4
"""How often an instruction is met before its intervals grow in larger steps."""
LIMIT = 200_000
"""The most steps of an analysis; beyond, every way counts as possible."""
CONDITIONS = {
    "l": "lt",
    "ge": "ge",
    "le": "le",
    "g": "gt",
    "b": "lo",
    "ae": "hs",
    "be": "ls",
    "a": "hi",
    "e": "eq",
    "ne": "ne",
    "lt": "lt",
    "gt": "gt",
    "lo": "lo",
    "cc": "lo",
    "hs": "hs",
    "cs": "hs",
    "ls": "ls",
    "hi": "hi",
    "eq": "eq",
}
NAMES_A64 = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv")
OPPOSITE = {
    "lt": "ge",
    "ge": "lt",
    "le": "gt",
    "gt": "le",
    "lo": "hs",
    "hs": "lo",
    "ls": "hi",
    "hi": "ls",
    "eq": "ne",
    "ne": "eq",
}


UNSIGNED = ("lo", "hs", "ls", "hi")


class Compared(NamedTuple):
    """What the flags tell: how `left` compares with `right`. `place` still holds left, `result` their difference.
    `carries` says that they tell it of unsigned numbers, too: DEC leaves the carry flag as it was."""

    left: Interval
    right: Interval
    place: Place | None
    result: Place | None
    carries: bool = True


class State(NamedTuple):
    """What is known before an instruction: intervals, the distance of the stack pointer from entry, and the flags."""

    held: dict[Place, Interval]
    stack: int | None
    flags: Compared | None
    numbers: frozenset[Place] = frozenset()
    """The places whose values depend on a number of the call."""

    def at(self, place: Place | None) -> Interval:
        """Return the interval of a place."""
        return ANYTHING if place is None else self.held.get(place, ANYTHING)

    def set(self, place: Place | None, found: Interval) -> State:
        """Return the state after a place was written."""
        if place is None:
            return self
        held = dict(self.held)
        if place[0] == "s":
            held = without(held, place[1], place[1] + WORD)
        held.pop(place, None)
        if found != ANYTHING:
            held[place] = found
        flags = self.flags
        if flags is not None and place in (flags.place, flags.result):
            flags = flags._replace(
                place=None if place == flags.place else flags.place,
                result=None if place == flags.result else flags.result,
            )
        return self._replace(held=held, flags=flags)


def without(held: dict[Place, Interval], first: int, end: int) -> dict[Place, Interval]:
    """Return what is held without the words of the stack that a store to these bytes overlaps."""
    return {(file, at): found for (file, at), found in held.items() if file == "r" or at + WORD <= first or end <= at}


def somewhere(places: frozenset[Place]) -> frozenset[Place]:
    """Return places where the stack pointer is not followed any more."""
    return frozenset(SOMEWHERE if place[0] == "s" else place for place in places)


def hull(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1]), gcd(a[2], b[2], a[0] - b[0])


def grown(before: Interval, found: Interval, steps: list[int]) -> Interval:
    """Return an interval that has all of `found` and, at each end at which it exceeds `before`, reaches the next of
    these numbers."""
    low, high, step = found
    if low < before[0]:
        low -= (low - max(each for each in steps if each <= low)) // step * step
    if high > before[1]:
        high += (min(each for each in steps if each >= high) - high) // step * step
    return low, high, step


def either(one: Compared | None, other: Compared | None) -> Compared | None:
    """Return what flags tell that were set in one of two ways."""
    if one is None or other is None or one == other:
        return one if one == other else None
    return Compared(
        hull(one.left, other.left),
        hull(one.right, other.right),
        one.place if one.place == other.place else None,
        one.result if one.result == other.result else None,
        one.carries and other.carries,
    )


# Arithmetic. What may exceed 64 bits may be anything.


def span(low: int, high: int) -> Interval:
    """Return all numbers from one to another."""
    return low, high, int(low != high)


def single(number: int) -> Interval:
    """Return one number, which code may have written without its sign."""
    signed = (number - LEAST) % (1 << 64) + LEAST
    return signed, signed, 0


def _bounded(low: int, high: int, step: int) -> Interval:
    return (low, high, step) if low >= LEAST and high <= MOST else ANYTHING


def total(a: Interval, b: Interval) -> Interval:
    return _bounded(a[0] + b[0], a[1] + b[1], gcd(a[2], b[2]))


def difference(a: Interval, b: Interval) -> Interval:
    return _bounded(a[0] - b[1], a[1] - b[0], gcd(a[2], b[2]))


def product(a: Interval, b: Interval) -> Interval:
    every = [x * y for x in a[:2] for y in b[:2]]
    return _bounded(min(every), max(every), gcd(a[2] * b[0], a[0] * b[2], a[2] * b[2]))


def masked(a: Interval, b: Interval) -> Interval:
    most = [each[1] for each in (a, b) if each[0] >= 0]
    return span(0, min(most)) if most else ANYTHING


def shifted(a: Interval, by: int) -> Interval:
    if by == 0:
        return a
    return span(a[0] >> by, a[1] >> by) if a[0] >= 0 else span(0, (1 << 64 - by) - 1)


def _within(found: Interval, least: int, most: int) -> Interval | None:
    """Return the numbers of an interval from one to another; None if there are none."""
    low, high, step = found
    if step:
        low += max(-(-(least - low) // step), 0) * step
        high -= max(-(-(high - most) // step), 0) * step
    elif not least <= low <= most:
        return None
    return (low, high, step if low != high else 0) if low <= high else None


def refined(condition: str, left: Interval, right: Interval) -> Interval | None:
    """Return the interval of `left` where the condition holds; None if it cannot hold."""
    least, most, _ = right
    if condition in ("lo", "ls") and least >= 0:
        nonnegative = _within(left, 0, MOST)
        return None if nonnegative is None else refined({"lo": "lt", "ls": "le"}[condition], nonnegative, right)
    if condition in ("hs", "hi"):
        if left[0] < 0 or least < 0:
            return left
        condition = {"hs": "ge", "hi": "gt"}[condition]
    if condition in ("lt", "le"):
        return _within(left, LEAST, most - (condition == "lt"))
    if condition in ("ge", "gt"):
        return _within(left, least + (condition == "gt"), MOST)
    if condition == "eq":
        return _within(left, least, most)
    if condition == "ne" and least == most:
        return _within(left, left[0] + (left[0] == least), left[1] - (left[1] == least))
    return left
