"""Functions with products and gathers drawn at random compute exact integers, and their plans are right."""

from __future__ import annotations

from tests.products_of_graphs import MADE, WRONG, Drawn, verdict
from tests.profiles import scaled


def test_none_is_wrong() -> None:
    found = {seed: verdict(seed) for seed in range(1, scaled(12, 20_000) + 1)}
    wrong = {seed: said for seed, said in found.items() if said[0] == WRONG}
    assert not wrong, "\n".join(f"{seed} {Drawn(seed)}: {said}" for seed, said in wrong.items())
    assert sum(word == MADE for word, _ in found.values()) > len(found) / 2
