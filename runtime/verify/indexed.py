"""Traced functions with indexed rows: for given indices, prove that each result row is computed from the named rows.

    calls_of(spec, kind)                            calls with different indices
    expected(spec, call, done, target)              elementwise requests: the bytes of each result, keyed by its name

Functions with reductions or products are handled in traced/by_index.py.

Rows are processed in order. If an index repeats, the last row wins, or each row adds to what the earlier ones left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...emulation.symbolic.values import encoded
from ...encoder.features import Target
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from .elementwise import computed
from .operands import Call, array_of, call_with, number_of, numbers_of

Array = np.ndarray[Any, Any]
INDEXED = "IndexedSpec"
"""The class name of the requests that this module covers."""
_DRAWS = 3


def has_reductions(spec: Any) -> bool:
    """Whether a request reduces the rows that it gathers, or multiplies them."""
    return type(spec.request).__name__ in ("FusedSpec", "ChainSpec")


def calls_of(spec: Any, kind: Any) -> tuple[str, Iterator[Call]]:
    """Return a description of the calls, and an iterator over them."""
    distinct = has_reductions(spec) and bool(spec.scattered)
    words = "indices of which none repeats" if distinct else "indices drawn, repeated, at both ends"
    if not distinct:
        return words, (_call(spec, kind, draw, False) for draw in range(_DRAWS + 4 * (spec.bounds == "kernel")))
    if spec.bounds == "kernel" or any(rows < spec.m for _, rows in spec.limits.values()):
        raise UnsupportedError(
            f"verify: {spec.stem}: reductions whose rows are scattered have a specification only "
            'with bounds="call", and where no index has to repeat'
        )
    return words, (_call(spec, kind, draw, True) for draw in range(_DRAWS))


def _call(spec: Any, kind: Any, draw: int, distinct: bool) -> Call:
    rng = np.random.default_rng(draw)
    given: dict[str, Any] = {
        each.name: array_of(each) if hasattr(each, "dtype") else number_of(each) for each in spec.arguments
    }
    for name, (_, rows) in spec.limits.items():
        drawn = rng.permutation(rows)[: spec.m] if distinct else rng.integers(0, rows, spec.m)
        if not distinct and draw:
            place = (rows - 1, 0, rows, -1, rows + 1, -1)[draw - 1]
            drawn = (
                np.where((np.arange(spec.m) + draw) % 3 == 2, drawn, place)
                if draw < _DRAWS
                else np.where(((np.arange(spec.m) + draw) % 3 == 2) | (draw == _DRAWS + 3), place, drawn)
            )  # of three one, then all
        given[name][...] = drawn.reshape(given[name].shape)
    without = (*spec.limits, "bad")
    data = [each for name, each in given.items() if isinstance(each, np.ndarray) and name not in without]
    made = call_with(spec, kind, list(given.values()), data)
    return made._replace(numbers=numbers_of(spec.request), concrete=frozenset(without), indices=frozenset(spec.limits))


class RowsOfIndices:
    """The rows that the indices of a call name."""

    def __init__(self, spec: Any, call: Call, done: Any) -> None:
        self.spec, self.table, self.inputs = spec, done.table, done.memory.inputs
        self.index = {
            each.name: each.array.reshape(-1).astype(np.int64) for each in call.regions if each.name in spec.limits
        }

    def inside(self, found: Any) -> Array:
        """Return which rows have an index inside their table."""
        index = self.index[found.by]
        within: Array = (index >= 0) & (index < self.spec.operand(found.table).rows)
        return within

    def given(self, held: Mapping[str, Array]) -> dict[str, Array]:
        """Return the nodes of the elements of the request's inputs, with a last axis of length one. `held` holds the
        current bytes of tables that are also results."""
        made = {x.name: self.inputs[x.name] for x in self.spec.request.inputs if x.name in self.inputs}
        for found in self.spec.gathered:
            table = held.get(found.table)
            nodes = self.inputs[found.table][..., 0] if table is None else self.table.nodes_of(table)
            inside = self.inside(found)
            rows = nodes[np.where(inside, self.index[found.by], 0)]
            size = ELEMENT_BYTES[self.spec.operand(found.table).dtype]
            made[found.name] = np.where(inside[:, None], rows, self.table.constant(0, size))[..., None]
        return made

    def before(self) -> dict[str, Array]:
        """Return the bytes, before the call, of the results that rows are scattered into."""
        return {
            each.table: self.table.bytes_of(
                self.inputs[each.table][..., 0], ELEMENT_BYTES[self.spec.operand(each.table).dtype]
            )
            for each in self.spec.scattered
        }

    def first_bad(self) -> Array:
        """Return the number of the first row with an index out of range, or -1."""
        outside = np.zeros(self.spec.m, bool)
        for found in self.spec.found:
            outside |= ~self.inside(found)
        return encoded(np.array([int(outside.argmax()) if outside.any() else -1], np.int64))


def expected(spec: Any, call: Call, done: Any, target: Target) -> dict[str, Array]:
    """Return the expected bytes of each result. Rows that add to the same position are computed one after the other."""
    rows = RowsOfIndices(spec, call, done)
    held, made = rows.before(), dict[str, Array]()
    for chosen in _rounds(rows):
        computes = computed(spec.request, rows.table, rows.given(held), target, call.numbers)
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
