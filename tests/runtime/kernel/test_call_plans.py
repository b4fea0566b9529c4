"""`ts.plans` returns the jobs that a call runs, each with a proof for the tables of that call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.kernel import call_plans
from tilesmith.runtime.sparse import proofs, softmax

RNG = np.random.default_rng(1)
MATRIX = np.where(RNG.random((6, 12)) < 0.4, RNG.integers(1, 4, (6, 12)), 0).astype(np.float32)
HANDLE = ts.sparse(MATRIX, blocks=(2, 3))


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


CALLS: dict[str, tuple[Any, int]] = {
    "spmm": (lambda: ts.spmm(HANDLE, ones(12, 5)), 1),
    "spmm once more": (lambda: ts.spmm(HANDLE, ones(12, 5)), 1),
    "spmm with an epilogue": (lambda: ts.spmm(HANDLE, ones(12, 5), epilogue=lambda c: ts.relu(c)), 1),
    "dense by sparse": (lambda: ts.spmm(ones(4, 6), HANDLE), 1),
    "spmm_backward": (lambda: ts.spmm_backward(ones(6, 5), HANDLE, ones(12, 5)), 2),
    "sddmm": (lambda: ts.sddmm(ones(6, 4), ones(4, 12), HANDLE), 1),
    "sparse_softmax": (lambda: ts.sparse_softmax(HANDLE), 1),
    "sparse_softmax with a mask": (lambda: ts.sparse_softmax(HANDLE, added=HANDLE, scale=0.5), 1),
    "sparse_attention": (lambda: ts.sparse_attention(ones(6, 4), ones(12, 4), ones(12, 4), HANDLE), 3),
    "grouped_matmul": (lambda: ts.grouped_matmul(ones(7, 4), ones(2, 4, 5), [3, 7]), 1),
    "grouped terms": (lambda: ts.grouped_matmul(ones(3, 7), ones(7, 5), [3, 7]), 1),
    "graph_reduce": (lambda: ts.graph_reduce(np.array([0, 3, 3, 5]), np.array([2, 0, 1, 1, 2]), ones(3, 5)), 1),
    "of no job": (lambda: ts.matmul(ones(3, 4), ones(4, 5)), 0),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.grid(3)
def test_every_job_of_a_call_is_proved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the kernels, whose own proofs take seconds."""
    monkeypatch.setattr("tilesmith.runtime.verify.nests.verify", lambda *_, **__: True)
    call, count = CALLS[name]
    plans = ts.plans(call)
    assert len(plans) == count and not call_plans.wanted
    for each in plans:
        proof = each.verify()
        assert proof, proof
        assert "for " in str(each) and {"indices", "threads"} <= {claim.what for claim in proof.claims}


def test_a_softmax_is_proved_with_its_kernel() -> None:
    (plan,) = ts.plans(ts.sparse_softmax, ts.sparse(np.eye(3, dtype=np.float32), blocks=(1, 3)))
    proof = plan.verify(timeout=100)
    assert proof, proof
    assert "each of 3 rows with blocks has one call" in str(proof)


def test_other_tables_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesmith.runtime.verify.nests.verify", lambda *_, **__: True)
    found: list[Any] = []
    job_of = softmax._job
    monkeypatch.setattr(softmax, "_job", lambda of: found.append(of) or job_of(of))
    ts.sparse_softmax(HANDLE)
    starts = HANDLE.indptr
    for place, more, text in ((1, 1, "rows have no call of their own"), (3, 1, "is not from 0 to"), (1, -1, "no call")):
        wrong = starts.copy()
        wrong[place] += more
        proof = proofs.of_softmax(job_of(found[0]), found[0], wrong, starts)
        assert proof.refuted and text in str(proof), str(proof)


def test_plans_inside_of_plans_and_errors() -> None:
    inner: list[Any] = []
    outer = ts.plans(lambda: inner.append(ts.plans(ts.spmm, HANDLE, ones(12, 2))))
    assert len(inner[0]) == 1 and not outer
    with pytest.raises(ValueError, match="as many columns"):
        ts.plans(ts.spmm, HANDLE, ones(11, 2))
    assert not call_plans.wanted
