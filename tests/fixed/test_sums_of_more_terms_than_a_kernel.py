"""`ts.matmul` refused sums of more than 2^20 terms, although it takes products of any size."""

import importlib

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

K = (1 << 20) + 5


@pytest.fixture
def at_most_32_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("tilesmith.runtime.ops.products")
    monkeypatch.setattr(module, "LONGEST", 32)
    monkeypatch.setattr(module, "LARGEST", 32)
    monkeypatch.setattr(module, "DEEP", 16)


@pytest.mark.usefixtures("at_most_32_terms")
@pytest.mark.parametrize("k", [33, 48, 100])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1"])
def test_parts(dtype: str, k: int) -> None:
    """Sums of these whole numbers are exact."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(dtype) for shape in ((3, k), (k, 2)))
    exact = a.astype("f8") @ b.astype("f8")
    for x in (a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2]):
        for y in (b, np.asfortranarray(b), b.repeat(2, axis=0)[::2]):
            assert (ts.matmul(x, y) == exact).all() and (ts.matmul(x, y) == exact).all()
    assert ts.matmul(a[0], b[:, 0]) == exact[0, 0]
    assert (ts.matmul(a, b[:, 0]) == exact[:, 0]).all() and (ts.matmul(a[0], b) == exact[0]).all()
    for out in (np.full((2, 3, 2), 9, f"={'i4' if dtype == 'i1' else dtype}"), np.full((2, 3, 4), 9, "f8")[..., ::2]):
        if dtype == "f8" or out.flags.c_contiguous:
            assert (ts.matmul(np.stack([a, -a]), b, out=out) == [exact, -exact]).all()


def test_the_limit_itself() -> None:
    x = np.ones(K)
    assert ts.matmul(x, x) == ts.matmul(x, x) == K


@pytest.mark.usefixtures("at_most_32_terms")
def test_results_that_a_later_part_cannot_be_added_to() -> None:
    a = np.ones((1, 33), np.float32)
    with pytest.raises(ts.UnsupportedError, match="k is at most 32 with an epilogue, not 33"):
        ts.matmul(a, a.T, epilogue=lambda c: ts.relu(c))
    half = a.astype(np.float16)
    with pytest.raises(ts.UnsupportedError, match="k is at most 32 if the result is f16, .* by dtype="):
        ts.matmul(half, half.T)


def test_kernels_finish_long_sums() -> None:
    a = np.ones((1, K), np.float32)
    assert ts.matmul(a, a.T, epilogue=lambda c: ts.relu(-c) + 1) == 1
    half = np.zeros((1, K), np.float16)
    half[0, -5:] = 1
    assert ts.matmul(half, half.T) == 5


def test_padding_makes_no_distance_that_kernels_refuse() -> None:
    """Rows of packed blocks of A are padded; those of almost 2^20 elements became longer than that."""
    k = 1 << 20
    a = np.zeros((3, k), ml_dtypes.bfloat16, order="F")
    a[:, -4:] = a[:, :4] = 1
    b = np.ones((k, 4), ml_dtypes.bfloat16)
    assert (ts.matmul(a, b) == 8).all()
