"""Channels first and last gave other bits where taps cover the image or it has no rim: sums in other orders."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.convolution_cases import lay

SHAPES = (
    ((1, 2, 2, 1), (1, 2, 2, 1), {}),
    ((2, 16, 7, 7), (5, 16, 7, 7), {}),
    ((2, 5, 9, 8), (17, 5, 3, 3), {}),
    ((1, 3, 9, 1), (4, 3, 9, 1), {}),
    ((1, 12, 6, 6), (4, 12, 2, 2), {"stride": 2}),
)


@pytest.mark.parametrize("shape, of_w, given", SHAPES, ids=str)
@pytest.mark.grid(5)
def test_channels_first_and_last(shape: tuple[int, ...], of_w: tuple[int, ...], given: dict[str, int]) -> None:
    rng = np.random.default_rng(1)
    x, w = (rng.standard_normal(each).astype(np.float32) for each in (shape, of_w))
    first, last = (ts.conv2d(lay(x, way), w, **given) for way in ("first", "last"))
    assert np.array_equal(first, last)
