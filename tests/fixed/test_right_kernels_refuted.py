"""Right kernels were refuted because the numerical definition was wrong. It compared a mask of a row value with a bit
for each element, and compared sums that overflow beside an infinity with the exact sum. A gather of no rows that scales
its elements raised an error in the prover."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.verify.numbers.definition import definition
from tilesmith.runtime.verify.requests import every_call


@pytest.mark.parametrize("columns", [5, 9, 17])
@pytest.mark.parametrize("target", ["sse", "avx2", "sve256"])
@pytest.mark.grid(2)
def test_masks_of_rows_columns_and_all(target: str, columns: int) -> None:
    def function(x: ts.Expr) -> tuple[ts.Expr, ...]:
        return ts.sum(x, axis=1) > 0.0, ts.max(x) > 3.0, ts.sum(x, axis=0) > 1.0, x > 1.0

    proof = ts.equation(function, x=(3, columns), target=target).verify()
    assert proof, str(proof)


@pytest.mark.parametrize("found", [np.nan, -np.inf])
def test_overflow_beside_an_infinity(found: float) -> None:
    """For -inf + 3e38 * 3, the products of a pair may be added first and become +inf."""
    kernel = ts.brgemm(1, 1, 3, dtype="bf16", beta=0, target="neon")
    call = next(every_call(kernel.spec, kernel.kind)[1])[1]
    before = {each.name: np.array(each.array) for each in call.regions}
    before["a[0]"] = np.array([[-np.inf, 3e38, 1.0]], ml_dtypes.bfloat16)
    before["b[0]"] = np.array([[1.0], [3.0], [1.0]], ml_dtypes.bfloat16)
    expected = definition(kernel.spec, call, kernel.target)
    assert expected is not None
    assert not expected(before)["c"].wrong(np.array([[found]], ml_dtypes.bfloat16)).any()
    before["a[0]"][0, 1] = 2.0
    assert expected(before)["c"].wrong(np.array([[np.nan]], ml_dtypes.bfloat16)).all()


def test_a_gather_of_no_rows_that_scales() -> None:
    assert ts.gather("rows", ts.RUNTIME, 5, size=4, scale="col", target="avx2").verify()
