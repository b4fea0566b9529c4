"""Prove equality by trying all inputs, for nodes that depend on at most 16 bits of inputs.

    Exhaustive(table).equal(x, y, nan)      nan tells which bit patterns are NaN; all NaNs count as one value

Elements of the same form, which differ only in the inputs that they use, are evaluated once.

    kinds = alike(table, found, wanted)      for each pair, the index of the first pair that is the same up to renaming

For example, y[7] = max(x[7], 0) is y[0] = max(x[0], 0) with another element. Whether two expressions are equal for all
inputs does not depend on which elements these are, only on which of them coincide. So the proof of the first holds for
the other, and a kernel over a million elements needs only as many proofs as it has shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from .bounds import check
from .concrete import evaluated
from .values import INPUT, Array, Key, Table, place

BITS = 16
"""The most bits of inputs that are tried in all combinations."""
_PARTS, _CASES = 4, 32
"""The most parts with other inputs, and the most combinations of their values, that are tried."""
Nan = Callable[[Array], Array]


def form_of(table: Table, x: int, y: int) -> Any:
    """Return the form of two nodes, with leaves numbered in order of appearance. A proof for a pair holds for all pairs
    of the same form."""
    steps = []
    numbers: dict[int, int] = {}
    for node in table.below([x, y]):
        numbers[node] = len(numbers)
        operation, args = table.parts(node)
        if node & 1:
            data = table.specials[node >> 1]
            steps.append(tuple(b if b < 0 else (numbers[place(b)[0]], place(b)[1]) for b in data))
        else:
            key = table.size(node) if operation is None else operation.key
            steps.append((key, *[numbers[arg] for arg in args]))
    return numbers[x], numbers[y], tuple(steps)


class Exhaustive:
    """Comparisons of the nodes of one table. Results are remembered by form."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._known: dict[Any, bool] = {}

    def equal(self, x: int, y: int, nan: Nan | None = None) -> bool | None:
        """Whether both nodes are the same for all inputs. None: there are too many inputs, or a leaf is no input."""
        found = self.of_few(x, y, nan)
        return True if found is None and self._by_parts(x, y, nan) else found

    def of_few(self, x: int, y: int, nan: Nan | None = None) -> bool | None:
        """Like `equal`, but None for all nodes with too many inputs."""
        check()
        leaves = self._leaves(x, y)
        if leaves is None:
            return None
        form = form_of(self.table, x, y)
        found = self._known.get(form)
        if found is None:
            found = self._known[form] = self._evaluated(x, y, leaves, nan)
        return found

    def counterexample(self, x: int, y: int, nan: Nan | None = None) -> dict[int, bytes]:
        """Return the bytes of inputs for which the nodes differ. The result is empty if there are too many inputs to
        try, or if the nodes agree."""
        leaves = self._leaves(x, y)
        if leaves is None:
            return {}
        data, places, same = self._tried(x, y, leaves, nan)
        wrong = np.flatnonzero(~same)
        return {leaf: data[wrong[-1], at].tobytes() for leaf, at in places.items()} if len(wrong) else {}

    def _by_parts(self, x: int, y: int, nan: Nan | None) -> bool:
        """Whether x equals y for all inputs of y, and for all values of the parts of x that have only other inputs.
        Such parts must take few values, for example a bit that is shifted out of an element."""
        leaves = self._leaves(y, y)
        if not leaves or (parts := self._apart(x, set(leaves))) is None:
            return False
        values = [self._values(part) for part in parts]
        if any(each is None for each in values) or prod(len(each) for each in values if each) > _CASES:
            return False
        return all(
            self._tried(x, y, leaves, nan, dict(zip(parts, case)))[2].all()
            for case in product(*[each for each in values if each])
        )

    def _apart(self, x: int, leaves: set[int]) -> list[int] | None:
        """Return the largest parts of a node that have inputs, but none of `leaves`. Return None if there are many."""
        # whether the node has inputs among `leaves`, and whether it has others
        kinds: dict[int, tuple[bool, bool]] = {}
        for node in self.table.below([x]):
            below = [kinds[each] for each in self.table.arguments(node)]
            own = node in leaves, self.table.leaf(node) is not None and node not in leaves
            kinds[node] = own[0] or any(each for each, _ in below), own[1] or any(each for _, each in below)
        found, stack, seen = [], [x], set[int]()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if kinds[node] == (False, True):
                found.append(node)
            elif kinds[node][1]:
                stack += self.table.arguments(node)
        return found if len(found) <= _PARTS else None

    def _values(self, node: int) -> list[bytes] | None:
        """Return all values of a node, or None if it has too many inputs."""
        leaves = self._leaves(node, node)
        if leaves is None:
            return None
        count, data, places = self._inputs(leaves)
        made = evaluated(self.table, [node], lambda leaf: data[:, places[leaf]], count)[node]
        return [each.tobytes() for each in np.unique(made, axis=0)]

    def _leaves(self, x: int, y: int) -> list[int] | None:
        found = []
        for node in self.table.below([x, y]):
            leaf = self.table.leaf(node)
            if leaf is None:
                continue
            found.append(node)
            if leaf[0] != INPUT or 8 * sum(map(self.table.size, found)) > BITS:
                return None
        return found

    def _evaluated(self, x: int, y: int, leaves: list[int], nan: Nan | None) -> bool:
        return bool(self._tried(x, y, leaves, nan)[2].all())

    def _inputs(self, leaves: list[int]) -> tuple[int, Array, dict[int, slice]]:
        """Return the number of inputs, all inputs, and the position in them of each leaf's bytes."""
        sizes = [self.table.size(leaf) for leaf in leaves]
        count = 1 << 8 * sum(sizes)
        data = np.arange(count, dtype="<u4").view(np.uint8).reshape(count, 4)
        starts = np.cumsum([0, *sizes]).tolist()
        places = {leaf: slice(start, start + size) for leaf, start, size in zip(leaves, starts, sizes)}
        return count, data, places

    def _tried(
        self, x: int, y: int, leaves: list[int], nan: Nan | None, parts: Mapping[int, bytes] = {}
    ) -> tuple[Array, dict[int, slice], Array]:
        """Return the inputs, the position in them of each leaf's bytes, and for which inputs both nodes are the same.
        `parts` holds the values of some parts."""
        count, data, places = self._inputs(leaves)
        known = {part: np.tile(np.frombuffer(value, np.uint8), (count, 1)) for part, value in parts.items()}
        made = evaluated(self.table, [x, y], lambda leaf: data[:, places[leaf]], count, known)
        size = self.table.size(x)
        first, second = (np.ascontiguousarray(made[node]).view(f"u{size}").reshape(count) for node in (x, y))
        same = first == second
        return data, places, same if nan is None else same | (nan(first) & nan(second))


