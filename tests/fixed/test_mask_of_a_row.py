"""A mask of reductions along rows, with one bit per row, was stored as a number and was 0 in every row."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_a_mask_of_a_sum_along_each_row(target: str) -> None:
    x = np.array([[1, 2, 3], [-1, -1, -1], [0, 1, 0]], np.float32).repeat(3, axis=1)
    kernel = ts.equation(lambda x: (ts.sum(x, axis=1) > 0.0, ts.max(x) > 3.0), x=x.shape, target=target)
    rows, largest = kernel.run(x)
    assert rows.tolist() == [[1], [0], [1]] and largest.tolist() == [[0]]
