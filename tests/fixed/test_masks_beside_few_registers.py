"""With vectors of two and four elements, all bits of a mask's byte were computed together. SSE had too few registers
for four vectors of a short expression in f64, and values could not be spilled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts


def short(maximum: Any, x: Any, z: Any, w: Any) -> Any:
    """Return results of an expression with four live vectors per vector of elements."""
    largest = maximum(x, z * w)
    return x > largest - z, largest + w


def long(maximum: Any, x: Any, z: Any, w: Any) -> Any:
    """Return results with twenty live values, which are used once in the order of their computation and once in
    reverse."""
    values = [x * float(k) + z for k in range(20)]
    total = values[0]
    for value in (*values[1:], *reversed(values)):
        total = maximum(total - 1.0, value) + w
    return total > z, total


@pytest.mark.parametrize(("target", "dtype"), [("sse", "f64"), ("sse", "f32"), ("avx2", "f64"), ("neon", "f64")])
@pytest.mark.parametrize("function", [short, long])
def test_masks_have_a_kernel(function: Any, target: str, dtype: str) -> None:
    shapes = {"x": (2, 13), "z": (2, 13), "w": (1, 13)}
    kernel = ts.equation(lambda x, z, w: function(ts.maximum, x, z, w), dtype=dtype, target=target, **shapes)
    rng = np.random.default_rng(1)
    given = [rng.integers(-3, 4, shape).astype("f4" if dtype == "f32" else "f8") for shape in shapes.values()]
    mask, y = kernel.run(*given)
    wanted = function(np.maximum, *given)
    assert np.array_equal(np.unpackbits(mask, axis=1, count=13, bitorder="little").astype(bool), wanted[0])
    assert np.array_equal(y, wanted[1])
