"""Kernels of tensor programs computed on the bytes of arrays in the other byte order."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


def test_the_other_byte_order_is_refused_with_what_converts_it():
    i, j, r = ts.axis(4), ts.axis(4), ts.reduce_axis(4)
    kernel = ts.tensorize(ts.sum(ts.tensor((4, 4), "f32")[i, r] * ts.tensor((4, 4), "f32")[r, j], axis=r))
    good, odd = np.ones((4, 4), "f4"), np.ones((4, 4), "f4").astype(np.dtype("f4").newbyteorder())
    for name, call in (
        ("x", lambda: kernel(odd, good)),
        ("y", lambda: kernel(good, odd)),
        (kernel.packs, lambda: kernel.pack(odd)),
        ("out", lambda: kernel(good, good, out=odd)),
    ):
        for _ in range(3):  # the third call is that of machine code
            with pytest.raises(TypeError, match=rf"{name}: float32 in native byte order.*{name}.astype"):
                call()
    assert np.array_equal(kernel(good, odd.astype("f4")), np.full((4, 4), 4.0))
