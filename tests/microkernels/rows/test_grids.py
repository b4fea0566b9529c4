"""Grids of outer-product accumulators that have as many columns as are left, in the emulator, between guard pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.microkernels.rows.search import counts_columns
from tilesmith.runtime.arguments.arrays import numpy_dtype

R = ts.RUNTIME
BYTES = ("u8", "i8", "i32")


def drawn(rows: int, columns: int, dtype: str) -> Any:
    """Return integers of few bits, whose products and sums are exact."""
    low = 0 if dtype == "u8" else -3
    return np.random.default_rng(rows + columns).integers(low, 4, (rows, columns)).astype(numpy_dtype(dtype))


@pytest.mark.parametrize(
    ("dtype", "target", "k"),
    [
        ("f32", "sme128", 9),
        ("f64", "sme256", 9),
        ("f32", "sme512", 20),
        (BYTES, "sme128", 30),
        (("f16", "f16", "f32"), "sme256", 17),
    ],
)
@pytest.mark.parametrize("beta", [0, 1])
def test_every_number_of_rows(dtype: Any, target: str, k: int, beta: int) -> None:
    """Rows behind the last one are not loaded, and columns of C behind it are not stored."""
    types = dtype if isinstance(dtype, tuple) else (dtype,) * 3
    kernel = ts.brgemm(R, 7, k, dtype=dtype, beta=beta, target=target)
    assert counts_columns(kernel.plan.product)  # one grid, of as many as are left
    for m in (*range(10), 15, 16, 17, 35):
        a, b, c = drawn(m, k, types[0]), drawn(k, 7, types[1]), drawn(m, 7, types[2])
        wanted, side = a.astype(float) @ b + beta * c.astype(float), SIDES[m % len(SIDES)]
        if m:
            a, b, c = guarded(a, side), guarded(b, side), guarded(c, side, writable=True)
        kernel.run(a, b, c)
        assert np.array_equal(c, wanted), m
        if m:
            check_canary(c)


@pytest.mark.parametrize("rows", [1, 7, 8, 21])
def test_layers_of_any_number_of_rows(rows: int) -> None:
    """The pointers of an epilogue move by as many columns as a grid has."""
    x, w, b, v = (drawn(*shape, "f32") for shape in ((rows, 10), (10, 20), (1, 20), (20, 9)))
    made = ts.equation(
        lambda x, w, b, v, y: ts.relu(x @ w + b) @ v + y,
        x=(R, 10),
        w=(10, 20),
        b=(1, 20),
        v=(20, 9),
        y=(R, 9),
        target="sme256",
    ).run(x, w, b, v, np.ones((rows, 9), np.float32))
    assert np.array_equal(made, np.maximum(x.astype(float) @ w + b, 0) @ v + 1)


def test_without_the_branches_rows_behind_the_last_one_would_be_read() -> None:
    """Each row but the first is behind a comparison with the number of rows."""
    listing = ts.brgemm(R, 4, 9, beta=0, target="sme256").listing()
    assert listing.count("cmp x") >= 7
