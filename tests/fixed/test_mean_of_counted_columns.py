"""A mean along rows in order "F", with the number of rows given at the call, raised KeyError if it was the only
result."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("n", [1, 5, 49])
def test_means_are_divided(n):
    k = ts.equation(lambda x: (ts.mean(x, axis=1), ts.max(x, axis=1), x + 1.0), x=(ts.RUNTIME, n), order="F")
    alone = ts.equation(lambda x: ts.mean(x, axis=1), x=(ts.RUNTIME, n), order="F")
    for m in (1, 7, 64, 300):
        x = np.asfortranarray(np.random.default_rng(m).random((m, n)), dtype="f4")
        mean, most, _ = k(x)
        exact = x.astype("f8").mean(axis=1, keepdims=True)
        assert np.array_equal(most, x.max(axis=1, keepdims=True)) and np.array_equal(mean, alone(x))
        assert (np.abs(mean - exact) <= n * 2.0**-24 * x.max()).all()
