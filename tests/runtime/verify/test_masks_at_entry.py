"""Mask registers are undefined at entry: code that is right only if one of them is zero has no proof."""

from __future__ import annotations

import tilesmith as ts
from tilesmith.encoder.code import Code
from tilesmith.encoder.x86.registers import R64, ZMM, K, mem


def copied(makes_the_mask: bool) -> Code:
    """Return a copy of 16 f32 that doubles the elements of a mask; the mask is empty if the code sets it."""
    asm = ts.assembler("avx512")
    if makes_the_mask:
        asm.kxorw(K[1], K[1], K[1])
    asm.vmovups(ZMM[0], mem(R64[7]))
    asm.vaddps(ZMM[0].k(K[1]), ZMM[0], ZMM[0])
    asm.vmovups(mem(R64[6]), ZMM[0])
    asm.vzeroupper()
    asm.ret()
    return asm.finish("copied")


def test_an_undefined_mask_has_no_proof() -> None:
    assert ts.verify(copied(True), lambda x: x, x=(1, 16))
    assert not ts.verify(copied(False), lambda x: x, x=(1, 16))
