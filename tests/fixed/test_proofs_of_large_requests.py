"""`tilesmith verify gemm 300 300 300` took all memory of the machine, because every multiplication keeps a value."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.emulation.symbolic import values


def test_a_proof_of_too_many_values_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is lowered to keep the test fast; a smaller request is proved below it."""
    monkeypatch.setattr(values, "MOST_VALUES", 5_000)
    with pytest.raises(ts.UnsupportedError, match="more than 5,000 values, too many for one proof; verify a"):
        ts.brgemm(16, 32, 32, target="avx2").verify()
    assert ts.brgemm(3, 5, 4, target="avx2").verify()
