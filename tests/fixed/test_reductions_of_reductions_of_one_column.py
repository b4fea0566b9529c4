"""A reduction along rows of a row value was also refused for matrices of one column, where the result is the value
itself."""

import numpy as np
import pytest

import tilesmith as ts

X = np.array([[3], [-2], [0.5], [-7]], np.float32)
FUNCTIONS = {
    "sum": (lambda x: ts.sum(ts.mean(x, axis=1) * 2, axis=1), X * 2),
    "absmax": (lambda x: ts.absmax(ts.sum(x, axis=1), axis=1), abs(X)),
    "twice": (lambda x: x - ts.max(ts.min(ts.sum(x, axis=1) + 1, axis=1), axis=1), np.full_like(X, -1)),
    "beside elements": (lambda x: ts.sum(x - ts.mean(x, axis=1), axis=1), np.zeros_like(X)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("rows", [4, ts.RUNTIME])
def test_one_column(name, rows):
    function, expected = FUNCTIONS[name]
    kernel = ts.equation(function, x=(rows, 1))
    assert np.array_equal(kernel(X), expected)
    assert ts.equation(function, x=(4, 1)).verify()


def test_of_more_columns_it_stays_refused():
    with pytest.raises(ts.UnsupportedError, match="one value for the whole row"):
        ts.equation(FUNCTIONS["sum"][0], x=(4, 3))
