"""A result of one row beside results of ts.RUNTIME rows was not written by a call without rows, with order "F"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import called

FUNCTIONS = {
    "sum": (lambda x, z: (x + z, ts.sum(z, axis=1)), [np.sum]),
    "extrema": (lambda x, z: (ts.min(x + z, axis=1), ts.max(z, axis=1), x + z, ts.min(z, axis=1)), [np.max, np.min]),
    "used again": (lambda x, z: (x + z, z - ts.max(z, axis=1)), [lambda z: z - z.max()]),
    "row": (lambda x, z: (ts.min(x + z, axis=1), x + z, z * z), [np.square]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("target", "dtype", "columns"),
    [
        ("sse", "f32", 6),
        ("avx2", "f64", 37),
        ("avx512", "f32", 6),
        ("neon", "f32", 37),
        ("sve256", "f64", 6),
    ],
)
def test_no_rows(name: str, target: str, dtype: str, columns: int) -> None:
    function, wanted = FUNCTIONS[name]
    kernel = ts.equation(function, x=(ts.RUNTIME, columns), z=(1, columns), dtype=dtype, order="F", target=target)
    z = np.arange(3, 3 + columns, dtype=dtype.replace("f32", "f4").replace("f64", "f8"))[None]
    for rows in (0, 1, 3):
        x = np.zeros((rows, columns), z.dtype, order="F")
        made = [
            np.full((rows if y.name in kernel.spec.banded else 1, y.columns), 7, z.dtype, order="F")
            for y in kernel.spec.operands
            if y.output
        ]
        found: list[Any] = called(kernel, [x, z], made=made)
        fixed = [
            y
            for y, each in zip(found, (y for y in kernel.spec.operands if y.output))
            if each.name not in kernel.spec.banded
        ]
        assert len(fixed) == len(wanted)
        for y, of in zip(fixed, wanted):
            np.testing.assert_array_equal(y, np.broadcast_to(of(z.astype("f8")), y.shape))
