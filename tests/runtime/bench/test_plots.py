"""What drawings of benchmarks show, from columns and rows; and that matplotlib, or its stand-in, is given that."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tests import results
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.bench import plots, runner
from tilesmith.runtime.bench.cases import nest, tensorize
from tilesmith.runtime.bench.charts import DASHED, JOINED, Chart, Curve, Plot, Subplot, chart
from tilesmith.runtime.bench.table import Column, Row, columns
from tilesmith.runtime.cli.main import main

ROWS: list[Row] = [
    {"op": "sum", "n": 1, "ours": 2e-9, "them": 6e-9, "by": 3.0, "rate": 5e9},
    {"op": "sum", "n": 2, "ours": 4e-9, "them": math.nan, "rate": 4e9},
    {"op": "sum", "n": 3, "ours": None, "by": 2.0},
]


def panel(text: str, rows: list[Row] = ROWS, plot: Plot | None = None) -> Subplot:
    made = chart("", columns(text), rows, plot)
    assert made is not None
    (found,) = made.panels
    return found


def figures(of: Subplot) -> dict[str, list[float]]:
    return {curve.name: [each for each in curve.y if not math.isnan(each)] for curve in of.curves}


@pytest.mark.parametrize(
    ("text", "unit", "drawn"),
    [
        ("op; n; ns=ours:1n; them, ns=them:0n; by:2~; GB/s=rate:0G", "ns", {"ours": [2, 4], "them": [6]}),
        ("op; n; GB/s=rate:0G; ns=ours:1n", "GB/s", {"GB/s": [5, 4]}),
        ("op; n; GB/s=rate:0G; GFLOP/s=rate:0G; libc=rate:0G", "GFLOP/s", {"ours": [5, 4], "libc": [5, 4]}),
        ("op; n; by:2; them, ns=none:0n", "by", {"by": [3, 2]}),
        ("op; n; of peak=by:2%; by:1; by:1", "of peak", {"of peak": [300, 200]}),
    ],
)
def test_the_figures_of_most_columns(text: str, unit: str, drawn: dict[str, list[float]]) -> None:
    """Times and rates before others, in their unit; rows without any of them are left out."""
    found = panel(text)
    assert found.y == unit and figures(found) == {name: pytest.approx(each) for name, each in drawn.items()}
    assert all(len(curve.y) == len(found.groups) for curve in found.curves)


def test_rows_are_named_by_what_differs() -> None:
    assert panel("op; n; ns=ours:1n").groups == ["n 1", "n 2"]
    assert panel("op; error=by; ns=ours:1n; what=n").groups == ["error 3.0", ""]
    assert panel("op; share=n:1%; ns=ours:1n").groups == ["share 100.0", "share 200.0"]
    assert panel("op; ns=ours:1n", ROWS[:1]).groups == ["sum"]
    assert chart("", columns("op; ns=ours:1n"), ROWS[2:]) is None


def test_figures_that_differ_much_have_a_logarithmic_axis() -> None:
    assert panel("op; n; ns=ours:1n", [{"n": 1, "ours": 1e-9}, {"n": 2, "ours": 1.1e-7}]).log == "y"
    assert panel("op; n; ns=ours:1n", [{"n": 1, "ours": 0.0}, {"n": 2, "ours": 1.1e-7}]).log == ""


def test_curves() -> None:
    rows: list[Row] = [{"f": f, "b": b, "x": x, "y": 10.0 * x + b} for f in "pq" for b in (4, 8) for x in (0.5, 0.25)]
    plot = Plot("speed=y:1", "times", "share=x:0%", ("b",), "f", True, "y", beside={"paper": {0.5: 7.0}})
    made = chart("title", columns("f; b; x:1%; y:1"), rows, plot)
    assert made is not None and [each.title for each in made.panels] == ["p", "q"]
    curves = [
        Curve("b 4", [50, 25], [9, 6.5], JOINED),
        Curve("b 8", [50, 25], [13, 10.5], JOINED),
        Curve("paper", [50], [7], DASHED),
    ]
    assert all(each == Subplot(each.title, "share, %", "times", curves, (), "y") for each in made.panels)
    assert chart("title", columns("f; y:1"), rows, Plot(drawn=False)) is None


def test_rows_that_a_drawing_makes() -> None:
    strings: list[Row] = [{"place": 9, "predicted": 2e-3, "measured": 1e-3}]
    strings += [{"place": 1, "predicted": 1e-3, "measured": 4e-3}]
    best, other = nest._by_the_model(strings)
    assert (best["order"], best["measured"] * 4e-3) == (1, 2 * nest.EXTENT**3) and other["order"] == 2
    assert best["inside"] != other["inside"]
    layers: list[Row] = [
        {f"times of {name}": times for name in ("estimate", "UNIT")} for times in ([0.5, 1], [0.5, 0.5])
    ]
    first, second = tensorize._first_pairs(layers)
    assert first["UNIT"] == pytest.approx(0.5) and second["estimate"] == pytest.approx(0.5**0.5)


def _cells(of: list[Column], rows: list[Row]) -> list[tuple[float, float]]:
    """Return the numbers of a printed table, and how far each may be from what it stands for."""
    printed = [(each, row, each.cell(row).replace(",", "")) for each in of if each.digits is not None for row in rows]
    return [
        (float(cell), 1e-9 if isinstance(row.get(each.key), str) else 0.51 * 10.0 ** -(each.digits or 0))
        for each, row, cell in printed
        if re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", cell)
    ]


@pytest.mark.parametrize("family", sorted(path.stem for path in results.RESULTS.glob("*.json")))
def test_every_table_of_results_can_be_drawn(family: str) -> None:
    """Each bar is a number that the page prints, and none is drawn only where a page has no numbers."""
    for name, table in results.tables(family).items():
        of = [Column(**each) for each in table["columns"]]
        made, cells = chart(name, of, table["rows"]), _cells(of, table["rows"])
        assert (made is not None) == bool(cells)
        for each in made.panels if made else ():
            drawn = [value for curve in each.curves for value in curve.y if not math.isnan(value)]
            assert len(each.groups) <= len(table["rows"]) and each.curves
            assert all(any(abs(value - cell) <= far for cell, far in cells) for value in drawn)


@pytest.mark.parametrize("name", results.PICTURES)
def test_pictures_of_tables_are_those_of_their_results(name: str) -> None:
    """`make pictures` draws them."""
    assert results.drawn(name) in (results.ROOT / "docs" / "pictures" / f"{name}.svg").read_text()


def drawings(path: Path) -> runner.Report:
    cases = [(row,) for row in ROWS]
    tables = (
        runner.Table("bars", "n; ns=ours:1n; them, ns=them:1n", cases, lambda run, row: row),
        runner.Table("curve", "n; by:2", cases[:1], lambda run, row: row, plot=Plot("by:2", x="n:0")),
    )
    bench = runner.Bench("name", "about", tables, alone=False)
    return runner.run(bench, ["--plot", str(path)], console=Console(file=io.StringIO()))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    pyplot, axes = MagicMock(), MagicMock()
    axes.get_legend_handles_labels.return_value = ([0, 1], ["ours", "them"])
    every = MagicMock(flat=[axes])
    pyplot.figure.return_value.subfigures.return_value.flat = [MagicMock(**{"subplots.return_value": every})] * 2
    monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    pyplot.axes_of_all = axes
    return pyplot


def test_what_matplotlib_is_given(stand_in: MagicMock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawings(tmp_path / "k.svg")
    axes = stand_in.axes_of_all
    (places, ours, width), (others, them, _) = (each.args for each in axes.barh.call_args_list)
    assert ours == [2, 4] and them[0] == 6 and math.isnan(them[1])
    assert [b - a for a, b in zip(places, others)] == pytest.approx([width] * 2)
    assert axes.set_yticks.call_args.args[1] == ["n 1", "n 2"] and axes.plot.call_args.args[:2] == ([1], [3])
    assert stand_in.figure.return_value.savefig.call_args.args == (tmp_path / "k.svg",)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'tilesmith\[plot\]'"):
        drawings(tmp_path / "k.svg")
    with pytest.raises(ValueError, match="no table with figures"):
        plots.draw([], tmp_path / "k.svg", "")


def test_what_matplotlib_draws(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = drawings(tmp_path / "k.svg")
    first = (tmp_path / "k.svg").read_bytes()
    text = [each.text for each in ElementTree.fromstring(first).iter("{http://www.w3.org/2000/svg}text")]
    assert {"n 1", "n 2", "ours", "them", "bars", "ns", "by"} <= {*text} and any(report.machine in str(t) for t in text)
    drawings(tmp_path / "k.svg")
    assert (tmp_path / "k.svg").read_bytes() == first
    far = Subplot("", "", "us", [Curve("a", [0, 1], [1, 1e4]), Curve("b", [0, 1], [2, 3])], ["x", "y"], "y")
    plots.draw([Chart("title", [far])], tmp_path / "k.png", "head")
    assert (tmp_path / "k.png").read_bytes()[:4] == b"\x89PNG"


def test_every_benchmark_takes_the_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A wrong name, or a missing matplotlib, is an error before anything is measured."""
    assert main(["bench", "transpose", "--plot", str(tmp_path / "x.jpeg")]) == 2
    assert "--plot: " in capsys.readouterr().err
    assert json.dumps([*columns("a=b:1n")[0]]) == '["a", "b", 1, "n", false]', "columns are data, as a report has them"
