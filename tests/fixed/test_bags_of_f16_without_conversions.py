"""Embedding bags of f16 on targets without instructions that convert it raised a KeyError. They convert with others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts

JOINED: dict[str, Any] = {"sum": np.sum, "mean": np.mean, "max": np.max}
OFFSETS = np.array([0, 4, 7])


@pytest.mark.parametrize("bags", [2, ts.RUNTIME])
@pytest.mark.parametrize("name", JOINED)
@pytest.mark.parametrize("target", ["sse", "avx"])
def test_values(target: Any, name: Any, bags: Any) -> None:
    x = np.random.default_rng(1).integers(-2048, 2049, (5, 7)).astype(np.float16) / np.float16(64)
    x[2, :4] = 65504, 2.0**-24, -(2.0**-15), -0.0  # the largest, and denormals
    index = np.array([0, 4, 1, 0, 2, 3, 3])
    kernel = ts.embedding_bag(bags, 7, size=5, count=7, dtype="f16", name=name, target=target)
    found = np.full((2, 7), 9, np.float32)
    kernel.run(x, index, OFFSETS, found)
    terms = x.astype(np.float32)[index]
    wanted = [JOINED[name](terms[a:b], axis=0) for a, b in zip(OFFSETS, OFFSETS[1:])]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=0)


@pytest.mark.parametrize("name", JOINED)
@pytest.mark.parametrize("target", ["sse", "avx"])
def test_what_is_not_finite(target: Any, name: Any) -> None:
    x = np.array([[np.inf, -np.inf, np.nan, 1], [1, 1, 1, -np.inf]], np.float16)
    found = np.zeros((1, 4), np.float32)
    ts.embedding_bag(1, 4, size=2, count=2, dtype="f16", name=name, target=target).run(
        x, np.array([0, 1]), np.array([0, 2]), found
    )
    np.testing.assert_array_equal(found[0], JOINED[name](x.astype(np.float32), axis=0))
