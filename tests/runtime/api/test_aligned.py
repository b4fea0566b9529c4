"""ts.empty: arrays that begin at a cache line."""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("f32", np.float32), ("bfloat16", ml_dtypes.bfloat16), (np.float64, np.float64), ("int8", np.int8)],
)
@pytest.mark.parametrize("shape", [(3, 5), 7, np.int64(65), [2, 3, 4], (), (200, 301)])
def test_an_array_begins_at_a_cache_line(shape, dtype, expected, order):
    made = ts.empty(shape, dtype, order)
    like = np.empty(shape, expected, order)
    assert (made.shape, made.dtype, made.strides) == (like.shape, like.dtype, like.strides)
    assert made.ctypes.data % 64 == 0
    assert made.flags.writeable and made.flags.aligned
    made[...] = 1
    assert (made == 1).all()


def test_an_extent_may_be_zero():
    assert ts.empty((0, 4)).shape == (0, 4)


def test_kernels_take_such_an_array():
    a, b = np.ones((8, 5), np.float32), np.ones((5, 6), np.float32)
    c = ts.empty((8, 6))
    assert ts.matmul(a, b, c) is c
    assert (c == 5).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (((3, -1),), ValueError, "no extent is negative"),
        (("x",), TypeError, "an extent or a sequence of extents"),
        ((2.5,), TypeError, "an extent or a sequence of extents"),
        ((3, "f33"), ValueError, 'did you mean "f32"'),
        ((3, "f32", "K"), ValueError, r'"C" \(row-major\) or "F"'),
    ],
)
def test_errors_say_what_to_write(arguments, error, message):
    with pytest.raises(error, match=message):
        ts.empty(*arguments)
