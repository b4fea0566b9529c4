"""On AVX-512, masks of three lane counts were counted as two. So argmax of 33 x 31, like one shape in 14, ran out of
masks and raised UnsupportedError, although another way works."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize(("m", "n"), [(13, 3), (19, 31), (33, 15), (41, 63)])
def test_rows_of_two_heights(name, dtype, m, n):
    kernel = ts.reduce(name, m, n, axis=1, dtype=dtype, target="avx512")
    x = np.random.default_rng(m * n).integers(-9, 10, (m, n)).astype(numpy_dtype(dtype))
    x[m // 2, n // 2] = np.nan
    found = np.zeros(m, np.int32)
    kernel.run(x, found)
    assert np.array_equal(found, getattr(np, name)(x.astype("f4"), axis=1))
