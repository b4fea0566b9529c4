"""`ts.tune` of a layer: every way that it may take computes the same bits, and the result is kept."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.convolution_cases import lay
from tests.profiles import scaled
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.contraction import tuning
from tilesmith.runtime.contraction.tuning import WayTrial, ways_like
from tilesmith.runtime.loops.contest import ContestResult, Timed


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))


def layer(layout: str, dtype: Any = "f32", **more: Any) -> Any:
    return ts.conv((2, 9, 11, 7), (37, 9, 3, 3), bias=False, layout=layout, dtype=dtype, stride=1, padding=1, **more)


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_all_ways_have_the_same_bits(layout: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    given = layer(layout, dtype)
    shapes = given.shape_x, given.shape_w
    x, w = (np.asarray(rng.standard_normal(each).astype(numpy_dtype(dtype))) for each in shapes)
    x = lay(x, "last" if layout == "NHWC" else "first")
    expected = np.asarray(given(x, given.pack(w)))
    code = set()
    for way in ways_like(given.plan.parts[0], given.target)[: scaled(8, 1000)]:
        again = given.recut(tuning.choice_of(WayTrial(way, 1.0)))
        code.add(again.job.data)
        for threads in (1, 3):
            assert np.asarray(again(x, again.pack(w), threads=threads)).tobytes() == expected.tobytes(), str(way)
    assert len(code) > 1  # the ways that are asked for are those that run


def fastest(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a candidate win, and return how many ran in each contest."""
    ran = list[int]()

    def contest(used: WayTrial, ranked: Any, call: Any, until: float, advance: Any = None) -> ContestResult[WayTrial]:
        ran.append(len(ranked))
        best = ranked[0]
        call(best)()
        return ContestResult(best, 2.0, 1.0, 2.0, (Timed(best, 1.0, 1.0), Timed(used, 2.0, 2.0)))

    monkeypatch.setattr(tuning, "contest", contest)
    return ran


def test_the_result_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    given, ran = layer("NHWC"), fastest(monkeypatch)
    found: Any = ts.tune(given, budget="100ms")
    assert found.gain == 2.0 and found.layer.plan.ways != given.plan.ways and not found.remembered
    again: Any = ts.tune(given, budget="100ms")
    assert again.remembered and again.layer.plan.ways == found.layer.plan.ways and len(ran) == 1
    assert not ts.tune(given, budget="200ms").remembered and not ts.tune(given, budget="1ms", again=True).remembered
    assert not ts.tune(layer("NHWC", threads=2), budget="100ms").remembered  # another question


def test_weights_belong_to_a_way() -> None:
    """Panels of other widths are other bytes: they are refused, and a tuned layer is pickled with its way."""
    given = layer("NHWC")
    narrow = next(way for way in ways_like(given.plan.parts[0], given.target) if way.width != given.plan.ways[0].width)
    tuned = given.recut(tuning.choice_of(WayTrial(narrow, 1.0)))
    x, w = lay(np.ones(given.shape_x, np.float32), "last"), np.ones(given.shape_w, np.float32)
    with pytest.raises(TypeError, match="weights: packed for a layer that is cut into other panels"):
        tuned(x, given.pack(w))
    again, packed = pickle.loads(pickle.dumps((tuned, tuned.pack(w))))
    assert again.plan.ways == tuned.plan.ways
    assert np.array_equal(again(x, packed), given(x, given.pack(w)))


def test_vectors_of_channels_are_not_tuned() -> None:
    with pytest.raises(ts.UnsupportedError, match="vectors of channels"):
        ts.tune(ts.conv((1, 32, 9, 9), (32, 1, 3, 3), groups=32, bias=False))
