"""The title of a listing counted the padding between the instructions and the constants as constants."""

from __future__ import annotations

import tilesmith as ts
from tilesmith.x86 import ptr, xmm0


def test_only_the_constants_are_counted():
    asm = ts.assembler("avx2")
    asm.vaddss(xmm0, xmm0, ptr[asm.const_f32(1.5)])
    asm.vaddpd(xmm0, xmm0, ptr[asm.const(bytes(range(16)))])
    asm.ret()
    kernel = asm.finish("f").kernel("float f(float x)")
    title = kernel.listing().splitlines()[0]
    assert title == f"f: avx2, {len(kernel.code)} bytes, 20 of them constants"
