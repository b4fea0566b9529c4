"""Mutants of the columns of AArch64 rows are killed: those that survived once, and seeded ones.

By default these are few; with TILESMITH_COLUMNS=all in the environment they are a thousand.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.encoder.column_mutants_a64 import mutants

COUNT = 1000 if os.environ.get("TILESMITH_COLUMNS") == "all" else 28


@pytest.mark.seconds
def test_no_mutant_lives(aarch64: Any) -> None:
    if aarch64.features()["SME2"]:
        pytest.skip("the emulator is older than the one that `make oracles` fetches")
    living = [mutant.name for mutant in mutants(seed=1, count=COUNT) if mutant.killed_by() is None]
    assert not living, "\n".join(living)
