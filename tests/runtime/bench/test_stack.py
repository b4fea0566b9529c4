"""`tilesmith bench stack`: rows, JSON, and numpy's BLAS on one thread; no figure is judged."""

import json
from contextlib import contextmanager

import numpy as np
import pytest

from tilesmith.runtime.bench import stack as bench_stack
from tilesmith.runtime.bench.peers.products import _openblas
from tilesmith.runtime.host import detect as host

on_x86 = pytest.mark.skipif(host.arch() != "x86", reason="the benchmark emits x86 loops")


@on_x86
def test_rows_and_json(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench_stack, "EXTENTS", (4, 13))
    rows = bench_stack.bench_stack(None, "f32", 0.001, tmp_path / "rows.json")
    assert [(row.place, row.extent) for row in rows] == [(place, n) for place in bench_stack.PLACES for n in (4, 13)]
    assert all(min(row.ours, row.numpy, row.of_peak, row.of_copy) > 0 for row in rows)
    found = json.loads((tmp_path / "rows.json").read_text())
    assert [each["ratio"] for each in found] == [row.ratio for row in rows]
    assert "13^3" in capsys.readouterr().out


@on_x86
def test_numpy_has_one_thread_meanwhile(monkeypatch):
    functions = _openblas()
    if functions is None:
        pytest.skip("numpy's BLAS is not OpenBLAS")
    threads, set_threads = functions
    before, seen = threads(), []
    measured = bench_stack._measured

    def watched(*given):
        seen.append(threads())
        return measured(*given)

    monkeypatch.setattr(bench_stack, "EXTENTS", (4,))
    monkeypatch.setattr(bench_stack, "_measured", watched)
    set_threads(2)
    try:
        bench_stack.bench_stack(None, "f64", 0.001)
        assert threads() == 2
    finally:
        set_threads(before)
    assert seen == [1, 1]


@on_x86
def test_it_says_where_threads_could_not_be_held(monkeypatch, capsys):
    @contextmanager
    def nothing():
        yield False

    monkeypatch.setattr(bench_stack, "numpy_single_thread", nothing)
    monkeypatch.setattr(bench_stack, "EXTENTS", ())
    monkeypatch.setattr(bench_stack, "PLACES", {})
    assert bench_stack.bench_stack(None, "f32") == []
    assert "could not be held to one thread" in capsys.readouterr().out


def test_a_bound_counts_where_it_is_reached():
    row = bench_stack.Row("f32", "L2", 33, 40, 1.0, 1.0, 0.91, 0.2)
    assert row.holds and not row._replace(of_peak=0.8).holds and row._replace(of_peak=0.8, of_copy=0.86).holds
    assert row._replace(of_peak=0.8, numpy=1.4).holds and not row._replace(of_peak=0.8, numpy=1.39).holds
    assert np.isclose(bench_stack.mean([row._replace(numpy=2.0), row._replace(numpy=8.0)]), 4.0)
