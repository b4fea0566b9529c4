"""Products of few rows or columns read their larger operand where it lies, whatever its order."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kept_products import forget, kept_calls
from tilesmith.runtime.ops.gemm import Gemm
from tilesmith.runtime.ops.product_shapes import (
    MatrixLayout,
    Work,
    computes_transposed,
    layout_of,
    reads_better_transposed,
    shapes_of,
)
from tilesmith.runtime.ops.schedules import SharedSums

RNG = np.random.default_rng(11)
SHAPES = ((1, 2100, 2000), (2100, 1, 2000), (3, 1100, 1300), (1500, 4, 701), (16, 700, 400), (900, 16, 300))

IN_PLACE = ((24, 700, 400), (61, 1030, 300), (2, 2100, 2000))
"""Few rows by a column-major B, whose C is written by columns."""


def numbers(shape, dtype=np.float32, order="C"):
    """Return integers so small that every sum of a test is exact."""
    return np.asarray(RNG.integers(-1, 2, shape), dtype, order=order)


def operands(m, n, k, dtype=np.float32):
    """Return A and B whose larger one is column-major, and the exact product."""
    a, b = numbers((m, k), dtype, "F" if m > n else "C"), numbers((k, n), dtype, "C" if m > n else "F")
    shapes = shapes_of(a.shape, b.shape, None)
    work = Work(shapes, (np.dtype(dtype).name.replace("float", "f"),) * 3, None, None)
    assert reads_better_transposed(shapes, layout_of(a), layout_of(b)) or computes_transposed(
        work, (layout_of(a), layout_of(b), MatrixLayout(("C", n))), {}
    )
    return a, b, a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        *((shape, dtype) for shape in SHAPES for dtype in (np.float32, np.float64, ml_dtypes.bfloat16)),
        *((IN_PLACE[0], dtype) for dtype in (np.float32, np.float64, ml_dtypes.bfloat16, np.float16)),
    ],
    ids=str,
)
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


@pytest.mark.parametrize("in_order", ["C", "F"])
@pytest.mark.parametrize("shape", IN_PLACE, ids=str)
def test_epilogues_of_rows_that_are_read_in_place(shape, in_order):
    """Rows, columns and elements are taken in place and remembered; an operand of C's shape is not."""
    m, n, k = shape
    a, b, exact = operands(m, n, k)
    a = np.asarray(a, order=in_order)
    row, column, one, whole = numbers((n,)), numbers((m, 1)), numbers((1,)), numbers((m, n))
    out, before = np.empty((m, n), np.float32), 0
    forget()
    for number in range(3):
        given = {"row": row, "one": one, "column": column}
        for into in (None, out):
            made = ts.matmul(a, b, out=into, epilogue=finished, operands=given)
            assert np.array_equal(made, np.maximum(exact + row, 0) * one + column)
        assert np.array_equal(ts.matmul(a, b, epilogue=added, operands={"whole": whole}), exact + whole)
        assert np.array_equal(ts.matmul(a, b, out, epilogue=negative), -exact)
        assert number == 0 or kept() == before
        before = kept()


def finished(c, row, one, column):
    return ts.relu(c + row) * one + column


def added(c, whole):
    return c + whole


def negative(c):
    return -c


def kept():
    """Return the number of calls that Python remembers."""
    return len(kept_calls())


def by_way_of_scratch_memory(target, dtype, sums):
    """Return a product whose blocks of C are transposed, with sums in scratch memory or without."""
    product = ts.gemm(
        35,
        12,
        20,
        dtype=dtype,
        order="CFF",
        ldc=37,
        beta=0.0,
        target=target,
        epilogue=lambda c, u, v: c * u + v,
        operands={"u": "col", "v": "row"},
    )
    plan = product.plan
    assert plan.turned and "C by way of scratch memory" in str(plan)
    if not sums:
        return product
    cut = Gemm(product.request, None)
    cut.__dict__["plan"] = replace(plan, mb=24, kb=8, schedule=SharedSums(plan.nc, 8))
    assert "C by way of scratch memory" in str(cut.plan)
    return cut


@pytest.mark.parametrize(
    ("target", "dtype", "sums"),
    [
        *((target, dtype, False) for target in ("avx512", "avx2", "sse", "sve256", "neon") for dtype in ("f32", "f64")),
        *((target, "bf16", sums) for target in ("avx2", "neon_bf16", "sve256") for sums in (False, True)),
        ("amx", "bf16", False),
        ("amx", "bf16", True),
        ("avx512_bf16", "bf16", True),
        ("neon", "f16", True),
    ],
)
def test_blocks_of_c_that_are_transposed(target, dtype, sums):
    """Any number of workers computes the exact product; the emulator allows no other memory, and finds races."""
    product = by_way_of_scratch_memory(target, dtype, sums)
    of = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16}[dtype]
    a, b, u, v = numbers((35, 20), of), numbers((20, 12), of, "F"), numbers((35,), of), numbers((12,), of)
    exact = (a.astype(np.float64) @ b.astype(np.float64)) * u.astype(np.float64)[:, None] + v.astype(np.float64)
    for workers in (1, 3):
        whole = np.full((37, 12), 7, of, order="F")
        product.run(a, b, whole[:35], u, v, workers=workers, seed=workers)
        assert np.array_equal(whole[:35].astype(np.float64), exact) and (whole[35:] == 7).all()


@pytest.mark.parametrize(
    ("target", "dtype", "sums"), [("avx2", "f32", False), ("avx2", "bf16", False), ("avx512_bf16", "bf16", True)]
)
def test_blocks_of_c_that_are_transposed_are_proved(target, dtype, sums):
    product = Gemm(ts.gemm(10, 6, 9, dtype=dtype, order="CFF", beta=0.0, target=target).request, None)
    if sums:
        plan = product.plan
        product.__dict__["plan"] = replace(plan, mb=8, kb=4, schedule=SharedSums(plan.nc, 4))
    assert product.plan.turned and product.verify()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("shape", SHAPES[:4] + IN_PLACE[:2], ids=str)
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
        assert not reads_better_transposed(shapes_of(a.shape, b.shape, None), layout_of(a), layout_of(b))
