"""Functions drawn at random are proved or have no proof: none is refuted, and none raises in the prover."""

from __future__ import annotations

import pytest

from tests.profiles import scaled
from tests.proofs_of_graphs import DEFECTS, Drawn, verdict


@pytest.mark.slow
def test_none_is_refuted() -> None:
    found = {seed: verdict(seed) for seed in range(1, scaled(6, 3000))}
    wrong = {seed: said for seed, said in found.items() if said[0] in DEFECTS}
    assert not wrong, "\n".join(f"{seed} {Drawn(seed)}: {said}" for seed, said in wrong.items())
    assert sum(word == "proved" for word, _ in found.values()) > len(found) / 2


def test_a_seed_draws_the_same_function_again() -> None:
    assert str(Drawn(7)) == str(Drawn(7)) != str(Drawn(8))
