"""Expressions up to the names of their inputs: what is proved of one pair of them holds for all of the same shape.

    kinds = alike(table, found, wanted)      for each pair the number of the first one that is the same, renamed

y[7] = max(x[7], 0) is y[0] = max(x[0], 0) with another element in its place. That two expressions are equal for all
inputs does not depend on which elements these are, only on which of them are one: so the proof of the first holds for
the other, and a kernel over a million elements needs as many proofs as it has shapes.
"""

from __future__ import annotations

from collections.abc import Sequence

from .values import Key, Table, place

_MOST = 64
"""Inputs of an expression; one with more has a shape of its own."""
Shape = tuple[int, tuple[int, ...]]
"""(number of the shape, the inputs in the order of their first use)."""


class Shapes:
    """The shapes of the nodes of a table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._known: dict[int, Shape] = {}
        self._numbers: dict[Key, int] = {}

    def of(self, root: int) -> Shape:
        """The shape of a node and its inputs."""
        found = self._known.get(root)
        if found is None:
            for node in self.table.below([root], self._known):
                self._known[node] = self._made(node)
            found = self._known[root]
        return found

    def pair(self, x: int, y: int) -> Key:
        """Equal for two pairs that are the same but for the names of their inputs."""
        (first, inputs), (second, others) = self.of(x), self.of(y)
        places = {node: at for at, node in enumerate(inputs)}
        return first, second, tuple([places.setdefault(node, len(places)) for node in others])

    def _made(self, node: int) -> Shape:
        table = self.table
        if node & 1:
            data = table.specials[node >> 1]
            args = table.arguments(node)
            at = {arg: number for number, arg in enumerate(args)}
            head: Key = tuple([byte if byte < 0 else (at[place(byte)[0]], place(byte)[1]) for byte in data])
        else:
            operation, args, size = table.entries[node >> 1]
            if not args:
                return self._number(("input", operation[0], size)), (node,)
            head = (id(operation),)
        places: dict[int, int] = {}
        parts = []
        for arg in args:
            number, inputs = self._known[arg]
            parts.append((number, tuple([places.setdefault(each, len(places)) for each in inputs])))
        if len(places) > _MOST:
            return self._number(("node", node)), (node,)
        return self._number((head, tuple(parts))), tuple(places)

    def _number(self, key: Key) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def alike(table: Table, found: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """For each pair the number of the first pair of its shape."""
    shapes = Shapes(table)
    first: dict[Key, int] = {}
    return [first.setdefault(shapes.pair(*pair), at) for at, pair in enumerate(zip(found, wanted))]
