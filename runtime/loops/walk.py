"""The iterations of a nest that one worker runs, in order, as arrays; no address is touched and nothing is executed.

    steps = walk(nest.nodes, worker=0, workers=2)      steps.indices["b1"]: the value of an index in each iteration

Which worker claims what depends on the clock: here they claim in turn.

All levels are unrolled at once, outermost first: each level repeats every row of its input table once per iteration. A
table that grows beyond `most` rows is truncated, and `scale` says how many times more rows there are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...encoder.records import dataclass
from .code import Affine, Barrier, Call, Grid, Header, Loop, Node, Share, When
from .curve import order

MOST = 1 << 14
"""The default number of iterations that are unrolled: half of a product of 2048 cubed in blocks of 64."""
Table = dict[str, Any]


@dataclass(frozen=True)
class WorkerSteps:
    """The first `count` iterations of a worker, which has `scale` times as many; the indices by name, and the calls."""

    indices: Table
    count: int
    scale: float
    body: tuple[Node, ...]

    @property
    def total(self) -> float:
        """The number of iterations of the worker."""
        return self.count * self.scale


def walk(nodes: Sequence[Node], worker: int, workers: int, most: int = MOST) -> WorkerSteps:
    """Walk the loops of a nest as `grammar` makes them: each level has one loop, and the innermost one contains the
    calls."""
    table: Table = {"": np.zeros(1, np.int64)}
    scale = 1.0
    while (inner := loop_of(nodes)) is not None:
        ways: dict[str, int] = {}
        if isinstance(inner, Grid):
            ways = _grid_extents(inner, workers)
            table = _cells(ways, worker, workers)
            table |= {f"@ways{axis}": np.full_like(table[""], number) for axis, number in ways.items()}
        elif isinstance(inner, Share):
            table = shared(inner, table, worker, workers)
        else:
            table = looped(inner, table)
        rows = len(table[""])
        if rows > most:
            table = {name: values[:most] for name, values in table.items()}
            scale *= rows / most
        nodes = inner.body
    return WorkerSteps(table, len(table[""]), scale, tuple(nodes))


def busiest(nodes: Sequence[Node], workers: int) -> int:
    """Return the first worker with the most iterations. Clipped blocks count as whole ones."""
    loads = [walk(nodes, worker, workers, 1).total for worker in range(workers)]
    return loads.index(max(loads))


def values(form: Affine, table: Mapping[str, Any]) -> Any:
    """Return the values of an affine form in all iterations."""
    found = np.full(len(table[""]), form.constant, np.int64)
    for name, factor in form.terms:
        found += factor * table[name]
    return found


def loop_of(nodes: Sequence[Node]) -> Loop | Share | Grid | None:
    """Return the loop among the nodes; the others are barriers and the calls that one worker makes once."""
    found = [node for node in nodes if isinstance(node, (Loop, Share, Grid))]
    return found[0] if len(found) == 1 else None


def _grid_extents(grid: Grid, workers: int) -> dict[str, int]:
    known = math.prod(ways or 1 for _, ways in grid.ways)
    return {axis: ways or max(1, workers // known) for axis, ways in grid.ways}


def _cells(ways: Mapping[str, int], worker: int, workers: int) -> Table:
    """Return a row for each cell of the grid that the worker has. Columns change fastest, layers slowest."""
    cell = np.arange(worker, math.prod(ways.values()), workers, dtype=np.int64)
    table: Table = {"": np.zeros_like(cell)}
    for axis in (each for each in "CRL" if each in ways):
        cell, table[f"@{axis}"] = np.divmod(cell, ways[axis])
    return table


def looped(loop: Loop, table: Table) -> Table:
    """Return the table with a row for each iteration of a loop."""
    header = loop.header
    start = values(header.start, table)
    stops = [values(form, table) for form in header.stop]
    if loop.axis:
        chunk = -(-header.trips // table[f"@ways{loop.axis}"]) * header.step
        start = start + table[f"@{loop.axis}"] * chunk
        stops.append(start + chunk)
    counts = np.maximum(0, -(-(np.minimum.reduce(stops) - start) // header.step))
    rows = np.repeat(np.arange(len(start)), counts)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    made = {name: each[rows] for name, each in table.items()}
    made[header.index] = start[rows] + number * header.step
    return made


def shared(share: Share, table: Table, worker: int, workers: int) -> Table:
    """Return the table with a row for each iteration of loops that a worker gets."""
    places = _iteration_numbers(share, worker, workers)
    rows = np.repeat(np.arange(len(table[""])), len(places))
    made = {name: each[rows] for name, each in table.items()}
    inside = np.ones(len(rows), bool)
    for header, digits in zip(share.headers, _digits(share.headers, places, share.curve)):
        made[header.index] = np.tile(digits * header.step, len(table[""])) + values(header.start, made)
        for form in header.stop[1:]:
            inside &= made[header.index] < values(form, made)
    return made if inside.all() else {name: each[inside] for name, each in made.items()}


def _iteration_numbers(share: Share, worker: int, workers: int) -> Any:
    """Return the numbers of the worker's iterations among those that are divided."""
    total = math.prod(header.trips for header in share.headers)
    if share.schedule == "whole":
        return np.arange(total)
    if share.schedule in ("turns", "claims"):
        everything = np.arange(total)
        return everything[everything // share.chunk % workers == worker]
    return np.arange(total * worker // workers, total * (worker + 1) // workers)


def _digits(headers: Sequence[Header], places: Any, curve: bool) -> list[Any]:
    """Return the iteration number of each loop."""
    if curve:
        return list(order(headers[0].trips, headers[1].trips)[places].T.astype(np.int64))
    found = []
    for header in reversed(headers[1:]):
        places, digits = np.divmod(places, header.trips)
        found.append(digits)
    return [places, *reversed(found)]


def holds(around: Sequence[When], table: Mapping[str, Any]) -> Any:
    """Return a mask of the iterations in which all conditions hold; None: all of them."""
    found = None
    for each in around:
        one = _HOLDS[each.condition](values(each.left, table), 0)
        found = one if found is None else found & one
    return found


_HOLDS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def calls(nodes: Sequence[Node], around: tuple[When, ...] = ()) -> list[tuple[Call, tuple[When, ...]]]:
    """Return the calls with the conditions around them."""
    found: list[tuple[Call, tuple[When, ...]]] = []
    for node in nodes:
        if isinstance(node, Call):
            found.append((node, around))
        elif not isinstance(node, Barrier):
            found += calls(node.body, (*around, node) if isinstance(node, When) else around)
    return found
