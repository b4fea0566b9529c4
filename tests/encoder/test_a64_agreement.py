"""Every form of the AArch64 table against the assemblers of LLVM and GNU. `--draws N` draws more operands per form."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.encoder.a64_draws import all_forms, draws
from tests.oracles import gnu_a64, llvm_a64
from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.a64.forms import UNKNOWN_TO_GNU, A64Form

pytestmark = pytest.mark.seconds  # every form goes through the assemblers


class Case(NamedTuple):
    """A drawn instruction and its word."""

    form: A64Form
    operands: tuple[Any, ...]
    word: int

    @property
    def text(self) -> str:
        return self.form.text(self.operands)


@pytest.fixture(scope="module")
def cases(draw_count: int) -> list[Case]:
    return [Case(form, operands, word) for form in all_forms() for word, operands in draws(form, draw_count).items()]


def test_every_form_is_drawn(cases: list[Case]):
    drawn = {id(case.form) for case in cases}
    never = [form.syntax() for form in all_forms() if id(form) not in drawn]
    assert not never, "no operands reach these forms"


def test_decoded_words_are_encoded_again(cases: list[Case]):
    wrong = [
        f"{case.text}: {case.word:#010x}, encoded {case.form.encode(case.operands).hex()}"
        for case in cases
        if case.form.encode(case.operands) != case.word.to_bytes(4, "little")
    ]
    assert not wrong, "\n".join(wrong[:20])


def test_same_word_as_llvm(cases: list[Case]):
    cases = [case for case in cases if case.form.mnemonic != "movprfx"]
    results = llvm_a64.assemble([case.text for case in cases])
    _none_wrong(cases, results)


def test_movprfx_as_llvm_prints_it(cases: list[Case]):
    cases = [case for case in cases if case.form.mnemonic == "movprfx"]
    assert llvm_a64.disassemble([case.word for case in cases]) == [case.text for case in cases]


def test_same_word_as_gnu(cases: list[Case]):
    cases = [case for case in cases if not case.form.features & UNKNOWN_TO_GNU]
    lines = [case.form.gas(case.operands, case.word.to_bytes(4, "little")) for case in cases]
    rejected = gnu_a64.rejected(lines)
    assert not rejected, "\n".join(f"{lines[at]}: {why}" for at, why in list(rejected.items())[:400])
    data = gnu_a64.assemble("\n".join(lines) + "\n", "-march=all")
    _none_wrong(cases, [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)])


def _none_wrong(cases: list[Case], results: list[Any]) -> None:
    assert len(results) == len(cases)
    wrong = [
        f"{case.text}: ours {case.word:#010x}, theirs {result if isinstance(result, str) else hex(result)}"
        for case, result in zip(cases, results)
        if result != case.word
    ]
    assert not wrong, f"{len(wrong)} of {len(cases)} differ:\n" + "\n".join(wrong[:30])


def test_table_is_as_large_as_promised():
    assert len(TABLE) >= 550
