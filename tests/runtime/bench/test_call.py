"""The benchmark of calls: its measurements, its comparisons, and its report."""

import math

import pytest

from tests.frames import frames
from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import call as bench_call
from tilesmith.runtime.cli import main as cli
from tilesmith.runtime.fastcall import entry


@pytest.fixture(scope="module")
def report():
    return runner.run(bench_call.BENCH, ("--seconds", "0.02"))


def test_every_contender_is_measured(report):
    seconds = {row["call"]: row["seconds"] for row in report.tables["calls"]}
    ours = {bench_call.OURS, bench_call.GIL, bench_call.NEW, bench_call.POLY}
    assert ours | {bench_call.ADD, bench_call.MATMUL} <= seconds.keys()
    assert (bench_call.EMPTY in seconds) == (not entry.refusal())
    assert any("cffi" in name for name in seconds) and any("ctypes" in name for name in seconds)
    assert all(math.isfinite(each) for each in seconds.values())  # may be below 0: the loop is deducted


def test_every_goal_of_the_issue_is_judged(report):
    assert [goal.wanted for goal in report.goals] == [25e-9, 25e-9, 6, 20, 80e-9, 80e-9, 40e-9] + [
        15e-9,
        6,
        25e-9,
        3.5,
        150e-9,
        150e-9,
    ]
    assert all(goal.state in ("reached", "NOT REACHED", "not measured") for goal in report.goals)
    rows = [{"call": name, "seconds": each} for name, each in ((bench_call.OURS, 20e-9), (bench_call.ADD, 160e-9))]
    found = {goal.what: goal.found for goal in bench_call.goals(rows)}
    assert found["np.add on 16 elements, by ours"] == pytest.approx(8) and math.isnan(found["torch tensors"])


@pytest.mark.skipif(bool(entry.refusal()), reason=entry.refusal())
def test_calls_by_machine_code_enter_no_python_function():
    contenders = bench_call.ours()
    through_python = {name for name in contenders if name.endswith(("through Python", "ts.linear", "ts.mlp"))}
    assert len(through_python) == 3
    for name, calls in contenders.items():
        if name.startswith("torch."):
            continue
        calls.run(3)  # the first calls of a product find its operation
        entered = frames(lambda calls=calls: calls.run(5)).total() - len(("the lambda", "run"))
        assert entered == 0 if name not in through_python else entered >= 5, name


def test_command_line(tmp_path, capsys):
    assert cli.main(["bench", "call", "--seconds", "0.01", "--json", str(tmp_path / "x.json")]) == 0
    printed = capsys.readouterr().out
    assert bench_call.MATMUL in printed and "GIL released" in printed
    assert (tmp_path / "x.json").exists()
