"""A product of bytes with an f32 C, an epilogue and a beta other than 0 and 1 was refused as an FMA of i32, because the
sums were not converted before beta * C was added."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("make", [ts.brgemm, ts.gemm])
@pytest.mark.parametrize(("of_a", "of_b"), [("u8", "i8"), ("i8", "i8"), ("u8", "u8")])
@pytest.mark.parametrize(("alpha", "beta"), [(1, 0.5), (2, -0.25), (0.5, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_beta(make, of_a, of_b, alpha, beta, order):
    rng = np.random.default_rng(0)
    a, b = (
        np.asarray(rng.integers(0, 20, shape), dtype[0] + "1", order=order)
        for shape, dtype in (((9, 30), of_a), ((30, 21), of_b))
    )
    old, scale = rng.integers(-8, 8, (9, 21)).astype(np.float32), np.exp2(rng.integers(-2, 2, 21)).astype(np.float32)
    c = np.asarray(old, order=order).copy(order)
    product = make(
        9, 21, 30, dtype=(of_a, of_b, "f32"), order=order, alpha=alpha, beta=beta, epilogue=lambda c, s: ts.relu(c) * s
    )
    product(a, b, c, scale)
    exact = np.maximum(alpha * (a.astype("f8") @ b.astype("f8")) + beta * old, 0) * scale
    assert np.array_equal(c, exact)
