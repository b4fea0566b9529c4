"""verify() of bf16 products on neon said after up to a minute that data decides on an address or that no sum enters an
epilogue, instead of why there is no proof and where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

REASON = "products of bf16 by bf16 on neon have no proof: each sum is rounded to odd .* there are proofs on neon_bf16, "


@pytest.mark.parametrize(
    "make",
    [
        lambda **of: ts.brgemm(2, 4, 2, **of),
        lambda **of: ts.gemm(4, 8, 8, **of),
        lambda **of: ts.linear(4, 8, 8, **of),
        lambda **of: ts.mlp(48, [64, 64, 64], activation=ts.relu, **of),
        lambda **of: ts.gemm(4, 8, 8, stack=2, **of),
    ],
    ids=["brgemm", "gemm", "linear", "mlp", "stack"],
)
def test_the_refusal_names_the_reason_and_what_has_a_proof(make: Callable[..., Any]) -> None:
    with pytest.raises(ts.UnsupportedError, match=REASON):
        make(dtype="bf16", target="neon").verify()


def test_what_the_refusal_names_is_proved() -> None:
    assert ts.mlp(4, [8, 8], dtype="bf16", target="neon_bf16").verify()
    assert ts.gemm(4, 8, 8, dtype=("bf16", "bf16", "f32"), numerics="fast", target="neon").verify()


def test_wrong_code_is_refuted_all_the_same() -> None:
    kernel = ts.brgemm(2, 4, 2, dtype=("bf16", "bf16", "f32"), target="neon")
    proof = verify(kernel.code, kernel.target, replace(kernel.spec, alpha=2.0), kernel.kind)
    assert proof.refuted and proof.refutation is not None and proof.refutation.confirmed
