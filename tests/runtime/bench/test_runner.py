"""The runner of benchmarks: columns, tables, goals, JSON, time limits, threads; no test judges a speed."""

from __future__ import annotations

import importlib
import io
import json
import math
import time
from pathlib import Path

import pytest
from rich.console import Console

from tilesmith.runtime.bench import every, runner
from tilesmith.runtime.bench.options import KINDS
from tilesmith.runtime.bench.peers.products import BaselineMissing
from tilesmith.runtime.bench.runner import Bench, Run, Table
from tilesmith.runtime.bench.table import Column, Goal, columns, geometric_mean, markdown

ROOT = Path(__file__).parents[3]
ROWS = [{"name": "a", "ours": 2e-9, "ratio": 2.0}, {"name": "b", "ours": math.nan, "ratio": 8.0}]


def run(bench: Bench, given: tuple[str, ...] = (), **more: object) -> tuple[runner.Report, str]:
    out = io.StringIO()
    report = runner.run(bench, given, console=Console(file=out, width=120), **more)
    return report, out.getvalue()


def of(measure: object, cases: object = ((),), **more: object) -> Bench:
    return Bench("name", "about", (Table("rows", "name; ns=ours:1n; ratio:2~", cases, measure, **more),), alone=False)


def test_columns_are_one_text() -> None:
    assert columns("layer; rows x columns=shape; ns/element=ours:3n; % of peak=of peak:1%~") == (
        Column("layer", "layer"),
        Column("rows x columns", "shape"),
        Column("ns/element", "ours", 3, "n"),
        Column("% of peak", "of peak", 1, "%", True),
    )
    with pytest.raises(KeyError):
        columns("x=y:1parsec")[0].value(1.0)


def test_the_table_of_a_page() -> None:
    assert markdown(columns("name; ns=ours:1n; ratio:2~; other"), ROWS).splitlines() == [
        "| name | ns | ratio | other |",
        "|---|--:|--:|---|",
        "| a | 2.0 | 2.00 |  |",
        "| b | - | 8.00 |  |",
        "| geometric mean |  | 4.00 |  |",
    ]


def test_the_mean_is_geometric() -> None:
    assert geometric_mean([2, 8]) == pytest.approx(4) and geometric_mean(iter([3.0])) == pytest.approx(3)
    assert math.isnan(geometric_mean([])) and math.isnan(geometric_mean([2, math.nan]))


@pytest.mark.parametrize(
    ("goal", "state"),
    [
        (Goal("", 0.95, 0.95), "reached"),
        (Goal("", 0.95, 0.949), "NOT REACHED"),
        (Goal("", 0.95, math.nan), "not measured"),
        (Goal("", 1e-3, 0.9e-3, "s"), "reached"),
        (Goal("", 1e-3, 1.1e-3, "s"), "NOT REACHED"),
    ],
)
def test_states(goal: Goal, state: str) -> None:
    assert goal.state == state and goal.row["bound"].startswith("<=" if goal.unit else ">=")


def test_rows_goals_and_json(tmp_path) -> None:
    def measured(run: Run) -> list[dict[str, object]]:
        run.remark("once")
        run.remark("once")
        return ROWS

    path = tmp_path / "rows.json"
    goals = [Goal("ratio", 3.0, ROWS[0]["ratio"]), Goal("t", 1e-3, 42e-6, "s"), Goal("none", 1.0, math.nan)]
    report, text = run(of(measured, goals=lambda rows: goals), json_path=path)
    saved = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert saved["tables"]["rows"]["rows"][1] == {"name": "b", "ours": None, "ratio": 8.0}
    assert [goal["state"] for goal in saved["goals"]] == ["NOT REACHED", "reached", "not measured"]
    assert saved["remarks"] == ["once"] and saved["date"] and saved["machine"] == report.machine and saved["command"]
    assert tuple(Column(**each) for each in saved["tables"]["rows"]["columns"]) == report.columns["rows"]
    for words in ("4.00", "42 us", "<= 1 ms", "NOT REACHED", "once", report.machine):
        assert words in text


def test_no_case_begins_after_its_time() -> None:
    """What was left out is said, and no goal follows from a part."""
    report, text = run(
        of(lambda run, name: {"name": name}, "abc", goals=lambda rows: [Goal("x", 1.0, 1.0)]),
        until=time.monotonic() - 1,
    )
    assert report.tables["rows"] == [] and report.goals == [] and "3 of 3 cases were left out" in text


def test_rows_before_an_interrupt_are_printed() -> None:
    out = io.StringIO()

    def measured(run: Run, name: str) -> dict[str, object]:
        if name == "b":
            raise KeyboardInterrupt
        return {"name": name, "ours": 1e-9}

    with pytest.raises(KeyboardInterrupt):
        runner.run(of(measured, "ab"), console=Console(file=out, width=120))
    assert "│ a " in out.getvalue()


def test_a_library_that_is_missing_is_a_remark() -> None:
    def missing() -> None:
        raise BaselineMissing("libxsmm: not installed (make oracles)")

    report, _ = run(of(lambda run: run.baseline(missing)))
    assert report.remarks == ["libxsmm: not installed (make oracles)"] and report.tables["rows"] == []


@pytest.mark.seconds
def test_each_number_of_threads_has_its_process(monkeypatch) -> None:
    from tilesmith.runtime.bench.cases import matmul

    report, _ = run(matmul.BENCH, ("--threads", "2", "--types", "f32", "--shapes", "16", "--seconds", "0.001"))
    rows = report.tables["f32"]
    assert [row["threads"] for row in rows] == [2] and all(row["ours"] > 0 and row["numpy"] > 0 for row in rows)


def test_every_file_of_cases_is_a_benchmark_with_quick_options() -> None:
    files = {path.stem for path in (ROOT / "runtime/bench/cases").glob("*.py") if "BENCH = " in path.read_text()}
    assert files == set(every.BENCHES) and set(KINDS) - {"all"} <= files
    modules = [importlib.import_module(f"tests.bench.{name}") for name in every.further()]
    assert len(modules) > 30
    for bench in [*every.BENCHES.values(), *(module.BENCH for module in modules)]:
        given = runner.parser_of(bench).parse_args([*bench.quick])
        assert given.seconds > 0 and bench.about, bench.name
        assert bench.name in {module.__name__.rpartition(".")[2] for module in modules} | files


def test_all_shares_its_time_and_writes_after_each(monkeypatch, tmp_path) -> None:
    def fails(run: Run) -> None:
        raise RuntimeError("no such unit")

    waits = of(lambda run, name: time.sleep(0.05) or {"name": name}, range(100))
    benches = {"first": of(fails), "name": waits, "second": waits._replace(name="second")}
    monkeypatch.setattr(every, "BENCHES", benches)
    monkeypatch.setattr(every, "further", lambda: [])
    path = tmp_path / "all.json"
    every.everything(0.02, path)
    saved = json.loads(path.read_text())
    assert list(saved) == ["first", "name", "second"] and saved["first"] == "not measured: no such unit"
    left = [saved[name]["remarks"] for name in ("name", "second")]
    assert all("were left out" in remarks[0] for remarks in left)
    every.everything(0.0, path)
    assert set(json.loads(path.read_text()).values()) == {"not measured: no time was left"}


@pytest.mark.seconds
def test_a_benchmark_of_the_tests_has_its_process() -> None:
    """No case begins after its time, and the report says so."""
    found = every._of_tests("aligned", 1e-9)
    assert found["benchmark"] == "aligned" and "9 of 9 cases were left out" in found["remarks"][0]
