"""A product that is a result and also a factor of another product was passed on in registers and not stored."""

from __future__ import annotations

import numpy as np

import tilesmith as ts


def test_both_results_are_stored() -> None:
    x, w = np.ones((8, 6), np.float32), np.ones((6, 8), np.float32)
    kernel = ts.equation(lambda x, w: (x @ w, (x @ w) * 2.0), x=x.shape, w=w.shape, target="avx2")
    for found, wanted in zip(kernel.run(x, w), (6, 12)):
        assert (found == wanted).all()
