"""Rows found by an index in one loop over a number of rows given at the call, against numpy, between guard pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import FOREIGN, MACHINES
from tests.profiles import scaled
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]


def product(rows: int, n: int, **more: Any) -> Any:
    """Return a kernel of x times gathered rows of a table, plus an element of each row."""
    made = ts.equation(lambda x, t, i, b: x * ts.gather(t, i) + b, x=(R, n), t=(rows, n), i=(R,), b=(R, 1), **more)
    assert made.plan.way == "one loop over all rows" and "all rows in one loop" in str(made.plan)
    return made


@settings(max_examples=scaled(40, 3000), deadline=None)
@given(
    target=st.sampled_from(NATIVE),
    m=st.integers(0, 300),
    n=st.integers(2, 70),
    rows=st.sampled_from((1, 9, 5000)),
    dtype=st.sampled_from(("f32", "f64", "bf16")),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_rows_between_guard_pages(
    target: str, m: int, n: int, rows: int, dtype: str, side: str, seed: int
) -> None:
    """The largest table exceeds the caches, so rows are prefetched; no index beyond the last one is read."""
    if dtype == "bf16" and target == "sse":
        return  # sse converts in its own way, tested in tests/microkernels/machines
    rng, kernel = np.random.default_rng(seed), product(rows, n, dtype=dtype, target=target)
    x, table, b = (rng.integers(-3, 4, shape).astype(numpy_dtype(dtype)) for shape in ((m, n), (rows, n), (m, 1)))
    index = rng.integers(0, rows, m)
    y = np.empty((m, n), x.dtype)
    if not m:
        kernel(x, table, index, b, y)
        return
    y = guarded(y, side, writable=True)
    kernel(*(guarded(each, side) for each in (x, table, index, b)), y)
    assert (y.astype(float) == x.astype(float) * table.astype(float)[index] + b.astype(float)).all()
    check_canary(y)


@pytest.mark.parametrize("target", NATIVE)
def test_indices_that_the_kernel_checks_and_results_that_are_scattered(target: str) -> None:
    rng, n = np.random.default_rng(1), 21
    checked = ts.equation(lambda t, i: ts.gather(t, i) * 2.0, t=(7, n), i=(R,), bounds="kernel", target=target)
    added = ts.equation(lambda x, i: ts.scatter(x * 2.0, i, 5, add=True), x=(R, n), i=(R,), target=target)
    assert checked.plan.way == added.plan.way == "one loop over all rows"
    for m in (0, 1, 8, 65, 131):
        table, x = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((7, n), (m, n)))
        index, y, bad = rng.integers(0, 7, m), np.full((m, n), 9, np.float32), np.full(1, 5, np.int64)
        index[m // 2 :: 3] = 7
        checked(table, index, y, bad)
        inside = index < 7
        assert (y[inside] == 2 * table[index[inside]]).all() and not y[~inside].any()
        assert bad[0] == (np.flatnonzero(~inside)[0] if m else -1)
        places, sums = rng.integers(0, 5, m), np.ones((5, n), np.float32)
        wanted = sums.copy()
        np.add.at(wanted, places, 2 * x)
        added(x, places, sums)
        assert (sums == wanted).all()


def test_random_numbers_are_those_of_a_number_of_rows() -> None:
    table = np.random.default_rng(2).standard_normal((9, 30)).astype(np.float32)

    def made(m: Any) -> Any:
        kernel = ts.equation(lambda t, i: ts.dropout(ts.gather(t, i), 0.4), t=(9, 30), i=(m,))
        assert m is not R or kernel.plan.way == "one loop over all rows"
        return kernel

    for m in (1, 64, 130):
        index = np.random.default_rng(m).integers(0, 9, m)
        assert made(R)(table, index, 7).tobytes() == made(m)(table, index, 7).tobytes()


@pytest.mark.parametrize("name", FOREIGN)
def test_under_qemu(name: str, aarch64: Server) -> None:
    target, rng, n = MACHINES[name], np.random.default_rng(3), 13
    kernel = product(6, n, target=target.name)
    for m in (1, 10):
        x, table, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((m, n), (6, n), (m, 1)))
        index = rng.integers(0, 6, m)
        for side in SIDES:
            y = np.zeros((m, n), np.float32)
            bits = target.vector_bits if target.isa == "sve" else None
            aarch64.call(kernel.code, x, table, index, b, y, m, side=side, vector_bits=bits)
            assert (y == x * table[index] + b).all()
