"""Products by one to three columns with any number of rows multiply along k, with the bits of a number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]


def drawn(rows: int, columns: int, dtype: str, order: Any = "C") -> Any:
    """Return integers of few bits, whose products and sums are exact."""
    values = np.random.default_rng(rows + columns).integers(-3, 4, (rows, columns))
    return np.asarray(values, numpy_dtype(dtype), order=order)


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("n", [1, 2])
def test_every_number_of_rows_between_guard_pages(target: str, dtype: str, n: int) -> None:
    """The blocks of eight, four and single columns load no row behind the last one."""
    for k, alpha, beta in ((64, 1, 0), (71, 0.5, -2), (200, 1, 1)):
        kernel = ts.brgemm(R, n, k, dtype=dtype, alpha=alpha, beta=beta, target=target)
        for m in (*range(20), 67, 130):
            a, b, c = drawn(m, k, dtype), drawn(k, n, dtype), drawn(m, n, dtype)
            wanted, side = alpha * (a.astype(float) @ b) + beta * c.astype(float), SIDES[m % len(SIDES)]
            if m:
                a, b, c = guarded(a, side), guarded(b, side), guarded(c, side, writable=True)
            kernel(a, b, c)
            assert np.array_equal(c, wanted), m
            if m:
                check_canary(c)


@pytest.mark.parametrize("target", ["avx512", "sve256"])
def test_columns_of_order_f_in_the_emulator(target: str) -> None:
    kernel = ts.brgemm(1, R, 70, order="F", beta=0, target=target)
    for m in (1, 13):
        a, b, c = drawn(1, 70, "f32", "F"), drawn(70, m, "f32", "F"), np.zeros((1, m), np.float32, "F")
        kernel.run(a, b, c)
        assert "along k" in str(kernel.plan) and np.array_equal(c, a.astype(float) @ b)


@pytest.mark.parametrize("target", ["avx512", "avx2", "neon"])
def test_it_has_the_bits_of_a_number_of_rows(target: str) -> None:
    a, b = (np.random.default_rng(1).normal(size=shape).astype(np.float32) for shape in ((13, 70), (70, 1)))
    found, wanted = np.zeros((13, 1), np.float32), np.zeros((13, 1), np.float32)
    ts.brgemm(R, 1, 70, beta=0, target=target).run(a, b, found)
    ts.brgemm(13, 1, 70, beta=0, target=target).run(a, b, wanted)
    assert np.array_equal(found, wanted)


def test_more_columns_and_short_sums_take_row_vectors() -> None:
    for n, k in ((4, 64), (1, 3)):
        assert "along k" not in str(ts.brgemm(R, n, k, beta=0, target="avx512").plan)
