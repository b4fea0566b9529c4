"""What the papers claim and have, and what was measured here: the rows of `tilesmith papers`.

The rows are data, in papers.json beside this module. A figure of this project is read from docs/results, where it
stands once; a row names the table, the key and the rows.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypedDict

from ...encoder.records import NamedTuple
from ..bench.table import SCALES, geometric_mean

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


class ResultTable(TypedDict):
    """A table of docs/results, as far as it is read here."""

    machine: str
    date: str
    rows: list[dict[str, object]]


class PaperRows(TypedDict):
    """What papers.json holds: keywords of claims, and for each paper what follows it in its items."""

    claims: list[dict[str, Any]]
    items: dict[str, list[list[str]]]


class MeasuredFigure(NamedTuple):
    """A figure of docs/results.

    what    the words before it
    table   family/name
    key     the figure of a row; several, separated by " | ", are read one after the other
    where   the rows that count, by other keys of theirs; none: all
    of      how several rows become one text: "mean" (geometric), "range" (least to most), "text" (cells as they are)
    part    which number of a cell counts, of those that have several, as one for each number of threads
    digits  behind the point; `unit` is one of the units of columns
    drawn   whether it has a bar in the drawing, because it counts what the paper's values count
    """

    what: str
    table: str
    key: str
    where: Mapping[str, object] = {}
    of: str = "mean"
    part: int = 0
    digits: int = 2
    unit: str = ""
    drawn: bool = True

    @property
    def cells(self) -> list[object]:
        """The cells that count. Raises KeyError if there are none."""
        rows = [row for row in result(self.table)["rows"] if all(row.get(key) == at for key, at in self.where.items())]
        found = [row[key] for row in rows for key in self.key.split(" | ") if row.get(key) not in (None, "", "-")]
        if not found:
            raise KeyError(f"docs/results: {self.table} has no {self.key} where {dict(self.where)}")
        return found

    @property
    def numbers(self) -> list[float]:
        """The cells as numbers."""
        return [_number(cell, self.part) for cell in self.cells]

    @property
    def mean(self) -> float:
        """The geometric mean of the cells; NaN if they are texts."""
        return math.nan if self.of == "text" else geometric_mean(self.numbers)

    @property
    def text(self) -> str:
        """The words and the figure."""
        if self.of == "text":
            shown = "; ".join(dict.fromkeys(map(str, self.cells)))
        else:
            ends = [self.mean] if self.of == "mean" else [min(self.numbers), max(self.numbers)]
            texts = dict.fromkeys(f"{each * SCALES[self.unit]:,.{self.digits}f}" for each in ends)
            shown = " to ".join(texts) + (" %" if self.unit == "%" else "")
        return f"{self.what} {shown}"


class PaperClaim(NamedTuple):
    """A claim of a paper that is a measurement.

    name     of the row: `tilesmith papers --run NAME`
    paper    TPP, PARLOOPER, UNIT, AMX or course; `place` is the figure, table or section
    what     what is measured, with the parameters
    value    what the paper has, and `machine` on which machine
    here     what was measured here
    peer     beside what it was measured here
    command  what measures it
    noted    what a page of docs/log has of it, with a link, where no table does
    absent   why this machine cannot show it, or what it cannot show of it
    series   the paper's values of a drawing by their labels, and `unit`, what an axis counts
    """

    name: str
    paper: str
    place: str
    what: str
    value: str
    machine: str
    here: Sequence[MeasuredFigure] = ()
    peer: str = ""
    command: str = ""
    noted: str = ""
    absent: str = ""
    series: Mapping[str, float] = {}
    unit: str = ""

    @property
    def machines(self) -> list[str]:
        """The machines of the figures, each with its day."""
        tables = [result(each.table) for each in self.here]
        return [*dict.fromkeys(f"{each['machine']} ({each['date']})" for each in tables)]


class PaperItem(NamedTuple):
    """A thing that a paper specifies, and how far it is here.

    paper    as of a claim; `place` is the section, figure, table, listing or algorithm
    item     what it is
    state    works, partly or absent
    command  what shows it
    reason   why it is not whole, or what it lacks
    """

    paper: str
    item: str
    place: str
    state: str
    command: str = ""
    reason: str = ""


STATES = ("works", "partly", "absent")


def claims() -> list[PaperClaim]:
    """Return the claims of all papers."""
    return [
        PaperClaim(**{**row, "here": [MeasuredFigure(**each) for each in row.get("here", ())]})
        for row in _rows()["claims"]
    ]


def items() -> list[PaperItem]:
    """Return the items of all papers."""
    return [PaperItem(paper, *row) for paper, rows in _rows()["items"].items() for row in rows]


@cache
def _rows() -> PaperRows:
    found: PaperRows = json.loads((files(__package__) / "papers.json").read_text("utf-8"))
    return found


def result(name: str) -> ResultTable:
    """Return a table of docs/results by family/name."""
    family, _, table = name.partition("/")
    return _family(family)[table]


@cache
def _family(name: str) -> dict[str, ResultTable]:
    path = files(__name__.partition(".")[0]) / "docs" / "results" / f"{name}.json"
    found: dict[str, ResultTable] = json.loads(path.read_text("utf-8"))
    return found


def _number(cell: object, part: int) -> float:
    if isinstance(cell, (int, float)):
        return float(cell)
    return float(_NUMBER.findall(str(cell))[part].replace(",", ""))


def counts(of: Sequence[PaperItem]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield how many items of each paper are in each state, and last those of all."""
    for paper in (*dict.fromkeys(each.paper for each in of), "all"):
        some = [each for each in of if paper in ("all", each.paper)]
        yield paper, {state: sum(each.state == state for each in some) for state in STATES}
