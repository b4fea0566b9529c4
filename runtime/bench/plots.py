"""Drawings of reports: bars beside each other for the contenders of each row of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from .runner import pyplot

if TYPE_CHECKING:
    from pathlib import Path

    from .runner import Report
    from .table import Row


class Bars(NamedTuple):
    """How a table is drawn.

    label     names a row, below its bars
    figures   the figures of a row that are bars, by the names of contenders in the legend; rows may lack some
    unit      what an axis counts, and how much of a figure is one of it
    """

    label: Callable[[Row], str]
    figures: Mapping[str, str]
    unit: tuple[str, float]


def bars(panels: Mapping[str, Bars]) -> Callable[[Report, Path], None]:
    """Return what draws a report: a panel for each table that is named and has rows, a group of bars for each row."""

    def draw(report: Report, path: Path) -> None:
        shown = {name: of for name, of in panels.items() if report.tables.get(name)}
        figure, every = pyplot().subplots(
            1, max(1, len(shown)), figsize=(8 * max(1, len(shown)), 4.5), squeeze=False, layout="constrained"
        )
        for axes, (name, of) in zip(every[0], shown.items()):
            rows, (unit, one) = report.tables[name], of.unit
            every_height = {
                contender: [row.get(key, float("nan")) / one for row in rows] for contender, key in of.figures.items()
            }
            there = {contender: each for contender, each in every_height.items() if any(map(isfinite, each))}
            width = 0.8 / max(1, len(there))
            for number, (contender, heights) in enumerate(there.items()):
                places = [at + (number - (len(there) - 1) / 2) * width for at in range(len(rows))]
                axes.bar(places, heights, width, label=contender)
            axes.set_xticks(range(len(rows)), [of.label(row) for row in rows])
            axes.set(ylabel=unit, title=name)
            axes.legend(frameon=False, fontsize=8)
        figure.suptitle(report.machine, fontsize=8)
        figure.savefig(path)
        pyplot().close(figure)

    return draw
