"""Each line of scratch memory for kept elements took a general register, so requests with many operands ran out of
them: dropout, residual and layer norm in one kernel in bf16, with the number of rows given at the call."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("n", [37, 100])
@pytest.mark.parametrize("target", ["avx2", "avx512", None])
def test_rows_given_at_the_call_are_those_of_a_number(n: int, target: str | None) -> None:
    made: list[Any] = [
        ts.fused("bias_dropout_residual_layernorm", m, n, dtype="bf16", target=target) for m in (5, ts.RUNTIME)
    ]
    rng = np.random.default_rng(n)
    shapes = [(5, n) if each.rows != 1 else (n,) for each in made[0].spec.inputs]
    operands = [rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in shapes]
    numbers = [each.name for each in made[0].spec.numbers]
    found = [kernel(*operands, **dict.fromkeys(numbers, 7)) for kernel in made]
    assert len(found[0]) == 3
    for one, other in zip(*found):
        assert one.tobytes() == other.tobytes()
