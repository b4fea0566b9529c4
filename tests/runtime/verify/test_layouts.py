"""`k.verify()` of layouts other than row-major: elementwise kernels, and products with a packed C."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

LAID = [
    ("sse", {"order": "FC"}),
    ("avx2", {"order": "CF", "out": "bf16"}),
    ("avx512_bf16", {"order": "FF"}),
    ("neon_bf16", {"order": "FC", "out": "bf16"}),
    ("sve256", {"order": "CF"}),
]


@pytest.mark.parametrize(("target", "options"), LAID, ids=str)
def test_orders_are_proved(target: str, options: dict[str, Any]) -> None:
    proof = ts.unary("relu", 5, 9, target=target, **options).verify()
    assert proof, str(proof)


def test_broadcast_operands_in_column_order_are_proved() -> None:
    assert ts.equation(lambda x, b: x + b, x=(5, 9), b=(1, 9), order={"x": "F"}, target="avx2").verify()


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_another_order_is_refuted(target: str) -> None:
    """A square matrix has the same number of bytes in either order, but the orders are different functions."""
    kernel, other = (ts.unary("relu", 4, 4, order=order, target=target) for order in ("CC", "FC"))
    proof = verify(kernel.code, other.target, other.spec, other.kind)
    assert proof.refuted and "y[0, 1]" in str(proof), str(proof)


@pytest.mark.parametrize("order", ["CCC", "CCF"])
@pytest.mark.parametrize("target", ["avx2", "avx512_bf16", "neon_bf16"])
def test_a_packed_c_is_proved(target: str, order: Any) -> None:
    """Five rows and nine columns leave the last pair of the packed C incomplete."""
    kernel = ts.brgemm(5, 9, 3, dtype="bf16", beta=0, order=order, c_layout="vnni2", target=target)
    proof = kernel.verify()
    assert proof and "the epilogue of each" in str(proof), str(proof)


def test_a_c_in_rows_is_no_packed_one() -> None:
    plain, packed = (
        ts.brgemm(4, 6, 3, dtype="bf16", beta=0, target="avx2", epilogue=ts.relu, **more)
        for more in ({}, {"c_layout": "vnni2"})
    )
    assert verify(plain.code, packed.target, packed.spec, packed.kind).refuted
