"""Slices of `python -m tests.mutants_of_kernels` and `python -m tests.pairs_of_requests`; `make soak` runs all."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.mutants_of_kernels import FALSE, MAKERS, OPEN, REFUTED, mutants, verdict
from tests.pairs_of_requests import FAMILIES
from tests.pairs_of_requests import verdict as verdict_of_pair
from tests.profiles import scaled

SLICE = [("brgemm f32 3x5x4", "avx512"), ("transpose bf16 9x4", "avx2"), ("add f32 3x5", "neon"),
         ("brgemm u8xi8 2x5x8", "sve256"), ("sum of rows f32 3x11", "avx2")]  # fmt: skip


@pytest.mark.parametrize(("name", "target"), SLICE)
def test_mutants_are_not_proved(name: str, target: str) -> None:
    """Nearly all of them are refuted; what is proved the emulator cannot tell apart."""
    kernel, random = MAKERS[name](target), Random(f"{name} {target}")
    drawn = mutants(kernel, random)
    drawn = random.sample(drawn, min(scaled(15, 200), len(drawn)))
    found = Counter(verdict(kernel, each)[0] for each in drawn)
    assert not found[FALSE]
    assert found[REFUTED] >= 0.7 * len(drawn) and found[OPEN] <= 1 + 0.05 * len(drawn)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_other_requests_are_not_proved(family: str) -> None:
    found = Counter(verdict_of_pair(family, f"slice.{number}")[0] for number in range(scaled(15, 200)))
    assert not found["FALSE PROOF"]
    assert found["refuted"] >= 0.8 * found.total()
