"""k.verify() of attention: the online softmax is the request's, over the reals."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"lse": True}, {"dtype": "f64"}], ids=str)
@pytest.mark.parametrize("target", ["avx512"])
def test_attention_is_proved(target: str, options: dict[str, Any]) -> None:
    proof = ts.attention(1, 3, 4, 2, target=target, **options).verify()
    assert proof and "powers of 2, none above 1" in str(proof), str(proof)


@pytest.mark.slow
def test_heads_that_share_keys_are_proved() -> None:
    assert ts.attention(2, 2, 3, 2, kv_heads=1, target="avx2").verify()


@pytest.mark.parametrize("options", [{"scale": 0.5}, {"causal": True}], ids=str)
@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_another_scale_and_another_mask_are_refuted(target: str, options: dict[str, Any]) -> None:
    one, other = ts.attention(1, 3, 4, 2, target=target, **options), ts.attention(1, 3, 4, 2, target=target)
    proof = verify(one.code, one.target, other.spec, other.kind)
    assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)
