"""Equality by all inputs: nodes of at most 16 bits of inputs, both evaluated on each of them.

    Exhaustive(table).equal(x, y, nan)      nan: which bit patterns are NaN, which are one value

Elements of one form, which differ only in the inputs that they are made of, are evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .concrete import evaluated
from .values import INPUT, Array, Table, place

BITS = 16
"""Of inputs that are tried in all combinations."""
Nan = Callable[[Array], Array]


def form_of(table: Table, x: int, y: int) -> Any:
    """What both nodes are, leaves by the order in which they appear: what is proved of a pair holds for all of its
    form."""
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
    """Comparisons of nodes of one table, which remember the forms that they met."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._known: dict[Any, bool] = {}

    def equal(self, x: int, y: int, nan: Nan | None = None) -> bool | None:
        """Whether both are the same for all inputs; None where there are too many, or what is no input."""
        leaves = self._leaves(x, y)
        if leaves is None or 8 * sum(map(self.table.size, leaves)) > BITS:
            return None
        form = form_of(self.table, x, y)
        found = self._known.get(form)
        if found is None:
            found = self._known[form] = self._evaluated(x, y, leaves, nan)
        return found

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
        sizes = [self.table.size(leaf) for leaf in leaves]
        count = 1 << 8 * sum(sizes)
        data = np.arange(count, dtype="<u4").view(np.uint8).reshape(count, 4)
        starts = dict(zip(leaves, np.cumsum([0, *sizes]).tolist()))

        def given(leaf: int) -> Array:
            return data[:, starts[leaf] : starts[leaf] + self.table.size(leaf)]

        made = evaluated(self.table, [x, y], given, count)
        size = self.table.size(x)
        first, second = (np.ascontiguousarray(made[node]).view(f"u{size}").reshape(count) for node in (x, y))
        same = first == second
        return bool((same if nan is None else same | (nan(first) & nan(second))).all())


def nan_of(infinity: int) -> Nan:
    """Which bit patterns of a format are NaN: those above infinity, of either sign."""

    def function(bits: Array) -> Array:
        top = bits.dtype.type(1 << 8 * bits.dtype.itemsize - 1)
        found: Array = (bits & ~top) > bits.dtype.type(infinity)
        return found

    return function
