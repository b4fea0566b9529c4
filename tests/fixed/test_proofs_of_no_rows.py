"""The prover failed on calls of no rows of elementwise kernels that compute with bits: negate, abs, tanh, softplus."""

from __future__ import annotations

import tilesmith as ts


def test_a_call_of_no_rows_has_a_proof() -> None:
    assert ts.unary("negate", ts.RUNTIME, 3, target="avx2").verify()
