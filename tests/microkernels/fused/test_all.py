"""Indices of the best elements of rows, and reductions of all elements to one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import MACHINES
from tilesmith.runtime.arguments.arrays import numpy_dtype


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
@pytest.mark.parametrize("target", MACHINES)
def test_indices_of_the_best_elements_of_rows(target: str, dtype: str):
    """As numpy: the first of equal elements, the first NaN; -0 equals 0."""
    kernel = ts.equation(lambda x: (ts.argmax(x, axis=1), ts.argmin(x, axis=1)), x=(6, 37), dtype=dtype, out="i32",
                         target=target)  # fmt: skip
    x = np.random.default_rng(5).integers(-3, 4, (6, 37)).astype(np.float32)
    x[1, 7], x[2, [9, 20]], x[3], x[4, 30] = np.inf, np.nan, -0.0, -np.inf
    x[3, 5], x[5, 36] = 0.0, 9.0
    largest, least = kernel.run(x.astype(numpy_dtype(dtype)))
    assert np.array_equal(largest[:, 0], x.argmax(1)) and np.array_equal(least[:, 0], x.argmin(1))


def test_an_index_is_an_expression():
    """It may be compared with labels: whether each row is classified right, beside the row of its largest element."""

    def function(x: Any, labels: Any) -> Any:
        found = ts.argmax(x, axis=1)
        return ts.select(found == labels, 1.0 + 0.0 * found, 0.0 * found)

    x = np.random.default_rng(6).normal(size=(9, 70)).astype(np.float32)
    labels = x.argmax(1).astype(np.float32)[:, None]
    labels[::2] += 1
    right = ts.equation(function, x=x.shape, labels=(9, 1))(x, labels)
    assert np.array_equal(right[:, 0], np.arange(9) % 2)


def test_indices_of_columns_are_refused():
    with pytest.raises(ts.UnsupportedError, match=r'ts.reduce\("argmax", m, n, axis=0\)'):
        ts.equation(lambda x: ts.argmax(x, axis=0), x=(3, 3))
