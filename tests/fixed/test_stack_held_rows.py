"""If the products of a stack have one panel, whose rows of A stay in registers, every product used the rows of the
first."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_every_product_has_its_own_rows(target: str) -> None:
    rng = np.random.default_rng(1)
    for k in (8, 16, 32):
        kernel = ts.brgemm(3, 2, k, beta=0, stack=ts.RUNTIME, target=target)
        a, b = (rng.integers(-4, 5, (3, *shape)).astype(np.float32) for shape in ((3, k), (k, 2)))
        c = np.zeros((3, 3, 2), np.float32)
        kernel.run(a, b, c)
        assert (c == np.matmul(a.astype(np.float64), b.astype(np.float64))).all(), k
