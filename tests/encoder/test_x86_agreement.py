"""Every form of the x86-64 table against the assemblers of LLVM and GNU. `--draws N` draws more operands per form."""

from __future__ import annotations

import pytest

from tests.encoder import agreement, fuzz
from tests.encoder.agreement import NEWER_THAN_GNU, Case
from tests.encoder.draws import all_forms, draws, encoded
from tests.oracles import gnu, llvm, newer
from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.encoder.x86.words import LEGACY

pytestmark = pytest.mark.seconds  # every form goes through the assemblers


@pytest.fixture(scope="module")
def cases(draw_count: int) -> list[Case]:
    return agreement.cases_of(list(all_forms()), draw_count)


def none_of(disagreements: list[str], cases: list[Case]) -> None:
    assert not disagreements, f"{len(disagreements)} of {len(cases)}:\n" + "\n".join(disagreements[:20])


def test_every_row_is_drawn(cases: list[Case]):
    drawn = {case.form.row for case in cases}
    never = [" ".join(row) for mnemonic in TABLE for row in TABLE.rows(mnemonic) if row not in drawn]
    assert not never, "no operands reach these rows"


def test_a_slice_is_at_least_a_hundred_thousand_encodings(cases: list[Case], draw_count: int):
    assert len(cases) >= 100_000 or draw_count < 12


def test_same_bytes_as_llvm(cases: list[Case]):
    none_of(agreement.disagreements_with_llvm(cases), cases)


def test_same_bytes_as_a_newer_llvm(cases: list[Case]):
    """Compare the forms that LLVM 19 lacks or encodes wrongly."""
    none_of(agreement.disagreements_with_newer_llvm(cases), cases)


def test_same_bytes_as_gnu_of_the_listing(cases: list[Case]):
    none_of(agreement.disagreements_with_gnu(cases), cases)


def test_features_that_assemblers_lack_are_newer(cases: list[Case]):
    """The features that are left out above are unknown to the assemblers here."""
    cases = list({case.form: case for case in reversed(cases)}.values())
    known = [
        case.text
        for case, answer in zip(cases, llvm.assemble([case.text for case in cases]))
        if case.form.features & newer.FEATURES and not isinstance(answer, str)
    ]
    assert not known, f"LLVM knows {known[:5]}: its features do not belong into newer.FEATURES"
    lacking = gnu.rejected([case.form.gas(case.operands, case.data) for case in cases])
    older = [case.text for case, lacks in zip(cases, lacking) if lacks and not case.form.features & NEWER_THAN_GNU]
    assert not older, f"GNU as rejects {older[:10]}"


def test_choice_of_form_is_the_shortest_that_fits():
    """If several legacy forms accept the same operands, the first in the table is the shortest."""
    for form in all_forms():
        if form.prefix.encoding != LEGACY or form.roles == "D":
            continue
        for operands in draws(form, 6):
            fitting = [other for other in form.siblings if other.accepts(operands)]
            lengths = [len(encoded(other, operands)) for other in fitting]
            assert lengths[0] == min(lengths), f"{form.syntax()} {operands}: {lengths}"


def test_fuzzer_resumes_where_it_stopped(monkeypatch: pytest.MonkeyPatch):
    mnemonics = ["adcx", "vaddps", "lock add", "tdpbf16ps"]
    asked: list[str] = []

    def check(batch: list[str], draw_count: int, seed: int) -> tuple[int, list[str]]:
        asked.extend(batch)
        return fuzz._check_x86(batch, draw_count, seed)

    monkeypatch.setitem(fuzz._ARCHITECTURES, "x86", (mnemonics, check))
    saved: list[int] = []
    state = fuzz.run(fuzz.State("x86", seed=3, draws=5, done=2), lambda now: saved.append(now.done))
    assert asked == mnemonics[2:] and saved == [4]
    assert state.encodings > 20 and not state.disagreements
