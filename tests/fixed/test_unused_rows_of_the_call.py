"""A matrix of ts.RUNTIME rows that a function with products did not use had to have 64 rows at the call, which is the
number that stands for ts.RUNTIME while the request is made. It is an error of the request now.
"""

import numpy as np
import pytest

import tilesmith as ts

M = ts.RUNTIME


def test_beside_a_product() -> None:
    with pytest.raises(ts.UnsupportedError, match=r"^z: cannot have ts.RUNTIME rows .* does not use it; leave it out"):
        ts.equation(lambda x, z, w: x @ w, x=(M, 15), z=(M, 15), w=(15, 8))


def test_beside_an_index() -> None:
    with pytest.raises(ts.UnsupportedError, match=r"^z: cannot have ts.RUNTIME rows .* does not use it; leave it out"):
        ts.equation(lambda t, i, z: ts.gather(t, i), t=(9, 4), i=(M,), z=(M, 4))


def test_rows_of_the_request_and_elementwise_functions() -> None:
    x, w = np.ones((7, 15), np.float32), np.ones((15, 8), np.float32)
    k = ts.equation(lambda x, z, w: x @ w, x=(M, 15), z=(3, 15), w=(15, 8))
    assert (k(x, np.zeros((3, 15), np.float32), w) == 15).all()
    assert (ts.equation(lambda x, z: x + 1, x=(M, 15), z=(M, 15))(x, x) == 2).all()
