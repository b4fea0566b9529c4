"""A product of one left-over column, whose B has rows further apart than a displacement reaches, raised EncodeError."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["avx512", "avx2", "sve256", "neon"])
@pytest.mark.parametrize(("n", "k", "dtype"), [(1, 300, "f64"), (33, 300, "f64"), (1, 1000, "f32")])
def test_a_kernel_reaches_every_row(target, n, k, dtype):
    for rows in (1, 7):
        assert ts.brgemm(rows, n, k, dtype=dtype, ldb=2**20, target=target).code


@pytest.mark.parametrize(("m", "n"), [(1, 1), (7, 33), (ts.RUNTIME, 1)])
def test_the_product(m, n):
    rows, k = 7 if m is ts.RUNTIME else m, 300
    rng = np.random.default_rng(1)
    a, narrow = rng.standard_normal((rows, k)), rng.standard_normal((k, n))
    b = np.zeros((k, 2**20))  # 2.5 GB of addresses, of which the first page of each row is used
    b[:, :n] = narrow
    c = rng.standard_normal((rows, n))
    expected = c + a @ narrow
    ts.brgemm(m, n, k, dtype="f64", ldb=2**20)(a, b[:, :n], c)
    np.testing.assert_allclose(c, expected, rtol=1e-12, atol=1e-12)


def test_nearer_rows_are_still_read_along_k():
    for leading, schemes in ((2**17, True), (2**20, False)):
        plan = str(ts.brgemm(8, 1, 1000, dtype="f32", ldb=leading, target="avx512").plan)
        assert ("along k" in plan) == schemes
