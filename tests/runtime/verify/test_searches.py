"""k.verify() of argmax and argmin."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["f32", "i32", "bf16", "i8"])
@pytest.mark.parametrize("target", ["avx2", "sve256"])
def test_searches_down_columns_are_proved(target: str, dtype: str, name: str) -> None:
    proof = ts.reduce(name, 4, 5, axis=0, dtype=dtype, target=target).verify()
    assert proof and "places of the first" in str(proof), str(proof)


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_the_place_of_another_element_is_refuted(target: str, axis: int | None) -> None:
    """Also along rows, where there is no proof yet, and where code branches on data: by numbers."""
    one, other = (ts.reduce(name, 3, 9, axis=axis, target=target) for name in ("argmax", "argmin"))
    for pair in ((one, other), (other, one)):
        proof = verify(pair[0].code, pair[0].target, pair[1].spec, pair[1].kind)
        assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)
