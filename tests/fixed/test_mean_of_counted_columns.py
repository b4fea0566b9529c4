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


def test_a_single_column_is_no_place_for_a_result():
    """The results of a column were written before others had read all of it: each of them was wrong, silently."""
    k = ts.equation(lambda x: (ts.mean(x, axis=1), ts.max(x, axis=1), x + 1.0), x=(ts.RUNTIME, 1), order="F")
    x = np.ones((7, 1), np.float32)
    for place in range(3):
        results = [x if each == place else np.empty_like(x) for each in range(3)]
        with pytest.raises(ValueError, match="overlap|share"):
            k(x, *results)
