"""a @ v has one axis, and an epilogue operand with that axis was refused, also in batches.

A batch with several axes of 8-bit floats raised numpy's TypeError for its views.
"""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


def added(c, d):
    return c + d


@pytest.mark.parametrize(
    ("a", "b", "d"),
    [
        ((5, 3), (3,), (5,)),
        ((5, 3), (3,), (5, 1)),
        ((3,), (3, 5), (5,)),
        ((3,), (3,), ()),
        ((5, 3), (3,), (1,)),
        ((4, 5, 3), (3,), (5,)),
        ((4, 5, 3), (3,), (4, 5)),
        ((3,), (4, 3, 5), (4, 5)),
        ((200, 300), (300,), (200,)),
    ],
)
def test_operand_has_the_axes_of_the_result(a, b, d):
    rng = np.random.default_rng(1)
    a, b, d = (rng.integers(-4, 5, shape).astype("f4") for shape in (a, b, d))
    result = ts.matmul(a, b, epilogue=added, operands={"d": d})
    assert np.array_equal(result, a @ b + d.reshape(d.shape[:1] if d.shape[1:] == (1,) else d.shape))


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn])
def test_batches_of_narrow_floats(dtype):
    a, b = np.full((2, 3, 4, 5), 2, dtype), np.full((2, 3, 5, 6), 3, dtype)
    assert np.array_equal(ts.matmul(a, b), np.full((2, 3, 4, 6), 30, "f4"))
