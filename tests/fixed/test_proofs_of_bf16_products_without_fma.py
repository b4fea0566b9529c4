"""Products of bf16 on SSE and AVX had no proof: their sums are f64 converted to f32, and a rounding to bf16 was not
recognised behind a conversion.
"""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

BIAS = (0x7FFF).to_bytes(4, "little")


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_products_of_bf16_are_proved(target: str) -> None:
    assert ts.brgemm(1, 2, 3, dtype="bf16", target=target).verify()


@pytest.mark.parametrize("bias", [0x8000, 0x7FFE])
def test_another_rounding_is_not(bias: int) -> None:
    """To nearest with ties away from even, or by a bias of one bit less."""
    kernel = ts.brgemm(1, 2, 3, dtype="bf16", target="sse")
    assert BIAS in kernel.code
    wrong = kernel.code.replace(BIAS, bias.to_bytes(4, "little"))
    assert not verify(wrong, kernel.target, kernel.spec, kernel.kind)
