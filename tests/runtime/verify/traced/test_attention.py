"""`k.verify()` of attention: over the reals, the online softmax is the softmax of the request."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.runtime.verify.check import verify

TYPES = ("f32", "f64", "f16", "bf16")
ON = ("avx2", "avx512", "avx512_bf16", "amx", "neon", "sve128", "sve256", "sme512")
SOME = [
    ("avx512", {}),
    ("avx512", {"causal": True}),
    ("neon", {"lse": True}),
    ("sve256", {"dtype": "f64"}),
    ("avx2", {"dtype": "f16", "mask": "full"}),
    ("avx512_bf16", {"dtype": "bf16", "mask": "row"}),
    ("neon", {"mask": "full", "causal": True}),
    ("avx2", {"dtype": "bf16"}),
    ("avx512", {"seen": ts.RUNTIME}),
    ("neon", {"causal": True, "window": 2}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "options"), SOME, ids=str)
@pytest.mark.grid(4)
def test_attention_is_proved(target: str, options: dict[str, Any]) -> None:
    proof = ts.attention(1, 3, 4, 2, target=target, **options).verify()
    assert proof and "powers of 2, none above 1" in str(proof), str(proof)


@pytest.mark.skipif(not is_soak(), reason="two minutes: part of make soak")
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"mask": "row"}, {"mask": "full", "lse": True}], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("target", ON)
@pytest.mark.grid(12)
def test_every_type_is_proved(target: str, dtype: str, options: dict[str, Any]) -> None:
    if (target, dtype, options.get("lse")) == ("avx2", "f64", True):
        pytest.skip("the logarithm of lse has no proof there")
    assert ts.attention(1, 3, 4, 2, target=target, dtype=dtype, **options).verify()


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"causal": True, "window": 9}, {"lse": True}], ids=str)
@pytest.mark.parametrize("queries", [1, 4, 16])
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
@pytest.mark.skipif(not is_soak(), reason="minutes: part of make soak")
def test_kernels_of_sequences_are_proved(target: str, queries: int, options: dict[str, Any]) -> None:
    """Those of ts.varlen_attention, for numbers of keys in several blocks."""
    k = ts.attention(1, queries, 1 << 16, 2, seen=ts.RUNTIME, order="F", target=target, **options)
    assert verify(k.code, k.target, k.spec, k.kind, numbers=[queries, queries + 6, 40])


@pytest.mark.slow
def test_heads_that_share_keys_are_proved() -> None:
    assert ts.attention(2, 2, 3, 2, kv_heads=1, target="avx2").verify()


@pytest.mark.parametrize("more", [{}, {"mask": "full"}, {"dtype": "bf16"}], ids=str)
@pytest.mark.parametrize("options", [{"scale": 0.5}, {"causal": True}], ids=str)
@pytest.mark.parametrize("target", ["avx2", "neon"])
@pytest.mark.grid(5)
def test_another_scale_and_another_mask_are_refuted(target: str, options: dict[str, Any], more: dict[str, Any]) -> None:
    one, other = (ts.attention(1, 3, 4, 2, target=target, **more, **each) for each in (options, {}))
    proof = verify(one.code, one.target, other.spec, other.kind)
    assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)


def test_powers_are_rounded_to_nearest() -> None:
    """Between 0 and 1, the rounding of powers to bf16 that proofs accept is rounding to nearest, ties up."""
    powers = np.concatenate([np.arange(0, 0x3F800001, 997), [0x3F800000, 0x3F808000 - 1, 0x00008000]]).astype(np.uint32)
    half_up = (powers + np.uint32(0x8000)) & np.uint32(0xFFFF0000)
    below, above = powers & np.uint32(0xFFFF0000), (powers & np.uint32(0xFFFF0000)) + np.uint32(0x10000)
    exact, low, high, made = (each.view(np.float32).astype(np.float64) for each in (powers, below, above, half_up))
    nearest = np.where(exact - low < high - exact, low, high)
    assert (made == nearest).all()
