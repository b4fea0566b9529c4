"""alpha multiplied to one factor of a product, or to each term of a sum, was proved: 1e30 overflows where the sum does
not. With any_mode=False wrong code was refuted by modes that the caller had excluded."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.cpu import call
from tilesmith.runtime.verify.check import verify
from tilesmith.x86 import ptr, rdi, rdx, rsi, xmm0, xmm1, xmm2

KERNEL = ts.brgemm(1, 1, 2, target="avx2", beta=0, alpha=1e30)


def product(asm: Any, where: str) -> None:
    alpha = ptr[asm.const(struct.pack("<f", 1e30))]
    for at, x in enumerate((xmm0, xmm1)):
        asm.vmovss(x, ptr[rdi + 4 * at])
        if where == "factor":
            asm.vmulss(x, x, alpha)
        asm.vmulss(x, x, ptr[rsi + 4 * at])
        if where == "terms":
            asm.vmulss(x, x, alpha)
    asm.vaddss(xmm0, xmm0, xmm1)
    if where == "sum":
        asm.vmulss(xmm0, xmm0, alpha)
    asm.vmovss(ptr[rdx], xmm0)
    asm.vzeroupper()
    asm.ret()


@pytest.mark.parametrize("where, a, b", [("factor", 1e10, 1e-10), ("terms", 1e10, 1)])
def test_alpha_belongs_on_the_sum(where: str, a: float, b: float) -> None:
    asm = ts.assembler("avx2")
    product(asm, where)
    code = asm.finish("f")
    x, y, c = np.float32([[a, -a]]), np.float32([[b], [b]]), np.zeros((1, 1), np.float32)
    call(code, KERNEL.target, x, y, c)
    assert not np.isfinite(c).all()
    assert not verify(code.data, KERNEL.target, KERNEL.spec, KERNEL.kind, False)


def test_alpha_on_the_sum_has_a_proof() -> None:
    asm = ts.assembler("avx2")
    product(asm, "sum")
    assert verify(asm.finish("f").data, KERNEL.target, KERNEL.spec, KERNEL.kind, False)


def test_excluded_modes_refute_nothing() -> None:
    """A part of the sum is cut off and added again, which has no proof but is right on what is tried."""
    kernel = ts.reduce("sum", 1, 4, target="avx2")
    asm = ts.assembler("avx2")
    large = ptr[asm.const(struct.pack("<f", 2.0**20))]
    asm.vmovss(xmm0, ptr[rdi])
    for at in (1, 2, 3):
        asm.vaddss(xmm0, xmm0, ptr[rdi + 4 * at])
    asm.vaddss(xmm1, xmm0, large)
    asm.vsubss(xmm1, xmm1, large)
    asm.vsubss(xmm2, xmm0, xmm1)
    asm.vaddss(xmm0, xmm1, xmm2)
    asm.vmovss(ptr[rsi], xmm0)
    asm.vzeroupper()
    asm.ret()
    proof = verify(asm.finish("f").data, kernel.target, kernel.spec, kernel.kind, False)
    assert "caller rounds toward zero" not in str(proof)
