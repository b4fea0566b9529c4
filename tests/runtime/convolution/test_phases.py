"""Gradients by the weights of dilated sequences, which are computed by phases, equal their definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.convolution_cases import TYPES, WAYS, Array, lay, numbers, rounded, wide
from tests.gemm_cases import RUNNING
from tests.guard import SIDES, guarded
from tests.profiles import scaled
from tilesmith.runtime.convolution import phases


def by_weights(dy: Array, x: Array, taps: int, dilation: int, padding: tuple[int, int]) -> Array:
    """Return the sums over all places of each tap."""
    padded, places = np.pad(wide(x), [(0, 0), (0, 0), padding]), dy.shape[2]
    met = [padded[..., dilation * tap : dilation * tap + places] for tap in range(taps)]
    return np.stack([np.einsum("nkq,ncq->kc", wide(dy), each) for each in met], axis=2)


@st.composite
def cases(draw: Any) -> tuple[int, int, int, int, int, tuple[int, int], int]:
    taps, dilation = draw(st.integers(2, 9)), draw(st.integers(2, 11))
    k, c = draw(st.integers(64 // taps + 1, 40)), draw(st.integers(1, 20))
    padding = draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))
    places = draw(st.integers(dilation * taps, dilation * taps + 70))
    return draw(st.integers(1, 2)), c, k, taps, dilation, padding, places


@settings(max_examples=scaled(8, 20_000))
@given(
    cases(),
    st.sampled_from(["f32", "f64", "bf16", "f16"]),
    st.sampled_from(WAYS),
    st.sampled_from(WAYS),
    st.sampled_from([None, *RUNNING]),
    st.sampled_from([1, 2, 3, 7]),
    st.sampled_from(SIDES),
)
def test_every_parameter(
    case: Any, types: str, way: str, of_dy: str, target: str | None, threads: int, side: str
) -> None:
    n, c, k, taps, dilation, padding, places = case
    wide_ = max(1, places + dilation * (taps - 1) - sum(padding))
    places, dtype = wide_ + sum(padding) - dilation * (taps - 1), TYPES[types][0]
    x, dy = numbers((n, c, wide_), dtype, 1), numbers((n, k, places), dtype, 2)
    w = np.zeros((k, c, taps), dtype)
    held = [guarded(each, side, writable=False) for each in (lay(dy, of_dy), lay(x, way))]
    asked: Any = {"padding": (padding,), "dilation": dilation, "threads": threads, "target": target}
    found = ts.conv1d_backward(*held, w, wanted="dw", **asked)
    assert np.array_equal(found, rounded(by_weights(dy, x, taps, dilation, padding), dtype))


@pytest.mark.parametrize("way", ["first", "last"])
@pytest.mark.parametrize("types", ["f32", "bf16"])
def test_bits_do_not_depend_on_threads_or_layout(way: str, types: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, made = np.random.default_rng(3), list[object]()
    x, dy = (rng.standard_normal(each).astype(TYPES[types][0]) for each in ((2, 5, 707), (2, 13, 603)))
    w = np.zeros((13, 5, 14), x.dtype)
    init = phases.PhasedGradient.__init__
    monkeypatch.setattr(phases.PhasedGradient, "__init__", lambda self, *each: (made.append(1), init(self, *each))[1])
    found = {
        ts.conv1d_backward(lay(dy, each), lay(x, way), w, dilation=8, wanted="dw", threads=threads).tobytes()
        for threads in (1, 2, 3, 7)
        for each in ("first", "last")
    }
    assert len(found) == 1 and made


def test_an_infinite_element_reaches_its_own_taps_only() -> None:
    """What lies behind the whole phases is added apart, not multiplied by zeros."""
    x, dy = np.ones((1, 3, 5 * 9 + 4 * 5 + 3), np.float32), np.ones((1, 16, 48), np.float32)
    x[0, 1, -1] = np.inf
    dw = ts.conv1d_backward(dy, x, np.zeros((16, 3, 5), np.float32), dilation=5, wanted="dw")
    assert np.isinf(dw[:, 1, 4]).all() and np.isfinite(dw[:, [0, 2]]).all() and np.isfinite(dw[:, 1, :4]).all()
