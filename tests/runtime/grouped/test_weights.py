"""Grouped products by compressed weights have the bits of the product of each member, and of its dense weights."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

RNG = np.random.default_rng(1)
ENDS = [3, 3, 20, 21]


def members(k: int = 64, n: int = 40, format: str = "i4") -> list[Any]:
    return [ts.compressed(RNG.standard_normal((k, n)).astype(np.float32), format) for _ in ENDS]


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_member(dtype: Any, threads: int) -> None:
    weights, x = members(), RNG.standard_normal((21, 64)).astype(dtype)
    made = ts.grouped_matmul(x, weights, ENDS, threads=threads)
    dense: Any = "f32" if dtype is np.float32 else "bf16"
    begins = [0, *ENDS[:-1]]
    parts = [ts.matmul(x[b:e], w.dense(dense)) for b, e, w in zip(begins, ENDS, weights)]
    assert made.dtype == dtype and made.tobytes() == np.concatenate(parts).tobytes()
    out = np.ones_like(made)
    assert ts.grouped_matmul(x, tuple(weights), np.array(ENDS), out, threads=threads) is out
    assert np.array_equal(out, made)


def test_epilogues() -> None:
    weights, x = members(), RNG.integers(-2, 3, (21, 64)).astype(np.float32)
    bias, scale = RNG.standard_normal((4, 1, 40)).astype(np.float32), RNG.standard_normal((21, 1)).astype(np.float32)
    made = ts.grouped_matmul(
        x,
        weights,
        ENDS,
        epilogue=lambda c, bias, s, t: ts.relu(c * s + bias) + t,
        operands={"bias": bias, "s": scale, "t": np.float32(2)},
    )
    plain = ts.grouped_matmul(x, weights, ENDS)
    each = np.repeat(bias[:, 0], np.diff([0, *ENDS]), 0)
    assert np.allclose(made, np.maximum(plain * scale + each, 0) + 2, rtol=1e-5, atol=1e-5)


def test_bit_masks() -> None:
    dense = [np.where(RNG.random((64, 40)) < 0.3, RNG.standard_normal((64, 40)), 0).astype(np.float32) for _ in ENDS]
    x = RNG.standard_normal((21, 64)).astype(np.float32)
    made = ts.grouped_matmul(x, [ts.compressed(each, "bitmask") for each in dense], ENDS)
    parts = [ts.matmul(x[b:e], w) for b, e, w in zip([0, *ENDS[:-1]], ENDS, dense)]
    assert np.array_equal(made, np.concatenate(parts))


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda w: [*w[:3], w[0].dense()], TypeError, "for each member"),
        (lambda w: [*w[:3], *members(32)[:1]], ValueError, "of one shape"),
        (lambda w: w[:3], ValueError, "offsets: must be 3"),
        (lambda w: members(32), ValueError, r"must be \(T, 32\)"),
    ],
)
def test_errors(change: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ts.grouped_matmul(np.ones((21, 64), np.float32), change(members()), ENDS)
