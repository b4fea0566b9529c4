"""General registers without an argument and flags are undefined at entry: code that depends on them is refuted."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.encoder.code import Code
from tilesmith.encoder.x86.registers import R64, YMM, mem
from tilesmith.runtime.verify.proof import Proof

OTHER, SAVED = R64[0], R64[3]


def copied(*, made: bool = True, kept: bool = True, flags: bool = False) -> Code:
    """Return a copy of 8 f32 that saves a register, and branches on another one or on flags to the next instruction."""
    asm = ts.assembler("avx2")
    asm.push(SAVED)
    end = asm.label("end")
    if flags:
        asm.jc(end)
    asm.bind(end)
    if made:
        asm.mov(OTHER, 1)
    if not kept:
        asm.mov(SAVED, OTHER)
    asm.vmovups(YMM[0], mem(R64[7]))
    asm.vmovups(mem(R64[6]), YMM[0])
    asm.test(OTHER, OTHER)
    after = asm.label("after")
    asm.je(after)
    asm.bind(after)
    asm.vzeroupper()
    asm.pop(SAVED)
    asm.ret()
    return asm.finish("copied")


def proof(code: Code) -> Proof:
    return ts.verify(code, lambda x: x, x=(1, 8))


def test_saved_registers_may_hold_any_value() -> None:
    assert proof(copied())
    assert proof(copied(kept=False))


@pytest.mark.parametrize("options", [{"made": False}, {"flags": True}])
def test_branches_on_undefined_values_are_refuted(options: dict[str, bool]) -> None:
    found = proof(copied(**options))
    assert not found
    assert found.refuted, str(found)
