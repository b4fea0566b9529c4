"""A matrix with fewer columns than the table has rows was reduced without an error, and gradients and transposes took
no matrix, nor did any of them a handle of `ts.sparse`. `h @ x` of a handle failed inside of numpy."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts

DENSE = np.array([[0, 2, 0], [0, 0, 0], [3, 0, -1], [0, 5, 0]], np.float32)
X = np.arange(6, dtype=np.float32).reshape(3, 2)


class Csr:
    format, shape, nnz = "csr", (4, 3), 4
    indptr, indices = np.array([0, 1, 1, 3, 4]), np.array([1, 0, 2, 1])
    data = np.array([2, 3, -1, 5], np.float32)


@pytest.mark.parametrize("a", [Csr(), ts.sparse(Csr()), ts.sparse(DENSE)])
def test_matrices_are_graphs(a):
    assert (ts.graph_reduce(a, X) == DENSE @ X).all()
    dy = np.arange(8, dtype=np.float32).reshape(4, 2)
    by_table, by_values = ts.graph_reduce_backward(dy, a, X)
    assert (by_table == DENSE.T @ dy).all()
    assert (by_values == (dy @ X.T)[DENSE != 0]).all()
    by_table, _ = ts.graph_reduce_backward(dy, a, X, "mean")
    assert np.allclose(by_table, (DENSE / np.maximum((DENSE != 0).sum(1, keepdims=True), 1)).T @ dy)
    turned = ts.graph_transpose(a)
    assert turned.indptr.tolist() == [0, 1, 3, 4] and turned.indices.tolist() == [2, 0, 3, 2]


def test_tables_have_a_row_for_each_column():
    for table in (np.ones((4, 2), np.float32), np.ones((2, 2), np.float32)):
        with pytest.raises(ValueError, match="table: a matrix, 3 x any, a row for each column of the matrix"):
            ts.graph_reduce(Csr(), table)
    with pytest.raises(ts.UnsupportedError, match=r"handle of elements.*blocks=1"):
        ts.graph_reduce(ts.sparse(Csr(), blocks=2), X)
    with pytest.raises(TypeError, match="sources: the number of rows of the table"):
        ts.graph_transpose(Csr.indptr, Csr.indices)


def test_dense_matrices_become_sparse_ones():
    handle = ts.sparse(DENSE)
    assert handle.blocks == 4 and (handle.toarray() == DENSE).all()
    assert (ts.sparse(DENSE, blocks=2).toarray() == DENSE).all()
    with pytest.raises(ValueError, match="a: a matrix, not an array of shape"):
        ts.sparse(DENSE[0])


def test_operators_name_the_function():
    handle, weights = ts.sparse(Csr()), ts.compressed(np.ones((16, 8), np.float32), "i4", group=16)
    layer = ts.linear(4, 8, 16)
    groups = ts.pack_groups(np.ones((2, 16, 8), np.float32))
    takers = {handle: "ts.spmm", weights: "ts.matmul", layer.pack(np.ones((16, 8), np.float32)): "layer"}
    for each, name in {**takers, groups: "ts.grouped_matmul"}.items():
        for call in (lambda: np.ones((4, 16)) @ each, lambda: each @ np.ones((4, 16))):  # noqa: B023  # called here
            with pytest.raises(TypeError, match=rf"@: no operator of .*{name}\("):
                call()
    with pytest.raises(TypeError, match=r"a: an array .*ts\.spmm\(a, b\)"):
        ts.matmul(handle, X)
