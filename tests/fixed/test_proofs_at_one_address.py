"""Proofs assumed addresses with zeros in their low bits, for which `or rsi, 80` equals `add rsi, 80`.

Operands and tables of indices now begin at addresses for which every sum carries.
"""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

KERNELS = {
    "transpose": ts.transpose(5, 7, target="avx512"),
    "scatter": ts.scatter("offsets", 2, 3, size=8, target="avx2"),
}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_or_of_an_address_is_refuted(kernel: Any) -> None:
    assert kernel.verify()
    at = kernel.code.index(bytes.fromhex("4883c6"))  # add rsi, imm8
    code = bytearray(kernel.code)
    code[at + 2] = 0xCE  # or rsi, imm8
    proof = verify(bytes(code), kernel.target, kernel.spec, kernel.kind)
    assert proof.refuted, str(proof)
