"""The rows of `tilesmith papers`: their figures are in docs/results, their commands exist, and no measurement of the
papers is left out."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.bench.options import modules
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.coverage import papers
from tilesmith.runtime.coverage.claims import STATES, MeasuredFigure, claims, items

ROOT = Path(__file__).parents[3]
REPORTED = {
    "TPP": {*(f"figure {n}" for n in (14, *range(19, 33))), *(f"table {n}" for n in (4, 5, 6))},
    "PARLOOPER": {*(f"figure {n}" for n in range(1, 7)), *(f"table {n}" for n in (1, 2, 3))},
    "UNIT": {"figure 1", *(f"figure {n}" for n in range(8, 14)), "table I"},
    "AMX": {"20.5.5.1", "20.7", "20.8", "20.10", "20.11.2", "20.11.3", "20.12"}
    | {"table 20-2", "table 20-10", "table 20-11"},
    "course": {"listing 7.2.2", "listing 7.2.3"},
}
"""The figures and tables of measurements, and the sections of Intel's manual that have some."""


def test_no_measurement_of_the_papers_is_left_out() -> None:
    for paper, reported in REPORTED.items():
        found = {place for each in claims() if each.paper == paper for place in each.place.split(", ")}
        assert reported <= found, (paper, reported - found)


def test_rows_have_figures_or_reasons() -> None:
    names = [each.name for each in claims()]
    assert len(names) == len(set(names))
    for each in claims():
        assert each.here or each.noted or each.absent, each.name
        assert bool(each.command) or bool(each.absent), each.name
        assert all(re.search(r"\d", figure.text) for figure in each.here), each.name
        assert not each.series or each.unit, each.name
    for item in items():
        assert item.state in STATES and item.paper in REPORTED, item
        assert item.command if item.state == "works" else item.reason, item


@pytest.mark.parametrize("row", [*claims(), *items()], ids=lambda row: getattr(row, "name", "") or row.item)
@pytest.mark.grid(40)
def test_commands_exist(row: papers.PaperClaim) -> None:
    program, *words = shlex.split(row.command) or ["tilesmith", "papers"]
    if program == "pytest":
        assert words and all((ROOT / word).exists() for word in words), row
    else:
        assert program == "tilesmith", row
        assert words == ["papers"] or words[:1] == ["bench"] and words[1] in modules(), row


def test_figures_are_those_of_the_results() -> None:
    table = json.loads((ROOT / "docs/results/fused.json").read_text())["layers"]
    cells = [float(row["gcc"]) for row in table["rows"] if row["layer"] == "softmax"]
    figure = MeasuredFigure("gcc", "fused/layers", "gcc", {"layer": "softmax"}, digits=3)
    assert figure.text == f"gcc {np.exp(np.log(cells).mean()):.3f}"
    ends = figure._replace(of="range", digits=2)
    assert ends.text == f"gcc {min(cells):.2f} to {max(cells):.2f}"
    second = MeasuredFigure(
        "of peak", "matmul/zen4", "f32, of peak", {"m x n x k": "512 x 512 x 512"}, "mean", 1, 2, "%"
    )
    assert second.text == "of peak 92.00 %"
    with pytest.raises(KeyError, match=r"fused/layers has no gcc where .*'hardmax'"):
        _ = figure._replace(where={"layer": "hardmax"}).text


def test_rows_that_cannot_run_say_why(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnsupportedError, match="needs a cluster"):
        papers.run("mlperf")
    assert main(["papers", "--run", "sofmax"]) == 2
    assert "no row 'sofmax'" in (said := capsys.readouterr().err) and "did you mean softmax?" in said
    assert main(["papers", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == [each.name for each in claims()]
    assert main(["papers", "--items"]) == 0 and capsys.readouterr().out.count("\n") == len(items())
