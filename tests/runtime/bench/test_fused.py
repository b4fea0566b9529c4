"""`tilesmith bench fused`: rows, figures, goals and JSON; the test does not judge any figure."""

import math

import numpy as np
import pytest

from tilesmith.runtime.bench import operands, runner
from tilesmith.runtime.bench.cases import attention, fused, generation, optimizers
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


def test_rows_and_figures(monkeypatch, capsys):
    monkeypatch.setattr(fused, "SHAPES", ((3, 48),))
    monkeypatch.setattr(optimizers, "PLACES", {"L2": (32 << 10, 1)})
    monkeypatch.setattr(attention, "LENGTHS", (32,))
    monkeypatch.setattr(generation, "KERNELS", 1)
    report = runner.run(fused.BENCH, ("--seconds", "0.0005"))
    layers = report.tables["layers"]
    assert {row["layer"] for row in layers} == set(fused.WANTED)
    assert all(row["ours"] > 0 and row["by copy"] > 0 for row in layers)
    assert [row["step"] for row in report.tables["optimizers"]] == list(optimizers.STEPS)
    assert [row["kind"] for row in report.tables["generation"]] == list(generation.KINDS)
    assert "momentum in place, in L2" in capsys.readouterr().out


def test_goals_by_place():
    near = {"layer": "layernorm", "shape": "64 x 384", "place": "L2", "by torch": 3.1, "by gcc": 1.5, "by copy": 0.4}
    assert [(goal.wanted, goal.found, goal.state) for goal in fused.goals(near)] == [
        (3.0, 3.1, "reached"),
        (2.0, 1.5, "NOT REACHED"),
    ]
    (goal,) = fused.goals({**near, "place": "memory", "by torch": 1.5, "by copy": 0.9})
    assert goal.state == "reached" and math.isclose(goal.found, 0.9 / 0.85)


def test_the_nearest_cache(monkeypatch):
    monkeypatch.setattr(operands, "_caches", lambda: {1: 32 << 10, 2: 1 << 20, 3: 32 << 20})
    sizes = (1 << 10, 33 << 10, 3 << 20, 17 << 20)
    assert [operands.nearest_cache(size) for size in sizes] == ["L1", "L2", "L3", "memory"]
