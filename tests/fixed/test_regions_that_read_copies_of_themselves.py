"""A node that reads a region through views whose elements have no strides, so that they are copied, joined the region
as if they were another's: "computed before it is read", as of the softmax of columns whose result is flattened."""

from __future__ import annotations

import numpy as np

import tilesmith as ts


def test_a_node_reads_the_flat_softmax_of_columns() -> None:
    x = np.log(np.arange(1, 13, dtype=np.float32).reshape(3, 4))
    g = ts.graph()
    f = g.compile(g.negative(g.reshape(g.softmax(g.input((3, 4)), axis=0), shape=(12,))))
    assert np.allclose(f(x), -(np.exp(x) / np.exp(x).sum(0)).ravel(), rtol=1e-6)


def test_a_node_reads_the_flat_transpose_of_a_region() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    g = ts.graph()
    y = g.input((2, 3)) * 2.0
    f = g.compile(g.reshape(g.permute(y, axes=(1, 0)), shape=(6,)) + g.reshape(y, shape=(6,)))
    assert np.array_equal(f(x), (2 * x).T.ravel() + (2 * x).ravel())
