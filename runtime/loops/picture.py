"""The iteration space of a nest as an SVG picture: who computes what, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from .code import Node
from .grammar import Range
from .walk import iterations

CELL = 14
MOST = 96
"""Cells along an axis: of more iterations several are one cell."""
_MARGIN, _LINE = 34, 18
_LINES = 1024  # cells up to which the way of each worker is drawn

Cell = tuple[int, int]


def svg(title: str, nodes: Sequence[Node], loops: Mapping[str, Range], names: Mapping[str, str], axes: str,
        workers: int) -> str:  # fmt: skip
    """Rows are the first letter of `axes`, columns the second. A worker has a colour, which darkens with its time: the
    number of the call with which it first comes to a cell, of all its calls."""
    rows, columns = (_Axis(letter, loops[letter], names[letter]) for letter in axes)
    ways = [_way(nodes, rows, columns, worker, workers) for worker in range(workers)]
    width = max(columns.cells * CELL + 2 * _MARGIN, 7 * len(title) + _MARGIN, 420)
    height = rows.cells * CELL + 3 * _MARGIN + _LINE
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             f'font-size="12"><rect width="100%" height="100%" fill="white"/>',
             f'<text x="{_MARGIN}" y="{_LINE}">{escape(title)}: {workers} workers, lighter is earlier</text>',
             f'<text x="{_MARGIN}" y="{_MARGIN + _LINE - 6}">{columns.text}</text>',
             f'<text transform="translate({_MARGIN - 8},{_MARGIN + _LINE + rows.cells * CELL}) rotate(-90)">'
             f"{rows.text}</text>"]  # fmt: skip
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

    def cell(self, value: int) -> int:
        return (value - self.loop.start) // self.loop.step // self.each


def _way(nodes: Sequence[Node], rows: _Axis, columns: _Axis, worker: int, workers: int) -> list[tuple[Cell, float]]:
    """The cells of a worker in the order in which it first comes to them, and when, from 0 to 1."""
    first: dict[Cell, int] = {}
    count = 0
    for _, at in iterations(nodes, worker, workers):
        if rows.name in at and columns.name in at:
            first.setdefault((rows.cell(at[rows.name]), columns.cell(at[columns.name])), count)
        count += 1
    return [(cell, time / max(count - 1, 1)) for cell, time in first.items()]


def _cells(way: Sequence[tuple[Cell, float]], worker: int, workers: int) -> list[str]:
    side = f'width="{CELL - 1}" height="{CELL - 1}"'
    return [f'<rect x="{x}" y="{y}" {side} fill="{_colour(worker, workers, time)}"/>'
            for (x, y), time in ((_corner(cell), time) for cell, time in way)]  # fmt: skip


def _corner(cell: Cell) -> tuple[int, int]:
    row, column = cell
    return _MARGIN + column * CELL, _MARGIN + _LINE + row * CELL


def _colour(worker: int, workers: int, time: float) -> str:
    return f"hsl({360 * worker // workers + 210},60%,{85 - round(50 * time)}%)"


def _line(cells: Sequence[Cell]) -> str:
    points = " ".join(f"{x + CELL // 2},{y + CELL // 2}" for x, y in map(_corner, cells))
    return f'<polyline points="{points}" fill="none" stroke="black" stroke-opacity="0.4"/>'
