"""Sums down the columns of more than 4,096 rows were wrong if the last vector of a row fills more than half a register:
levels were cleared and added with the lanes of that vector, so that every other one lost its last elements."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.microkernels.contract.vector_verbs import Lanes, breadth

M = 4_200
NATIVE = [None, "avx2", "avx", "sse"]
EMULATED = ["neon", "sve256", "sve512"] if is_soak() else ["sve256"]


def _x(m: int, n: int, dtype: str) -> np.ndarray:
    """Whole numbers whose sums and squares are exact in each type."""
    return np.random.default_rng(m + n).integers(-3, 6, (m, n)).astype(dtype)


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("dtype, widths", [("float32", (7, 13, 15, 31, 45)), ("float64", (3, 5, 7, 13, 23))])
def test_means_of_counted_rows(target, dtype, widths):
    for n in widths:
        x = _x(M, n, dtype)
        kernel = ts.fused("batch_mean", ts.RUNTIME, n, dtype=dtype, target=target)
        if kernel.address is None:
            pytest.skip(f"{target} does not run here")
        assert np.allclose(np.ravel(kernel(x)), x.mean(0, dtype="f8"), rtol=4e-7, atol=0)


@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("n", [13, 15])
def test_means_of_counted_rows_in_the_emulator(target, n):
    x, y = _x(M, n, "float32"), np.zeros(n, np.float32)
    ts.fused("batch_mean", ts.RUNTIME, n, target=target).run(x, y)
    assert np.allclose(y, x.mean(0, dtype="f8"), rtol=4e-7, atol=0)


@pytest.mark.parametrize("rows", [M, ts.RUNTIME])
@pytest.mark.parametrize("n", [13, 215])
def test_statistics_of_batches(rows, n):
    x = _x(M, n, "float64")
    one = np.ones(n)
    y, mean, _ = ts.fused("batchnorm_training", rows, n, dtype="f64")(x, one, 0 * one)
    assert np.allclose(np.ravel(mean), x.mean(0), rtol=1e-13, atol=0)
    assert np.allclose(y, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), rtol=1e-10, atol=1e-12)


def test_softmax_of_long_rows_by_columns():
    x = np.asfortranarray(_x(28, 4097, "float32"))
    powers = np.exp(x.astype("f8"))
    y = ts.fused("softmax", 28, 4097, order="F")(x)
    assert np.allclose(y, powers / powers.sum(1, keepdims=True), rtol=2e-6, atol=0)


def test_a_whole_vector_is_broader_than_a_tail_in_the_same_register():
    whole, tail, narrow = Lanes("f64", 8, 8), Lanes("f64", 6, 8), Lanes("f64", 4, 4)
    assert max((narrow, tail, whole), key=breadth) is whole and max((whole, tail), key=breadth) is whole
