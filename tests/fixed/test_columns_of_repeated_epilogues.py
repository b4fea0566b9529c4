"""ts.matmul examined and planned every call again whose epilogue had an operand of shape (m, 1), (1, n) or (), which
took 360 us: machine code takes rows, columns and elements with one axis only."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.frames import frames


@pytest.mark.parametrize("m, n, k, order", [(8, 16, 32, "C"), (200, 150, 170, "F"), (2, 2100, 2000, "F")])
def test_a_repeated_call_is_not_examined(m, n, k, order):
    """One kernel, a nest, and a product that is computed as that of the transposes."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, each).astype(np.float32) for each in ((m, k), (k, n)))
    b = np.asarray(b, order=order)
    column, row, one, whole = (rng.integers(-2, 3, each).astype(np.float32) for each in ((m, 1), (1, n), (), (m, n)))
    given = {"p": column, "q": row, "r": one, "s": rng.permuted(column)[:, ::-1]}
    want = np.maximum(a.astype(np.float64) @ b + column + row, 0) * one + given["s"] + whole

    def call():
        return ts.matmul(a, b, epilogue=lambda c, p, q, r, s: ts.relu(c + p + q) * r + s, operands=given) + whole

    for _ in range(3):
        assert np.array_equal(call(), want)
    assert not {"_computed", "_checked", "checked"} & frames(call).keys()
