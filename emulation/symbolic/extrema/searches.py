"""The position of the first maximum or minimum of a set of elements, recognised in an expression of comparisons.

    found = Search(prover, "max", dtype, index, {node of an element: its position}).of(root)

From the elements up, every selection is proved to be one of two things. A *value* compares equal to the best element of
a set, and is a NaN if one of the elements is; a NaN is better than all numbers. A *number* is the position of the first
such element, possibly plus a constant. In a proof, the values and numbers that a selection uses are variables, so the
proof holds for all elements. The worst possible number may take part at any position: if it is the best one, all
elements are equal to it, and the first position of all is the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....encoder.records import NamedTuple
from ..equality import Prover
from ..facts import NOTHING, Facts
from ..lanes import lane

_MOST = 3
Places = frozenset[int]


class Number(NamedTuple):
    """The first best position of a set: the positions of its elements, the positions at which the worst number takes
    part, and the constant that is added."""

    places: Places
    worst: Places
    beyond: int

    @property
    def every(self) -> Places:
        """All positions."""
        return self.places | self.worst


class Proved(NamedTuple):
    """Which pairs of expressions are equal, and the variables that these consist of, by number and size."""

    told: dict[Any, bool]
    variables: dict[tuple[int, int], int]


class Search:
    """What nodes are, for a set of elements.

    name      max or min
    elements  the position of each element
    proved    what was proved of variables, which searches of one prover share: rows ask for the same
    """

    def __init__(
        self,
        prover: Prover,
        name: str,
        dtype: np.dtype[Any],
        index: np.dtype[Any],
        elements: Mapping[int, int],
        proved: Proved | None = None,
    ) -> None:
        self.prover, self.table, self.name, self.dtype, self.index = prover, prover.table, name, dtype, index
        self.values: dict[int, Places] = {node: frozenset([place]) for node, place in elements.items()}
        self.numbers: dict[int, Number] = {}
        end = (
            (np.inf if name == "min" else -np.inf)
            if dtype.kind == "f"
            else (np.iinfo(dtype).max if name == "min" else np.iinfo(dtype).min)
        )
        bits = np.array([end], dtype).view(f"u{dtype.itemsize}")[0]
        self.values[self.table.constant(int(bits), dtype.itemsize)] = frozenset()
        self._proved = Proved({}, {}) if proved is None else proved

    def of(self, root: int) -> Number | None:
        """Return the set of which a node is the first best position, or None if there is no proof."""
        for node in self.table.below([root]):
            operation, args = self.table.parts(node)
            if operation is None or node in self.values:
                continue
            if operation.name == "add" and self.table.size(node) == self.index.itemsize:
                self._moved(node, args)
            elif operation.name in ("maximum", "minimum") and self.values.keys() >= set(args):
                self._value(node, (node, *args))
            elif operation.name == "where" and not (self.values.keys() >= set(args[1:]) and self._value(node, args)):
                self._number(node, args)
        return self.numbers.get(root)

    def _moved(self, node: int, args: Sequence[int]) -> None:
        for number, other in (args, args[::-1]):
            known, value = self.numbers.get(number), self._constant(other)
            if known is not None and value is not None:
                self.numbers[node] = known._replace(beyond=known.beyond + value)

    def _constant(self, node: int) -> int | None:
        value, size = self.table.value(node), self.index.itemsize
        if value is None or self.table.size(node) != size:
            return None
        return int(np.array([value], f"u{size}").view(f"i{size}")[0])

    # Values

    def _value(self, node: int, args: Sequence[int]) -> bool:
        """Whether a node is the better one of two values."""
        first, second = args[1], args[2]
        new = self._variables([first, second])
        new |= self._variables(self._numbers_in(args[0]), 2)
        a, b = (lane(self.table, new.get(each, each), self.dtype) for each in (first, second))
        wanted = np.where(self._better(a, b), b, a)
        made = lane(self.table, self.prover.rebuilt(node, dict(new)), self.dtype)
        if not self._equal(self._compared(made), self._compared(wanted), False, NOTHING):
            return False
        self.values[node] = self.values[first] | self.values[second]
        return True

    def _compared(self, value: Any) -> Any:
        """Return a value without the sign of a zero."""
        if self.dtype.kind != "f":
            return value
        zero = self.dtype.type(0)
        return np.where(value == zero, zero, value)

    def _better(self, a: Any, b: Any) -> Any:
        """Whether b is better than a."""
        if self.name == "min":
            return ~(a <= b) & (a == a) if self.dtype.kind == "f" else b < a
        return ~(b <= a) & (a == a) if self.dtype.kind == "f" else a < b

    # Numbers

    def _number(self, node: int, args: Sequence[int]) -> None:
        """Record whether a node is the first best position of two sets."""
        if self.table.size(node) != self.index.itemsize:
            return
        parts = self._nearest(args[0])
        if not parts or len(parts) > _MOST:
            return
        for a, b, first, second in self._sides(args[1], args[2], parts):
            if self._first_of(node, (a, b), (args[1], args[2]), (first, second)):
                self.numbers[node] = Number(first.places | second.places, first.worst | second.worst, first.beyond)
                return

    def _sides(self, one: int, other: int, parts: Sequence[int]) -> Iterator[tuple[int, int, Number, Number]]:
        """Yield possible values for two numbers, together with the numbers."""
        for a in parts:
            for b in parts:
                if a == b and self.values[a] != self.values[b]:
                    continue
                first, second = self._as_number(one, a, None), self._as_number(other, b, None)
                if first is None or second is None:
                    continue
                if first.beyond != second.beyond:  # the worst number may be at any position
                    first = self._as_number(one, a, second.beyond) or first
                    second = self._as_number(other, b, first.beyond) or second
                if first.beyond == second.beyond:
                    yield a, b, first, second

    def _as_number(self, node: int, value: int, beyond: int | None) -> Number | None:
        """Return a node as the number of a value's set, or None."""
        known, constant, places = self.numbers.get(node), self._constant(node), self.values[value]
        if known is not None:
            return known if known.places == places else None
        if constant is None or len(places) > 1:
            return None
        if not places:
            return Number(places, frozenset([constant - (beyond or 0)]), beyond or 0)
        return Number(places, frozenset(), constant - min(places))

    def _first_of(
        self, node: int, values: tuple[int, int], nodes: tuple[int, int], numbers: tuple[Number, Number]
    ) -> bool:
        """Whether a node is the first best position of both sets."""
        new = self._variables(values) | self._variables(nodes, len(values))
        a, b = (lane(self.table, new.get(each, each), self.dtype) for each in values)
        first, second = (lane(self.table, new.get(each, each), self.index) for each in nodes)
        ends = [(min(each.every), max(each.every)) for each in numbers]
        if ends[0][1] < ends[1][0]:
            wanted = np.where(self._better(a, b), second, first)
        elif ends[1][1] < ends[0][0]:
            wanted = np.where(self._better(b, a), first, second)
        else:
            lower = np.minimum(first, second)
            wanted = np.where(self._better(a, b), second, np.where(self._better(b, a), first, lower))
        made = lane(self.table, self.prover.rebuilt(node, dict(new)), self.index)
        return self._equal(made, wanted, True, self._facts([new.get(each, each) for each in nodes], numbers, ends))

    def _facts(self, nodes: Sequence[int], numbers: tuple[Number, Number], ends: Sequence[tuple[int, int]]) -> Facts:
        """Return the ranges of the positions, and which of the two is lower."""
        ranges, order = {}, {}
        beyond = numbers[0].beyond
        for node, (low, high) in zip(nodes, ends):
            if self.table.value(node) is None and low + beyond >= 0:
                ranges[node] = low + beyond, high + beyond
        apart = ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]
        if apart and len(ranges) == len(nodes):
            lower, upper = nodes if ends[0][1] < ends[1][0] else nodes[::-1]
            order[min(lower, upper), max(lower, upper), self.index.str[1:]] = "<" if lower < upper else ">"
        return NOTHING._replace(ranges=ranges, order=order)

    # Expressions

    def _nearest(self, condition: int) -> list[int]:
        """Return the values that a condition is made of, the nearest first."""
        found: dict[int, None] = {}
        level, seen = [condition], {condition}
        while level and len(found) <= _MOST:
            below = []
            for node in level:
                for arg in self.table.arguments(node):
                    if arg in self.values:
                        found[arg] = None
                    elif arg not in seen and arg not in self.numbers:
                        seen.add(arg)
                        below.append(arg)
            level = below
        return list(found)

    def _numbers_in(self, condition: int) -> list[int]:
        """Return the nearest numbers that a condition is made of."""
        known = self.values.keys() | self.numbers.keys()
        inner = (arg for node in self.table.below([condition], known) for arg in self.table.arguments(node))
        return list(dict.fromkeys(arg for arg in inner if arg in self.numbers))

    def _variables(self, nodes: Sequence[int], first: int = 0) -> dict[int, int]:
        return {
            node: self._variable(first + at, self.table.size(node))
            for at, node in enumerate(nodes)
            if self.table.value(node) is None
        }

    def _variable(self, number: int, size: int) -> int:
        known = self._proved.variables
        if (number, size) not in known:
            known[number, size] = int(self.table.inputs(f"@search{number}", 1, size)[0])
        return known[number, size]

    def _equal(self, made: Any, wanted: Any, exact: bool, facts: Facts) -> bool:
        one, other = (int(each.nodes()[0]) for each in (made, wanted))
        told = one, other, exact, tuple(facts.ranges.items()), tuple(facts.order.items())
        if told not in self._proved.told:
            self._proved.told[told] = self.prover.equal(one, other, exact, facts)
        return self._proved.told[told]
