"""k.verify() of traced functions with products."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

TARGETS = ("avx2", "avx512", "neon", "sve256")


@pytest.mark.parametrize("target", TARGETS)
def test_products_with_element_operations_are_proved(target: str) -> None:
    layer = ts.equation(
        lambda x, w, b, v: ts.relu(x @ w + b) @ v + x, x=(3, 4), w=(4, 5), b=(5,), v=(5, 4), target=target
    )
    proof = layer.verify()
    assert proof and "sums over the reals" in str(proof), str(proof)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["avx512"])
def test_softmax_of_a_product_is_proved(target: str) -> None:
    scores = ts.equation(lambda q, k: ts.softmax(q @ k.T * 0.125, axis=1), q=(2, 3), k=(5, 3), target=target)
    assert scores.verify(), str(scores.verify())


@pytest.mark.parametrize("target", TARGETS)
def test_another_factor_is_refuted(target: str) -> None:
    """w and its transpose have the same shape."""
    one = ts.equation(lambda x, w: ts.relu(x @ w), x=(3, 4), w=(4, 4), target=target)
    other = ts.equation(lambda x, w: ts.relu(x @ w.T), x=(3, 4), w=(4, 4), target=target)
    proof = verify(one.code, one.target, other.spec, other.kind)
    assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)
