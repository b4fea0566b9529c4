"""In calls with one row, an input with the rows of the call was accepted as the array of a result with a single row,
which is written before the input is read: results were wrong. In order "F", a result that is the same in all columns
was stored before the input in whose place it lay was read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.verify.places.check import overwritten


def sums(x):
    return x * 2, ts.sum(x, axis=0)


@pytest.mark.parametrize("target", ["avx512", "sse"])
def test_a_sum_down_the_columns_is_no_row_of_the_operand(target):
    kernel = ts.equation(sums, x=(ts.RUNTIME, 8), target=target)
    for rows in (1, 3):
        x, y0, y1 = np.ones((rows, 8), "f4"), np.zeros((rows, 8), "f4"), np.zeros((1, 8), "f4")
        kernel(x, x, y1)  # the result with the same rows may be x
        assert (x == 2).all() and (y1 == rows).all()
    x = np.ones((1, 8), "f4")
    with pytest.raises(ValueError, match="y1: must not overlap x"):
        kernel(x, y0[:1], x)


def test_a_result_that_is_the_same_in_all_columns():
    """The plan for one row stores it first, which the checker of plans finds if it is told that x may lie there."""

    def results(x, z, c):
        return ts.relu(c), ts.sum(x - c, axis=1), ts.sum(z, axis=1)

    shapes = {"x": (ts.RUNTIME, 17), "z": (ts.RUNTIME, 17), "c": (ts.RUNTIME, 1)}
    kernel = ts.equation(results, order="F", target="avx2", **shapes)
    x, z, y1, y2 = (np.ones((1, columns), "f4", order="F") for columns in (17, 17, 1, 1))
    with pytest.raises(ValueError, match="y0: must not overlap x"):
        kernel(x, z, np.full((1, 1), 5, "f4"), x, y1, y2)
    spec = replace(kernel.spec)
    vars(spec)["in_place"] = ("x",)
    found = overwritten(replace(kernel.plan, spec=spec))
    assert overwritten(kernel.plan) is None and found is not None and "overwrites" in str(found)


@pytest.mark.parametrize("rows", [1, 3, 70])
def test_other_results_of_columns_stay_in_place(rows):
    kernel = ts.equation(lambda x: (x * 2, ts.sum(x, axis=1)), x=(ts.RUNTIME, 17), order="F", target="avx2")
    x, y = np.ones((rows, 17), "f4", order="F"), np.zeros((rows, 1), "f4", order="F")
    kernel(x, x, y)
    assert (x == 2).all() and (y == 17).all()
