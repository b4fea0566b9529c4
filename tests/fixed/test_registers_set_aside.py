"""On AArch64, a walk with many operands saved a callee-saved register on the stack while other values were set aside
there. They were then read back from the wrong places, and the second walk read beside its operands."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilesmith as ts


def function(x: Any, w: Any, c: Any, e: Any) -> Any:
    """Return results of ten operands, with rows kept between two walks; all pointers are in registers."""
    total, largest, mean = ts.sum(x + w), ts.max(x, axis=0), ts.mean(x * 2.0)
    used = 0.0 * x + 0.0 * w + 0.0 * c + 0.0 * e
    return x + c, total + mean + e, largest + ts.max(x + c), ts.sum(x * c, axis=0), used


def test_values_that_are_set_aside_come_back() -> None:
    shapes = {"x": (2, 2), "w": (1, 2), "c": (2, 1), "e": (1, 1)}
    rng = np.random.default_rng(0)
    for target in ("neon", "sve256"):
        kernel = ts.equation(function, target=target, **shapes)
        x, w, c, e = (rng.integers(-3, 4, shape).astype(np.float32) for shape in shapes.values())
        found = kernel.run(x, w, c, e)
        wanted = (
            x + c,
            (x + w).sum() + 2 * x.mean() + e,
            x.max(0, keepdims=True) + (x + c).max(),
            (x * c).sum(0, keepdims=True),
            0 * x,
        )
        for y, want in zip(found, wanted):
            assert np.allclose(y, want, rtol=1e-6)
