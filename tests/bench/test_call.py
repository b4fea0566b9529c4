"""The benchmark of calls: its measurements, its comparisons, and its report."""

import json
import math

import pytest

from tests.frames import frames
from tilesmith.runtime.bench import call as bench_call
from tilesmith.runtime.cli import main as cli
from tilesmith.runtime.fastcall import entry


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "call.json"
    found = bench_call.bench_call(0.02, path)
    return found, json.loads(path.read_text())


def test_every_contender_is_measured(report):
    found, saved = report
    assert saved["seconds"] == found.seconds
    ours = {bench_call.OURS, bench_call.GIL, bench_call.NEW, bench_call.POLY}
    assert ours | {bench_call.ADD, bench_call.MATMUL} <= found.seconds.keys()
    assert (bench_call.EMPTY in found.seconds) == (not entry.refusal())
    assert any("cffi" in name for name in found.seconds) and any("ctypes" in name for name in found.seconds)
    assert all(math.isfinite(seconds) for seconds in found.seconds.values())  # may be below 0: the loop is deducted


def test_every_goal_of_the_issue_is_judged(report):
    found, saved = report
    assert [goal["state"] for goal in saved["goals"]] == [goal.state for goal in found.goals]
    assert [goal.wanted for goal in found.goals] == [25e-9, 25e-9, 6, 20, 80e-9, 80e-9, 40e-9] + [
        15e-9, 6, 25e-9, 3.5, 150e-9, 150e-9
    ]
    assert all(goal.state in ("reached", "NOT REACHED", "not measured") for goal in found.goals)
    assert math.isnan(found.goals[-1].found) == (bench_call.TENSORS not in found.seconds)


@pytest.mark.skipif(bool(entry.refusal()), reason=entry.refusal())
def test_calls_by_machine_code_enter_no_python_function():
    contenders = bench_call._ours()
    through_python = {name for name in contenders if name.endswith(("through Python", "ts.linear", "ts.mlp"))}
    assert len(through_python) == 3
    for name, calls in contenders.items():
        calls.run(3)  # the first calls of a product find its operation
        entered = frames(lambda calls=calls: calls.run(5)).total() - len(("the lambda", "run"))
        assert entered == 0 if name not in through_python else entered >= 5, name


def test_command_line(tmp_path, capsys):
    assert cli.main(["bench", "call", "--seconds", "0.01", "--json", str(tmp_path / "x.json")]) == 0
    printed = capsys.readouterr().out
    assert bench_call.MATMUL in printed and "GIL released" in printed
    assert (tmp_path / "x.json").exists()
