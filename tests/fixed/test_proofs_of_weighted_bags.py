"""Weighted bags had no proof: the place of a weight is read as a signed number, and on SSE and AVX a product is rounded
before it is added. Products of bf16 over no pairs had none, as a zero of bf16 was no number.
"""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify


@pytest.mark.parametrize("target", ["sse", "avx2"])
def test_weighted_bags_are_proved(target: str) -> None:
    assert ts.embedding_bag(2, 3, size=5, count=2, weights=True, target=target).verify()


def test_the_weight_of_another_row_is_not() -> None:
    """The weight is read four bytes behind its place."""
    kernel = ts.embedding_bag(2, 3, size=5, count=2, weights=True, target="avx2")
    right, wrong = bytes.fromhex("c46279184d00"), bytes.fromhex("c46279184d04")  # vbroadcastss xmm9, [rbp], [rbp + 4]
    assert right in kernel.code
    assert not verify(kernel.code.replace(right, wrong), kernel.target, kernel.spec, kernel.kind)


def test_products_of_bf16_over_no_pairs_are_zero() -> None:
    kernel = ts.brgemm(1, 1, 2, dtype="bf16", batch=ts.STRIDE, beta=0, target="avx512_bf16")
    assert kernel.verify()
