"""Integers of 4 bits, one in each byte, are those of ml_dtypes: the upper half of a byte does not count where it is
read, and is 0 where it is written."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded

FOUR: dict[str, Any] = {"i4": ml_dtypes.int4, "u4": ml_dtypes.uint4}
OTHERS: dict[str, Any] = {
    "f64": np.float64,
    "f32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "u16": np.uint16,
    "i8": np.int8,
    "u8": np.uint8,
    **FOUR,
}
LIMITS = {"i4": (-8, 7), "u4": (0, 15), "u8": (0, 255), "u16": (0, 65535)}
SHAPE = (5, 37)


def any_bytes(dtype: str) -> Any:
    return np.random.default_rng(1).integers(0, 256, SHAPE, np.uint8).view(FOUR[dtype])


def called(kernel: Any, side: str, *arrays: Any) -> Any:
    """Return what the kernel leaves in its last array."""
    *inputs, y = (guarded(each, side) for each in arrays)
    (kernel if kernel.target.arch == "x86" else kernel.run)(*inputs, y)
    check_canary(y)
    return y


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ts.targets())
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("four", FOUR)
@pytest.mark.grid(6)
def test_conversions(four: str, other: str, target: str, side: str) -> None:
    x = any_bytes(four)
    whole = x.astype(np.int64)
    made = called(
        ts.unary("identity", *SHAPE, dtype=four, out=other, target=target), side, x, np.zeros(SHAPE, OTHERS[other])
    )
    assert np.array_equal(made.astype(np.float64), np.clip(whole, *LIMITS.get(other, (-8, 15))))
    numbers = np.random.default_rng(2).integers(-40 if other not in ("u8", "u16", "u4") else 0, 41, SHAPE) / 2
    numbers = (numbers if other[0] in "fb" else np.rint(numbers) if other not in FOUR else whole).astype(OTHERS[other])
    made = called(
        ts.unary("identity", *SHAPE, dtype=other, out=four, target=target), side, numbers, np.zeros(SHAPE, x.dtype)
    )
    expected = np.clip(np.rint(numbers.astype(np.float64)), *LIMITS[four])
    assert np.array_equal(made.astype(np.int64), expected)
    if other != four:
        assert (made.view(np.uint8) < 16).all()


@pytest.mark.parametrize(
    ("dtype", "out"), [("i4", "f32"), ("u4", "bf16"), ("i4", "i8"), ("i8", "i4"), ("u8", "u4"), ("i4", "u4")]
)
@pytest.mark.parametrize("target", ts.targets())
@pytest.mark.grid(2)
def test_conversions_are_proved(dtype: Any, out: Any, target: str) -> None:
    proof = ts.unary("identity", 2, 19, dtype=dtype, out=out, target=target).verify()
    assert proof, proof


def test_arithmetic_saturates() -> None:
    x, y = any_bytes("i4"), any_bytes("i4")[::-1].copy()
    made = called(ts.binary("add", *SHAPE, dtype="i4"), "end", x, y, np.zeros(SHAPE, x.dtype))
    assert np.array_equal(made.astype(int), np.clip(x.astype(int) + y.astype(int), -8, 7))


def test_elements_are_moved() -> None:
    x = any_bytes("i4")
    made = called(ts.transpose(*SHAPE, dtype=ml_dtypes.int4), "end", x, np.zeros(SHAPE[::-1], x.dtype))
    assert np.array_equal(made, x.T)
    packed = called(ts.transform("vnni4", *SHAPE, "i4"), "end", x, np.zeros((2, 4 * SHAPE[1]), x.dtype))
    rows = np.concatenate([x, np.zeros((3, SHAPE[1]), x.dtype)]).reshape(2, 4, SHAPE[1])
    assert np.array_equal(packed, rows.transpose(0, 2, 1).reshape(2, -1))
    weights = np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32)
    kernel = ts.transform("vnni2", *SHAPE, "f32", out="i4", epilogue=lambda x, s: x * s)
    scale = np.full(SHAPE[1], 4, np.float32)
    made = called(kernel, "end", weights, scale, np.zeros((3, 2 * SHAPE[1]), x.dtype))
    rounded = np.concatenate([np.clip(np.rint(weights * 4), -8, 7), np.zeros((1, SHAPE[1]))]).reshape(3, 2, SHAPE[1])
    assert np.array_equal(made.astype(int), rounded.transpose(0, 2, 1).reshape(3, -1))


def test_an_epilogue_reads_them() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-2, 3, (8, 8)).astype(np.float32) for _ in "ab")
    q = any_bytes("u4")[0, :8].copy()
    product = ts.brgemm(8, 8, 8, beta=0, epilogue=lambda c, q: c + q, operands={"q": ("row", "u4")})
    c = np.zeros((8, 8), np.float32)
    product(a, b, c, q)
    assert np.array_equal(c, a @ b + q.astype(np.float32))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ts.brgemm(4, 4, 4, dtype="i4"), "dtype 'i4': brgemm supports"),
        (
            lambda: ts.matmul(np.ones((2, 2), ml_dtypes.int4), np.ones((2, 2), ml_dtypes.int4)),
            "no kernel multiplies i4",
        ),
        (lambda: ts.embedding_bag(4, 8, size=3, count=4, dtype="i4"), "i4"),
        (lambda: ts.sparse(np.ones((2, 2), ml_dtypes.int4)), "i4|int4"),
    ],
)
def test_what_is_not_computed(make: Any, text: str) -> None:
    with pytest.raises(ts.UnsupportedError, match=text):
        make()
    with pytest.raises(ValueError, match="numpy's codes count bytes"):
        ts.unary("relu", 4, 4, dtype="<i4")
