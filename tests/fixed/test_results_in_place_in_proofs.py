"""Results in the place of operands had no claim where the call gives the rows, and only one operand had one where
several may be overwritten."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify
from tilesmith.x86 import ptr, rcx, rdi, rdx, rsi, ymm0, ymm1

PLACES = {"first": (rdi, rsi), "second": (rsi, rdi)}


def sums(asm: Any, early: str, rows: bool) -> None:
    """Store x0 & x1, in place of one of which an earlier store destroys what is read after it."""
    first, second = PLACES[early]
    top, end = asm.label("top"), asm.label("end")
    asm.bind(top)
    if rows:
        asm.test(rcx, rcx)
        asm.je(end)
    asm.vmovups(ymm0, ptr[first])
    asm.vpxor(ymm1, ymm1, ymm1)
    asm.vmovups(ptr[rdx], ymm1)
    asm.vpand(ymm0, ymm0, ptr[second])
    asm.vmovups(ptr[rdx], ymm0)
    for each in (rdi, rsi, rdx):
        asm.add(each, 32)
    if rows:
        asm.sub(rcx, 1)
        asm.jmp(top)
    asm.bind(end)
    asm.vzeroupper()
    asm.ret()


@pytest.mark.parametrize("rows, early", [(1, "first"), (1, "second"), (ts.RUNTIME, "second")])
def test_each_operand_that_a_result_may_overwrite(rows: Any, early: str) -> None:
    kernel = ts.equation(lambda x, y: x & y, x=(rows, 8), y=(rows, 8), dtype="i32", target="avx2")
    asm = ts.assembler("avx2")
    sums(asm, early, rows is ts.RUNTIME)
    code = asm.finish("f").data
    if rows == 1:
        assert verify(code, kernel.target, kernel.spec, kernel.kind, in_place=False)
    proof = verify(code, kernel.target, kernel.spec, kernel.kind)
    assert not proof and "in the place of" in str(proof)
