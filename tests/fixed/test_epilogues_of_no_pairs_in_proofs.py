"""A batch by offsets with an epilogue had no proof, because a call of no pairs has no sum that enters the epilogue: it
is the epilogue of zeros."""

from __future__ import annotations

import pytest

import tilesmith as ts


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i8"])
@pytest.mark.grid(1)
def test_batches_of_no_pairs(dtype: str) -> None:
    types = ("i8", "i8", "i32") if dtype == "i8" else dtype
    kernel = ts.brgemm(2, 5, 4, dtype=types, beta=0, batch=ts.OFFSET, epilogue=lambda c: c + 3)
    proof = kernel.verify()
    assert proof, proof
