"""Proofs assumed zeros in 56 bytes of the stack below the return address, so a counter stored by half passed."""

from __future__ import annotations

import tilesmith as ts
from tilesmith.runtime.verify.check import verify


def test_half_a_counter_is_refuted() -> None:
    kernel = ts.transform("vnni2", 6, 5, target="sse")
    assert kernel.verify()
    code = bytearray(kernel.code)
    at = code.index(bytes.fromhex("48c74424f8"))  # mov qword ptr [rsp - 8], imm
    code[at] = 0x40  # a REX prefix without W: 32 bits are stored
    proof = verify(bytes(code), kernel.target, kernel.spec, kernel.kind)
    assert proof.refuted, str(proof)
