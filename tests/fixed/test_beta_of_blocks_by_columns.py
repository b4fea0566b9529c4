"""Products of narrow types with an epilogue and a column-major C computed beta * C from scratch memory that nothing had
written, because the beta of the product alone was asked for, which is 0 if the epilogue adds C."""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

TYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}


@pytest.mark.parametrize("order", ["CCF", "FFF"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(9, 21, 30), (60, 4, 50)], ids=str)
@pytest.mark.parametrize("beta", [0.5, 1])
def test_beta(shape, dtype, order, beta):
    m, n, k = shape
    rng = np.random.default_rng(1)
    a, b, old = (
        np.asarray(rng.integers(-1, 2, each), TYPES[dtype], order=of)
        for each, of in zip(((m, k), (k, n), (m, n)), order)
    )
    scale, c = np.asarray(np.exp2(rng.integers(-1, 2, n)), TYPES[dtype]), old.copy("F")
    ts.gemm(m, n, k, dtype=dtype, order=order, beta=beta, epilogue=lambda c, s: c * s)(a, b, c, scale)
    exact = (a.astype("f8") @ b.astype("f8") + beta * old.astype("f8")) * scale.astype("f8")
    assert np.array_equal(c, exact.astype(TYPES[dtype]))
