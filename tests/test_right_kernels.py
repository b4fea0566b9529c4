"""Right kernels of all kinds, drawn at random, are proved or have no verdict: none is refuted."""

from __future__ import annotations

import pytest

from tests.profiles import scaled
from tests.right_kernels import DEFECTS, NO_KERNEL, NONE, PROVED, TRUSTED, verdict


@pytest.mark.slow
def test_none_is_refuted() -> None:
    found = {seed: verdict(seed) for seed in range(1, scaled(8, 2400))}
    wrong = {seed: said for seed, said in found.items() if said[0] in DEFECTS}
    assert not wrong, wrong
    words = [word for word, *_ in found.values() if word not in (NO_KERNEL, TRUSTED)]
    assert words.count(PROVED) >= 0.7 * len(words) and words.count(NONE) <= max(1, len(words) / 50)


def test_a_seed_draws_the_same_kernel_again() -> None:
    assert verdict(4)[:3] == verdict(4)[:3]
