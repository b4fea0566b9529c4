"""Find lower bounds of nodes: for each node, the elements that it is never below, provided that no element is a NaN.

    above = Above(prover, elements, "f4")
    above.of(node)          the elements that the node is never below
    above.among[node]       elements of which at least one is never below the node; with both sets, the node is their
                            maximum

The search works upwards from the elements. A node is compared with the nearest known nodes that it is made of, which
are replaced by variables. The node inherits the lower bounds of every part that it is never below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from ....emulation.symbolic.equality import ARITHMETIC, Prover
from ....emulation.symbolic.facts import NOTHING
from ....emulation.symbolic.lanes import Lanes, lane

_MOST = 4
Found = frozenset[int]
_NONE: Mapping[int, Found] = {}


class Above:
    """Sets of elements, keyed by node."""

    def __init__(
        self, prover: Prover, elements: Iterable[int], dtype: np.dtype[Any], known: Mapping[int, Found] = _NONE
    ) -> None:
        """`known` are nodes that are the extremum of some elements."""
        self.prover, self.table, self.dtype = prover, prover.table, dtype
        self.known: dict[int, Found] = {**known, **{each: frozenset([each]) for each in elements}}
        self.among: dict[int, Found] = dict(self.known)
        self._leaves: list[int] = []
        self._made_of: dict[int, frozenset[int]] = {}
        self._proved: dict[tuple[int, tuple[int, ...], int], bool] = {}
        self._seen: set[int] = set()

    def of(self, node: int) -> Found:
        """Return the elements that are at most a node, or the empty set if there is no proof."""
        for each in self.table.below([node], self._seen):
            self._seen.add(each)
            operation, _ = self.table.parts(each)
            selects = operation is not None and operation.name not in ARITHMETIC
            if selects and each not in self.known and self.table.size(each) == self.dtype.itemsize:
                found = self._found(each)
                if found:
                    self.known[each] = found
        return self.known.get(node, frozenset())

    def _found(self, node: int) -> Found:
        parts = self._nearest(node)
        if not parts or len(parts) > _MOST:
            return frozenset()
        self._made_of[node] = frozenset(parts)
        new = {part: part if part & 1 else self._leaf(at) for at, part in enumerate(parts)}
        made = self.prover.rebuilt(node, dict(new))
        whole = tuple(sorted(set(new.values())))
        value, *every = (lane(self.table, each, self.dtype) for each in (made, *whole))
        if not self._never(reduce(and_, [each < value for each in every]), made, whole, 0):
            return frozenset()
        found: Found = frozenset()
        for part, variable in new.items():
            if self._never(value < lane(self.table, variable, self.dtype), made, whole, variable):
                found |= self.known[part]
        self.among[node] = frozenset().union(*(self.among[part] for part in parts))
        return found

    def _never(self, less: Any, made: int, whole: tuple[int, ...], other: int) -> bool:
        """Whether a condition on the value of an expression never holds."""
        told = made, whole, other
        if told not in self._proved:
            if isinstance(less, Lanes) and less.concrete() is None:
                node, false = int(less.nodes()[0]), self.table.constant(0, 1)
                self._proved[told] = self.prover.equal(node, false, True, NOTHING._replace(whole=frozenset(whole)))
            else:
                self._proved[told] = not bool(np.asarray(less).any())
        return self._proved[told]

    def _leaf(self, at: int) -> int:
        while len(self._leaves) <= at:
            self._leaves.append(int(self.table.inputs(f"@part{len(self._leaves)}", 1, self.dtype.itemsize)[0]))
        return self._leaves[at]

    def _nearest(self, node: int) -> list[int]:
        found = self.table.nearest(node, self.known.__contains__, _MOST)
        while inner := next((each for each in found if not self._made_of.get(each, _NO_PARTS).isdisjoint(found)), 0):
            found.remove(inner)  # it selects among other parts of this list, which a variable would hide
            found += self._made_of[inner].difference(found)
        return sorted(found)


_NO_PARTS: Found = frozenset()
