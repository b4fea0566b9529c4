"""Values over the real numbers: nodes at a random point of a prime field (Schwartz and Zippel).

    point = Point(table, seed=1)
    point.real(node), point.whole(node)

Every input is a random element of the field of 2^61 - 1 numbers; sums, products, fused multiply-adds and quotients are
those of the field, roundings and conversions between floats change nothing. What else there is, comparisons and
functions, is a random function of its operands: equal operands give equal values, and nothing more is assumed. So two
nodes that differ as polynomials of degree d agree at one point with a probability of at most d / (2^61 - 1).

Integers are those of at least 32 bits, modulo 2^32: `whole` is equal where they are.
"""

from __future__ import annotations

import hashlib
import struct
from fractions import Fraction
from typing import Any

from .values import Operation, Table, place

PRIME = (1 << 61) - 1
_SAME = frozenset(("extend", "convert", "nearest", "flushed", "wide"))
_ROUNDS = frozenset(("add", "subtract", "multiply", "fma", "divide", "dotted"))
_FORMS = {2: "<e", 4: "<f", 8: "<d"}


class Point:
    """All values of a table at one random point."""

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.seed = table, seed
        self._reals: dict[int, int] = {}
        self._wholes: dict[int, int] = {}
        self.opaque: set[str] = set()  # operations that were taken for any functions

    def atom(self, *key: Any) -> int:
        """The value of something of which nothing is known but what it depends on."""
        data = repr((self.seed, key)).encode()
        return int.from_bytes(hashlib.blake2b(data, digest_size=16).digest(), "little") % PRIME

    # Floats

    def real(self, node: int) -> int:
        """The value of a float."""
        found = self._reals.get(node)
        if found is None:
            for each in self._waiting(node, self._reals):
                self._reals[each] = self._real(each)
            found = self._reals[node]
        return found

    def _waiting(self, node: int, known: dict[int, int]) -> list[int]:
        """What a node consists of that has no value yet, operands first."""
        order: list[int] = []
        seen: set[int] = set()
        stack = [node]
        while stack:
            each = stack[-1]
            if each in known or each in seen:
                stack.pop()
                continue
            rest = [arg for arg in self.table.arguments(each) if arg not in seen and arg not in known]
            if rest:
                stack.extend(rest)
                continue
            stack.pop()
            seen.add(each)
            order.append(each)
        return order

    def _real(self, node: int) -> int:
        table = self.table
        if node & 1:
            return self._joined_real(node)
        operation, args = table.parts(node)
        if operation is None:
            return self.atom("leaf", node)
        name = operation.name
        if name == "bitwise_xor" and (base := self._negated(args, table.size(node))) is not None:
            return -self._reals[base] % PRIME
        if operation.types[0][0] == "f" or name in _SAME:
            made = self._arithmetic(name, args)
            if made is not None:
                return made
        if name == "astype" and operation.to[0] == "f":
            return self._reals[args[0]] if operation.types[0][0] == "f" else self.whole(args[0])
        return self._function(operation, args)

    def _arithmetic(self, name: str, args: tuple[int, ...]) -> int | None:
        values = [self._reals[arg] for arg in args]
        if name == "fma":
            return (values[0] * values[1] + values[2]) % PRIME
        if name in ("add", "dotted"):
            return sum(values) % PRIME
        if name == "multiply":
            return values[0] * values[1] % PRIME
        if name == "subtract":
            return (values[0] - values[1]) % PRIME
        if name == "divide" and values[1]:
            return values[0] * pow(values[1], -1, PRIME) % PRIME
        return values[0] if name in _SAME else None

    def _negated(self, args: tuple[int, ...], size: int) -> int | None:
        top = 1 << 8 * size - 1
        return next((b for a, b in (args, args[::-1]) if self.table.value(a) == top), None)

    def _function(self, operation: Operation, args: tuple[int, ...]) -> int:
        self.opaque.add(operation.name)
        return self.atom(*operation.key, *[self._reals[arg] for arg in args])

    def _joined_real(self, node: int) -> int:
        data = self.table.specials[node >> 1]
        value = self.table.value(node)
        if value is not None:
            return self._number(value, len(data))
        if len(data) == 4 and data[:2] == (-1, -1) and data[2] >= 0:  # bf16, widened
            inner = self.table.joined(data[2:])
            if not inner & 1:
                return self._reals[inner]
        return self.atom("bytes", data)

    def _number(self, value: int, size: int) -> int:
        if size not in _FORMS:
            return self.atom("number", value, size)
        real = struct.unpack(_FORMS[size], value.to_bytes(size, "little"))[0]
        if real != real or real in (float("inf"), float("-inf")):
            return self.atom("number", value, size)
        exact = Fraction(real)
        return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME

    # Integers, modulo 2^32

    def whole(self, node: int) -> int:
        """The value of an integer of at least 32 bits."""
        found = self._wholes.get(node)
        if found is None:
            for each in self._waiting(node, self._wholes):
                self._wholes[each] = self._whole(each)
            found = self._wholes[node]
        return found

    def _whole(self, node: int) -> int:
        table, size = self.table, self.table.size(node)
        if node & 1:
            return self._joined_whole(table.specials[node >> 1])
        operation, args = table.parts(node)
        if operation is None:
            return self.atom("signed", node)
        name, values = operation.name, [self._wholes[arg] for arg in args]
        if operation.to[0] in "iu" and operation.types[0][0] in "iu" and size >= 4:
            if name == "add":
                return sum(values) % PRIME
            if name in ("subtract", "multiply"):
                return (values[0] - values[1] if name == "subtract" else values[0] * values[1]) % PRIME
            if name == "negative":
                return -values[0] % PRIME
            if name == "astype" and operation.types[0][0] == "i" and self._exact(args[0]):
                return values[0]
        self.opaque.add(name)
        return self.atom(*operation.key, *values)

    def _exact(self, node: int) -> bool:
        """Whether the value of a node stands for its sign extension: a leaf, or one of at least 32 bits."""
        return self.table.size(node) >= 4 or self.table.leaf(node) is not None or self.table.value(node) is not None

    def _joined_whole(self, data: tuple[int, ...]) -> int:
        if max(data) < 0:
            number = int.from_bytes(bytes(-1 - byte for byte in data), "little", signed=True)
            return number % PRIME
        node, first = place(data[0]) if data[0] >= 0 else (-1, 1)
        if first == 0:
            kept = sum(byte == data[0] + at for at, byte in enumerate(data))
            rest = all(byte == -1 for byte in data[kept:])
            whole = data[:kept] == tuple(range(data[0], data[0] + kept))
            if whole and rest and kept >= 4:  # cut, or extended by zeros: equal modulo 2^32
                return self._wholes[node]
            if whole and rest and kept == self.table.size(node) and self.table.leaf(node) is not None:
                return self.atom("unsigned", node)
        return self.atom("bytes", data)


def roundings(table: Table, roots: list[int]) -> dict[int, int]:
    """The rounded operations on the longest path from an input to each node."""
    found: dict[int, int] = {}
    for node in table.below(roots):
        operation, _ = table.parts(node)
        below = max((found[arg] for arg in table.arguments(node)), default=0)
        rounds = operation is not None and operation.name in _ROUNDS and operation.to[0] == "f"
        found[node] = below + rounds
    return found


def degree(table: Table, roots: list[int]) -> int:
    """The largest degree of these nodes as polynomials; functions count as variables, quotients as 2^61."""
    found: dict[int, int] = {}
    for node in table.below(roots):
        operation, args = table.parts(node)
        below = [found[arg] for arg in args]
        name = operation.name if operation is not None else ""
        if name in ("multiply", "fma"):
            found[node] = max(below[0] + below[1], *below[2:], 0)
        elif name == "divide":
            found[node] = PRIME
        else:
            found[node] = max((found[arg] for arg in table.arguments(node)), default=0 if node & 1 else 1)
    return max((found[root] for root in roots), default=0)
