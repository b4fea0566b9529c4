"""The numerical definition took -128 as the magnitude of -128 in i8, so right kernels without a proof would have been
refuted.

Likewise, products of many numbers, one of them zero, counted as exact although partial products may overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.verify.numbers import trials
from tilesmith.runtime.verify.numbers.definition import definition
from tilesmith.runtime.verify.requests import every_call


@pytest.mark.parametrize("dtype", ["i8", "i32"])
def test_right_kernels_are_not_refuted(dtype: str) -> None:
    kernel = ts.reduce("absmax", 3, 7, axis=1, dtype=dtype, target="avx512")
    ((spec, call),) = list(every_call(kernel.spec, kernel.kind)[1])
    assert trials.wrong(kernel.code, kernel.target, spec, call) is None


def test_products_that_may_overflow_on_the_way_are_left_open() -> None:
    kernel = ts.reduce("product", 1, 40, axis=1, target="avx2")
    ((spec, call),) = list(every_call(kernel.spec, kernel.kind)[1])
    expected: Any = definition(spec, call, kernel.target)
    x = np.full((1, 40), 100, np.float32)
    x[0, 39] = 0
    wanted = expected({"x": x, "y": np.zeros(1, np.float32)})["y"]
    assert not wanted.wrong(np.array([np.nan], np.float32)).any()
