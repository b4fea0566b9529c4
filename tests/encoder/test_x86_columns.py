"""Columns of the x86-64 rows that bytes do not show: access, effects, features, and missing forms.

`TILESMITH_COLUMNS=all python -m pytest tests/encoder/test_x86_columns.py` tests every form, instead of one with
registers and one with memory for each row, and every shape of operands, instead of those next to a form.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.encoder import x86_access, x86_access_llvm, x86_completeness, x86_features, x86_immediates
from tests.encoder.draws import all_forms
from tests.encoder.x86_shapes import neighbours, universe
from tests.guard import run_forked
from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.runtime.host import detect as host

ALL = os.environ.get("TILESMITH_COLUMNS") == "all"
pytestmark = pytest.mark.seconds


def none_of(faults: list[str]) -> None:
    assert not faults, f"{len(faults)}:\n" + "\n".join(faults[:30])


def test_golden_access(request: pytest.FixtureRequest):
    if request.config.getoption("--update-golden"):
        x86_access_llvm.write()
    none_of(x86_access_llvm.forgotten(all_forms()))
    none_of(x86_access_llvm.faults(all_forms()))
    none_of(x86_access_llvm.flag_faults(all_forms()))


@pytest.mark.skipif(host.arch() != "x86", reason="executes x86-64 instructions")
def test_access_and_effects_agree_with_the_processor(tmp_path: Path):
    forms = all_forms() if ALL else x86_access_llvm.chosen(all_forms())
    last = tmp_path / "executed last"

    def observe() -> None:
        found = x86_access.faults(forms, last.write_text)
        print("\n".join(found[:30]), file=sys.stderr)
        none_of(found)

    status = run_forked(observe)
    assert status >= 0, f"signal {-status} at {last.read_text()}: does it need a row in DOMAINS of x86_states.py?"
    assert status == 0, "standard error shows what was seen"


def test_features_are_needed_and_suffice():
    none_of(x86_features.faults(all_forms()))


def test_the_assemblers_take_the_same_forms():
    none_of(x86_completeness.faults(list(TABLE), candidates=(lambda _: universe()) if ALL else neighbours))


def test_the_assemblers_take_the_same_immediates():
    none_of(x86_immediates.faults(list(TABLE)))


def test_every_exemption_is_needed():
    texts = {x86_access_llvm.representative(form)[0]: form for form in x86_access_llvm.chosen(all_forms())}
    golden = x86_access_llvm.golden()
    for pattern, (line, why) in x86_access_llvm.CORRECTED.items():
        those = [text for text in texts if re.fullmatch(pattern, text)]
        right = any(str(x86_access_llvm.expected(text, texts[text])) != str(golden[text]) for text in those)
        assert those and right and why, f"{pattern}: LLVM agrees, or there is no such instruction: {line}"
    for table in (x86_access.NOT_EXECUTED, x86_access.UNDEFINED):
        unused = [pattern for pattern in table if not any(re.fullmatch(pattern, mnemonic) for mnemonic in TABLE)]
        assert not unused, unused
    encodings = {x86_features.name_of(form) for form in all_forms()}
    unused = [pattern for pattern in x86_features.MANUAL if not any(re.fullmatch(pattern, name) for name in encodings)]
    assert not unused, unused
