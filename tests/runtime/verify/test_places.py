"""The checker of plans: steps that overwrite what is still read, right plans, and mutants of where they lie."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

import tilesmith as ts
from tests.kernel_runs import planned_kernel
from tests.moved_places import mutants
from tests.mutants_of_places import CASES, case_of, judged
from tests.profiles import is_soak, scaled
from tilesmith.microkernels.chain import cut
from tilesmith.microkernels.chain.parts import StagePlanner
from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.runtime.verify.places.check import overwritten
from tilesmith.runtime.verify.places.memory import (
    FORWARD,
    IN_TURN,
    THROUGHOUT,
    MatrixAccess,
    PlacedStep,
    first_overwritten,
)

QUICK = (
    "layers f64",
    "gathered, checked",
    "sweeps of any rows",
    "attention of few",
    "rows by an index",
    "pairs packed in blocks",
    "operands of a batch",
    "any rows, a packed factor",
    "three parts",
)


def _at(
    offset: int, value: str, when: str = FORWARD, size: int = 4, rows: int = 2, columns: int = 8, **more: Any
) -> MatrixAccess:
    return MatrixAccess("scratch memory", offset, rows, columns, size, 64, value, when=when, **more)


def _of(name: str, *reads: MatrixAccess, to: MatrixAccess) -> PlacedStep:
    return PlacedStep(name, reads, (to,))


FIRST = PlacedStep("first", (), (_at(0, "a"),))


@pytest.mark.parametrize("when", [IN_TURN, THROUGHOUT])
def test_a_step_over_its_own_operand(when: str) -> None:
    """A walk may store over what it reads, element by element. A product may not: it reads its factor again."""
    found = first_overwritten([FIRST, _of("second", _at(0, "a", when), to=_at(0, "b"))])
    assert (found is None) == (when == IN_TURN)
    if found is not None:
        assert str(found) == (
            "second overwrites a (2 x 8, bytes 0 to 95 of scratch memory), which another part of second still reads"
        )


@pytest.mark.parametrize(("before", "after", "right"), [(4, 4, True), (4, 2, True), (2, 4, False)])
def test_elements_of_other_sizes(before: int, after: int, right: bool) -> None:
    first = PlacedStep("first", (), (_at(0, "a", size=before),))
    found = first_overwritten([first, _of("second", _at(0, "a", size=before), to=_at(0, "b", size=after))])
    assert (found is None) == right


def test_later_steps() -> None:
    second, third = _of("second", to=_at(16, "b")), _of("third", _at(0, "a"), to=_at(256, "c"))
    found = first_overwritten([FIRST, second, third])
    assert found is not None and (found.writer, found.reader) == ("second", "third")
    assert first_overwritten([FIRST, third, second]) is None
    assert first_overwritten([FIRST, _of("between the rows", to=_at(32, "b")), third]) is None
    assert "no step writes" in str(first_overwritten([third]) or first_overwritten([second, third]))


def test_other_elements_than_expected() -> None:
    shifted = _of("second", _at(0, "a", column=1, columns=7), to=_at(256, "b"))
    assert first_overwritten([FIRST, shifted]) is not None
    rows = _of("second", _at(0, "a", rows=1, row=1), to=_at(256, "b"))
    assert first_overwritten([FIRST, rows]) is not None
    assert first_overwritten([FIRST, _of("second", _at(64, "a", rows=1, row=1), to=_at(256, "b"))]) is None


def test_two_results() -> None:
    """A result may overwrite an operand that another result needs only if code cannot store it earlier."""
    for before, right in (((0,), True), ((1,), False), ((), False), (None, True)):
        reads = (_at(0, "a", before=before),)
        both = PlacedStep("second", reads, (_at(0, "b"), _at(256, "c")))
        assert (first_overwritten([FIRST, both]) is None) == right


def test_the_residual_of_a_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plans that were wrong are refused, and a kernel that has one is refuted."""

    def residual(x: Any, w0: Any, w1: Any) -> Any:
        s = x @ w0
        return s @ w1 + s

    kernel = ts.equation(residual, x=(3, 16), w0=(16, 16), w1=(16, 16), dtype="f64", target="avx2")
    assert overwritten(kernel.plan) is None
    spec = replace(kernel.spec, name="residual")
    stages = list(spec.stages)
    assert isinstance(stages[0], cut.StageProduct) and isinstance(stages[1], cut.StageProduct)
    stages[0] = stages[0]._replace(band=stages[0].band._replace(stored=0))
    stages[1] = stages[1]._replace(band=stages[1].band._replace(stored=None))
    vars(spec)["stages"] = tuple(stages)
    monkeypatch.setattr(StagePlanner, "_overlaps", lambda *_: False)
    pipeline = kernel.kind.pipeline()
    plan = choose(pipeline.candidates(spec, facts_of(kernel.target)))
    wrong = planned_kernel(spec, kernel.target, plan, pipeline.emitter(plan))
    proof = wrong.verify()
    assert proof.refuted and "band2 = band1 @ w1" in str(proof) and "overwrites band1" in str(proof)


@pytest.mark.parametrize("name", QUICK)
def test_right_plans(name: str) -> None:
    assert overwritten(case_of(name).plan) is None


def test_a_mutant_is_refuted() -> None:
    case = case_of("layers f64")
    plan = next(plan for _, plan in mutants(case.plan, Random(1)) if overwritten(plan) is not None)
    proof = planned_kernel(case.kernel.spec, case.kernel.target, plan, case.emit).verify()
    assert proof.refuted and str(overwritten(plan)) in str(proof)


def test_wrong_mutants_are_refused() -> None:
    counts, missed = judged(2, scaled(9, 300), list(CASES) if is_soak() else list(QUICK))
    assert not missed and counts["wrong"] == counts["wrong and refused"] > 0
