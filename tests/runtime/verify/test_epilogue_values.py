"""Proofs of epilogues: elements that are the same expression of other sums are proved once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.symbolic.exhaustive import alike
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.values import Table
from tilesmith.runtime.verify import epilogues


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of pairs that are compared part by part."""
    found: list[int] = []
    real = epilogues.swept

    def swept(prover: Any, wanted: Any, held: Any) -> Any:
        found.append(len(wanted))
        return real(prover, wanted, held)

    monkeypatch.setattr(epilogues, "swept", swept)
    return found


def gelu(c: Any, bias: Any) -> Any:
    return ts.gelu(c + bias)


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 5])
def test_one_pair_stands_for_all(k: int, compared: list[int]) -> None:
    """Every element of C has the same two operands: its sum, and an element of the bias."""
    kernel = ts.brgemm(6, 8, k, epilogue=gelu, operands={"bias": "row"}, target="avx2")
    assert kernel.verify()
    assert compared and max(compared) <= 2  # vectors, and the lanes behind the last whole one


@pytest.mark.slow
def test_wrong_epilogues_have_no_proof(compared: list[int]) -> None:
    """The code of another epilogue, and that of another bias for some elements."""
    from tilesmith.runtime.verify.check import verify

    right: Any = ts.brgemm(2, 8, 3, epilogue=gelu, operands={"bias": "row"}, target="avx2")
    for other in (
        lambda c, bias: ts.gelu(c + bias + bias),
        lambda c, bias: ts.relu(c + bias),
        lambda c, bias: ts.gelu(bias + c * 1.0000001),
    ):
        wrong: Any = ts.brgemm(2, 8, 3, epilogue=other, operands={"bias": "row"}, target="avx2")
        assert not verify(wrong.code, wrong.target, right.spec, right.kind)
    column: Any = ts.brgemm(2, 2, 3, epilogue=gelu, operands={"bias": "col"}, target="avx2")
    row: Any = ts.brgemm(2, 2, 3, epilogue=gelu, operands={"bias": "row"}, target="avx2")
    assert not verify(column.code, column.target, row.spec, row.kind)
    assert compared


def test_opaque_nodes_count_as_inputs() -> None:
    """Pairs with different sums are alike if only the sums differ; what is beside them still counts."""
    table = Table(SIMPLIFIERS)
    a, b, c, d = table.inputs("a", 4, 4).tolist()

    def add(x: int, y: int) -> int:
        made = table.apply(("add", "<f4"), np.add, ("<f4", "<f4"), "<f4", [np.array([x]), np.array([y])])
        return int(made[0])

    one, other = add(add(a, b), c), add(d, c)
    assert alike(table, [one, other], [one, other]) == [0, 1]
    assert alike(table, [one, other], [one, other], [add(a, b), d]) == [0, 0]
    assert alike(table, [one, other], [c, d], [add(a, b), d]) == [0, 1]


@pytest.mark.parametrize("epilogue", [ts.relu, lambda c: c + 1, lambda c: c * 0.5], ids=["relu", "add", "scale"])
def test_sums_of_integers_that_become_floats_of_apart_rows(epilogue):
    """An epilogue computes in integers until something is real, and the prover took all of it for floats."""
    for target in ("avx2", "avx512"):
        kernel = ts.brgemm(3, 8, 8, dtype=("u8", "i8", "f32"), ldc=16, beta=0.0, epilogue=epilogue, target=target)
        assert kernel.verify()


def test_the_reason_why_floats_rounded_to_narrow_integers_have_no_proof():
    proof = ts.brgemm(3, 8, 8, dtype=("u8", "i8", "u8"), epilogue=lambda c: c * 0.5, target="avx2").verify()
    assert not proof and not proof.refuted and "one step in the definition" in str(proof)
