"""ts.sparse of (data, (row, column)) or (data, indices, indptr) whose indices are unsigned raised OverflowError, since
the least extent was sought from -1 on."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("index", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_unsigned_indices(index: type) -> None:
    data, row, col = np.ones(3, np.float32), np.array([0, 0, 1], index), np.array([1, 1, 0], index)
    for arrays in ((data, (row, col)), (data, col, np.array([0, 2, 3], index))):
        assert np.array_equal(ts.spmm(ts.sparse(arrays, shape=(2, 2)), np.eye(2, dtype=np.float32)), [[0, 2], [1, 0]])


def test_an_unsigned_index_that_the_matrix_has_not() -> None:
    data, far = np.ones(1, np.float32), np.array([2**63], np.uint64)
    with pytest.raises(ValueError, match=r"beyond 2\^63"):
        ts.sparse((data, far, np.array([0, 1])), shape=(1, 3))
