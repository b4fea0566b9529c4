"""The runner of benchmarks: columns, tables, goals, JSON, time limits, threads; no test judges a speed."""

from __future__ import annotations

import io
import json
import math
import time
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tilesmith.runtime.bench import every, options, runner
from tilesmith.runtime.bench.peers.products import BaselineMissing
from tilesmith.runtime.bench.runner import Bench, Run, Table
from tilesmith.runtime.bench.table import Column, Goal, Wanted, columns, geometric_mean, goals, markdown
from tilesmith.runtime.cli.main import main

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
    three = [Goal("ratio", 3.0, ROWS[0]["ratio"]), Goal("t", 1e-3, 42e-6, "s"), Goal("none", 1.0, math.nan)]
    report, text = run(of(measured, goals=lambda rows: three), ("--json", str(path)))
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


def test_rows_before_an_interrupt_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of slow cases are, as they come."""
    out = io.StringIO()
    monkeypatch.setattr(runner, "FIRST_WORD", -1.0)

    def measured(run: Run, name: str) -> dict[str, object]:
        if name == "b":
            assert "a, ns 1.0" in out.getvalue() and "│ a " not in out.getvalue()
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


def test_every_benchmark_is_found_by_its_name_and_has_quick_options() -> None:
    found = {name: every.load(name) for name in options.modules()}
    cases = {path.stem for path in (ROOT / "runtime/bench/cases").glob("*.py")} - {
        "__init__",
        "generation",
        "optimizers",
    }
    further = [path for folder in ("tests/bench", "docs/examples/workloads") for path in (ROOT / folder).glob("*.py")]
    tests = {path.stem for path in further} - {"beside_torch", "residual"}
    assert {module.rpartition(".")[2] for module in options.modules().values()} == cases | tests
    for name, bench in found.items():
        given = runner.parser_of(bench).parse_args([*bench.quick])
        assert bench.name == name and given.seconds > 0 and bench.about
    assert list(options.BenchNames()) == [*found, "all"]


def test_all_shares_its_time_and_writes_after_each(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(every, "modules", lambda: ("first", "second"))
    monkeypatch.setattr(every, "load", lambda name: of(None))
    given, path = [], tmp_path / "all.json"

    def report(name: str, seconds: float) -> object:
        given.append(seconds)
        return "not measured: no such unit" if name == "first" else {"benchmark": name}

    monkeypatch.setattr(every, "report", report)
    every.everything(1.0, path)
    assert json.loads(path.read_text()) == {"first": "not measured: no such unit", "second": {"benchmark": "second"}}
    assert 29 < given[0] <= 30 and 59 < given[1] <= 60, "what one does not need goes to the others"
    every.everything(0.0, path)
    assert set(json.loads(path.read_text()).values()) == {"not measured: no time was left"}


def test_of_more_cases_than_there_is_time_for_some_from_everywhere_are_measured() -> None:
    def slow(run: Run, name: int) -> dict[str, object]:
        run.until = 0.0 if len(seen) == 3 else run.until
        seen.append(name)
        return {"name": name}

    seen: list[int] = []
    report, text = run(of(slow, range(16)), until=time.monotonic() + 60)
    assert seen == [0, 8, 4, 12] and [row["name"] for row in report.tables["rows"]] == [0, 4, 8, 12]
    assert "12 of 16 cases were left out" in text


def test_only_the_tables_that_are_asked_for() -> None:
    table = of(lambda run: {"name": "a"}).tables[0]
    bench = of(None)._replace(tables=(table, table._replace(name="others f32"), table._replace(name="others f64")))
    assert list(run(bench, ("--tables", "others"))[0].tables) == ["others f32", "others f64"]
    with pytest.raises(ValueError, match="--tables: name has none whose name begins with nothing"):
        run(bench, ("--tables", "nothing"))


def test_goals_are_of_rows_with_the_same_text() -> None:
    rows = [{"a": 1, "b": "x", "f": 2.0}, {"a": 2, "b": "x", "f": 8.0}, {"a": 3, "b": "y", "f": math.nan}, {"a": 4}]
    wanted = (
        Wanted("{b}, mean", 3.0, "f", geometric_mean),
        Wanted("{a}", "a", "f"),
        Wanted("y", 1.0, "f"),
        Wanted("most", 1.0, "f", max, "s", {"a": 1}),
    )
    assert list(goals(wanted, rows)) == [
        Goal("x, mean", 3.0, pytest.approx(4.0)),
        Goal("1", 1, 2.0),
        Goal("2", 2, 8.0),
        Goal("y", 1.0, 2.0),
        Goal("most", 1.0, 2.0, "s"),
    ]


@pytest.mark.seconds
def test_a_benchmark_has_its_process() -> None:
    """No case begins after its time, and the report says so; what fails says why."""
    found = every.report("counts", 1e-9)
    assert found["benchmark"] == "counts" and "7 of 7 cases were left out" in found["remarks"][0]
    assert "invalid choice" in every.report("nothing", 1.0)


def test_a_benchmark_that_takes_much_longer_is_ended(monkeypatch) -> None:
    monkeypatch.setattr(every, "START", 0.05)
    assert every.report("counts", 0.01) == "not measured: ended after 0 s"


def test_the_help_says_what_each_measures(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for name, about in options.abouts().items():
        assert len(about.split()) >= 5 and about.endswith(".") and "`tilesmith" not in about, name
        assert f"{name} {about}" in text
    assert "all every one of these" in text


def test_an_installed_package_says_where_the_other_benchmarks_are(monkeypatch, tmp_path, capsys) -> None:
    files = cache(options._files.__wrapped__)
    monkeypatch.setattr(options, "CHECKOUT", tmp_path)
    monkeypatch.setattr(options, "_files", files)
    monkeypatch.setattr(options, "modules", options.modules.__wrapped__)
    with pytest.raises(SystemExit) as end:
        main(["bench", "counts"])
    said = capsys.readouterr().err
    assert end.value.code == 2 and "run `tilesmith bench counts` in a checkout" in said and "gemm, " in said
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    assert "A checkout of the repository has further ones." in " ".join(capsys.readouterr().out.split())


def test_columns_of_a_missing_library_are_left_out() -> None:
    rows = [{"name": "a", "ours": 1e-9, "ratio": None}, {"name": "b", "ours": 2e-9, "ratio": math.nan}]
    report, text = run(of(lambda run, place: rows[place], [(0,), (1,)]))
    assert "ns" in text and "ratio" not in text and [*report.tables["rows"]] == rows
    assert "ratio" in run(of(lambda run: {"name": "a", "ratio": 2.0}))[1]
