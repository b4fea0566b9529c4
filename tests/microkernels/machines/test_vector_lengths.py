"""SVE of each length that is a power of two gives right kernels; other lengths are refused where vectors are
shuffled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines.registry import TARGETS


def sve(bits: int) -> Target:
    return replace(TARGETS["sve512"], name=f"sve{bits}", vector_bits=bits, fma_bits=bits)


def drawn(rows: int, columns: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal((rows, columns)).astype(np.float32)


@pytest.mark.parametrize("bits", [1024, 2048])
def test_long_vectors(bits: int):
    target = sve(bits)
    a, b, c = drawn(5, 7), drawn(7, 70), np.full((5, 70), 7, np.float32)
    ts.brgemm(5, 70, 7, beta=0, target=target).run(a, b, c)
    assert np.abs(c - a.astype(np.float64) @ b).max() <= 7 * 2.0**-24 * (np.abs(a) @ np.abs(b)).max()
    x, y, z = drawn(3, 77), np.zeros((3, 77), np.float32), np.zeros((77, 3), np.float32)
    ts.transpose(3, 77, target=target).run(x, z)
    assert (z == x.T).all()
    ts.unary("relu", 3, 77, target=target).run(x, y)
    assert (y == np.maximum(x, 0)).all()
    found = np.zeros(3, np.int32)
    ts.reduce("argmax", 3, 77, axis=1, target=target).run(x, found)
    assert (found == x.argmax(1)).all()


def test_a_length_that_is_no_power_of_two():
    with pytest.raises(ts.UnsupportedError, match="vectors of 384 bits; the length must be a power of two"):
        ts.transpose(33, 45, target=sve(384))
