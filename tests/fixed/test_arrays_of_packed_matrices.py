"""np.asarray of compressed weights and of sparse matrices was an array of one object."""

import numpy as np
import pytest

import tilesmith as ts

W = np.random.default_rng(0).standard_normal((32, 24)).astype(np.float32)
PRUNED = np.where(W > 0, W, np.float32(0))


def test_elements_of_sparse_matrices():
    handle = ts.sparse(PRUNED, blocks=(3, 5))
    for made in (np.asarray(handle), handle.todense(), handle.toarray(), np.concatenate([handle])):
        assert made.dtype == np.float32 and np.array_equal(made, PRUNED)
    assert np.array_equal(np.asarray(handle, np.float64), PRUNED.astype(np.float64))


def test_elements_of_compressed_weights():
    integers = np.arange(-8, 8).repeat(48).reshape(32, 24)
    weights = ts.compressed(integers, scale=0.25)
    assert np.array_equal(np.asarray(weights), integers * np.float32(0.25))
    assert np.asarray(weights, np.float64).dtype == np.float64
    assert np.array_equal(np.asarray(ts.compressed(PRUNED, "bitmask")), PRUNED)


def test_what_is_no_array_says_what_works():
    handle, layer = ts.sparse(PRUNED), ts.linear(2, 24, 32)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="copy"):
            np.array(handle, copy=False)
    with pytest.raises(TypeError, match=r"layer\(x, weights\) multiplies, and weights.array"):
        np.asarray(layer.pack(W))
    with pytest.raises(TypeError, match=r"ts.spmm"):
        handle @ W  # noqa: B018
    with pytest.raises(TypeError, match="not support ufuncs"):
        np.add(handle, 1)
