"""Registers that carry data from one iteration to the next: compute their contents after each iteration in turn.

The body was executed once, so the final contents of its registers are expressions of their initial contents and of the
loaded elements. Substituting the contents before the first iteration gives those after it, and so on. The resulting
nodes are the ones that executing the iterations would make. Only nodes are created, level by level; nothing is decoded
or executed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.memory import WRITE
from ..lanes import COMMUTING
from ..values import UNDEFINED, Array, Operation, Table, place
from .body import PLACEHOLDERS, BodyAccess, CarriedBytes, NoSummary, roots_of

SIGNED = ("multiply", "fma")
"""Operations of which nothing can be simplified if the body has it in its simplest form, but for signs: which factor
has that of the product depends on the order of the factors."""
_Group = tuple[Operation, Array, list[Array]]


class Carried:
    """The registers that the body changes."""

    def __init__(
        self,
        table: Table,
        slots: Sequence[CarriedBytes],
        held: Mapping[str, Any],
        accesses: Sequence[BodyAccess],
        state: Any,
    ) -> None:
        """`held` is the contents of the registers after the body, `state` the contents before the first iteration."""
        self.table, self.state = table, state
        behind = [
            table.joined(tuple(held[each.kind][each.row, each.at : each.at + each.size, 0].tolist())) for each in slots
        ]
        stores = [each for each in accesses if each.access & WRITE]
        self.stored = list(dict.fromkeys(node for each in stores for node in roots_of(each.raw)))
        below = set(table.below(list(dict.fromkeys([*self.stored, *behind]))))
        self.read = [slot for slot in slots if slot.node in below]
        """The registers that the body reads before it writes them."""
        self._behind = [node for slot, node in zip(slots, behind) if slot.node in below]
        self._steps: _Steps | None = None
        self.left: list[int] = []

    def iterated(self, loaded: Mapping[int, Array], count: int) -> dict[int, Array]:
        """Return, for each stored node of the body, its value in each of `count` iterations. `loaded` holds the loaded
        values of each iteration."""
        stored, behind = self.stored, self._behind
        if self._steps is None:
            self._steps = _Steps(self.table, [*loaded, *[slot.node for slot in self.read]], [*behind, *stored])
        values, places = self._steps.values, self._steps.places
        given = np.array(list(loaded.values()), np.int64).reshape(len(loaded), count)
        first, last = len(loaded), len(loaded) + len(self.read)
        values[first:last] = [self._before(slot) for slot in self.read]
        next_ones = np.array([places[node] for node in behind])
        kept = np.array([places[node] for node in stored], np.int64)
        rows = np.empty((count, len(stored)), np.int64)
        for at in range(count):
            values[:first] = given[:, at]
            self._steps.run()
            rows[at] = values[kept]
            values[first:last] = values[next_ones]
        self.left = values[first:last].tolist()
        return {node: rows[:, at] for at, node in enumerate(stored)}

    def put(self) -> None:
        """Set the registers to their contents after the last iteration."""
        for slot, node in zip(self.read, self.left):
            self._raw(slot)[...] = self.table.split(node, slot.size)

    def _before(self, slot: CarriedBytes) -> int:
        return self.table.joined(tuple(self._raw(slot).tolist()))

    def _raw(self, slot: CarriedBytes) -> Array:
        held = self.state.vectors if slot.kind == "vectors" else self.state.predicates
        found: Array = held.raw[slot.row, slot.at : slot.at + slot.size, 0]
        return found


class _Steps:
    """The nodes of one iteration, grouped by operation and level so that no node of a group is part of another."""

    def __init__(self, table: Table, given: Sequence[int], roots: Sequence[int]) -> None:
        """`given` lists the nodes that differ in each iteration."""
        self.table = table
        levels = dict.fromkeys(given, 0)
        order = list(table.below(list(dict.fromkeys(roots)), levels))
        self.places = {node: at for at, node in enumerate([*given, *order])}
        self.values: Array = np.array(list(self.places), np.int64)
        joined: dict[int, list[int]] = {}
        made: dict[tuple[int, Operation], list[int]] = {}
        for node in order:
            below = [levels[arg] for arg in table.arguments(node) if arg in levels]
            if not below:  # the same in each iteration
                leaf = table.leaf(node)
                if leaf is not None and leaf[0] == UNDEFINED and leaf[1] in PLACEHOLDERS:
                    raise NoSummary("an iteration depends on one of before")
                continue
            level = levels[node] = 1 + max(below)
            operation, _ = table.parts(node)
            if operation is None:
                joined.setdefault(level, []).append(node)
            else:
                made.setdefault((level, operation), []).append(node)
        self.levels: list[tuple[list[_Group], list[int]]] = []
        for level in range(1, 1 + max(levels.values(), default=0)):
            groups = [self._group(each, nodes) for (at, each), nodes in made.items() if at == level]
            self.levels.append((groups, joined.get(level, [])))

    def _group(self, operation: Operation, nodes: list[int]) -> _Group:
        places, entries = self.places, self.table.entries
        operands = zip(*[entries[node >> 1][1] for node in nodes])
        return (
            operation,
            np.array([places[node] for node in nodes]),
            [np.array([places[arg] for arg in each]) for each in operands],
        )

    def run(self) -> None:
        """Compute the values of all nodes from those of the given ones."""
        values, table = self.values, self.table
        for groups, joined in self.levels:
            for operation, to, arguments in groups:
                operands = [values[each] for each in arguments]
                if operation.name in COMMUTING:
                    operands[:2] = np.minimum(operands[0], operands[1]), np.maximum(operands[0], operands[1])
                if self._plain(operation, operands):
                    values[to] = table.instances(operation, operands)
                else:
                    values[to] = table.apply(operation.key, operation.function, operation.types, operation.to, operands)
            for node in joined:
                values[self.places[node]] = self._joined(node)

    def _plain(self, operation: Operation, operands: list[Array]) -> bool:
        """Whether nothing can be simplified. For products, only signs could be."""
        signs = operation.name in SIGNED and not self.table.flips
        return (operation.simplify is None or signs) and not any((each & 1).any() for each in operands)

    def _joined(self, node: int) -> int:
        """Return the concatenation of bytes of several nodes."""
        table, data = self.table, []
        for byte in table.specials[node >> 1]:
            if byte >= 0:
                of, which = place(byte)
                byte = table.split(int(self.values[self.places[of]]), table.size(of))[which]
            data.append(byte)
        return table.joined(tuple(data))
