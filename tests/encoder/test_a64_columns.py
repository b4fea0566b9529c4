"""The columns of the AArch64 table against oracles: accesses, features, and missing forms.

One form of each row is executed; with TILESMITH_COLUMNS=all in the environment, every form, which takes a minute.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Hashable
from typing import Any

import pytest

from tests.encoder import a64_features
from tests.encoder.a64_columns import UNEXECUTED, unexecuted, wrong
from tests.encoder.a64_completeness import missing
from tests.encoder.a64_draws import all_forms
from tests.encoder.a64_instances import STREAMING_FEATURES
from tests.encoder.a64_observed import Seen, observe
from tests.oracles import accepted_a64
from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.a64.forms import A64Form

EVERY = os.environ.get("TILESMITH_COLUMNS") == "all"


def groups() -> dict[Hashable, list[A64Form]]:
    """Return the forms grouped by row, or each by itself."""
    made: dict[Hashable, list[A64Form]] = defaultdict(list)
    for number, form in enumerate(all_forms()):
        made[form.row, number * EVERY].append(form)
    return made


def as_declared(seen: Seen) -> bool:
    """Return whether the observations agree with the row so far, so that only further trials could contradict it."""
    return not wrong(seen.instance.form, seen)


@pytest.mark.seconds
def test_accesses_agree_with_the_rows(aarch64: Any) -> None:
    lacking = {name for name, reason in aarch64.features().items() if reason}  # of an older emulator
    if "SME2" in lacking:  # the driver keeps their table
        lacking |= STREAMING_FEATURES
    judged = {key: forms for key, forms in groups().items() if not forms[0].features & lacking}
    executed = {key: forms for key, forms in judged.items() if unexecuted(forms[0].row) is None}
    seen = observe(aarch64, executed, as_declared)
    faults = {key: f"{each.instance.text}: {each.fault}" for key, each in seen.items() if each.fault}
    assert not faults or lacking, "\n".join(list(faults.values())[:20])
    judged = {key: forms for key, forms in judged.items() if key not in faults}
    problems = [
        f"{forms[0].syntax()}: {problem}" for key, forms in judged.items() for problem in wrong(forms[0], seen.get(key))
    ]
    assert not problems, "\n".join(problems[:20])


def test_what_is_not_executed_is_there() -> None:
    rows = [row for mnemonic in TABLE for row in TABLE.rows(mnemonic)]
    for listed in UNEXECUTED:
        assert any(unexecuted(row) == listed[1:3] for row in rows), listed


@pytest.mark.seconds
def test_features_are_those_that_llvm_asks_for() -> None:
    problems = a64_features.wrong(all_forms())
    assert not problems, "\n".join(problems[:20])


@pytest.mark.seconds
def test_every_form_that_llvm_accepts_is_there() -> None:
    lacking = missing(accepted_a64.known())
    assert not lacking, f"{len(lacking)} texts:\n" + "\n".join(lacking[:20])


def test_exempt_forms_have_a_reason() -> None:
    assert accepted_a64.left_out("ldrb w0, [x1, x2, lsl #0]") == "a shift of bytes by nothing, written out"
    assert accepted_a64.left_out("ldp x3, x3, [x1], #16").startswith("UNPREDICTABLE")
    assert not accepted_a64.left_out("ldp x3, x4, [x1], #16") and not accepted_a64.left_out("prfm pldl1keep, [x0]")
