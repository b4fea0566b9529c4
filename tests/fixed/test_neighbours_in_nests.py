"""A kernel that reaches beyond the block of a nest was refused, in words that only its authors knew. It is read now.

A convolution is such a nest: the rows of a product are neighbouring pixels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts

C, H, W, K, R = 3, 6, 7, 5, 3
SHAPES = {"x": (C, H, W, 1), "f": (C, R, R, 1, K), "y": (H - R + 1, W - R + 1, K)}


def _nest(place: Any) -> Any:
    kernel = ts.brgemm(W - R + 1, K, 1)

    def body(i, x, f, y):
        kernel(place(i, x), f[i.c, i.r, i.s], y[i.h])

    loops = {"h": (0, H - R + 1, 1), "c": (0, C, 1), "r": (0, R, 1), "s": (0, R, 1)}
    return ts.nest("hcrs", loops=loops, body=body, **{name: (shape, "f32") for name, shape in SHAPES.items()})


@pytest.mark.parametrize("element", [(), (0,)])
def test_neighbouring_pixels_are_rows(element: tuple[int, ...]) -> None:
    """A block of a pixel, or its first element, gives the convolution of numpy, on whole numbers."""
    nest = _nest(lambda i, x: x[(i.c, i.h + i.r, i.s, *element)])
    rng = np.random.default_rng(3)
    x, f = (rng.integers(-4, 5, SHAPES[name]).astype(np.float32) for name in "xf")
    y = np.zeros(SHAPES["y"], np.float32)
    nest(x, f, y)
    windows = np.lib.stride_tricks.sliding_window_view(x[..., 0], (R, R), (1, 2))
    assert np.array_equal(y, np.einsum("chwrs,crsk->hwk", windows, f[:, :, :, 0]))
