"""alpha=True was taken for 1, and numbers of hundreds of digits were printed in full, or not at all by Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts

LONG = 10**400
LONGEST = 10**5000
"""Python refuses to print it: `repr` raises a ValueError about another limit."""
FACTORS: list[Callable[[Any], object]] = [
    lambda value: ts.brgemm(3, 4, 5, alpha=value),
    lambda value: ts.gemm(3, 4, 5, beta=value),
    lambda value: ts.ladder(3, 4, 5, alpha=value),
    lambda value: ts.attention(2, 3, 4, 8, scale=value),
    lambda value: ts.unary("dropout", 3, 4, rate=value),
    lambda value: ts.fused("layernorm", 3, 4, eps=value),
    lambda value: ts.unary("quantize", 3, 4, out="i8", scale=value),
]
OTHERS: list[Callable[[Any], object]] = [
    lambda value: ts.brgemm(value, 4, 5),
    lambda value: ts.gather("rows", 3, 4, size=value),
    lambda value: ts.gemm(3, 4, 5, threads=value),
    lambda value: ts.brgemm(3, 4, 5, lda=value),
]


@pytest.mark.parametrize("ask", FACTORS)
@pytest.mark.parametrize("truth", [True, False, np.bool_(True)])
def test_a_truth_value_is_no_factor(ask: Callable[[Any], object], truth: Any) -> None:
    with pytest.raises(TypeError, match=r"(?s)^\w+: .*not (np\.)?(True|False)"):
        ask(truth)


@pytest.mark.parametrize("ask", [*FACTORS, *OTHERS])
@pytest.mark.parametrize("number", [LONG, -LONG, LONGEST], ids=["long", "negative", "longest"])
def test_long_numbers_are_named_by_their_length(ask: Callable[[Any], object], number: int) -> None:
    with pytest.raises((ValueError, ts.UnsupportedError), match="an integer of ") as error:
        ask(number)
    assert len(str(error.value)) < 200 and f"{number.bit_length()} bits" in str(error.value)
