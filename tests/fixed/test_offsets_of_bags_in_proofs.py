"""Offsets of embedding bags were numbers in proofs: code that treats others like these was proved if none was drawn.

The two ends of a bag are now words of 64 bits, and what the code decides on them has to be what the request decides.
"""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.encoder.decode import decode
from tilesmith.runtime.verify.check import verify

CALL = ts.embedding_bag(2, 3, size=9, count=4, prefetch=0, target="avx2")
KERNEL = ts.embedding_bag(2, 3, size=9, count=4, prefetch=0, bounds="kernel", target="avx2")
WIDE = ("mov r8, qword ptr [rdx]", "mov r10, qword ptr [rdx + 8]", "cmp r11, r8", "cmp r11, r10")


@pytest.mark.parametrize("kernel", [CALL, KERNEL], ids=["call", "kernel"])
def test_right_bags(kernel: Any) -> None:
    proof = kernel.verify()
    assert proof, str(proof)
    assert "every pair of offsets of 64 bits that takes the path of one that was drawn" in str(proof)


@pytest.mark.parametrize("text", WIDE)
def test_ends_of_32_bits(text: str) -> None:
    """An end of 2^32 + 1 would count as 1."""
    every = ((each.offset, decode(KERNEL.code, each.offset, "x86")) for each in KERNEL._code.instructions)
    offset = next(at for at, own in every if own is not None and own.text == text)
    code = bytearray(KERNEL.code)
    code[offset] &= ~8  # without REX.W
    proof = verify(bytes(code), KERNEL.target, KERNEL.spec, KERNEL.kind, False)
    assert not proof, str(proof)
