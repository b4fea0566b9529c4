"""Integers at a random point: a node holds an integer of a known range, and its bits are that integer modulo 2^n.

    integers = Integers(table, atom)
    integers.value(node)                  equal values mean equal bits
    integers.number(node, "i")            the bits as a signed or unsigned number

For every node of n bits, an integer modulo 2^n is kept: its value in the field of reals.py, and its range. Sums and
products are exact, whatever their range. When bits are shifted right, saturated or converted to floats, the integer is
used only if its range shows that no bit was lost. Otherwise the result is a random function of it. So code that wraps
or saturates where the request does not has no proof. For an extension whose sign may be lost, only the lowest bits are
known.
"""

from __future__ import annotations

from collections.abc import Callable

from ...encoder.records import NamedTuple
from .values import Operation, Table, place

PRIME = (1 << 61) - 1
ALL = 1 << 30
Atom = Callable[..., int]


class Bounded(NamedTuple):
    """An integer: its value at the point, its smallest and largest values, and how many of its low bits are right."""

    at: int
    low: int
    high: int
    bits: int = ALL

    def within(self, low: int, high: int) -> bool:
        """Whether the integer is certain to lie in a range."""
        return low <= self.low and self.high <= high


def limits(kind: str, size: int) -> tuple[int, int]:
    """Return the smallest and the largest number of a type."""
    bits = 8 * size
    return (0, (1 << bits) - 1) if kind in "ub" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def constant(value: int) -> Bounded:
    """Return a known number."""
    return Bounded(value % PRIME, value, value)


def _plus(a: Bounded, b: Bounded) -> Bounded:
    return Bounded((a.at + b.at) % PRIME, a.low + b.low, a.high + b.high, min(a.bits, b.bits))


def _times(a: Bounded, b: Bounded) -> Bounded:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Bounded(a.at * b.at % PRIME, min(corners), max(corners), min(a.bits, b.bits))


def _minus(a: Bounded, b: Bounded) -> Bounded:
    return Bounded((a.at - b.at) % PRIME, a.low - b.high, a.high - b.low, min(a.bits, b.bits))


def _scaled(a: Bounded, by: int) -> Bounded:
    """Return a 2^by."""
    return _times(a, constant(1 << by))._replace(bits=min(a.bits + by, ALL))


_SUMS = {"add": _plus, "subtract": _minus, "multiply": _times}


