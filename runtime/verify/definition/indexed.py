"""Traced functions with rows by an index, for given indices: each row is computed from the rows that its indices name.

Rows are processed in order. If an index repeats, the last row wins, or each row adds to what the earlier ones left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ....emulation.symbolic.values import encoded
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.indexed.spec import IndexedSpec
from .algebra import Algebra, Array
from .elementwise import elementwise


class RowsOfIndices:
    """The rows that the indices of a call name."""

    def __init__(self, spec: IndexedSpec, algebra: Algebra) -> None:
        self.spec, self.algebra = spec, algebra
        self.index = {name: algebra.arrays[name].reshape(-1).astype(np.int64) for name in spec.limits}

    def inside(self, found: Any) -> Array:
        """Return which rows have an index inside their table."""
        index = self.index[found.by]
        within: Array = (index >= 0) & (index < self.spec.operand(found.table).rows)
        return within

    def raw(self, table: str) -> Array:
        """Return the bytes of the elements of a table before the call."""
        return self.algebra.raw(table, ELEMENT_BYTES[self.spec.operand(table).dtype])

    def given(self, held: Mapping[str, Array]) -> dict[str, Array]:
        """Return the bytes of the rows that the request's inputs are. `held` holds the current bytes of tables that are
        also results."""
        made = {}
        for found in self.spec.gathered:
            inside = self.inside(found)
            rows = (held[found.table] if found.table in held else self.raw(found.table))[
                np.where(inside, self.index[found.by], 0)
            ]
            made[found.name] = np.where(inside[:, None, None], rows, -1)  # the byte 0
        return made

    def before(self) -> dict[str, Array]:
        """Return the bytes, before the call, of the results that rows are scattered into."""
        return {each.table: self.raw(each.table) for each in self.spec.scattered}

    def first_bad(self) -> Array:
        """Return the number of the first row with an index out of range, or -1."""
        outside = np.zeros(self.spec.m, bool)
        for found in self.spec.found:
            outside |= ~self.inside(found)
        return encoded(np.array([int(outside.argmax()) if outside.any() else -1], np.int64))


def indexed(spec: IndexedSpec, algebra: Algebra) -> dict[str, Array]:
    """Return the bytes of each result of an elementwise function. Rows that add to the same position are computed one
    after the other."""
    rows = RowsOfIndices(spec, algebra)
    held, made = rows.before(), dict[str, Array]()
    for chosen in _rounds(rows):
        computes = elementwise(spec.request, algebra.having(rows.given(held)))
        for name, data in computes.items():
            made.setdefault(name, data.copy())[chosen] = data[chosen]
        for found in spec.scattered:
            for row in np.flatnonzero(chosen & rows.inside(found)):
                held[found.table][rows.index[found.by][row]] = computes[found.name][row]
    made |= held
    return made | ({"bad": rows.first_bad()} if spec.bad else {})


def _rounds(rows: RowsOfIndices) -> Iterator[Array]:
    """Yield groups of rows, in order, such that no row needs what another row of its group leaves."""
    turn = np.zeros(rows.spec.m, int)
    for found in rows.spec.scattered:
        index = rows.index[found.by]
        turn = np.maximum(turn, [np.count_nonzero(index[:at] == each) for at, each in enumerate(index)])
    turn = np.maximum.accumulate(turn)
    yield from (turn == each for each in range(turn.max(initial=0) + 1))
