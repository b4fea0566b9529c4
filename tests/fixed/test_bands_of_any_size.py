"""Bands had no bound: three taps a million apart took 850 MiB of scratch memory per worker, and images of ten million
columns took seconds to plan."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.tuning.contractions import CONTRACTIONS


def test_a_tile_that_reads_too_much_is_refused() -> None:
    layer = ts.conv((1, 64, 10_000_000), (8, 64, 3), padding=1_000_000, dilation=1_000_000, bias=False)
    with pytest.raises(UnsupportedError, match="MiB of scratch memory, .* of A for a tile of 1 q, not at most 128"):
        _ = layer.plan
    stored = ts.conv((1, 64, 12_000_000), (8, 64, 3), dilation=1_000_000, bias=False, layout="NWC")
    assert not stored.plan.ways[0].copies


@pytest.mark.parametrize("of_x, of_w, apart", [((1, 4, 10_000_000), (8, 4, 3), 1), ((1, 4, 9000), (8, 4, 3), 2000)])
def test_bands_are_bounded(of_x: tuple[int, ...], of_w: tuple[int, ...], apart: int) -> None:
    layer = ts.conv(of_x, of_w, padding=apart, dilation=apart, bias=False)
    assert layer.bytes_own < CONTRACTIONS.most_own // 16


def test_far_taps() -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((1, 4, 9000), (8, 4, 3)))
    padded = np.pad(x, ((0, 0), (0, 0), (2000, 2000)))
    wanted = sum(np.einsum("ncw,kc->nkw", padded[..., 2000 * s :][..., :9000], w[..., s]) for s in range(3))
    assert np.array_equal(ts.conv1d(x, w, padding=2000, dilation=2000), wanted)
