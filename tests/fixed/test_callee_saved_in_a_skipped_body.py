"""Found by the emulator: if a call without rows skipped the body of `unless_zero`, callee-saved registers that the body
would have saved were restored from memory where nothing had been stored."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("rows", [0, 3])
def test_a_gather_of_no_rows_keeps_the_registers_of_its_caller(rows: int, target: str) -> None:
    kernel = ts.gather(
        "rows", ts.RUNTIME, 5, size=4, bounds="kernel", out="bf16", scale="col", bias="row", target=target
    )
    x, ones = np.ones((4, 5), np.float32), np.ones(5, np.float32)
    y, bad = kernel.run(
        x, np.arange(rows), ones[:4], ones
    )  # the emulator checks every register that a call must preserve
    assert (y.astype(np.float32) == 2).all() and bad[0] == -1
