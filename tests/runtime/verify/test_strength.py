"""Slices of `python -m tests.mutants_of_kernels` and `python -m tests.pairs_of_requests`; `make soak` runs all."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.pairs_of_requests import FAMILIES
from tests.pairs_of_requests import verdict as verdict_of_pair
from tests.profiles import scaled
from tests.side_by_side.bits import mutants
from tests.side_by_side.kernels import MAKERS
from tests.side_by_side.verdicts import EQUIVALENT, REFUTED, TRIED, UNDEFINED, Judge

SLICE = [("brgemm f32 3x5x4", "avx512"), ("transpose bf16 9x4", "avx2"), ("add f32 3x5", "neon"),
         ("brgemm u8xi8 2x5x8", "sve256"), ("sum of rows f32 3x11", "avx2")]  # fmt: skip


@pytest.mark.parametrize(("name", "target"), SLICE)
def test_mutants_are_not_proved(name: str, target: str) -> None:
    """Each is refuted, or equivalent with a reason."""
    kernel, random = MAKERS[name](target), Random(f"{name} {target}")
    judge, drawn = Judge(kernel), mutants(kernel, random)
    verdicts = [judge.verdict(each) for each in random.sample(drawn, min(scaled(40, 400), len(drawn)))]
    assert {what for what, _ in verdicts} <= {*REFUTED, EQUIVALENT}, verdicts
    assert all(reason for _, reason in verdicts)
    assert sum(what != EQUIVALENT for what, _ in verdicts) >= 0.7 * len(verdicts)


@pytest.mark.slow
def test_of_some_that_execution_refutes_the_proof_is_tried() -> None:
    kernel = MAKERS["relu f32 3x5"]("avx2")
    judge, drawn = Judge(kernel), mutants(kernel, Random(1))
    verdicts = [judge.verdict(each) for each in drawn[:100]]
    assert any(reason.endswith(TRIED) for _, reason in verdicts)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "offset", "bit"), [("avx2", 0x73, 25), ("sse", 0x24, 19)])
def test_bits_of_other_elements(target: str, offset: int, bit: int) -> None:
    """relu of bf16 that rounds exact numbers by a bit of another element, and by a register that nobody wrote."""
    kernel = MAKERS["relu bf16 2x9"](target)
    own = next(each for each in mutants(kernel, Random(1)) if each.offset == offset)
    what, _ = Judge(kernel).verdict(own._replace(bit=bit))
    assert what == {"avx2": EQUIVALENT, "sse": UNDEFINED}[target]


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_other_requests_are_not_proved(family: str) -> None:
    found = Counter(verdict_of_pair(family, f"slice.{number}")[0] for number in range(scaled(15, 200)))
    assert not found["FALSE PROOF"]
    assert found["refuted"] >= 0.8 * found.total()
