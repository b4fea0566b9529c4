"""Shared parts of the benchmarks: goals and their states, means, and the formatting of figures."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from ...encoder.records import NamedTuple


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


def without_nan(value: Any) -> Any:
    """Replace every figure that could not be measured by None: JSON has neither NaN nor infinities."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def saved(goals: Sequence[Goal]) -> list[dict[str, Any]]:
    """Return goals as a file stores them."""
    return [{**goal._asdict(), "state": goal.state} for goal in goals]


def write_json(path: str | Path, report: Any) -> None:
    """Write a report as JSON; figures that were not measured are null."""
    Path(path).write_text(json.dumps(without_nan(report), indent=1) + "\n")


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean: NaN if one of the values is, or if there are none."""
    logs = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logs)) if logs else math.nan


def shown(value: float, digits: int) -> str:
    """Format a figure with this many digits, or as a dash."""
    return "-" if math.isnan(value) else f"{value:,.{digits}f}"


def goal_table(goals: Sequence[Goal]) -> Table:
    """Return a table of every goal with its state."""
    table = Table(title="Goals", title_justify="left")
    for heading, justify in (("figure", "left"), ("wanted", "right"), ("found", "right"), ("", "left")):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for goal in goals:
        relation, style = ("<=" if goal.unit else ">="), ("red" if goal.state == "NOT REACHED" else "")
        table.add_row(goal.what, f"{relation} {_figure(goal.wanted, goal.unit)}", _figure(goal.found, goal.unit),
                      goal.state, style=style)  # fmt: skip
    return table


def _figure(value: float, unit: str) -> str:
    """Format a ratio, or seconds in a suitable unit."""
    if math.isnan(value):
        return "-"
    if unit != "s":
        return f"{value:.3f} {unit}".rstrip()
    scale, name = next(((s, n) for s, n in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")) if value >= s), (1e-9, "ns"))
    return f"{value / scale:.3g} {name}"
