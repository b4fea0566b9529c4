"""The drawings of `tilesmith bench graph` and `decode`: a bar for each figure that a row has; a stand-in for matplotlib
sees them."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tilesmith.runtime.bench.cases import decode, graph
from tilesmith.runtime.bench.plots import Bars, bars


class Axes:
    """What is drawn in a panel."""

    def __init__(self) -> None:
        self.drawn: dict[str, Any] = {}
        self.places: dict[str, Any] = {}

    def bar(self, places: Any, heights: Any, width: float, label: str) -> None:
        self.drawn[label], self.places[label] = heights, (places, width)

    def set_xticks(self, places: Any, labels: Any) -> None:
        self.drawn["labels"] = labels

    def set(self, **_: Any) -> None: ...

    def legend(self, **_: Any) -> None: ...


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> list[Axes]:
    made: list[Axes] = []

    def subplots(_: int, count: int, **__: Any) -> Any:
        made.extend(Axes() for _ in range(count))
        figure = SimpleNamespace(suptitle=lambda *_, **__: None, savefig=lambda path: path.write_text("drawn"))
        return figure, [made]

    pyplot: Any = ModuleType("matplotlib.pyplot")
    pyplot.subplots, pyplot.close = subplots, lambda _: None
    monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    return made


def report(**tables: Any) -> Any:
    return SimpleNamespace(machine="a machine", tables={name.replace("_", " "): rows for name, rows in tables.items()})


def test_bars(panels: list[Axes], tmp_path: Path) -> None:
    rows = [{"n": 1, "a": 2.0, "b": 6.0}, {"n": 2, "a": 4.0, "c": math.nan}]
    draw = bars({"t": Bars(lambda row: f"n = {row['n']}", {"A": "a", "B": "b", "C": "c"}, ("halves", 2))})
    draw(report(t=rows), tmp_path / "t.svg")
    (axes,) = panels
    assert (tmp_path / "t.svg").exists() and axes.drawn["labels"] == ["n = 1", "n = 2"]
    assert axes.drawn["A"] == [1, 2] and axes.drawn["B"][0] == 3 and "C" not in axes.drawn
    (first, width), (second, _) = axes.places["A"], axes.places["B"]
    assert width == 0.4 and [b - a for a, b in zip(first, second)] == pytest.approx([0.4, 0.4])


def test_graphs_and_decoding(panels: list[Axes], tmp_path: Path) -> None:
    assert graph.BENCH.plot is not None and decode.BENCH.plot is not None
    graph.BENCH.plot(report(reductions=[{"op": "sum", "threads": 2, "ours": 0.07, "rows": 0.06}]), tmp_path / "g.svg")
    assert panels[0].drawn == {"labels": ["sum\n2 threads"], "ours": [pytest.approx(70)], "rows alone": [60]}
    panels.clear()
    rates = [{"rows": 1, "f32 i4": 12e9, "torch": math.nan}]
    masks = [{"rows": 16, "zeros": 0.75, "masked": 3e9, "dense": 2e9}]
    decode.BENCH.plot(report(decode=rates, bit_masks=masks), tmp_path / "d.svg")
    assert panels[0].drawn == {"labels": ["1 rows"], "f32 by i4": [12]}
    assert panels[1].drawn == {"labels": ["16 rows, 75% zeros"], "bit masks": [3], "dense bf16": [2]}
