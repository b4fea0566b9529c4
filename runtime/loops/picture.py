"""The iteration space of a nest as an SVG picture: which worker computes what, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...microkernels.markup import escaped
from .code import Node
from .grammar import Range
from .walk import walk

CELL = 14
MOST = 96
"""The most cells along an axis; with more iterations, a cell stands for several of them."""
_MARGIN, _LINE = 34, 18
_ITERATIONS = 1 << 20  # the most iterations per worker, from the first one on
_LINES = 1024  # the most cells for which the path of each worker is drawn

Cell = tuple[int, int]


def svg(
    title: str, nodes: Sequence[Node], loops: Mapping[str, Range], names: Mapping[str, str], axes: str, workers: int
) -> str:
    """Return a picture whose rows are the first letter of `axes`, its columns the second. Each worker has a colour,
    which darkens with the number of the iteration in which it first reaches a cell."""
    rows, columns = (_Axis(letter, loops[letter], names[letter]) for letter in axes)
    ways = [_order_of_cells(nodes, rows, columns, worker, workers) for worker in range(workers)]
    width = max(columns.cells * CELL + 2 * _MARGIN, 7 * len(title) + _MARGIN, 420)
    height = rows.cells * CELL + 3 * _MARGIN + _LINE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_MARGIN}" y="{_LINE}">{escaped(title)}: {workers} workers, lighter is earlier</text>',
        f'<text x="{_MARGIN}" y="{_MARGIN + _LINE - 6}">{columns.text}</text>',
        f'<text transform="translate({_MARGIN - 8},{_MARGIN + _LINE + rows.cells * CELL}) rotate(-90)">'
        f"{rows.text}</text>",
    ]
    for worker, way in enumerate(ways):
        parts += _cells(way, worker, workers)
        if len(way) * workers <= _LINES:
            parts.append(_line([cell for cell, _ in way]))
    legend = (f'<tspan fill="{_colour(worker, workers, 0.5)}">{"■"}</tspan> {worker} ' for worker in range(workers))
    parts.append(f'<text x="{_MARGIN}" y="{height - _LINE}">worker {"".join(legend)}</text></svg>')
    return "\n".join(parts)


class _Axis:
    def __init__(self, letter: str, loop: Range, name: str) -> None:
        self.loop, self.name = loop, name
        trips = -(-(loop.stop - loop.start) // loop.step)
        self.each = -(-trips // MOST)
        self.cells = -(-trips // self.each)
        several = f", {self.each} iterations a cell" if self.each > 1 else ""
        self.text = f"{letter}: {loop.start} to {loop.stop} by {loop.step}{several}"

    def cell(self, value: Any) -> Any:
        return (value - self.loop.start) // self.loop.step // self.each


def _order_of_cells(
    nodes: Sequence[Node], rows: _Axis, columns: _Axis, worker: int, workers: int
) -> list[tuple[Cell, float]]:
    """Return the cells of a worker in the order in which it first reaches them, each with that time, from 0 to 1."""
    steps = walk(nodes, worker, workers, most=_ITERATIONS)
    numbers = rows.cell(steps.indices[rows.name]) * columns.cells + columns.cell(steps.indices[columns.name])
    cells, first = np.unique(numbers, return_index=True)
    found = sorted(zip(first.tolist(), cells.tolist()))
    return [(divmod(cell, columns.cells), time / max(steps.count - 1, 1)) for time, cell in found]


def _cells(way: Sequence[tuple[Cell, float]], worker: int, workers: int) -> list[str]:
    side = f'width="{CELL - 1}" height="{CELL - 1}"'
    return [
        f'<rect x="{x}" y="{y}" {side} fill="{_colour(worker, workers, time)}"/>'
        for (x, y), time in ((_corner(cell), time) for cell, time in way)
    ]


def _corner(cell: Cell) -> tuple[int, int]:
    row, column = cell
    return _MARGIN + column * CELL, _MARGIN + _LINE + row * CELL


def _colour(worker: int, workers: int, time: float) -> str:
    return f"hsl({360 * worker // workers + 210},60%,{85 - round(50 * time)}%)"


def _line(cells: Sequence[Cell]) -> str:
    points = " ".join(f"{x + CELL // 2},{y + CELL // 2}" for x, y in map(_corner, cells))
    return f'<polyline points="{points}" fill="none" stroke="black" stroke-opacity="0.4"/>'
