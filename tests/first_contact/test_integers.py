"""Section E of first-contact.md: integers in epilogues and equations."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.api.typed import TargetName

TARGETS = ("avx2", "avx512_vnni", "neon", "sve256")


def run(kernel, *args):
    return kernel(*args) if kernel.address is not None else kernel.run(*args)


E1 = ("avx2", "avx512", "avx512_vnni", "avx2_vnni", "amx", "neon", "sve256", "sme512")


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "vnni"])
@pytest.mark.parametrize("target", E1)
def test_e1_quantized_layer(target: TargetName, packed):
    """u8 by i8 to u8, with a scale per channel and zero points, equals numpy bit by bit."""
    m, n, k = 5, 7, 8
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 256, (m, k), np.uint8), rng.integers(-128, 128, (k, n), np.int8)
    scale, zero = rng.uniform(1e-3, 1e-2, n).astype(np.float32), np.full(1, 100, np.float32)
    correction = 3 * b.sum(0, dtype=np.int32)
    layer = ts.brgemm(
        m,
        n,
        k,
        dtype=("u8", "i8", "u8"),
        beta=0,
        target=target,
        b_layout="vnni" if packed else "plain",
        epilogue=lambda c, correction, scale, zero: (c - correction) * scale + zero,
        operands={"correction": ("row", "i32"), "scale": ("row", "f32"), "zero": ("scalar", "f32")},
    )
    c = np.empty((m, n), np.uint8)
    right = b.reshape(k // 4, 4, n).swapaxes(1, 2).copy() if packed else b
    layer.run(a, right, c, correction, scale, zero)
    sums = (a.astype(np.int32) @ b.astype(np.int32) - correction).astype(np.float32)
    exact = sums.astype(np.float64) * scale + zero  # rounded once, as fused; then to an integer, ties to even
    np.testing.assert_array_equal(c, np.clip(np.rint(exact.astype(np.float32)), 0, 255).astype(np.uint8))


@pytest.mark.parametrize("target", TARGETS)
def test_e2_integers_are_added_as_integers(target: TargetName):
    """c + corr is an i32 modulo 2^32, although another operand is a float: 2^24 + 1 stays odd, and 2^31 wraps."""
    mm = ts.brgemm(
        3,
        19,
        4,
        dtype=("u8", "i8", "i32"),
        beta=0,
        epilogue=lambda c, corr, s: (c + corr) * s,
        operands={"corr": ("row", "i32"), "s": ("row", "f32")},
        target=target,
    )
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 255, (3, 4), np.uint8), rng.integers(-128, 127, (4, 19), np.int8)
    sums = a.astype(np.int32) @ b.astype(np.int32)
    corr = np.where(np.arange(19) % 2, 2**24 + 1, 2**31 - 5).astype(np.int32)
    with np.errstate(over="ignore"):
        whole = sums + corr  # i32 of numpy wraps
    scale = rng.choice([1.0, 0.5, 2.0**-10], 19).astype(np.float32)
    exact = whole.astype(np.float32) * scale
    expected = np.clip(np.rint(exact.astype(np.float64)), -(2**31), 2**31 - 1).astype(np.int64)
    c = np.empty((3, 19), np.int32)
    run(mm, a, b, c, corr, scale)
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("real", ("f32", "f64"))
def test_e2_in_equations(target: TargetName, real):
    """Beside f64, whose lanes have 64 bits, i32 are added modulo 2^32 as well."""
    types = {"i": "i32", "j": "i32", "x": real}
    k = ts.equation(lambda i, j, x: (i - j + 1) * x, i=(5, 13), j=(1, 13), x=(5, 1), dtype=types, target=target)
    rng = np.random.default_rng(1)
    i, j = (rng.integers(-(2**31), 2**31 - 1, s, np.int32) for s in ((5, 13), (1, 13)))
    x = rng.choice([1.0, -0.25, 8.0], (5, 1)).astype(np.float64 if real == "f64" else np.float32)
    with np.errstate(over="ignore"):
        expected = (i - j + np.int32(1)).astype(x.dtype) * x
    y = np.empty((5, 13), x.dtype)
    run(k, i, j, x, y)
    np.testing.assert_array_equal(y, expected)


def test_e2_a_float_number_converts_in_an_epilogue_of_integers():
    mm = ts.brgemm(2, 3, 4, dtype=("u8", "i8", "u8"), beta=0, epilogue=lambda c: ts.relu(c) * 0.125)
    a, b = np.full((2, 4), 3, np.uint8), np.full((4, 3), 9, np.int8)
    assert (mm(a, b) == 14).all()  # 108 / 8 = 13.5, rounded to even


def test_e3_an_error_names_the_missing_epilogue():
    with pytest.raises(ts.UnsupportedError, match=r"a c of u8 needs an epilogue.*epilogue=lambda c, s: c \* s"):
        ts.brgemm(4, 4, 4, dtype=("u8", "i8", "u8"))


def test_e3_operands_beside_a_c_of_8_bits_are_f32():
    mm = ts.brgemm(
        4,
        6,
        4,
        dtype=("u8", "i8", "u8"),
        beta=0,
        epilogue=lambda c, bias, s: (c + bias) * s,
        operands={"bias": ("row", np.int32)},
    )
    assert [each.dtype for each in mm.spec.extras] == ["i32", "f32"]
