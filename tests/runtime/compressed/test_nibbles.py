"""`ts.pack4` and `ts.unpack4` move integers of 4 bits, two in a byte, along any axis."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded

SHAPES = [(7,), (8,), (3, 5), (4, 6), (2, 3, 5), (3, 4, 2), (5, 1), (0, 4), (4, 0)]


def packed(x: Any, axis: int) -> Any:
    codes = np.moveaxis(x.astype(np.int8).view(np.uint8) & 15, axis, -1)
    if codes.shape[-1] % 2:
        codes = np.concatenate([codes, np.zeros_like(codes[..., :1])], -1)
    return np.moveaxis(codes[..., ::2] | codes[..., 1::2] << 4, -1, axis)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.grid(6)
def test_both_ways(shape: tuple[int, ...], dtype: Any, side: str) -> None:
    x = guarded(np.random.default_rng(1).integers(0, 256, shape, np.uint8).view(dtype), side)
    for axis in range(-len(shape), len(shape)):
        expected = packed(x, axis)
        assert np.array_equal(ts.pack4(x, axis), expected)
        out = guarded(np.zeros_like(expected), side)
        assert ts.pack4(x, axis, out=out) is out and np.array_equal(out, expected)
        made = ts.unpack4(guarded(expected, side, writable=False), shape[axis], axis, dtype=dtype)
        assert made.dtype == dtype and np.array_equal(made, x) and (made.view(np.uint8) < 16).all()
        back = guarded(np.zeros(shape, dtype), side)
        assert ts.unpack4(expected, shape[axis], axis, dtype=dtype, out=back) is back and np.array_equal(back, x)
        check_canary(out)
        check_canary(back)


def test_transposes_of_packed_matrices() -> None:
    x = np.random.default_rng(2).integers(-8, 8, (6, 9)).astype(ml_dtypes.int4)
    bytes_of = ts.pack4(x)
    turned = np.ascontiguousarray(ts.unpack4(bytes_of, 9).T)
    assert np.array_equal(ts.unpack4(ts.pack4(turned), 6), x.T)
    assert np.array_equal(ts.pack4(x.T, -2), ts.pack4(x).T)


def test_codes_of_compressed_weights() -> None:
    w = np.random.default_rng(3).integers(-8, 8, (32, 64)).astype(ml_dtypes.int4)
    weights = ts.compressed(w, "i4", group=32, scale=np.ones((1, 64), np.float32))
    assert np.array_equal(weights.dense("f32"), w.astype(np.float32))
    lines = ts.pack4((w.astype(np.int8) + 8).astype(np.uint8), -2)  # a byte has two rows of a column
    assert weights.data.reshape(-1)[: lines.size].tobytes() == lines.tobytes()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ts.pack4(np.ones(4, np.float32)), TypeError, "x: elements of int4"),
        (lambda: ts.pack4(np.ones(4, np.int8), 1), ValueError, "axis"),
        (lambda: ts.pack4(np.ones(4, np.int8), out=np.zeros(4, np.uint8)), ValueError, r"out: shape \(2,\)"),
        (lambda: ts.unpack4(np.ones(4, np.uint8), 9), ValueError, "extent: 8 or one less"),
        (lambda: ts.unpack4(np.ones(4, np.uint8), 8, dtype="i8"), TypeError, "dtype: i4 or u4"),
        (lambda: ts.unpack4(np.ones(4, np.uint16), 8), TypeError, "x: bytes"),
    ],
)
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
