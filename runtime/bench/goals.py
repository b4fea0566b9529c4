"""What the benchmarks share: goals with their states, means, figures in print and in files."""

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
    """A contender's result is further from NumPy's than rounding explains: its speed means nothing."""


class Goal(NamedTuple):
    """A figure with the bound it must keep; NaN is a figure that could not be measured."""

    what: str
    wanted: float
    found: float
    unit: str = (
        ""  # what has one is bounded from above, in seconds ("s") or times another figure; ratios ("") from below
    )

    @property
    def state(self) -> str:
        """In words."""
        if math.isnan(self.found):
            return "not measured"
        reached = self.found <= self.wanted if self.unit else self.found >= self.wanted
        return "reached" if reached else "NOT REACHED"


def without_nan(value: Any) -> Any:
    """None for every figure that could not be measured: JSON has neither NaN nor infinities."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def saved(goals: Sequence[Goal]) -> list[dict[str, Any]]:
    """Goals as a file has them."""
    return [{**goal._asdict(), "state": goal.state} for goal in goals]


def write_json(path: str | Path, report: Any) -> None:
    """A report as JSON; figures that were not measured are null."""
    Path(path).write_text(json.dumps(without_nan(report), indent=1) + "\n")


def geometric_mean(values: Iterable[float]) -> float:
    """NaN if one of them is, or if there are none."""
    logs = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logs)) if logs else math.nan


def shown(value: float, digits: int) -> str:
    """A figure with so many digits, or a dash."""
    return "-" if math.isnan(value) else f"{value:,.{digits}f}"


def goal_table(goals: Sequence[Goal]) -> Table:
    """Every goal with its state."""
    table = Table(title="Goals", title_justify="left")
    for heading, justify in (("figure", "left"), ("wanted", "right"), ("found", "right"), ("", "left")):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for goal in goals:
        relation, style = ("<=" if goal.unit else ">="), ("red" if goal.state == "NOT REACHED" else "")
        table.add_row(goal.what, f"{relation} {_figure(goal.wanted, goal.unit)}", _figure(goal.found, goal.unit),
                      goal.state, style=style)  # fmt: skip
    return table


def _figure(value: float, unit: str) -> str:
    """A ratio, or seconds in the unit that suits them."""
    if math.isnan(value):
        return "-"
    if unit != "s":
        return f"{value:.3f} {unit}".rstrip()
    scale, name = next(((s, n) for s, n in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")) if value >= s), (1e-9, "ns"))
    return f"{value / scale:.3g} {name}"
