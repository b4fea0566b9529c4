"""Elements of narrow types as the code widens them: replace every part of the roots that is a widened element.

    roots = Elements(prover, wanted, nan).put_in(roots)      wanted: nodes of one input each

Code widens elements in several ways, which are compared by trying all inputs. If the code moves bits of elements in
their own type, as an AND of signs does, these operations become operations on the widened elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..equality import Prover
from ..exhaustive import Exhaustive, Nan
from ..facts import NOTHING
from ..values import WIDE, Table, place

_BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")


class Elements:
    """The nodes to be recognised, each made of a single input that is no wider: elements, or conditions on bits of a
    byte.

    nan     tells which bits of a widened element are NaN; these count as one value when an element is first recognised
    again   whether a node made of an element may be recognised as an element, as its absolute value is
    """

    def __init__(self, prover: Prover, wanted: Sequence[int], nan: Nan | None, again: bool) -> None:
        self.prover, self.table, self.nan, self.again = prover, prover.table, nan, again
        self.by_inputs = Exhaustive(self.table)
        self.wanted: dict[int, list[int]] = {}  # keyed by the input that they are made of
        for node in dict.fromkeys(wanted):
            leaves = [each for each in self.table.below([node]) if self.table.leaf(each) is not None]
            if len(leaves) == 1 and self.table.size(leaves[0]) <= self.table.size(node):
                self.wanted.setdefault(leaves[0], []).append(node)
        self.made: dict[int, int] = {}
        """The code's nodes for the elements, keyed by the wanted nodes."""
        self.new: dict[int, int] = {}
        """What became of each node below the roots."""

    def put_in(self, roots: Sequence[int]) -> list[int]:
        """Return the roots with each element in the form in which the code first makes it."""
        only: dict[int, int] = {}
        new = self.new
        above: set[int] = set()
        for node in self.table.below(roots):
            leaf = self.table.only_leaf(node, only)
            reads = not above.isdisjoint(self.table.arguments(node))
            element = None if reads else self._element(node, leaf)
            if not self.again and (element is not None or reads):
                above.add(node)
            made = self._widened(node, new) if element is None else element
            new[node] = self.prover.rebuilt_once(node, NOTHING, new) if made is None else made
        return [new[root] for root in roots]

    def _element(self, node: int, leaf: int) -> int | None:
        """Return the element that a node equals, in the code's form, or None."""
        for wanted in self.wanted.get(leaf, ()):
            if self.table.size(node) != self.table.size(wanted):
                continue
            known = self.made.get(wanted)
            if known is not None and (node == known or self.by_inputs.equal(node, known)):
                return known
            if known is None and (node == wanted or self.by_inputs.equal(node, wanted, self.nan)):
                self.made[wanted] = node
                return node
        return None

    def _widened(self, node: int, new: dict[int, int]) -> int | None:
        """Return an operation on wide elements for bits that are combined in their own type and then placed above
        zeros, or None."""
        if not node & 1:
            return None
        data = self.table.specials[node >> 1]
        zeros = next((at for at, byte in enumerate(data) if byte >= 0), 0)
        if not zeros or any(byte != -1 for byte in data[:zeros]):
            return None
        inner = place(data[zeros])[0]
        operation, _ = self.table.parts(inner)
        whole = data[zeros:] == self.table.split(inner, self.table.size(inner))
        return self._wide(inner, zeros, new) if whole and operation and operation.name in _BITWISE else None

    def _wide(self, node: int, zeros: int, new: dict[int, int]) -> int:
        operation, args = self.table.parts(node)
        size = self.table.size(node) + zeros
        if operation is None or operation.name not in _BITWISE:
            narrow = new.get(node, node)
            return self.table.joined((*[-1] * zeros, *self.table.split(narrow, self.table.size(narrow))))
        name = f"u{size}"
        parts: list[Any] = [np.array([self._wide(arg, zeros, new)]) for arg in args]
        key = (operation.name, name, WIDE)  # no rewrite may narrow it again
        return int(self.table.apply(key, operation.function, (name, name), name, parts)[0])


def conditions_of(table: Table, roots: Sequence[int]) -> list[int]:
    """Return every condition that the nodes are made of."""
    operations = ((node, table.parts(node)[0]) for node in table.below(roots))
    return [node for node, operation in operations if operation is not None and operation.to == "b1"]
