"""Found by comparing with the emulator: if a loop's body was the first to claim a callee-saved register, each run saved
it, so that the second run replaced the caller's value by the kernel's."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("rows", [0, 600])
def test_a_norm_of_columns_keeps_the_registers_of_its_caller(rows: int) -> None:
    """The kernel takes 256 rows at a time. The emulator checks every register that a call must preserve."""
    kernel = ts.fused("layernorm", ts.RUNTIME, 2, dtype="bf16", order="F", accuracy="standard", target="avx2")
    x = np.asfortranarray(np.random.default_rng(0).standard_normal((rows, 2)).astype(ml_dtypes.bfloat16))
    gamma, beta = np.array([[2, 1]], ml_dtypes.bfloat16), np.array([[0, 3]], ml_dtypes.bfloat16)
    y = kernel.run(x, gamma, beta)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True) if rows else wide
    wanted = centred / np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + 1e-5) * [2, 1] + [0, 3]
    np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=2**-7, atol=2**-7)
