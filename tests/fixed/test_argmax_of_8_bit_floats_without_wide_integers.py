"""argmax of 8-bit floats with a tail was refused for lack of registers on a target without integers of 256 bits; a
matrix without a tail was not."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn])
@pytest.mark.parametrize(("name", "shape", "axis"), [("argmax", (6, 9), None), ("argmin", (18, 3), 1)])
@pytest.mark.grid(2)
def test_elements_behind_whole_vectors(name: str, shape: tuple[int, int], axis: int | None, dtype: type) -> None:
    x = np.random.default_rng(5).permutation(54).reshape(shape).astype(np.float32).astype(dtype)  # with equal elements
    kernel = ts.reduce(name, *shape, dtype=dtype, axis=axis, target="avx")
    y = np.zeros(18 if axis else 1, np.int32)
    kernel.run(x, y)
    expected = getattr(np, name)(x.astype(np.float32), axis=axis)
    np.testing.assert_array_equal(y, expected)
    assert kernel.verify()
