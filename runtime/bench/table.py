"""Tables of figures: columns as text, cells, goals, and the same table for a terminal and for a page.

Columns are one string, separated by semicolons: `heading=key:digits unit`. A key names a figure of a row, which is in
SI units; the unit scales it for the reader: n (nano), u, m, G, k, KiB or % of 1. A `~` at the end asks for the
geometric mean below the rows. Without a key, the heading is the key:

    "layer; rows x columns=shape; ns/element=ours:3n; by copy:2~"
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...encoder.records import NamedTuple

Row = dict[str, Any]
"""The figures of one case by name: numbers in SI units (NaN: not measured), and texts."""
Named = dict[str, Any]
"""Keyword arguments of a request."""
SCALES = {"": 1.0, "n": 1e9, "u": 1e6, "m": 1e3, "k": 1e-3, "M": 1e-6, "G": 1e-9, "%": 100.0, "KiB": 2.0**-10}


class Column(NamedTuple):
    """A figure of every row: its heading, its key, how many digits it has (none: as it is), its unit."""

    heading: str
    key: str
    digits: int | None = None
    unit: str = ""
    averaged: bool = False

    def value(self, figure: object) -> str:
        """Return the cell of a figure. What was not measured is a dash."""
        if figure is None or isinstance(figure, float) and math.isnan(figure):
            return "-"
        if self.digits is None or not isinstance(figure, (int, float)):
            return str(figure)
        return f"{figure * SCALES[self.unit]:,.{self.digits}f}"

    def cell(self, row: Mapping[str, object]) -> str:
        """Return the cell of a row; it is empty if the row has no such figure."""
        return self.value(row[self.key]) if self.key in row else ""


def columns(text: str) -> tuple[Column, ...]:
    """Return the columns of a text (see above)."""
    made = []
    for part in filter(None, map(str.strip, text.split(";"))):
        averaged = part.endswith("~")
        heading, _, key = part.rstrip("~").rpartition("=")
        key, _, form = key.partition(":")
        digits = form[:1]
        made.append(Column(heading or key, key, int(digits) if digits else None, form[1:].strip(), averaged))
    return tuple(made)


def measured(shown: Sequence[Column], rows: Sequence[Row]) -> list[Column]:
    """Return the columns of which some row has a figure: a library that is missing has none."""
    return [each for each in shown if any(each.cell(row) not in ("", "-") for row in rows)]


def means(shown: Sequence[Column], rows: Sequence[Row]) -> list[str]:
    """Return the last line of a table: geometric means of the columns that ask for them."""

    def mean(column: Column) -> str:
        if not column.averaged:
            return ""
        figures = [row[column.key] for row in rows if column.key in row]
        return column.value(geometric_mean(each for each in figures if each is not None))

    cells = [mean(column) for column in shown]
    return ["geometric mean", *cells[1:]] if any(cells) and len(rows) > 1 else []


def markdown(shown: Sequence[Column], rows: Sequence[Row]) -> str:
    """Return the table of a page. Columns of figures are right-aligned."""
    lines = [[column.cell(row) for column in shown] for row in rows]
    lines += [last] if (last := means(shown, rows)) else []
    rule = ["---" if column.digits is None else "--:" for column in shown]
    return "\n".join(
        f"| {' | '.join(cells)} |" if cells is not rule else f"|{'|'.join(rule)}|"
        for cells in ([column.heading for column in shown], rule, *lines)
    )


# Goals


class WrongResult(RuntimeError):
    """A contender's result differs from NumPy's by more than rounding explains, so its speed means nothing."""


class Goal(NamedTuple):
    """A figure and its bound. NaN is a figure that could not be measured."""

    what: str
    wanted: float
    found: float
    unit: str = ""  # a unit means an upper bound, in seconds ("s") or as a multiple; ratios ("") have a lower bound

    @property
    def state(self) -> str:
        """The state in words."""
        if math.isnan(self.found):
            return "not measured"
        reached = self.found <= self.wanted if self.unit else self.found >= self.wanted
        return "reached" if reached else "NOT REACHED"

    @property
    def row(self) -> Row:
        """The row of a table of goals."""
        relation = "<=" if self.unit else ">="
        return {
            **self._asdict(),
            "state": self.state,
            "bound": f"{relation} {_figure(self.wanted, self.unit)}",
            "figure": _figure(self.found, self.unit),
        }


class Wanted(NamedTuple):
    """A goal of a table's figure: `what` names keys of the rows in braces, and rows of which it gives the same text
    have one goal, which their mean, least or most reaches. A text as bound is the key of a figure."""

    what: str
    wanted: float | str
    figure: str
    of: Callable[[Iterable[float]], float] = min
    unit: str = ""
    where: Mapping[str, object] = {}


def goals(wanted: Iterable[Wanted], rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals of figures that were measured. `where` are the keys of rows and their values."""
    for each in wanted:
        texts: dict[str, list[Row]] = {}
        for row in rows:
            measured = each.figure in row and math.isfinite(
                row[each.figure] if row[each.figure] is not None else math.nan
            )
            if measured and all(row.get(key) == value for key, value in each.where.items()):
                texts.setdefault(each.what.format(**row), []).append(row)
        for what, some in texts.items():
            bound = some[0][each.wanted] if isinstance(each.wanted, str) else each.wanted
            if bound:
                yield Goal(what, bound, each.of(row[each.figure] for row in some), each.unit)


GOAL_COLUMNS = columns("goal=what; wanted=bound; found=figure; =state")


def _figure(value: float, unit: str) -> str:
    """Format a ratio, or seconds in a suitable unit."""
    if math.isnan(value):
        return "-"
    if unit != "s":
        return f"{value:.3f} {unit}".rstrip()
    scale, name = next(((s, n) for s, n in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")) if abs(value) >= s), (1e-9, "ns"))
    return f"{value / scale:.3g} {name}"


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean: NaN if one of the values is, or if there are none."""
    logs = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logs)) if logs else math.nan


def finite(value: object) -> object:
    """Replace every figure that could not be measured by None: JSON has neither NaN nor infinities."""
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
