"""A sparse product whose result has 8 bits was refused, although its epilogue said how the sums are scaled."""

from __future__ import annotations

import numpy as np

import tilesmith as ts


def test_results_of_8_bits() -> None:
    rng = np.random.default_rng(1)
    a = np.where(rng.random((9, 20)) < 0.4, rng.integers(-9, 10, (9, 20)), 0).astype(np.int8)
    b = rng.integers(-9, 10, (20, 7)).astype(np.int8)
    scale = rng.random(7).astype(np.float32)
    for blocks in (1, 4):
        out = np.zeros((9, 7), np.int8)
        ts.spmm(ts.sparse(a, blocks=blocks), b, out, epilogue=lambda c, s: c * s, operands={"s": scale})
        exact = (a.astype(np.float32) @ b.astype(np.float32)) * scale
        assert np.array_equal(out, np.clip(np.rint(exact), -128, 127))
