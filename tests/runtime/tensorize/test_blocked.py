"""Quantised convolutions in blocked layouts, against exact integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.tensorize.blocked import (
    blocked,
    blocked_convolution,
    blocked_weights,
    requantized,
    unblocked,
)


def convolved(x: Any, w: Any, stride: int, padding: int, zero: int) -> Any:
    """Return the convolution of x - zero by its definition, in exact integers."""
    wide = np.pad(x.astype(np.int64) - zero, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    taps = w.shape[2:]
    out = [(extent - count) // stride + 1 for extent, count in zip(wide.shape[2:], taps)]
    y = np.zeros((len(x), len(w), *out), np.int64)
    for r, s in np.ndindex(*taps):
        part = wide[:, :, r : r + stride * out[0] : stride, s : s + stride * out[1] : stride]
        y += np.einsum("nchw,kc->nkhw", part, w[:, :, r, s].astype(np.int64))
    return y


CASES = {
    "odd channels": (1, 20, 9, 33, 3, 1, 1),
    "stride": (2, 16, 8, 16, 1, 2, 0),
    "a window": (1, 3, 11, 10, 5, 2, 2),
}


CELLS = [("odd channels", 16, None), ("stride", 16, None), ("a window", 16, "avx512_vnni"), ("stride", 4, "neon")]


@pytest.mark.parametrize("name, lanes, target", CELLS)
def test_two_layers_in_blocks(name: str, lanes: int, target: Any) -> None:
    """The result of a layer, blocked and of 8 bits, is the input of the next one."""
    n, c, size, k, taps, stride, padding = CASES[name]
    rng = np.random.default_rng(size)
    x, zero = rng.integers(0, 256, (n, c, size, size + 1)).astype(np.uint8), 7
    given = blocked(x, lanes, padding=padding, fill=zero)
    for layer, (filters, window, step) in enumerate([(k, taps, stride), (18, 1, 1)]):
        w = rng.integers(-128, 128, (filters, x.shape[1], window, window)).astype(np.int8)
        packed = blocked_weights(w, lanes, 4, channels=lanes)
        program = blocked_convolution(given.shape, packed.shape, stride=step)
        kernel = ts.tensorize(program, target=target, **requantized(program, zero_point=3 * layer))
        shift, scale = (np.zeros((packed.shape[0], lanes), each) for each in (np.int32, np.float32))
        shift.reshape(-1)[:filters] = -zero * w.astype(int).sum((1, 2, 3))
        scale[...] = 2.0**-12
        call = kernel if target in (None, ts.host().name) else kernel.run
        y = call(given, packed, shift=shift, scale=scale)
        sums = convolved(x, w, step, padding if layer == 0 else 0, zero)
        wanted = np.clip(np.rint(sums * 2.0**-12) + 3 * layer, 0, 255).astype(np.uint8)
        np.testing.assert_array_equal(unblocked(y, filters), wanted)
        x, given, zero = wanted, y, 0


def test_blocks_that_do_not_fit_say_so() -> None:
    x, w = np.zeros((1, 2, 5, 5, 16), np.uint8), np.zeros((1, 4, 3, 3, 16, 4), np.int8)
    with pytest.raises(
        ValueError, match=r"4 groups of 4 channels, but images have 2 blocks of 16; blocked_weights\(w, 16"
    ):
        blocked_convolution(x.shape, w.shape)
    with pytest.raises(ValueError, match=r"images of \(2, 5\) are smaller than the window of \(3, 3\)"):
        blocked_convolution((1, 1, 2, 5, 16), w.shape)
    with pytest.raises(ValueError, match="w_shape: 1 axes of taps, as images have of extents, not 2"):
        blocked_convolution((1, 1, 5, 16), (1, 4, 3, 3, 16, 4))
