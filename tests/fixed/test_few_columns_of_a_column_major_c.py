"""Found by random products: `ts.gemm` asked to prefetch a row-major A that kernels of a column-major C pack, so that
products by few columns were refused if A was larger than L2."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_three_columns(target: str) -> None:
    m, n, k = 150, 3, 2048
    product = ts.gemm(m, n, k, order="CCF", beta=0.0, target=target)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    np.testing.assert_array_equal(product(a, b), a @ b)
