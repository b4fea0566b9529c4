"""Mutants of x86-64 columns were silenced by regenerating a page (issue 18): these were planted, and 10 more are
drawn."""

from __future__ import annotations

import pytest

from tests.encoder.column_mutants_x86 import mutants


@pytest.mark.seconds
def test_none_survives():
    survivors = [mutant.name for mutant in mutants(seed=18, count=10) if mutant.killed_by() is None]
    assert not survivors, "\n".join(survivors)
