"""Blocks of the OCP's microscaling formats are read exactly; products are those of the expanded weights, bit for bit.
ml_dtypes is the oracle."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

ELEMENTS = {
    "f4e2m1": ml_dtypes.float4_e2m1fn,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
}
TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}


def blocks(format: str, n: int, k: int, least: int = 118, most: int = 130) -> tuple[Any, Any]:
    """Return finite elements and scales of any bits."""
    rng = np.random.default_rng(n + k)
    codes = rng.integers(0, 16 if format == "f4e2m1" else 256, (n, k), np.uint8).view(ELEMENTS[format])
    finite = np.isfinite(codes.astype(np.float32))
    scales = rng.integers(least, most, (n, -(-k // 32)), np.uint8).view(ml_dtypes.float8_e8m0fnu)
    return np.where(finite, codes, np.ones(1, codes.dtype)), scales


def exactly(elements: Any, scales: Any) -> Any:
    each = np.repeat(scales.astype(np.float64), 32, 1)[:, : elements.shape[1]]
    return (elements.astype(np.float64) * each).T


@pytest.mark.parametrize("kept", ["bf16", "f32"])
@pytest.mark.parametrize("format", ELEMENTS)
def test_weights(format: str, kept: Any) -> None:
    elements, scales = blocks(format, 70, 80, 0, 240 if format == "f4e2m1" else 200)
    weights = ts.compressed.from_mx(elements, scales, kept=kept)
    assert np.array_equal(weights.dense("f32").astype(np.float64), exactly(elements, scales))
    assert np.array_equal(weights.numbers, elements.astype(np.float64).T)
    codes = elements.view(np.uint8)
    if format == "f4e2m1":
        codes = codes[:, ::2] & 15 | codes[:, 1::2] << 4
    again = ts.compressed.from_mx(codes, scales.view(np.uint8), format, kept=kept)
    assert again.form == weights.form and np.array_equal(again.data, weights.data)
    assert np.array_equal(pickle.loads(pickle.dumps(weights)).data, weights.data)


@pytest.mark.parametrize("rows", [1, 4, 33])
@pytest.mark.parametrize("target", [None, "avx2", "sse", "avx512"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", ELEMENTS)
@pytest.mark.grid(6)
def test_products(format: str, dtype: Any, target: Any, rows: int) -> None:
    elements, scales = blocks(format, 70, 96, 100, 112)  # which f16 holds
    weights, x = ts.compressed.from_mx(elements, scales), np.random.default_rng(1).standard_normal((rows, 96))
    x = x.astype(TYPES[dtype])
    product = ts.gemm(rows, 70, 96, dtype=dtype, beta=0, target=target)
    assert product(x, weights).tobytes() == product(x, weights.dense(dtype)).tobytes()


def test_what_is_no_weight() -> None:
    elements, scales = blocks("f8e4m3", 4, 64)
    bad = elements.copy()
    bad[1, 2] = np.nan
    with pytest.raises(ValueError, match="finite numbers"):
        ts.compressed.from_mx(bad, scales)
    with pytest.raises(ValueError, match="finite numbers"):
        ts.compressed.from_mx(elements, np.full((4, 2), 255, np.uint8))
    with pytest.raises(ValueError, match=r"scales: shape \(4, 2\)"):
        ts.compressed.from_mx(elements, scales[:, :1])
    with pytest.raises(TypeError, match="elements: float4_e2m1fn"):
        ts.compressed.from_mx(elements.view(np.uint8), scales)
    with pytest.raises(ts.UnsupportedError, match="kept: bf16 or f32"):
        ts.compressed.from_mx(elements, scales, kept="f16")
    weights = ts.compressed.from_mx(elements, scales)
    with pytest.raises(ts.UnsupportedError, match='of f8e4m3 are "exact"'):
        weights.with_numerics("fast")
    with pytest.raises(ts.UnsupportedError, match="integers"):
        weights.integers  # noqa: B018
    with pytest.raises(ValueError, match="format"):
        ts.compressed(np.ones((32, 4), np.float32), "f8e4m3")
