"""`conv2d(algorithm="winograd")` is within its bound of the definition in f64, which worst cases come near."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import RUNNING
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.runtime.arguments.layouts import MemoryLayout, like
from tilesmith.runtime.convolution.geometry import ConvolutionWindow
from tilesmith.runtime.convolution.request import ConvolutionRequest
from tilesmith.runtime.convolution.winograd import MATRICES, Winograd
from tilesmith.runtime.host import detect as host

Array = np.ndarray[Any, Any]
Pads = tuple[tuple[int, int], tuple[int, int]]


def exact(x: Array, w: Array, padding: Pads) -> Array:
    wide = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *padding))
    seen = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), axis=(2, 3))
    return np.einsum("nchwrs,kcrs->nkhw", seen, w.astype(np.float64), optimize=True)


def shares(y: Array, x: Array, w: Array, padding: Pads = ((0, 0), (0, 0)), more: Any = 0) -> Array:
    """Return how much of the bound each result is off. `more` is a bias, whose sum is rounded once more."""
    sizes = np.einsum("nc,kc->nk", abs(x).max(axis=(2, 3)).astype(np.float64), abs(w).max(axis=(2, 3)))
    wanted = exact(x, w, padding)
    most = MATRICES.bound(x.shape[1] + 1) * (sizes[:, :, None, None] + abs(more))
    found: Array = abs(y - np.maximum(wanted + more, 0) if np.any(more) else y - wanted) / most
    return found


def last(array: Array) -> Array:
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


@settings(max_examples=scaled(2, 100_000))
@given(st.data(), st.sampled_from(SIDES), st.sampled_from([None, *RUNNING]))
def test_images_of_every_shape(data: st.DataObject, side: str, target: str | None) -> None:
    draw = data.draw
    n, c, k = draw(st.integers(1, 3)), draw(st.integers(1, 33)), draw(st.integers(1, 33))
    pads = draw(st.tuples(*[st.tuples(st.integers(0, 6), st.integers(0, 6))] * 2))
    size = [draw(st.integers(max(1, 3 - sum(each)), 21)) for each in pads]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((n, c, *size), (k, c, 3, 3)))
    bias = rng.standard_normal(k).astype(np.float32) if draw(st.booleans()) else None
    given: dict[str, Any] = {"padding": pads, "algorithm": "winograd", "target": target}
    if bias is not None:
        given["epilogue"] = lambda c: ts.relu(c)
    made = []
    for lay, threads in ((np.array, draw(st.sampled_from([1, 2]))), (last, draw(st.sampled_from([3, 7])))):
        arrays = [guarded(each, side, writable=False) for each in (lay(x), w)]
        out = guarded(lay(np.zeros((n, k, *(each + sum(pad) - 2 for each, pad in zip(size, pads))), np.float32)), side)
        assert ts.conv2d(*arrays, bias, out=out, threads=threads, **given) is out
        check_canary(out)
        made.append(out)
    assert np.array_equal(*made)  # equal bits for other threads and another layout
    level = 0 if bias is None else bias[:, None, None]
    assert shares(made[0], x, w, pads, level).max() <= 1


@pytest.mark.parametrize("point", range(len(MATRICES.g)))
@pytest.mark.grid(2)
def test_worst_cases_come_near_the_bound(point: int) -> None:
    """Signs that let no term of a transform cancel: the bound is less than 400 times the error."""
    rng = np.random.default_rng(point)
    signs_b, signs_g = ([-1.0 if each < 0 else 1.0 for each in of[point]] for of in (MATRICES.b_t, MATRICES.g))
    x, w = (rng.uniform(0.5, 1, shape) for shape in ((16, 7, 6, 6), (40, 7, 3, 3)))
    x, w = (x * np.outer(signs_b, signs_b)).astype(np.float32), (w * np.outer(signs_g, signs_g)).astype(np.float32)
    found = shares(ts.conv2d(x, w, algorithm="winograd"), x, w).max()
    assert found <= 1
    assert point in (0, 5) or found > 1 / 400  # 0 and infinity are in one row of A^T only


@pytest.mark.grid(1)
@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_other_machines(target: str) -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 2, 4, 3), (3, 2, 3, 3)))
    geometry = ConvolutionWindow(padding=1).of(x.shape, w.shape, "conv2d")
    lie: list[MemoryLayout] = [like(each, range(4), "f32") for each in (x.shape, w.shape, geometry.y)]
    y = np.zeros(geometry.y, np.float32)
    job = Winograd(ConvolutionRequest.of(geometry, False, (lie[0], lie[1], lie[2]), host.resolve(target)))
    job.run([x, w, y], workers=2, turns=1)
    assert shares(y, x, w, ((1, 1), (1, 1))).max() <= 1


def test_operands_of_the_shape_of_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path))  # whose keys tell epilogues apart
    rng = np.random.default_rng(0)
    x, w, r = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 5, 9, 7), (6, 5, 3, 3), (2, 6, 7, 5)))
    plain, given = ts.conv2d(x, w, algorithm="winograd"), cast(dict[str, Any], {"algorithm": "winograd"})
    for factor in (2.0, 4.0):
        y = ts.conv2d(last(x), w, operands={"r": last(r)}, epilogue=lambda c, r, f=factor: c * f + r, **given)
        assert np.array_equal(y, plain * np.float32(factor) + r)
    with pytest.raises(ts.UnsupportedError, match='lies in memory as x does, has channels last; algorithm="direct"'):
        ts.conv2d(x, w, operands={"r": r}, epilogue=lambda c, r: c + r, **given)


OTHER = "neon" if ts.host().arch == "x86" else "avx2"
IMAGES, FILTERS = np.zeros((1, 4, 8, 8), np.float32), np.zeros((4, 4, 3, 3), np.float32)


@pytest.mark.parametrize(
    ("x", "w", "given", "said"),
    [
        (IMAGES, FILTERS, {"stride": 2}, "stride=1, not (2, 2)"),
        (IMAGES, FILTERS, {"dilation": 2}, "dilation=1"),
        (IMAGES, FILTERS[:, :2], {"groups": 2}, "groups=1, not 2"),
        (IMAGES, FILTERS[:, :, :2], {}, "3 x 3 taps, not 2 x 3"),
        (IMAGES.astype(np.float64), FILTERS.astype(np.float64), {}, "f32 only"),
        (IMAGES, FILTERS, {"bias": np.zeros(4)}, "bias: f64 is wider than f32"),
        (IMAGES, FILTERS, {"target": OTHER}, "this machine is"),
        (IMAGES, FILTERS, {"algorithm": "fft"}, '"direct" or "winograd", not \'fft\''),
    ],
    ids=["stride", "dilation", "groups", "taps", "types", "bias", "target", "name"],
)
def test_refusals(x: Array, w: Array, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        ts.conv2d(x, w, **{"algorithm": "winograd", **given})
