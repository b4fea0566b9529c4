"""`tilesmith bench fused`: rows, figures, goals and JSON; the test does not judge any figure."""

import json
import math

import numpy as np
import pytest

from tilesmith.runtime.bench import fused, fused_steps, places
from tilesmith.runtime.bench.peers import layers
from tilesmith.runtime.bench.peers.products import BaselineMissing


def test_denormals_stay():
    """Denormals are not flushed to zero, which a library that gcc links with -ffast-math does to the whole process."""
    arrays = [np.ones((2, 16), np.float32), np.zeros((2, 16), np.float32)]
    try:
        layers.gcc_call("softmax", (2, 16), arrays).run(1)
    except BaselineMissing:
        pytest.skip("gcc is not there")
    assert np.allclose(arrays[1], 1 / 16) and np.float64(5e-324) + 0.0 > 0


def test_rows_figures_and_json(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(fused, "SHAPES", ((3, 48),))
    monkeypatch.setattr(fused_steps, "PLACES", {"L2": 32 << 10})
    monkeypatch.setattr(fused_steps, "LENGTHS", (32,))
    monkeypatch.setattr(fused_steps, "REPEATED", 1)
    report = fused.bench_fused(None, 0.0005, tmp_path / "rows.json")
    assert [(row.name, row.accuracy) for row in report.rows] == list(fused.KERNELS)
    assert all(row.seconds["ours"] > 0 and row.by("copy") > 0 for row in report.rows)
    found = json.loads((tmp_path / "rows.json").read_text())
    assert len(found["goals"]) == len(report.goals) and found["rows"][0]["name"] == "softmax"
    assert "momentum in place, in L2" in capsys.readouterr().out
    assert len(report.steps) >= len(fused_steps.STEPS) + len(fused_steps.GENERATED)


def test_goals_by_place():
    near = fused.Row("layernorm", "standard", (64, 384), "L2", {"ours": 1.0, "torch": 3.1, "gcc": 1.5, "copy": 0.4})
    assert [(goal.wanted, goal.found, goal.state) for goal in near.goals] == [
        (3.0, 3.1, "reached"), (2.0, 1.5, "NOT REACHED")]  # fmt: skip
    far = near._replace(place="memory", seconds={"ours": 1.0, "torch": 1.5, "copy": 0.9})
    (goal,) = far.goals
    assert goal.state == "reached" and math.isclose(goal.found, 0.9 / 0.85)


def test_the_nearest_cache(monkeypatch):
    monkeypatch.setattr(places, "_caches", lambda: {1: 32 << 10, 2: 1 << 20, 3: 32 << 20})
    sizes = (1 << 10, 33 << 10, 3 << 20, 17 << 20)
    assert [places.nearest_cache(size) for size in sizes] == ["L1", "L2", "L3", "memory"]
