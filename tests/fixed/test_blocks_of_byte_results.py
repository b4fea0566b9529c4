"""Blocks of B of a product with an 8-bit result were packed as they are, since the layout was chosen by a kernel
without the epilogue, which such a result needs: the fused layer took 1.4 to 1.8 times as long as its two steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts

TARGETS = "avx2", "avx2_vnni", "avx512", "avx512_vnni", "amx", "neon", "sve256", "sme256"
OPERANDS: Any = {"z": ("row", "i32"), "s": ("row", "f32")}


def scaled(c: Any, z: Any, s: Any) -> Any:
    return (c + z) * s


def made(m: int, n: int, k: int, result: str, target: str) -> Any:
    epilogue = {"epilogue": scaled, "operands": OPERANDS} if result != "i32" else {}
    return ts.gemm(m, n, k, dtype=("u8", "i8", result), beta=0.0, target=target, **epilogue)  # type: ignore[arg-type]


@pytest.mark.parametrize(("target", "result"), [*((each, "u8") for each in TARGETS), ("amx", "i8")])
def test_blocks_lie_as_for_sums(target: str, result: str) -> None:
    assert made(24, 60, 64, result, target).kernels.b_layout == made(24, 60, 64, "i32", target).kernels.b_layout


@pytest.mark.parametrize("target", ["avx2", "amx"])
def test_a_depth_that_is_no_multiple_of_four(target: str) -> None:
    m, n, k = 3, 21, 11
    rng = np.random.default_rng(3)
    x, w = rng.integers(0, 256, (m, k), np.uint8), rng.integers(-128, 128, (k, n), np.int8)
    z, s = rng.integers(-99, 99, n, np.int32), np.full(n, 2.0**-8, np.float32)
    sums = x.astype(np.int64) @ w + z
    wanted = np.clip(np.rint(sums / 256), 0, 255)  # a multiple of 1/256 below 2^24 is exact in f32
    assert np.array_equal(made(m, n, k, "u8", target).run(x, w, None, z, s), wanted)
