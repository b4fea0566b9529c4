"""Code that chooses by the flags what other numbers of a call need, shifts a number that is always small in the proof,
jumps to an address in a register, or reads half of a number was proved: coverage looked at branches alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith import x86
from tilesmith.emulation.cpu import call
from tilesmith.x86 import ptr, rax, rcx, rdi, rdx, rsi, ymm0

ROWS = 9000


def copied(asm: Any) -> None:
    """Copy rdx rows of eight elements."""
    top, end = asm.label("top"), asm.label("end")
    asm.bind(top)
    asm.test(rdx, rdx)
    asm.je(end)
    asm.vmovups(ymm0, ptr[rdi])
    asm.vmovups(ptr[rsi], ymm0)
    asm.add(rdi, 32)
    asm.add(rsi, 32)
    asm.sub(rdx, 1)
    asm.jmp(top)
    asm.bind(end)
    asm.vzeroupper()
    asm.ret()


def of_a_move(asm: Any) -> None:
    """At most 1,000 rows."""
    asm.mov(rax, 1000)
    asm.cmp(rdx, rax)
    asm.cmova(rdx, rax)
    copied(asm)


def of_a_set_byte(asm: Any) -> None:
    """A row less beyond 8,999."""
    asm.xor(x86.eax, x86.eax)
    asm.cmp(rdx, 8999)
    asm.seta(x86.al)
    asm.sub(rdx, rax)
    copied(asm)


def of_a_shift(asm: Any) -> None:
    asm.mov(rax, rdx)
    asm.shr(rax, 12)
    asm.sub(rdx, rax)
    copied(asm)


def of_a_jump(asm: Any) -> None:
    far, near = asm.label("far"), asm.label("near")
    asm.lea(rax, ptr[near])
    asm.lea(rcx, ptr[far])
    asm.cmp(rdx, 8999)
    asm.cmova(rax, rcx)
    asm.jmp(rax)
    asm.bind(near)
    copied(asm)
    asm.bind(far)
    asm.ret()


def of_32_bits(asm: Any) -> None:
    asm.mov(x86.edx, x86.edx)
    copied(asm)


@pytest.mark.parametrize("begin", [of_a_move, of_a_set_byte, of_a_shift, of_a_jump])
def test_what_other_numbers_choose_has_no_proof(begin: Callable[[Any], None]) -> None:
    asm, kernel = ts.assembler("avx2"), ts.unary("identity", ts.RUNTIME, 8, target="avx2")
    begin(asm)
    code = asm.finish("rows")
    assert not ts.verify(code, kernel)
    x, y = np.ones((ROWS, 8), np.float32), np.zeros((ROWS, 8), np.float32)
    call(code, kernel.target, x, y, ROWS)
    assert (y != x).any()


def test_half_of_a_number_has_no_proof_and_the_whole_has_one() -> None:
    kernel = ts.unary("identity", ts.RUNTIME, 8, target="avx2")
    for begin, is_right in ((of_32_bits, False), (copied, True)):
        asm = ts.assembler("avx2")
        begin(asm)
        assert bool(ts.verify(asm.finish("rows"), kernel)) is is_right
