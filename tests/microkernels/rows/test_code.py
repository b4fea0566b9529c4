"""The code of products whose rows or columns the call counts: at most twice the bytes of one for a known number."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.microkernels.gemm.code_size import of_product
from tilesmith.microkernels.machines.registry import TARGETS, facts_of

EXTENTS = (64, 100, 256, 1000)
BF16, F16, BYTES = ("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("u8", "i8", "i32")
FORMERLY_LONGER: tuple[tuple[str, Any, int, int], ...] = (
    ("sse", "f32", 100, 100),
    ("avx2", BF16, 64, 64),
    ("avx2", F16, 100, 100),
    ("avx2", "bf16", 256, 64),
    ("avx512", BYTES, 48, 32),
    ("avx512", BYTES, 256, 64),
    ("avx512_bf16", BF16, 512, 256),
    ("avx512_bf16", BYTES, 512, 256),
    ("neon_bf16", "f32", 512, 256),
    ("sve128", "f32", 256, 64),
    ("sve256", "f32", 100, 100),
    ("sve512", "f32", 512, 256),
    ("sve512", "f64", 64, 64),
)
"""Targets, types, columns (in order F rows) and steps of k whose code had 1.9 to 2.9 times the bytes."""


def made(extent: Any, target: str, dtype: Any, other: int, k: int, order: str) -> Any:
    """The product with this number of rows in order C, of columns in order F."""
    shape = (extent, other, k) if order == "C" else (other, extent, k)
    return ts.brgemm(*shape, dtype=dtype, order=order, target=target, beta=0)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("target", "dtype", "other", "k"), FORMERLY_LONGER)
def test_code_has_at_most_twice_the_bytes(target: str, dtype: Any, other: int, k: int, order: str) -> None:
    counted = len(made(ts.RUNTIME, target, dtype, other, k, order).code)
    known = {extent: len(made(extent, target, dtype, other, k, order).code) for extent in EXTENTS}
    assert counted <= 2 * min(known.values()), (counted, known)


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_the_estimate_orders_kernels_as_their_bytes_do(target: str) -> None:
    facts = facts_of(TARGETS[target])
    short, long = (made(64, target, "f32", other, k, "C") for other, k in ((16, 64), (100, 37)))
    ratio = of_product(long.plan, facts) / of_product(short.plan, facts)
    assert 0.75 < ratio / (len(long.code) / len(short.code)) < 1.35
