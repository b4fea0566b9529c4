"""A region with reductions whose result repeats one element in each row, as exp of a broadcast sum, wrote one column of
it: the rest of the result was what memory held. The gradient of an outer product's mean, by torch.compile, was such."""

from __future__ import annotations

import numpy as np

import tilesmith as ts

Z = np.arange(12, dtype=np.float32).reshape(3, 4) / 16


def test_a_broadcast_row_sum_is_a_result() -> None:
    g = ts.graph()
    z = g.input((3, 4))
    total = g.sum(z, axes=1, keepdims=True)
    f = g.compile(g.exp(g.broadcast_to(total, shape=(3, 4))), z * total)
    whole, product = f(Z, out=(np.full((3, 4), 7, np.float32), np.empty((3, 4), np.float32)))
    expected = Z.sum(1, keepdims=True)
    assert np.allclose(whole, np.broadcast_to(np.exp(expected), (3, 4)), rtol=1e-6)
    assert np.allclose(product, Z * expected)


def test_another_region_reads_equal_columns() -> None:
    g = ts.graph()
    a, b = g.input((2, 3, 4)), g.input((2, 3, 4))
    wide = g.broadcast_to(g.reshape(a, shape=(2, 3, 4, 1)), shape=(2, 3, 4, 4)) * 0.25
    down, across = g.reshape(b, shape=(2, 3, 4, 1)), g.reshape(b, shape=(2, 3, 1, 4))
    f = g.compile(g.sum(g.permute(wide * down, axes=(0, 1, 3, 2)), axes=3) + g.sum(wide * across, axes=3))
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    spread = np.broadcast_to(x[..., None] * 0.25, (2, 3, 4, 4))
    assert np.allclose(f(x, x), (spread * x[..., None]).sum(2) + (spread * x[:, :, None]).sum(3), rtol=1e-6)
