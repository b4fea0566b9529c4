"""The access and effect columns of the AArch64 table against what every instruction is seen to do when it is executed.

    TILESMITH_COLUMNS=all pytest tests/encoder/test_a64_columns.py      every form, not one of each row: a minute
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Hashable
from typing import Any

import pytest

from tests.encoder.a64_columns import UNEXECUTED, unexecuted, wrong
from tests.encoder.a64_draws import all_forms
from tests.encoder.a64_observed import Seen, observe
from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.a64.forms import A64Form

EVERY = os.environ.get("TILESMITH_COLUMNS") == "all"


def groups() -> dict[Hashable, list[A64Form]]:
    """The forms by row, or each by itself."""
    made: dict[Hashable, list[A64Form]] = defaultdict(list)
    for number, form in enumerate(all_forms()):
        made[(form.row, number * EVERY)].append(form)
    return made


def as_declared(seen: Seen) -> bool:
    """Whether further trials could only show what a row does not say."""
    return not wrong(seen.instance.form, seen)


@pytest.mark.seconds
def test_what_instructions_do_is_what_their_rows_say(aarch64: Any) -> None:
    every = groups()
    executed = {key: forms for key, forms in every.items() if unexecuted(forms[0].row) is None}
    lacking = {name for name, reason in aarch64.features().items() if reason}
    if lacking:  # an emulator older than the one that `make oracles` fetches
        executed = {key: forms for key, forms in executed.items() if not forms[0].features & lacking}
    found = observe(aarch64, executed, as_declared)
    faults = [f"{seen.instance.text}: {seen.fault}" for seen in found.values() if seen.fault]
    assert not faults, "\n".join(faults[:20])
    problems = [f"{forms[0].syntax()}: {'; '.join(wrong(forms[0], found.get(key)))}" for key, forms in every.items()
                if (key in found or key not in executed and unexecuted(forms[0].row)) and wrong(forms[0], found.get(key))]  # fmt: skip
    assert not problems, "\n".join(problems[:20])


def test_what_is_not_executed_is_there() -> None:
    for mnemonics, *_ in UNEXECUTED:
        assert any(unexecuted(row) for name in TABLE for row in TABLE.rows(name)), mnemonics
