"""In order "F", with rows that the call counts and no matrix of several rows and columns, reductions along rows wrote
beyond their results, and 64 results even in a call without rows: memory was corrupted."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded

FUNCTIONS = {
    "sum": (lambda w, c: ts.sum(c + w, axis=1), lambda w, c: (c + w).sum(1, keepdims=True)),
    "max": (lambda w, c: ts.max(c - w, axis=1), lambda w, c: (c - w).max(1, keepdims=True)),
    "of the row": (lambda w, c: c * 2 + ts.sum(w, axis=1), lambda w, c: c * 2 + w.sum()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("target", ["avx512", "avx2", "sse"])
def test_results_and_what_lies_beside_them(name, target):
    function, wanted = FUNCTIONS[name]
    kernel = ts.equation(function, w=(1, 5), c=(ts.RUNTIME, 1), order="F", target=target)
    w = np.arange(5, dtype="f4")[None]
    for rows in (0, 1, 8, 9, 63, 64, 73):
        c = np.arange(rows, dtype="f4")[:, None]
        for side in ("start", "end"):
            y = guarded(np.full((rows, 1), 77, "f4"), side)
            (kernel if kernel.address is not None else kernel.run)(w, c, y)
            check_canary(y)
            assert (y == wanted(w, c)).all(), rows