class Integers:
    """The integers of a table at one random point."""

    def __init__(self, table: Table, atom: Atom) -> None:
        self.table, self.atom = table, atom
        self.known: dict[int, Bounded] = {}
        self.opaque: set[str] = set()

    def value(self, node: int) -> int:
        """Return the value of an element. Equal values mean equal bits."""
        self._known(node)
        return self._told(node)[0]

    def number(self, node: int, kind: str) -> int:
        """Return an element as a signed ("i") or unsigned ("u") number."""
        self._known(node)
        return self._sure(node, kind, self.table.size(node)).at

    def _known(self, node: int) -> Bounded:
        found = self.known.get(node)
        if found is None:
            for each in self.table.below([node], self.known):
                self.known[each] = self._made(each)
            found = self.known[node]
        return found

    def _made(self, node: int) -> Bounded:
        table = self.table
        if node & 1:
            return self._joined(table.specials[node >> 1])
        operation, args = table.parts(node)
        if operation is None:  # a leaf is a signed number
            return Bounded(self.atom("signed", node), *limits("i", table.size(node)))
        if operation.types[0][0] in "iu" and operation.to[0] in "iu":
            made = self._exact(operation, args)
            if made is not None:
                return made
        self.opaque.add(operation.name)
        parts = [each for arg in args for each in self._told(arg)]
        return Bounded(self.atom(*operation.key, *parts), *limits(operation.to[0], table.size(node)))

    def _told(self, node: int) -> tuple[int, int]:
        """Return a pair that identifies an element's bits. The second part is zero if the integer's value suffices;
        otherwise it is the node."""
        number = self.known[node]
        if number.bits >= 8 * self.table.size(node):
            return number.at, 0
        self.opaque.add("extension")
        return self.atom("node", node), node

    # Operations

    def _exact(self, operation: Operation, args: tuple[int, ...]) -> Bounded | None:
        """Return the result if it is known as an integer, or None."""
        name, kind = operation.name, operation.types[0][0]
        numbers = [self.known[arg] for arg in args]
        size = self.table.size(args[0])
        if name in _SUMS and len(args) == 2:
            return _SUMS[name](*numbers)
        if name == "negative":
            return _minus(constant(0), numbers[0])
        if name == "astype":
            return self._as(numbers[0], kind, size)
        if name in ("left_shift", "right_shift"):
            return self._shifted(name == "left_shift", args, kind, size)
        if name == "bitwise_xor":
            return self._flipped(args, size)
        if name in ("minimum", "maximum"):
            return self._bounded(name == "minimum", args, kind, size)
        return None

    def _shifted(self, left: bool, args: tuple[int, ...], kind: str, size: int) -> Bounded | None:
        by = self.table.value(args[1])
        if by is None or by >= 8 * size or (by % 8 and not left):
            return None
        if left:
            return _scaled(self.known[args[0]], by)
        rest = self.table.split(args[0], size)[by // 8 :]
        return self._as(self._joined(rest), kind, len(rest))

    def _flipped(self, args: tuple[int, ...], size: int) -> Bounded | None:
        """Return an exclusive OR with the top bit, which adds that bit modulo 2^n, or with all ones."""
        for first, second in (args, args[::-1]):
            flips = self.table.value(second)
            if flips == 1 << 8 * size - 1:
                return _plus(self.known[first], constant(flips))
            if flips == (1 << 8 * size) - 1:
                return _minus(constant(-1), self.known[first])
        return None

    def _bounded(self, least: bool, args: tuple[int, ...], kind: str, size: int) -> Bounded | None:
        """Return a minimum or maximum if the ranges show which operand it is, or None."""
        a, b = (self._sure(arg, kind, size) for arg in args)
        for first, second in ((a, b), (b, a)):
            if (first.high <= second.low) if least else (first.low >= second.high):
                return first
        return None

    def _sure(self, node: int, kind: str, size: int) -> Bounded:
        """Return the lowest bytes of a node as a number of a kind, or a random function of it if that is unknown."""
        number = self.known[node]
        found = self._as(number, kind, size)
        if found.bits == ALL:
            return found
        self.opaque.add("remainder")
        told = (number.at, 0) if number.bits >= 8 * size else self._told(node)
        return Bounded(self.atom("remainder", size, kind, *told), *limits(kind, size))

    def _as(self, number: Bounded, kind: str, size: int) -> Bounded:
        """Return the lowest bytes of an integer as a number of a kind. All of its bits may be right, or only the
        lowest."""
        low, high = limits(kind, size)
        modulus = 1 << 8 * size
        if number.bits < 8 * size:
            return number
        turns = (number.low - low) // modulus
        if number.high - turns * modulus <= high:
            return Bounded(
                (number.at - turns * modulus) % PRIME, number.low - turns * modulus, number.high - turns * modulus
            )
        other = "i" if kind == "u" else "u"
        # the top bit becomes one more unknown; for sums it is lost
        if size < 4 and number.within(*limits(other, size)):
            if kind == "u":
                return Bounded((number.at + modulus * self.atom("negative", size, number.at)) % PRIME, low, high)
            negative = self.atom("negative", size, (number.at - modulus // 2) % PRIME)
            return Bounded((number.at - modulus + modulus * negative) % PRIME, low, high)
        return number._replace(bits=8 * size)

    def _joined(self, data: tuple[int, ...]) -> Bounded:
        """Return the number formed by bytes of different nodes, or by a part of one node."""
        total, at = constant(0), 0
        while at < len(data):
            count = 1
            if data[at] < 0:
                whole = min(data[at:]) < 0 and max(data[at:]) < 0  # constant bytes at the top determine the sign
                if whole:
                    count = len(data) - at
                held = bytes(-1 - byte for byte in data[at : at + count])
                part = constant(int.from_bytes(held, "little", signed=whole))
            else:
                while at + count < len(data) and data[at + count] == data[at] + count:
                    count += 1
                part = self._part(data[at], count, at + count == len(data))
            total = _plus(total, _scaled(part, 8 * at))
            at += count
        return total

    def _part(self, byte: int, count: int, top: bool) -> Bounded:
        """Return `count` bytes of a node. At the top of a number, any integer that is equal modulo 2^n will do."""
        node, first = place(byte)
        number = self.known[node]
        if first:
            self.opaque.add("bytes")
            key = ("bytes", self.table.size(node), *self._told(node), first, count)
            return Bounded(self.atom(*key), *limits("u", count))
        return number if top else self._as(number, "u", count)
