"""ts.matmul refused column-major products of 16-bit types (x @ w.T in bf16) whose packed operands exceed a kernel's
scratch memory; now a nest computes them. It also refused epilogue operands in another order than C, or in out's
memory."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

RNG = np.random.default_rng(4)


def whole(shape, dtype, order):
    """Return numbers whose products and sums are exact."""
    return np.asarray(RNG.integers(-1, 2, shape), dtype, order=order)


def added(c, r):
    return c + r


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
@pytest.mark.parametrize(("m", "n", "k"), [(33, 500, 200), (64, 300, 3), (500, 200, 260)])
@pytest.mark.grid(2)
def test_all_orders(dtype, m, n, k):
    for order in itertools.product("CF", repeat=3):
        a, b, out = whole((m, k), dtype, order[0]), whole((k, n), dtype, order[1]), np.empty((m, n), dtype, order[2])
        ts.matmul(a, b, out=out)
        exact = a.astype("f8") @ b.astype("f8")
        assert np.array_equal(out.astype("f8"), exact), order
        for r in (whole((m, n), np.float32, "C"), whole(n, np.float32, "C"), whole((m, 1), np.float32, "C")):
            ts.matmul(a, b, out=out, epilogue=added, operands={"r": r})
            assert np.array_equal(out.astype("f8"), exact + r), (order, r.shape)


@pytest.mark.parametrize("order", ["CCF", "FCF", "CFC"])
def test_of_quantized_results(order):
    a, b = whole((333, 300), np.int8, order[0]), whole((300, 500), np.int8, order[1])
    out = np.empty((333, 500), np.int8, order[2])
    scale = np.exp2(RNG.integers(-3, 1, 500)).astype(np.float32)
    ts.matmul(a, b, out=out, epilogue=lambda c, s: c * s, operands={"s": scale})
    exact = a.astype("f8") @ b.astype("f8") * scale
    assert np.array_equal(out, np.clip(np.rint(exact), -128, 127))


def test_the_refusal_is_remembered():
    a, b = whole((33, 200), ml_dtypes.bfloat16, "C"), whole((200, 500), ml_dtypes.bfloat16, "F")
    relu = ts.relu
    for _ in range(2):
        made = ts.matmul(a, b, epilogue=relu, threads=1)
        assert np.array_equal(made.astype("f8"), np.maximum(a.astype("f8") @ b.astype("f8"), 0))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("size", [8, 260])
def test_operands_lie_as_they_do(order, size):
    a, b = (whole((size, size), np.float32, "C") for _ in "ab")
    wide = whole((size, 2 * size), np.float32, "C")
    expected = a @ b
    for r in (
        wide[:, :size],
        wide[:, ::2],
        wide[:, :size].T,
        wide[:1, ::2],
        wide[0, ::2],
        wide[:, 3:4],
        wide[::-1, :1],
        np.broadcast_to(wide[:1, :size], (size, size)),
    ):
        out = np.empty((size, size), np.float32, order)
        ts.matmul(a, b, out=out, epilogue=lambda c, r: c + r, operands={"r": r})
        assert np.array_equal(out, expected + r)
    out = np.array(wide[:, :size], order=order)
    ts.matmul(a, b, out=out, epilogue=lambda c, r: c + r, operands={"r": out})
    assert np.array_equal(out, expected + wide[:, :size])
