"""`tilesmith bench stack`: rows, goals, and numpy's BLAS on one thread; no figure is judged."""

from contextlib import contextmanager

import pytest

from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import stack
from tilesmith.runtime.bench.peers.products import _openblas
from tilesmith.runtime.host import detect as host

on_x86 = pytest.mark.skipif(host.arch() != "x86", reason="the benchmark emits x86 loops")
F64 = ("--dtype", "f64", "--seconds", "0.001")


@on_x86
def test_rows(monkeypatch, capsys):
    monkeypatch.setattr(stack, "EXTENTS", (4, 13))
    report = runner.run(stack.BENCH, F64)
    assert list(report.tables) == ["f64 L2", "f64 L3"]
    for rows in report.tables.values():
        assert [row["extent"] for row in rows] == ["4^3", "13^3"]
        assert all(min(row[name] for name in ("ours", "numpy", "of peak", "of copy")) > 0 for row in rows)
    assert "13^3" in capsys.readouterr().out


@on_x86
def test_numpy_has_one_thread_meanwhile(monkeypatch):
    functions = _openblas()
    if functions is None:
        pytest.skip("numpy's BLAS is not OpenBLAS")
    threads, set_threads = functions
    before, seen = threads(), []
    monkeypatch.setattr(stack, "EXTENTS", (4,))
    monkeypatch.setattr(stack, "measured", lambda *given: seen.append(threads()))
    set_threads(2)
    try:
        runner.run(stack.BENCH, F64)
        assert threads() == 2
    finally:
        set_threads(before)
    assert seen == [1, 1]


def test_it_says_where_threads_could_not_be_held(monkeypatch, capsys):
    @contextmanager
    def nothing():
        yield False

    monkeypatch.setattr(runner, "numpy_single_thread", nothing)
    monkeypatch.setattr(stack, "PLACES", {})
    runner.run(stack.BENCH, F64)
    assert "could not be held to one thread" in capsys.readouterr().out


def test_a_bound_counts_where_it_is_reached():
    row = {"dtype": "f32", "ratio": 1.0, "of peak": 0.91, "of copy": 0.2}
    assert stack.holds(row) and not stack.holds({**row, "of peak": 0.8})
    assert stack.holds({**row, "of peak": 0.8, "of copy": 0.86}) and stack.holds({**row, "of peak": 0.8, "ratio": 1.4})
    rows = [{**row, "ratio": 2.0}, {**row, "ratio": 8.0, "of peak": 0.1}]
    states = [goal.state for goal in stack.goals(rows, "f32", "L2")]
    assert states == ["reached", "reached"]
