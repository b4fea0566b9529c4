"""What a drawing of a table shows: panels of series, from the columns and the rows, before anything is drawn.

A table needs no declaration to be drawn. Its columns without digits name the rows; of its figures, those are drawn that
the most columns count in the same unit, as the times of several contenders. They are bars beside each other, in a group
for each row, or points on a logarithmic axis if they differ by more than SPAN. A `Plot` says what else to draw, such as
one figure against another:

    Table(..., plot=Plot("times as fast as dense=of dense:2", x="sparsity:0%", by=("block",), joined=True, log="y"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, isfinite, nan

from ...encoder.records import NamedTuple
from .table import SCALES, Column, Row, columns

SPAN = 100.0
"""The quotient of the largest and the least figure above which bars on a linear axis would hide the small ones."""
UNITS = {"n": "ns", "u": "us", "m": "ms", "k": "thousands", "M": "millions", "G": "1e9", "%": "%", "KiB": "KiB", "": ""}
"""What an axis counts, by the unit of columns. Columns without a prefix of seconds say it in their headings."""

_SPEEDS = ("n", "u", "m", "G")
"""The units of times and rates."""
POINTS, JOINED, DASHED = "o", "o-", "--"


class Plot(NamedTuple):
    """How a table is drawn, as far as its columns do not say it.

    figures  the figures that are drawn, as columns (table.py); empty: those of the unit that most columns have
    unit     what the axis of figures counts; empty: what the headings say
    x        the figure along the horizontal axis, as a column; empty: rows are groups of bars
    by       keys whose values tell the curves or points of a panel apart
    panel    a key whose values have a panel each
    joined   whether the points of a curve are joined by lines
    log      the axes that are logarithmic: "x", "y" or "xy"
    rows     makes the rows that are drawn from those of the table
    beside   further curves by their names, as those of a paper: figures by those of `x`, in SI units as rows have them
    drawn    whether the table is drawn at all: another one may show its figures
    """

    figures: str = ""
    unit: str = ""
    x: str = ""
    by: Sequence[str] = ()
    panel: str = ""
    joined: bool = False
    log: str = ""
    rows: Callable[[Sequence[Row]], Iterable[Row]] = list
    beside: Mapping[str, Mapping[float, float]] = {}
    drawn: bool = True


class Curve(NamedTuple):
    """Figures of one name. Of bars, `x` counts the rows from 0. `form` is that of matplotlib: points, joined points, or
    a dashed line."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    form: str = POINTS


class Subplot(NamedTuple):
    """A panel: its title, what its axes count, its curves. `groups` are names of rows, whose figures lie beside each
    other; without them, curves are drawn along `x`."""

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    groups: Sequence[str] = ()
    log: str = ""


class Chart(NamedTuple):
    """The drawing of a table: its title and its panels."""

    title: str
    panels: Sequence[Subplot]


def chart(title: str, of: Sequence[Column], rows: Sequence[Row], plot: Plot | None = None) -> Chart | None:
    """Return the drawing of a table, or None if it has no figures, or others show them."""
    plot = plot or Plot()
    if not plot.drawn:
        return None
    shown = [*plot.rows(rows)]
    figures = [each for each in columns(plot.figures) or _main(of, shown) if _numbers(each, shown)]
    if not figures:
        return None
    names, unit = _named(figures)
    named = dict(zip(names, figures))
    unit = plot.unit or unit
    if plot.x:
        (x,) = columns(plot.x)
        parts = dict.fromkeys(row[plot.panel] if plot.panel else "" for row in shown)
        panels = [_curves(plot, x, named, unit, part, shown) for part in parts]
    else:
        panels = [_groups(of, named, unit, shown, plot.log)]
    return Chart(title, panels)


def _main(of: Sequence[Column], rows: Sequence[Row]) -> list[Column]:
    """Return the figures that most contenders have in common: of columns that count the same, the most. Times and rates
    go before shares and sizes, and these before numbers without a unit, which need the same number of digits."""
    kinds: dict[object, list[Column]] = {}
    counted: dict[str, str] = {}
    for each in of:
        if each.digits is not None and _numbers(each, rows):
            counted[each.unit] = _rate(each) or counted.get(each.unit, "")
            kinds.setdefault((each.unit, counted[each.unit]) if each.unit else each[2:], []).append(each)
    return max(kinds.values(), key=lambda some: (some[0].unit in _SPEEDS, some[0].unit != "", len(some)), default=[])


