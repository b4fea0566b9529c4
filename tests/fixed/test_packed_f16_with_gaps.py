"""With sums of f16 (dtype="f16xf16"), a packed C of rows with gaps between them was read from scratch memory as if the
sums there had these gaps, too: results were wrong, and memory behind the sums was read."""

from __future__ import annotations

import numpy as np

import tilesmith as ts


def test_sums_are_read_where_they_lie() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((4, 6), (6, 5)))
    kernel = ts.brgemm(4, 5, 6, dtype="f16xf16", beta=0, c_layout="vnni", ldc=9, target="avx512_fp16")
    pairs = np.zeros((2, 9, 2), np.float16)[:, :5]
    kernel.run(a, b, pairs)
    expected = a.astype(int) @ b.astype(int)
    assert (pairs.transpose(0, 2, 1).reshape(4, 5) == expected).all()
