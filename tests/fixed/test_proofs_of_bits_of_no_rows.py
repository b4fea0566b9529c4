"""The proof of a comparison of any number of rows, which begins with no rows, ended with a ValueError of numpy."""

from __future__ import annotations

import tilesmith as ts


def test_results_of_bits_without_rows() -> None:
    assert ts.binary("ge", ts.RUNTIME, 16, target="avx512").verify()
