"""Products of few rows or columns read their larger operand where it lies, whatever its order."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.runtime.ops.product_shapes import laid, reads_better_turned, shapes_of

RNG = np.random.default_rng(11)
SHAPES = ((1, 2100, 2000), (2100, 1, 2000), (3, 1100, 1300), (1500, 4, 701), (16, 700, 400), (900, 16, 300))


def numbers(shape, dtype=np.float32, order="C"):
    """Return integers so small that every sum of a test is exact."""
    return np.asarray(RNG.integers(-1, 2, shape), dtype, order=order)


def operands(m, n, k, dtype=np.float32):
    """Return A and B whose larger one is column-major, and the exact product."""
    a, b = numbers((m, k), dtype, "F" if m > n else "C"), numbers((k, n), dtype, "C" if m > n else "F")
    assert reads_better_turned(shapes_of(a.shape, b.shape, None), laid(a), laid(b))
    return a, b, a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", (np.float32, np.float64, ml_dtypes.bfloat16), ids=lambda dtype: np.dtype(dtype).name)
def test_new_and_given_results(shape, dtype):
    m, n, k = shape
    a, b, exact = operands(m, n, k, dtype)
    exact = exact.astype(dtype)
    apart = np.zeros((m, 2 * n), dtype)
    outs = (None, np.ones((m, n), dtype), np.ones((m, n), dtype, "F"), apart[:, ::2], apart[:, n:])
    for out in outs:
        for threads in (None, 1, 2):  # the second call finds what the first one made
            made = ts.matmul(a, b, out=out, threads=threads)
            assert made.shape == (m, n) and np.array_equal(made, exact)
            assert made.flags.c_contiguous if out is None else made is out


@pytest.mark.parametrize("shape", SHAPES[:2], ids=str)
def test_vectors(shape):
    a, b, exact = operands(*shape)
    for _ in range(2):
        if shape[0] == 1:
            assert np.array_equal(ts.matmul(a[0], b), exact[0])
        else:
            assert np.array_equal(ts.matmul(a, b[:, 0]), exact[:, 0])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_epilogues(shape):
    m, n, k = shape
    a, b, exact = operands(m, n, k)
    row, column, whole = numbers((n,)), numbers((m, 1)), numbers((m, n))
    given = {"row": row, "column": column, "whole": whole}
    for _ in range(2):
        made = ts.matmul(a, b, epilogue=lambda c, row, column, whole: ts.relu(c + row) + column * whole, operands=given)
        assert np.array_equal(made, np.maximum(exact + row, 0) + column * whole)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("shape", SHAPES[:4], ids=str)
def test_memory_beside_the_operands(shape, side):
    m, n, k = shape
    a, b, exact = operands(m, n, k)
    left = guarded(a.T, side).T if m > n else guarded(a, side)
    right = guarded(b.T, side).T if m < n else guarded(b, side)
    out = guarded(np.ones((m, n), np.float32), side, writable=True)
    for _ in range(2):
        ts.matmul(left, right, out=out)
        check_canary(out)
        assert np.array_equal(out, exact)


def test_results_that_overlap_operands():
    """The product is computed elsewhere: here the result is a row of B."""
    memory = numbers((2100, 2000))
    a, b = numbers((1, 2000)), memory.T
    exact = a.astype(np.float64) @ b
    for _ in range(2):
        whole = np.zeros((2100 + 2, 2000), np.float32)
        whole[:2100] = memory
        out = whole.reshape(-1)[2100 * 2000 - 50 :][:2100].reshape(1, 2100)
        ts.matmul(a, whole[:2100].T, out=out)
        assert np.array_equal(out, exact)


def test_read_only_results_are_refused():
    a, b, _ = operands(1, 2100, 2000)
    out = np.zeros((1, 2100), np.float32)
    ts.matmul(a, b, out=out)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        ts.matmul(a, b, out=out)


def test_products_that_are_not_turned():
    """Small products, and those whose larger operand is row-major, are computed as they are."""
    for m, n, k, of_a, of_b in ((1, 2000, 2000, "C", "F"), (2100, 1, 2000, "C", "C"), (17, 900, 900, "C", "F")):
        a, b = np.zeros((m, k), np.float32, of_a), np.zeros((k, n), np.float32, of_b)
        assert not reads_better_turned(shapes_of(a.shape, b.shape, None), laid(a), laid(b))
