"""Right kernels had no proof: the factor of attention's scores was rounded twice, f16 was rounded by integer operations
that the prover did not know, bags of one index do not repeat their code, and counts and shifted registers had bounds
that were too wide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import chosen
from tilesmith.runtime.verify.traced import alike_rows

QUICK: dict[str, Callable[[], Any]] = {
    "factor rounded once": lambda: ts.attention(1, 2, 2, 3, target="avx512"),
    "maxima of integers": lambda: ts.attention(1, 1, 2, 25, target="avx2"),
    "fraction of AArch64": lambda: ts.attention(1, 1, 2, 2, target="sme512"),
    "f16 by integers, product": lambda: ts.brgemm(1, 3, 2, dtype="f16", target="sse"),
    "f16 by integers, sum": lambda: ts.reduce("sum", 1, 3, axis=1, dtype="f16", target="avx"),
    "f16 by integers, two inputs": lambda: ts.binary("add", 1, 3, dtype="f16", target="sse"),
    "bags of one index": lambda: ts.embedding_bag(1, 3, size=3, count=1, target="avx2"),
    "pairs of two terms": lambda: ts.brgemm(2, 2, 1, batch=ts.STRIDE, dtype="bf16", target="neon_bf16"),
}
LONG: dict[str, Callable[[], Any]] = {
    "shifted register": lambda: ts.unary("elu", ts.RUNTIME, 2, target="sve128"),
    "mean of no rows": lambda: ts.reduce("mean", ts.RUNTIME, 7, axis=1, dtype="f16", target="sse"),
    **{
        f"{name} of any rows, {target}": lambda name=name, target=target: ts.fused(name, ts.RUNTIME, 9, target=target)  # type: ignore[misc]
        for name in ("softmax", "log_softmax")
        for target in ("sse", "avx", "avx2", "avx512", "neon", "sve256", "sme512")
    },
    **{
        f"attention of size {size}": lambda size=size: ts.attention(1, 2, 3, size, target="avx2")  # type: ignore[misc]
        for size in (3, 5, 6, 10, 12, 24, 40)
    },
}
KERNELS = QUICK | (LONG if chosen() == "soak" else {})


@pytest.mark.parametrize("name", KERNELS)
def test_there_is_a_proof(name: str) -> None:
    proof = KERNELS[name]().verify()
    assert proof, proof


def test_rows_that_share_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a layernorm are one expression of their own elements; rows that take a sum over all rows are not."""
    looked: list[int] = []
    before = alike_rows.unproved

    def unproved(*given: Any) -> Any:
        found = before(*given)
        looked.append(0 if found is None else len(found.keys))
        return found

    monkeypatch.setattr(alike_rows, "unproved", unproved)
    kernel = ts.fused("layernorm", 3, 4, target="avx2")
    assert kernel.verify() and looked[0] == 1
    two = ts.equation(lambda x: ts.softmax(x, axis=1) * ts.sum(x, axis=0), x=(3, 4), target="avx2")
    assert two.verify() and looked[-1] == 0  # rows depend on each other


def test_factor_of_scores_is_rounded_once() -> None:
    """The constant is the f32 nearest to log2(e) / sqrt(3)."""
    kernel = ts.attention(1, 2, 2, 3, target="avx512")
    wanted = np.float32(np.log2(np.longdouble(np.e)) / np.sqrt(np.longdouble(3)))
    twice = np.float32(np.float64(np.float32(np.log2(np.e))) / np.sqrt(3.0))
    assert wanted != twice
    assert wanted.tobytes() in kernel.code and twice.tobytes() not in kernel.code
