"""`k.verify()` of argmax and argmin."""

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


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "target"), [("f32", "sse"), ("i32", "avx2"), ("i8", "neon"), ("i64", "sve256")])
def test_searches_along_rows_are_proved(target: str, dtype: str) -> None:
    proof = ts.reduce("argmax", 2, 9, axis=1, dtype=dtype, target=target).verify()
    assert proof and "places of the first" in str(proof), str(proof)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["avx2", "neon"])
@pytest.mark.grid(1)
def test_a_search_for_the_last_place_is_not_proved(target: str) -> None:
    """The places of two lanes are exchanged, so the kernel does not return the first of equal elements."""
    kernel = ts.reduce("argmax", 2, 9, axis=1, target=target)
    places = b"".join(number.to_bytes(4, "little") for number in range(4))
    assert kernel.code.count(places) == 1
    wrong = kernel.code.replace(places, places[4:8] + places[:4] + places[8:])
    proof = verify(wrong, kernel.target, kernel.spec, kernel.kind)
    assert not proof and proof.refuted


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_the_place_of_another_element_is_refuted(target: str, axis: int | None) -> None:
    """Trials with numbers refute it, even where no proof exists yet (all elements) or where code branches on data."""
    one, other = (ts.reduce(name, 3, 9, axis=axis, target=target) for name in ("argmax", "argmin"))
    for pair in ((one, other), (other, one)):
        proof = verify(pair[0].code, pair[0].target, pair[1].spec, pair[1].kind)
        assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)
