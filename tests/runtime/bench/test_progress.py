"""How far a benchmark or a proof is: said on the standard error, and nowhere else."""

from __future__ import annotations

import io
import sys

import pytest

import tilesmith as ts
from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import tuned
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.system import progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_that_is_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, clock = _Terminal(), iter([0.0, 40.0, 100.0, 140.0])
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    assert list(progress.steps("abc", "letters")) == ["a", "b", "c"]
    lines = shown.getvalue().split("\r\033[K")
    assert lines == ["", "letters: 1 of 3, about 1:20 left", "letters: 2 of 3, about 0:50 left", ""]


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("command", [False, True])
def test_a_proof_says_how_long_it_takes(terminal: bool, command: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, and beside a command also in a file. Programs find nothing in their logs."""
    shown = _Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "FIRST_WORD", 0.0)
    if command:
        assert main(["verify", "unary", "relu", "1", "4", "--timeout", "60", "--target", "avx2"]) == 0
    else:
        assert ts.unary("relu", 1, 4, target="avx2").verify(timeout=60)
    assert ("proof, at most 60 s: 0:00 so far" in shown.getvalue()) == (terminal or command)
    assert terminal or command or not shown.getvalue()


def test_lines_of_a_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The first after two seconds, then after twice the time, at last every minute."""
    clock = iter([0.0, 1.0, 3.0, 4.0, 34.0, 40.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.in_pipes():
        assert list(progress.steps(range(5), "steps")) == [0, 1, 2, 3, 4]
    out, err = capsys.readouterr()
    assert not out and err.splitlines() == ["steps: 2 of 5, about 0:04 left", "steps: 4 of 5, about 0:08 left"]


def test_a_short_time_takes_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """`tilesmith bench tuned --seconds 0.004` ignored the time."""
    asked = []

    def times(made: list[object], _arrays: object, _workers: int, rounds: int, count: int) -> list[float]:
        asked.append((rounds, count))
        return [1.0 for _ in made]

    monkeypatch.setattr(tuned, "times", times)
    for seconds in (tuned.SECONDS, 1e-6):
        tuned.measured(runner.Run(seconds, None, []), 200, 170, 180)
    (rounds, _), (final, _), *short = asked
    assert rounds > 1 and final > rounds and short == [(1, 1), (1, 1)]
