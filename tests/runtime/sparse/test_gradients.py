"""`ts.spmm_backward` equals the gradients of the dense product at the stored places, exactly for small integers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import RUNNING
from tests.profiles import scaled
from tests.runtime.sparse.test_spmm import BLOCKS, lay
from tests.sparse_cases import Pattern, patterns


@settings(max_examples=scaled(12, 100_000))
@given(
    patterns(),
    st.integers(0, 40),
    st.sampled_from([np.float32, np.float64, ml_dtypes.bfloat16, np.float16]),
    st.sampled_from(BLOCKS),
    st.sampled_from([None, *RUNNING]),
    st.sampled_from(["rows", "columns", "gaps"]),
    st.sampled_from([1, 3]),
    st.booleans(),
)
def test_gradients(
    drawn: tuple[Pattern, str], n: int, dtype: Any, blocks: Any, target: str | None, way: str, threads: int, left: bool
) -> None:
    pattern, format = drawn
    handle = ts.sparse(pattern.held(format, dtype), blocks=blocks, target=target)
    dense, rng = pattern.dense(), np.random.default_rng(n)
    m, k = dense.shape
    x, dy = (rng.integers(-1, 2, shape) for shape in (((k, n), (m, n)) if left else ((n, m), (n, k))))
    factors = (handle, lay(x.astype(dtype), way)) if left else (lay(x.astype(dtype), way), handle)
    da, db = ts.spmm_backward(lay(dy.astype(dtype), way), *factors, threads=threads)
    by_values, by_dense = (da, db) if left else (db, da)
    assert np.array_equal(by_dense, (dense.T @ dy if left else dy @ dense.T).astype(dtype))
    exact = dy @ x.T if left else x.T @ dy
    stored = handle.with_values(np.ones_like(handle.values)).toarray() != 0
    assert by_values.block == handle.block and np.array_equal(by_values.toarray(), np.where(stored, exact, 0))


def test_wrong_arguments() -> None:
    eye = ts.sparse(Pattern((3, 3), (1, 1), np.arange(3), np.arange(3), np.ones((3, 1, 1))).held("coo", np.float64))
    x = np.ones((3, 2))
    with pytest.raises(ValueError, match="wanted: some of da, db, not 'dx'"):
        ts.spmm_backward(x, eye, x, wanted="dx")
    with pytest.raises(ValueError, match=r"dc: shape \(3, 2\), not \(2, 3\)"):
        ts.spmm_backward(x.T, eye, x)
    with pytest.raises(ts.UnsupportedError, match="of one type"):
        ts.spmm_backward(x.astype(np.float32), eye, x)
    with pytest.raises(TypeError, match="one of them sparse"):
        ts.spmm_backward(x, x, x)
    by_row = ts.spmm_backward(np.arange(3.0), eye, np.array([1.0, 2.0, 3.0]))
    assert np.array_equal(by_row[0].toarray(), np.diag([0.0, 2.0, 6.0])) and np.array_equal(by_row[1], np.arange(3))
    assert np.array_equal(ts.spmm_backward(np.arange(3.0), np.ones(3), eye, wanted="da"), np.arange(3))
