"""Charts drawn by matplotlib, an optional dependency: the only module that draws with it."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from math import ceil
from pathlib import Path
from textwrap import fill
from types import ModuleType
from typing import Protocol

from ...microkernels.errors import UnsupportedError
from .charts import DASHED, Chart, Subplot

WIDTH, HEIGHT = 8.0, 3.6
"""The inches of a chart, and of a row of its panels unless they have bars."""
_BAR, _GAP, _AROUND = 0.13, 0.12, 1.1
"""The inches of a bar, between two groups of them, and of the title, the axis and the legend."""
_LINE = 120
"""The characters of a line at the top."""
_BESIDE = 5
"""The panels beside each other."""
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "tilesmith", "font.size": 8}
"""Text stays text and names do not depend on the time, so that a drawing of the same figures is the same file."""


class DrawnAxis(Protocol):
    """What is used of an axis of matplotlib."""

    def set_major_formatter(self, text: str) -> object: ...


class DrawnAxes(Protocol):
    """What is used of a panel of matplotlib."""

    xaxis: DrawnAxis
    yaxis: DrawnAxis

    def barh(self, places: Sequence[float], widths: Sequence[float], height: float, **named: object) -> object: ...
    def get_legend_handles_labels(self) -> tuple[Sequence[object], Sequence[str]]: ...
    def grid(self, **named: object) -> object: ...
    def plot(self, x: Sequence[float], y: Sequence[float], form: str, **named: object) -> object: ...
    def set(self, **named: object) -> object: ...
    def set_axisbelow(self, below: bool) -> object: ...
    def set_visible(self, visible: bool) -> object: ...
    def set_yticks(self, places: Sequence[float], labels: Sequence[str]) -> object: ...


class DrawnGrid(Protocol):
    """An array of panels."""

    flat: Iterable[DrawnAxes]


class DrawnFigure(Protocol):
    """What is used of a figure of matplotlib, or of a part of one."""

    def legend(self, handles: Iterable[object], labels: Iterable[str], **named: object) -> object: ...
    def savefig(self, path: Path, **named: object) -> object: ...
    def subplots(self, rows: int, columns: int, **named: object) -> DrawnGrid: ...
    def suptitle(self, text: str, **named: object) -> object: ...


def pyplot() -> ModuleType:
    """Return the module of matplotlib that draws. Raises UnsupportedError without it."""
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise UnsupportedError("--plot: needs matplotlib: pip install 'tilesmith[plot]'") from None


def draw(charts: Sequence[Chart], path: Path, head: str, about: str = "") -> None:
    """Draw charts one below the other to a file, whose ending says in which format. `head` stands above them, `about`
    in the metadata of an SVG. Raises ValueError if there are no charts, and UnsupportedError without matplotlib."""
    if not charts:
        raise ValueError("--plot: there is no table with figures to draw")
    plot = pyplot()
    heights = [_height(each) for each in charts]
    with plot.rc_context(_SETTINGS):
        figure = plot.figure(figsize=(WIDTH, sum(heights) + 0.3), layout="constrained")
        figure.suptitle(fill(head, _LINE), fontsize=8)
        bands = figure.subfigures(len(charts), 1, height_ratios=heights, squeeze=False)
        for band, each in zip(bands.flat, charts):
            _chart(band, each)
        save(figure, path, about)
    plot.close(figure)


def save(figure: DrawnFigure, path: Path, about: str = "") -> None:
    """Write a figure to a file. The same figure makes the same SVG, without a date."""
    with pyplot().rc_context(_SETTINGS):
        figure.savefig(path, **({"metadata": {"Date": None, "Description": about}} if path.suffix == ".svg" else {}))


def _height(of: Chart) -> float:
    """Return the inches of a chart."""
    groups = len(of.panels[0].groups)
    if groups:
        bars = 1 if "y" in of.panels[0].log else len(of.panels[0].curves)
        return _AROUND + groups * (bars * _BAR + _GAP)
    return HEIGHT * ceil(len(of.panels) / _BESIDE)


def _chart(band: DrawnFigure, of: Chart) -> None:
    columns = min(_BESIDE, len(of.panels))
    every = band.subplots(ceil(len(of.panels) / columns), columns, squeeze=False, sharex=True, sharey=True)
    names = dict.fromkeys(curve.name for panel in of.panels for curve in panel.curves)
    dashed = {curve.name for panel in of.panels for curve in panel.curves if curve.form == DASHED}
    colors: dict[str, str] = {}
    for some in ([name for name in names if name not in dashed], [name for name in names if name in dashed]):
        colors |= {name: f"C{number}" for number, name in enumerate(some)}
    for axes, panel in zip(every.flat, of.panels):
        (_groups if panel.groups else _curves)(axes, panel, colors)
    for axes in [*every.flat][len(of.panels) :]:
        axes.set_visible(False)
    if of.title:
        band.suptitle(of.title, fontsize=9)
    if len(names) > 1:
        found = dict(each for axes in every.flat for each in zip(*reversed(axes.get_legend_handles_labels())))
        band.legend(found.values(), found.keys(), loc="outside lower center", ncols=4, frameon=False, fontsize=7)


def _groups(axes: DrawnAxes, panel: Subplot, colors: dict[str, str]) -> None:
    """Draw figures of rows beside the names of the rows: as bars, or as points along a logarithmic axis, on which bars
    would have no origin."""
    count = len(panel.curves)
    for number, curve in enumerate(panel.curves):
        if "y" in panel.log:
            axes.plot(curve.y, curve.x, "o", label=curve.name, color=colors[curve.name], markersize=4)
        else:
            width = 0.85 / count
            places = [at + (number - (count - 1) / 2) * width for at in curve.x]
            axes.barh(places, curve.y, width, label=curve.name, color=colors[curve.name])
    axes.set_yticks(range(len(panel.groups)), panel.groups)
    axes.set(xlabel=panel.y, ylim=(len(panel.groups) - 0.5, -0.5))
    if "y" in panel.log:
        _logarithmic(axes, "x")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)


def _curves(axes: DrawnAxes, panel: Subplot, colors: dict[str, str]) -> None:
    for curve in panel.curves:
        axes.plot(curve.x, curve.y, curve.form, label=curve.name, color=colors[curve.name], markersize=4, linewidth=1)
    axes.set(xlabel=panel.x, ylabel=panel.y, title=panel.title)
    for each in panel.log:
        _logarithmic(axes, each)
    axes.grid(alpha=0.3)


def _logarithmic(axes: DrawnAxes, name: str) -> None:
    """Make an axis logarithmic, with plain numbers."""
    axes.set(**{f"{name}scale": "log"})
    (axes.xaxis if name == "x" else axes.yaxis).set_major_formatter("{x:g}")
