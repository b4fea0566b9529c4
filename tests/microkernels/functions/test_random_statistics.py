"""Statistics of random numbers: the bounds are quantiles of the distribution of ideal random numbers.

The seeds are fixed, so the results do not change from run to run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.threefry_model import Array, model


def bits_of(seed: int, m: int = 512, n: int = 512) -> Array:
    return ts.unary("random", m, n)(seed).view(np.uint32)


def chi_square(counts: Array, expected: Any) -> float:
    """Return how many standard deviations a chi-square statistic with len - 1 degrees of freedom lies above its
    mean."""
    freedom = counts.size - 1
    value = float(((counts - expected) ** 2 / expected).sum())
    return (value - freedom) / np.sqrt(2 * freedom)


@pytest.mark.parametrize("seed", [0, 1, 2, 0xDEADBEEF, 1 << 62])
def test_every_byte_is_equally_likely(seed):
    words_ = bits_of(seed)
    for byte in range(4):
        counts = np.bincount((words_.ravel() >> np.uint32(8 * byte)) & 255, minlength=256)
        assert abs(chi_square(counts, words_.size / 256)) < 4.5


@pytest.mark.parametrize("step", [(0, 1), (1, 0), (1, 1), (0, 16), (0, 256), (64, 0)])
def test_neighbours_are_independent(step):
    """Pairs of the top four bits are equally frequent, and neighbours are uncorrelated."""
    words_ = bits_of(5)
    m, n = (size - move for size, move in zip(words_.shape, step))
    one, other = words_[:m, :n], words_[step[0] :, step[1] :]
    counts = np.bincount(((one >> 28) * 16 + (other >> 28)).ravel(), minlength=256)
    assert abs(chi_square(counts, m * n / 256)) < 4.5
    correlation = np.corrcoef(one.ravel().astype(np.float64), other.ravel().astype(np.float64))[0, 1]
    assert abs(correlation) < 4.5 / np.sqrt(m * n)


@pytest.mark.parametrize(("seed", "other"), [(0, 1), (1, 2), (7, 7 | 1 << 32), (0, 1 << 62)])
def test_seeds_are_independent(seed, other):
    """Words of different seeds differ in half of their bits."""
    different = np.unpackbits((bits_of(seed) ^ bits_of(other)).view(np.uint8))
    assert abs(different.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(different.size)


def test_each_bit_of_the_place_changes_half_of_the_bits():
    """If one bit of the counter changes, half of the bits of a word change (every third bit is tested)."""
    rng = np.random.default_rng(3)
    base = rng.integers(0, 1 << 31, (2000, 2), np.uint64)
    for part, bit in [(part, bit) for part in range(2) for bit in range(0, 31, 3)]:
        other = base.copy()
        other[:, part] ^= np.uint64(1 << bit)
        changed = np.unpackbits(
            (model(base[:, 0], base[:, 1], (5, 6)) ^ model(other[:, 0], other[:, 1], (5, 6))).view(np.uint8)
        )
        assert abs(changed.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(changed.size)


def test_uniform_f64():
    """The moments are right, each byte of the 53 bits is uniform, and the first 24 bits are those of f32."""
    u = ts.unary("uniform", 512, 512, out="f64")(3)
    assert abs(u.mean() - 0.5) < 4.5 * np.sqrt(1 / 12 / u.size)
    assert abs(((u - 0.5) ** 2).mean() - 1 / 12) < 4.5 * np.sqrt(1 / 180 / u.size)
    whole = (u * 2.0**53).astype(np.uint64)
    assert (whole * 2.0**-53 == u).all()
    for byte in range(6):
        counts = np.bincount(((whole >> np.uint64(8 * byte)) & np.uint64(255)).ravel().astype(np.int64), minlength=256)
        assert abs(chi_square(counts, u.size / 256)) < 4.5
    assert (np.floor(u * 2.0**24) * 2.0**-24 == ts.unary("uniform", 512, 512)(3)).all()


@pytest.mark.seconds
def test_birthdays():
    """2^18 words of 32 bits have as many repetitions as random ones: a Poisson number with mean 2^36 / 2^33 = 8."""
    repeats = [words_.size - np.unique(words_).size for words_ in map(bits_of, range(8))]
    assert abs(np.mean(repeats) - 8) < 4.5 * np.sqrt(8 / 8)