def _rate(column: Column) -> str:
    """Return the word of a heading that is a rate, as GB/s; empty if it has none."""
    return next((word for word in column.heading.split() if "/" in word), "")


def _numbers(column: Column, rows: Iterable[Row]) -> bool:
    """Whether some row has a number in this column."""
    return any(isfinite(_number(column, row)) for row in rows)


def _number(column: Column, row: Row) -> float:
    """Return a figure in the unit of its column; NaN if it was not measured or is a text. Some older tables of
    docs/results have their numbers as cells."""
    figure = row.get(column.key)
    try:
        return float(figure.replace(",", "") if isinstance(figure, str) else figure) * SCALES[column.unit]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return nan


def _named(figures: Sequence[Column]) -> tuple[list[str], str]:
    """Return the names of figures in a legend, and what their axis counts: a heading has both, as in "copy, ms". One
    that is only the unit is that of our own figure."""
    if len(figures) == 1:
        return [figures[0].heading], figures[0].heading
    unit = next(filter(None, map(_rate, figures)), UNITS[figures[0].unit])
    words = ([word for word in each.heading.replace(",", " ").split() if word != unit] for each in figures)
    return [" ".join(each) or "ours" for each in words], unit


def _groups(of: Sequence[Column], figures: Mapping[str, Column], unit: str, rows: Sequence[Row], log: str) -> Subplot:
    """Return the panel of a table whose rows are groups of bars."""
    drawn = [row for row in rows if any(_numbers(each, [row]) for each in figures.values())]
    curves = [
        Curve(name, range(len(drawn)), [_number(column, row) for row in drawn]) for name, column in figures.items()
    ]
    found = [each for curve in curves for each in curve.y if isfinite(each)]
    least = min((each for each in found if each > 0), default=inf)
    wide = least < inf and min(found) >= least and max(found) > SPAN * least
    return Subplot("", "", unit, curves, _labels(of, drawn, figures.values()), log or "y" * wide)


def _labels(of: Sequence[Column], rows: Sequence[Row], figures: Iterable[Column]) -> list[str]:
    """Return the names of rows: the texts left of the drawn figures, as far as they differ; numbers with their heading.
    If several rows are named the same, numbers left of them tell the rows apart too, or the texts right of them."""
    keys = [each.key for each in figures]
    first = next((place for place, each in enumerate(of) if each.key in keys), len(of))
    texts = [each for each in of if each.digits is None and each.key not in keys]
    for naming in ([each for each in of[:first] if each in texts], of[:first], texts):
        telling = [each for each in naming if len({each.cell(row) for row in rows}) > 1] or naming
        labels = [", ".join(filter(None, (_label(each, row) for each in telling))) for row in rows]
        if len({*labels}) == len(labels):
            break
    return labels


def _label(column: Column, row: Row) -> str:
    cell = column.cell(row)
    return f"{column.heading} {cell}" if isinstance(row.get(column.key), (int, float)) else cell


def _curves(plot: Plot, x: Column, figures: Mapping[str, Column], unit: str, part: str, rows: Sequence[Row]) -> Subplot:
    """Return the panel of one value of the key of panels: figures against another one."""
    curves: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        if not plot.panel or row[plot.panel] == part:
            told = [f"{key} {row[key]}" if isinstance(row[key], (int, float)) else str(row[key]) for key in plot.by]
            for name, column in figures.items():
                of = " ".join(filter(None, [name] * (len(figures) > 1 or not told) + told))
                for list_, each in zip(curves.setdefault(of, ([], [])), (_number(x, row), _number(column, row))):
                    list_.append(each)
    form = JOINED if plot.joined else POINTS
    made = [Curve(name, *each, form) for name, each in curves.items() if any(map(isfinite, each[1]))]
    to, scale = SCALES[x.unit], SCALES[next(iter(figures.values())).unit]
    beside = [
        Curve(name, [to * at for at in each], [scale * value for value in each.values()], DASHED)
        for name, each in plot.beside.items()
    ]
    return Subplot(part, x.heading + (f", {x.unit}" if x.unit == "%" else ""), unit, [*made, *beside], (), plot.log)
