"""Reuse distances agree with a least-recently-used list of blocks."""

from __future__ import annotations

import numpy as np
import pytest

from tilesmith.runtime.loops.reuse import NEVER, distances


def listed(blocks, sizes):
    """Return the reuse distances from a list with the most recent block last."""
    recent, found = [], []
    for block in blocks:
        if block in recent:
            found.append(sum(sizes[each] for each in recent[recent.index(block) :]))
            recent.remove(block)
        else:
            found.append(NEVER)
        recent.append(block)
    return np.array(found)


@pytest.mark.parametrize("seed", range(3))
def test_random_traces_with_few_gaps(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 100, 12)
    blocks = np.concatenate([np.tile(rng.permutation(12)[: rng.integers(1, 7)], rng.integers(1, 5)) for _ in range(12)])
    found, wanted = distances(blocks, sizes[blocks]), listed(blocks.tolist(), sizes.tolist())
    np.testing.assert_array_equal(found, wanted)


def test_many_gaps_are_rounded_up():
    """Rounded distances are never less than the true ones, and first uses are the same."""
    rng = np.random.default_rng(0)
    blocks = rng.integers(0, 200, 1500)
    found, wanted = distances(blocks, np.ones(1500, np.int64)), listed(blocks.tolist(), [1] * 200)
    assert np.array_equal(found == NEVER, wanted == NEVER)
    again = wanted < NEVER
    assert np.all(found[again] >= wanted[again])
    assert np.mean(found[again] / wanted[again]) < 1.25


def test_an_empty_trace():
    assert len(distances(np.zeros(0, np.int64), np.zeros(0, np.int64))) == 0
