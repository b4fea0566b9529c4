"""If a vector has fewer than eight elements, the start of a column reduction left the pointer to a bit mask before its
first byte."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize(("target", "dtype"), [("neon", "f32"), ("avx2", "f64")])
def test_a_mask_beside_a_sum_down_the_columns(target: str, dtype: str) -> None:
    kernel = ts.equation(lambda x: (x > 0.0, ts.sum(x, axis=0)), x=(3, 20), dtype=dtype, target=target)
    x = np.random.default_rng(1).integers(-3, 4, (3, 20)).astype(np.float32 if dtype == "f32" else np.float64)
    mask, sums = kernel.run(x)
    assert (np.unpackbits(mask, axis=1, bitorder="little")[:, :20] == (x > 0)).all()
    assert (sums == x.sum(0)).all()
