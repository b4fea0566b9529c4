"""Vectors of two and four elements had the bits of a byte computed together: SSE had no registers for four vectors of a
short expression in f64, and values could not wait in scratch memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts


def short(maximum: Any, x: Any, z: Any, w: Any) -> Any:
    """Four operands of a vector are alive at a time."""
    largest = maximum(x, z * w)
    return x > largest - z, largest + w


def long(maximum: Any, x: Any, z: Any, w: Any) -> Any:
    """Twenty values are alive at a time: each is used in the order of their making, and again in the other."""
    values = [x * float(k) + z for k in range(20)]
    total = values[0]
    for value in (*values[1:], *reversed(values)):
        total = maximum(total - 1.0, value) + w
    return total > z, total


@pytest.mark.parametrize(("target", "dtype"), [("sse", "f64"), ("sse", "f32"), ("avx2", "f64"), ("neon", "f64")])
@pytest.mark.parametrize("function", [short, long])
def test_they_have_a_kernel(function: Any, target: str, dtype: str) -> None:
    shapes = {"x": (2, 13), "z": (2, 13), "w": (1, 13)}
    kernel = ts.equation(lambda x, z, w: function(ts.maximum, x, z, w), dtype=dtype, target=target, **shapes)
    rng = np.random.default_rng(1)
    given = [rng.integers(-3, 4, shape).astype("f4" if dtype == "f32" else "f8") for shape in shapes.values()]
    mask, y = kernel.run(*given)
    wanted = function(np.maximum, *given)
    assert np.array_equal(np.unpackbits(mask, axis=1, count=13, bitorder="little").astype(bool), wanted[0])
    assert np.array_equal(y, wanted[1])