def nan_of(infinity: int) -> Nan:
    """Return a function that tells which bit patterns of a format are NaN: those above infinity, of either sign."""

    def function(bits: Array) -> Array:
        top = bits.dtype.type(1 << 8 * bits.dtype.itemsize - 1)
        found: Array = (bits & ~top) > bits.dtype.type(infinity)
        return found

    return function


# Expressions up to renaming of their inputs

_MOST = 64
"""The most inputs of a shape. An expression with more inputs gets a shape of its own."""
Shape = tuple[int, tuple[int, ...]]
"""The number of a shape, and the inputs in the order of their first use."""


class Shapes:
    """The shapes of the nodes of a table. `opaque` nodes count as inputs."""

    def __init__(self, table: Table, opaque: Iterable[int] = ()) -> None:
        self.table = table
        self._numbers: dict[Key, int] = {}
        self._known: dict[int, Shape] = {node: (self._number(("opaque", table.size(node))), (node,)) for node in opaque}

    def of(self, root: int) -> Shape:
        """Return the shape of a node and its inputs."""
        found = self._known.get(root)
        if found is None:
            for node in self.table.below([root], self._known):
                self._known[node] = self._made(node)
            found = self._known[root]
        return found

    def pair(self, x: int, y: int) -> Key:
        """Return a key that is equal for two pairs that differ only in the names of their inputs."""
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


def alike(table: Table, found: Sequence[int], wanted: Sequence[int], opaque: Iterable[int] = ()) -> list[int]:
    """Return, for each pair, the index of the first pair of the same shape. `opaque` nodes count as inputs."""
    shapes = Shapes(table, opaque)
    first: dict[Key, int] = {}
    return [first.setdefault(shapes.pair(*pair), at) for at, pair in enumerate(zip(found, wanted))]
