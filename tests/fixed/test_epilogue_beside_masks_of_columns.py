"""Products by one column with an epilogue were refused on AVX-512 ("4 mask registers: 3 of seven are free") if masks of
partial registers left the expression too few mask registers: it is computed with fewer copies side by side."""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8"])
def test_an_expression_takes_the_masks_that_are_left(dtype):
    kernel = ts.brgemm(
        34,
        1,
        5,
        beta=0.0,
        epilogue=lambda c, r, s: ts.relu(c + r) * s,
        target="avx512",
        operands={"r": None, "s": (None, dtype)},
    )
    rng = np.random.default_rng(28)
    a, b, r, s = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((34, 5), (5, 1), (34, 1), (34, 1)))
    narrow = s.astype({"f16": np.float16, "bf16": ml_dtypes.bfloat16, "i8": np.int8}[dtype])
    c = np.empty_like(r)
    kernel.run(a, b, c, r, narrow)
    assert (c == np.maximum(a @ b + r, 0) * s).all()
