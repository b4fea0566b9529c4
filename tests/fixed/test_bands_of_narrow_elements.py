"""Rows gathered from a narrow table, used by two stages, were overwritten by a band of as many wider elements: places
of bands were compared in elements and not in bytes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import called

TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8, "u8": np.uint8}


def _twice(table: Any, index: Any, w0: Any, w1: Any) -> Any:
    s = ts.gather(table, index)
    return s @ w0 + (s + s) @ w1


def _residual(table: Any, index: Any, w0: Any, w1: Any) -> Any:
    s = ts.gather(table, index)
    return ts.relu(s @ w0) @ w1 + s


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("target", "rows", "n"),
    [
        ("avx2", 2, 102),
        ("avx2", ts.RUNTIME, 102),
        ("avx512", 3, 64),
        ("neon", 2, 24),
        ("sve256", 2, 24),
    ],
)
def test_gathered_rows(target: str, dtype: str, rows: Any, n: int) -> None:
    count = 5 if rows is ts.RUNTIME else rows
    rng = np.random.default_rng(n)
    table, index = rng.integers(1, 5, (40, n)), rng.integers(0, 40, count)
    types = {"table": dtype, "index": "i64", "w0": "f32", "w1": "f32"}
    given = [table.astype(TYPES[dtype]), index, np.eye(n, dtype="f4"), np.eye(n, dtype="f4")]
    for function, times in ((_twice, 3), (_residual, 2)):
        kernel = ts.equation(
            function,
            table=(40, n),
            index=(rows,),
            w0=(n, n),
            w1=(n, n),
            dtype=types,
            out="f32",
            compute="f32",
            target=target,
        )
        (found,) = called(kernel, given, made=[np.full((count, n), 7, "f4")])
        np.testing.assert_array_equal(found, times * table[index])
