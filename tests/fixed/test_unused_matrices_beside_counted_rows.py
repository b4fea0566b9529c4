"""A matrix that a function does not use, and that has the 64 rows for which kernels of any rows are planned, was taken
for one whose rows the call gives: every call with other rows was refused."""

from __future__ import annotations

import pytest

import tilesmith as ts


@pytest.mark.parametrize("function", [lambda x, z: x * 2, lambda x, z: ts.sum(x, axis=1)], ids=["elements", "sums"])
@pytest.mark.parametrize("rows", [64, 63])
def test_its_rows_are_those_that_were_asked_for(function, rows):
    with pytest.raises(ValueError, match="^z: .*(must have ts.RUNTIME rows|does not use it)"):
        ts.equation(function, x=(ts.RUNTIME, 8), z=(rows, 8), target="avx2")


def test_single_rows_that_are_not_used_remain():
    kernel = ts.equation(lambda x, z: x * 2, x=(ts.RUNTIME, 8), z=(1, 8), target="avx2")
    assert {each.name: each.rows for each in kernel.spec.operands}["z"] == 1
