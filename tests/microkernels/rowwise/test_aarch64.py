"""Extents given at the call on AArch64, between unmapped pages under qemu: kernels have the bits of a fixed number of
rows."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES
from tilesmith.emulation.qemu.server import Server

R = ts.RUNTIME
BITS = {"neon": None, "sve256": 256, "sve512": 512}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", BITS)
def test_fused_kernels_and_reductions(target: str, side: str, aarch64: Server) -> None:
    rng, bits = np.random.default_rng(1), BITS[target]
    softmax, total = ts.fused("softmax", R, 37, target=target), ts.reduce("sum", R, 37, axis=1, target=target)
    for rows in (1, 9, 70):
        x = rng.standard_normal((rows, 37), np.float32)
        fixed = ts.fused("softmax", rows, 37, target=target)
        found, wanted = np.zeros_like(x), np.zeros_like(x)
        aarch64.call(softmax.code, x, found, rows, side=side, vector_bits=bits)
        aarch64.call(fixed.code, x, wanted, side=side, vector_bits=bits)
        assert found.tobytes() == wanted.tobytes()
        whole, sums = np.round(x * 4), np.zeros(rows, np.float32)
        aarch64.call(total.code, whole, sums, rows, side=side, vector_bits=bits)
        assert np.array_equal(sums, whole.sum(1))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", BITS)
def test_bags_of_any_number(target: str, side: str, aarch64: Server) -> None:
    rng, bits = np.random.default_rng(2), BITS[target]
    bag = ts.embedding_bag(R, 11, size=R, count=R, bounds="kernel", target=target)
    table = rng.integers(-4, 4, (7, 11)).astype(np.float32)
    for index, offsets in (([3], [0, 1]), ([6, 0, 0, 5, 1], [0, 2, 2, 5])):
        places, ends = np.array(index), np.array(offsets)
        y, bad = np.zeros((len(ends) - 1, 11), np.float32), np.zeros(1, np.int64)
        aarch64.call(bag.code, table, places, ends, y, bad, len(y), 7, len(places), side=side, vector_bits=bits)
        wanted = [table[places[first:last]].sum(0) for first, last in zip(ends, ends[1:])]
        assert np.array_equal(y, wanted) and bad[0] == -1
