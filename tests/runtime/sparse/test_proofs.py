"""Products with sparse matrices, and at their places, have a proof with the tables of the matrix, and none with a table
that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.sparse_cases import Held
from tilesmith.microkernels.tuning.sparse import SPARSE
from tilesmith.runtime.sparse import sampled
from tilesmith.runtime.verify.proof import Proof


def matrix(m: int, k: int, share: float, **given: Any) -> Any:
    rng = np.random.default_rng(5)
    rows, columns = np.nonzero(rng.random((m, k)) < share)
    data = rng.integers(-9, 9, len(rows)).astype(np.float32)
    return ts.sparse(Held("coo", (m, k), row=rows, col=columns, data=data), **given)


def said(proof: Proof) -> dict[str, str]:
    return {each.what: each.how for each in proof.claims}


@pytest.mark.parametrize(
    ("shape", "n", "given", "threads"),
    [((6, 11), 16, {}, 2), ((6, 10), 9, {"dtype": "bf16", "blocks": (3, 2)}, 1)],
)
@pytest.mark.grid(1)
def test_products_are_proved(shape: tuple[int, int], n: int, given: Any, threads: int) -> None:
    proof = matrix(*shape, 0.3, **given).plan(n, threads=threads).verify()
    assert proof, proof
    found = said(proof)
    assert f"each of {shape[0] * n} elements of the result once" in found["once"]
    assert f"each of the {shape[0] * n} elements" in found["terms"] and "7 workers" in found["threads"]
    assert {"indices", "elements", "memory", "arithmetic", "mode", "alignment"} <= set(found)


def without_kernels(patch: pytest.MonkeyPatch) -> None:
    """Take all kernels for proved, since that takes a second each, and another test does it."""
    patch.setattr("tilesmith.runtime.verify.nests.verify", lambda *_: True)


def test_rows_that_are_summed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    without_kernels(monkeypatch)
    monkeypatch.setattr("tilesmith.runtime.sparse.handle.SPARSE", SPARSE._replace(entries=3))
    handle = matrix(4, 9, 0.6, target="avx2")
    assert handle.sizes.parts > handle.sizes.long > 0
    plan = handle.plan(5, threads=1)
    proof = plan.verify()
    assert proof, proof
    assert "they meet at 1 barriers" in said(proof)["threads"]
    wrong = plan.table.copy()
    wrong[plan.job.nest.places.long // 8 + 2] -= 1  # the first long row is without its last part
    refuted = plan._replace(table=wrong).verify()
    assert refuted.refuted and "other terms than its definition" in str(refuted)


def falsified(plan: Any) -> dict[str, Any]:
    """Return tables with one fault each, by the text of the refutation."""
    places, made = plan.job.nest.places, {}

    def with_(text: str, place: int, *words: int) -> None:
        table = plan.table.copy()
        table[place // 8 : place // 8 + len(words)] = words
        made[text] = table

    lines, entries = plan.job.product.sizes.lines, plan.job.product.sizes.entries
    with_(f"{entries + 1} is not from 0 to {entries}", 8 * lines, entries + 1)
    with_("of the result's memory is written 2 times", places.pieces + 16, *plan.table[places.pieces // 8 :][:2])
    with_("of the result's memory is written 0 times", places.pieces, 0, 0)
    with_("has other terms than its definition", places.b, int(plan.table[places.b // 8]) + plan.job.apart)
    with_("1 are missing, 0 are others", 8, int(plan.table[1]) - 1)  # the last entry of row 0 belongs to row 1
    return made


def test_wrong_tables_are_refuted() -> None:
    plan = matrix(6, 8, 0.4).plan(8, threads=1)
    for text, table in falsified(plan).items():
        proof = plan._replace(table=table).verify()
        assert proof.refuted and not proof and text in str(proof), (text, str(proof))


def test_an_epilogue(monkeypatch: pytest.MonkeyPatch) -> None:
    without_kernels(monkeypatch)
    handle = matrix(4, 6, 0.4)
    bias, x = np.ones(7, np.float32), np.ones((6, 7), np.float32)
    ts.spmm(handle, x, epilogue=lambda c, bias: ts.relu(c + bias), operands={"bias": bias}, threads=1)
    (plan,) = handle._jobs.values()
    proof = plan.verify()
    assert proof, proof


def sample(handle: Any, k: int, patch: pytest.MonkeyPatch, turned: bool) -> Any:
    """Return the job of a product at the places of a matrix."""
    made, job_of = list[Any](), sampled._job
    patch.setattr(sampled, "_job", lambda of: made.append(job_of(of)) or made[-1])
    a, b = (np.ones((each, k), np.float32) for each in handle.shape)
    ts.sddmm(a, b.T if turned else b.T.copy(), handle, threads=1)
    return made[0]


@pytest.mark.parametrize(("blocks", "turned"), [((2, 3), False), ((2, 3), True), ((2, 16), False)])
@pytest.mark.grid(1)
def test_products_at_places_are_proved(blocks: tuple[int, int], turned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    without_kernels(monkeypatch)
    handle = matrix(5, 19, 0.2, blocks=blocks)
    proof = sample(handle, 5, monkeypatch, turned).verify(handle)
    assert proof, proof
    assert {"once", "terms", "indices", "threads"} <= set(said(proof))


def test_wrong_places_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    handle = matrix(5, 19, 0.2, blocks=(2, 3))
    made = sample(handle, 5, monkeypatch, False)
    for place, text in (((1, 1), "7 is not from 0 to 6"), ((2, 0), "has other terms than its definition")):
        wrong = handle.places.copy()
        wrong[place] += 1 if place == (2, 0) else 7 - wrong[place]
        proof = sampled.proofs.of_sample(made.job, made.of, wrong, handle.indptr, handle.indices)
        assert proof.refuted and text in str(proof), str(proof)
