"""Found by k.verify(): an empty stack on tiles returned with rsp above its frame, which only products had claimed."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("leading", [None, ts.RUNTIME], ids=["dense", "runtime"])
@pytest.mark.parametrize("count", [0, 2])
def test_a_stack_on_tiles_returns(count: int, leading: object) -> None:
    mm = ts.brgemm(5, 9, 7, dtype=("u8", "i8", "i32"), target="amx", stack=ts.RUNTIME, lda=leading)
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 255, (count, 5, 7), np.uint8), rng.integers(-128, 127, (count, 7, 9), np.int8)
    c = np.zeros((count, 5, 9), np.int32)
    mm.run(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))
