"""A program of any number of rows took `x.shape[0]` in shapes for 101 rows: calls of one row were broadcast to 101, and
calls of others were errors about shapes that nobody had given."""

import numpy as np
import pytest

import tilesmith as ts


def test_rows_that_a_call_gives_are_no_number():
    g = ts.graph()
    x = g.input((ts.RUNTIME, 4))
    own = g.unsqueeze(x, axes=1)
    with pytest.raises(ValueError, match=r"broadcast_to: shape=\(.*stand for the rows of calls"):
        g.broadcast_to(own, shape=(x.shape[0], 3, 4))
    with pytest.raises(ValueError, match="constant: shape=.*stand for the rows of calls"):
        g.constant(np.broadcast_to(np.float32(1), (x.shape[0], 4)))
    f = g.compile(own + np.zeros((3, 1), np.float32), g.reshape(x, shape=(-1, 2, 2)) * 2.0)
    array = np.arange(20, dtype=np.float32).reshape(5, 4)
    for rows in (1, 5):
        spread, double = f(array[:rows])
        assert np.array_equal(spread, np.repeat(array[:rows, None], 3, 1))
        assert np.array_equal(double, 2 * array[:rows].reshape(rows, 2, 2))
