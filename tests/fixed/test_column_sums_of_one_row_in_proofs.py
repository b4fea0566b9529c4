"""The proof of a function of any number of rows that uses sums of all rows met one row, whose sum is itself, and raised
an error of the request."""

from __future__ import annotations

import tilesmith as ts
from tilesmith.runtime.verify.check import verify


def test_one_row_among_any_number_of_rows() -> None:
    kernel = ts.equation(lambda x: x - ts.sum(x, axis=0), x=(ts.RUNTIME, 3))
    proof = verify(kernel.code, kernel.target, kernel.spec, kernel.kind, numbers=(1, 2, 5))
    assert proof, proof
    assert "rows 1, 2, 5" in next(each.how for each in proof.claims if each.what == "memory")
