"""`ts.reduce("absmax", init=True)` of integers compared an init with its sign: a -9 beside ones gave 1."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("dtype, init", [("i8", "i1"), ("i16", "i2"), ("i32", "i4"), ("f32", "f4")])
def test_the_size_of_the_init_counts(dtype: str, init: str, axis: int | None) -> None:
    kernel = ts.reduce("absmax", 3, 19, axis=axis, dtype=dtype, init=True)
    x = np.ones((3, 19), init)
    first = np.full({0: 19, 1: 3, None: 1}[axis], -9, init)
    first[0] = 0
    wanted = np.maximum(abs(first), 1)
    assert np.array_equal(np.ravel(kernel(x, first)), wanted)
