"""Products by compressed weights that are expanded in blocks have a proof, and none if a weight is expanded from what
belongs to another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.compressed.expansion import Expansion
from tilesmith.runtime.loops.code import Address

CASES: dict[str, tuple[Any, tuple[int, int, int], str, dict[str, Any]]] = {
    "pairs of bf16": ("bf16", (2, 8, 32), "i4", {}),
    "two strips, zero points": ("f32", (17, 66, 4), "u4", {}),
    "bytes, groups of 16": ("bf16", (2, 9, 40), "i8", {"group": 16}),
    "an odd number of rows, one group": ("f16", (4, 20, 33), "u8", {"group": None}),
    "offsets": ("bf16", (3, 20, 33), "i4", {"scale": np.ones((2, 20)), "offset": np.ones((2, 20))}),
    "other targets": ("f32", (33, 20, 32), "i4", {"target": "avx2"}),
}


def product(name: str) -> Any:
    dtype, (m, n, k), format, more = CASES[name]
    more = {"group": 32, "scales": "f16", **more}
    target = more.pop("target", None)
    w = np.random.default_rng(1).standard_normal((k, n)).astype(np.float32)
    return ts.gemm(m, n, k, dtype=dtype, beta=0, target=target).by_weights(ts.compressed(w, format, **more).form)


def without_kernels(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tilesmith.runtime.verify.nests.verify", lambda *_, **__: True)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.grid(1)
def test_products(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the kernels, whose own proofs take seconds."""
    without_kernels(monkeypatch)
    proof = product(name).verify()
    assert proof, proof
    assert {"once", "terms", "elements", "memory", "threads"} <= {each.what for each in proof.claims}


def test_a_product_is_proved_with_its_kernels() -> None:
    proof = product("pairs of bf16").verify(timeout=100)
    assert proof, proof


@pytest.mark.parametrize("operand", [0, 1, 2])
@pytest.mark.grid(1)
def test_weights_of_others(operand: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The codes of the next rows or the scales of the next column are read, or weights are written to the next row."""
    without_kernels(monkeypatch)
    unit = Expansion._unit

    def wrong(self: Any, *given: Any) -> Any:
        made = unit(self, *given)
        distance = 2 if operand == 1 else 64
        for call in made:
            at = list(call.arguments)
            at[operand] = Address(at[operand].operand, at[operand].offset + distance)
            yield (
                call._replace(arguments=tuple(at)) if hasattr(call, "_replace") else type(call)(call.kernel, tuple(at))
            )

    monkeypatch.setattr(Expansion, "_unit", wrong)
    monkeypatch.setattr(
        "tilesmith.runtime.ops.expanding.job_of", lambda _, nodes, target, stem: job(nodes, target, stem)
    )
    made = product("pairs of bf16")
    for name in ("job", "nest"):
        vars(made).pop(name, None)
    proof = made.verify()
    for name in ("job", "nest"):
        vars(made).pop(name, None)
    assert not proof
    text = "several records" if operand == 1 else "NOT PROVED terms"
    assert text in str(proof), str(proof)


def job(nodes: Any, target: Any, stem: str) -> Any:
    from tilesmith.runtime.loops.job import job_of

    return job_of(object(), nodes, target, stem)


def test_what_has_no_proof() -> None:
    w = ts.compressed(np.ones((32, 20), np.float32), "i4")
    for dtype, more, text in (
        ("f32", {}, "expanded in registers"),
        ("bf16", {"beta": 1}, "other orders and factors"),
        ("bf16", {"epilogue": lambda c: ts.relu(c)}, "epilogues of products by weights"),
    ):
        made = ts.gemm(4, 20, 32, dtype=dtype, **{"beta": 0, **more}).by_weights(w.form)
        with pytest.raises(ts.UnsupportedError, match=text):
            made.verify()
    masks = ts.compressed(np.eye(32, 20, dtype=np.float32), "bitmask")
    with pytest.raises(ts.UnsupportedError, match="bit masks"):
        ts.gemm(4, 20, 32, beta=0).by_weights(masks.form).verify()


def test_plans_of_calls() -> None:
    weights, x = ts.compressed(np.ones((32, 20), np.float32), "i4"), np.ones((4, 32), np.float32)
    (plan,) = ts.plans(ts.matmul, x, weights)
    assert "ts_decode_i4" in str(plan)
