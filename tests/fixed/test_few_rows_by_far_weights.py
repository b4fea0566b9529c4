"""A layer whose packed weights L2 does not hold was called through Python, in 40 us, if it needed no scratch memory;
and its few rows read the weights as a single stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import guarded
from tilesmith.runtime.ops.block_rules import rules_for_weights

DTYPES = {"f32": np.float32, "f64": np.float64}


def depth_beyond_l2(columns: int, size: int) -> int:
    return 13 * (ts.host().l2 or 1 << 20) // (2 * size * columns) + 5


@pytest.mark.parametrize(("dtype", "rows"), [("f32", 1), ("f32", 6), ("f64", 3)])
def test_values(dtype: str, rows: int) -> None:
    n = 333
    k = depth_beyond_l2(n, DTYPES[dtype]().itemsize)
    rng = np.random.default_rng(rows)
    x, w, bias = (guarded(rng.integers(-9, 9, shape).astype(DTYPES[dtype])) for shape in ((rows, k), (k, n), (n,)))
    layer: Any = ts.linear(rows, n, k, dtype=dtype)  # type: ignore[arg-type]
    assert layer.plan.lines == 8
    packed, y = layer.pack(w), guarded(np.zeros((rows, n), DTYPES[dtype]), writable=True)
    wanted = x.astype(np.float64) @ w + bias  # exact: integers below 2^24
    for threads in (1, 2):
        y[...] = 0
        layer(x, packed, bias, y, threads=threads)
        assert np.array_equal(y, wanted)


def test_machine_code_handles_calls() -> None:
    n = 256
    k = depth_beyond_l2(n, 4)
    k, n = min(k, n), max(k, n)  # k is not cut, and nothing is packed at the call
    layer: Any = ts.linear(2, n, k)
    product: Any = ts.gemm(2, n, k, beta=0.0)
    x, w = np.ones((2, k), np.float32), np.ones((k, n), np.float32)
    layer(x, layer.pack(w), np.zeros(n, np.float32))
    small: Any = ts.gemm(8, 8, 8, beta=0.0)
    product(x, w)
    square = np.ones((8, 8), np.float32)
    small(square, square)
    assert (layer._inner is not None) == product.direct == small.direct


@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "bf16", ("u8", "i8", "i32"), ("f16", "f16", "f32")])
@pytest.mark.parametrize("target", ["avx2", "avx512", "amx", "neon", "sve256", "sme256"])
def test_any_number_of_rows_takes_the_same_weights(target: str, dtype: Any) -> None:
    laid = {
        (plan.nb, plan.kb, plan.whole)
        for plan in (ts.linear(m, 4000, 700, dtype=dtype, target=target).plan for m in (1, 2, 5, 16, 17, 300))
    }
    assert len(laid) == 1


def test_parts_of_threads() -> None:
    target: Any = ts.linear(4, 64, 64, target="avx512").target
    plans = [rules_for_weights(ts.linear(4, 8192, 1024, target="avx512").product, target, each) for each in (1, 3)]
    assert [-(-plan.n // plan.ng) for plan in plans] == [11, 12]
