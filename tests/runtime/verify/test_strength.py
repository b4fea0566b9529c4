"""Samples of `python -m tests.mutants_of_kernels` and `python -m tests.pairs_of_requests`; `make soak` runs more."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.pairs_of_requests import FAMILIES
from tests.pairs_of_requests import verdict as verdict_of_pair
from tests.profiles import is_soak, scaled
from tests.side_by_side import inserted
from tests.side_by_side.argued import ARGUED_OF
from tests.side_by_side.bits import Mutant, mutants
from tests.side_by_side.classes import CLASSES, RIGHT, measured
from tests.side_by_side.executed import ELEMENT, Executed
from tests.side_by_side.further import Further
from tests.side_by_side.kernels import MAKERS
from tests.side_by_side.nodes import Nodes
from tests.side_by_side.verdicts import EQUIVALENT, FALSE, REFUTED, TRIED, UNDEFINED, Judge
from tilesmith.encoder.decode import decode, instructions

SLICE = [
    ("brgemm f32 3x5x4", "avx512"),
    ("transpose bf16 9x4", "avx2"),
    ("add f32 3x5", "neon"),
    ("brgemm u8xi8 2x5x8", "sve256"),
    ("sum of rows f32 3x11", "avx2"),
]
FEW = 1000
"""Random calls for mutants that nothing else refutes."""


@pytest.mark.parametrize(("name", "target"), SLICE)
def test_mutants_are_not_proved(name: str, target: str) -> None:
    """Each mutant is refuted, or equivalent for a stated reason."""
    kernel, random = MAKERS[name](target), Random(f"{name} {target}")
    judge, drawn = Judge(kernel, sampled=FEW), mutants(kernel, random)
    verdicts = [judge.verdict(each) for each in random.sample(drawn, min(scaled(40, 400), len(drawn)))]
    assert {what for what, _ in verdicts} <= {*REFUTED, EQUIVALENT}, verdicts
    assert all(reason for _, reason in verdicts)
    assert sum(what != EQUIVALENT for what, _ in verdicts) >= 0.7 * len(verdicts)


@pytest.mark.parametrize("name", CLASSES)
def test_mutants_of_one_class_are_not_proved(name: str) -> None:
    """Whatever is proved is right for callers of other modes, and for operands and a stack at other places."""
    counts, notes = measured(name, scaled(4, 4_000), 1, "f32 3x5" if not is_soak() else "")
    assert not any(each[FALSE] for each in counts.values()), notes
    assert sum(each[RIGHT] for each in counts.values()) > 0


@pytest.mark.parametrize(
    ("name", "target"), [("sum of rows f32 3x11", "avx2"), ("brgemm f32 3x5x4", "sve256"), ("add f32 3x5", "avx512")]
)
def test_inserted_instructions_are_not_proved(name: str, target: str) -> None:
    """What cancels in sums, scalings, narrow sums, movprfx, and loads whose masks suppress nothing."""
    kernel = MAKERS[name](target)
    found = list(inserted.verdicts(kernel, inserted.drawn(kernel, Random(1), scaled(1, 20))))
    assert found and not [each for each in found if each[1] == inserted.FALSE]


def test_a_rounding_shows_in_one_draw_of_many() -> None:
    """The difference from the mean is rounded up, which in one element differs by more than any order of sums."""
    kernel = MAKERS["layernorm f32 2x11"]("avx512")
    own = next(each for each in mutants(kernel, Random(1)) if each.before.startswith("vsubps zmm2, zmm2"))
    rounds = [
        own._replace(bit=bit)
        for bit in range(48)
        if (other := decode(own._replace(bit=bit).of(kernel.code), own.offset, "x86"))
        and other.text.endswith("{ru-sae}")
    ]
    judge = Judge(kernel, sampled=FEW)
    assert [judge.verdict(each)[0] for each in rounds] == [ELEMENT]


def test_arguments_name_mutants() -> None:
    """Every mutant with a written argument of equivalence is one bit of an instruction of today's kernel."""
    for name, reasons in ARGUED_OF.items():
        kernel = MAKERS[name.rpartition(" for ")[0]](name.rpartition(" for ")[2])
        for key, reason in reasons.items():
            place, _, text = key.partition(" ")
            offset, bit = (int(each, 0) for each in place.split("."))
            found = decode(Mutant(offset, bit, "", "", "").of(kernel.code), offset, kernel.target.arch)
            assert found is not None and found.text == text, f"{name}: {key}"
            assert reason


@pytest.mark.slow
def test_of_some_that_execution_refutes_the_proof_is_tried() -> None:
    kernel = MAKERS["relu f32 3x5"]("avx2")
    judge, drawn = Judge(kernel, sampled=FEW), mutants(kernel, Random(1))
    verdicts = [judge.verdict(each) for each in drawn[:100]]
    assert any(reason.endswith(TRIED) for _, reason in verdicts)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "offset", "bit"), [("avx2", 0x73, 25), ("sse", 0x24, 19)])
def test_bits_of_other_elements(target: str, offset: int, bit: int) -> None:
    """A relu of bf16 that rounds exact numbers by a bit of another element, or by an undefined register."""
    kernel = MAKERS["relu bf16 2x9"](target)
    own = next(each for each in mutants(kernel, Random(1)) if each.offset == offset)
    what, _ = Judge(kernel, sampled=FEW).verdict(own._replace(bit=bit))
    assert what == {"avx2": EQUIVALENT, "sse": UNDEFINED}[target]


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.grid(3)
def test_other_requests_are_not_proved(family: str) -> None:
    found = Counter(verdict_of_pair(family, f"slice.{number}")[0] for number in range(scaled(15, 200)))
    assert not found["FALSE PROOF"]
    assert found["refuted"] >= 0.8 * found.total()


def test_an_address_that_is_multiplied_by_zero_is_seen() -> None:
    """The mutant stores the lower half of an address (`str w2, [x5]`) for `str s2, [x5]`; only one call shows a NaN."""
    kernel = MAKERS["attention f32 1x1x2x2"]("neon")
    decoded = instructions(kernel.code, kernel.target.arch)
    offset = next(at for at, _, found in decoded if found is not None and found.text == "str s2, [x5]")
    code = Mutant(offset, 26, "", "", "").of(kernel.code)
    further = Further(Executed(kernel), Nodes(kernel))
    found = further.found_elsewhere(code)
    assert found is not None and "is nan instead of" in str(found)
    assert further.found_elsewhere(kernel.code) is None
