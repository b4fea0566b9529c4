"""Comparing the addresses of two operands, or computing with a part of their difference, was proved in the order in
which they happened to lie; words of the stack by another pointer lost what depends on a number of the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts
from tilesmith import a64, x86
from tilesmith.emulation.cpu import CODE
from tilesmith.runtime.verify.check import verify
from tilesmith.x86 import ptr, r10, rax, rcx, rdi, rdx, rsi, rsp, ymm0

X, W, Q, mem = a64.X, a64.W, a64.Q, a64.mem
OF_X86 = ts.unary("identity", 1, 8, target="avx2")
OF_A64 = ts.unary("identity", 1, 4, target="neon")
COUNTED = ts.unary("identity", ts.RUNTIME, 8, target="avx2")
Make = Callable[[Any], None]


def refused(make: Make, kernel: Any) -> str:
    """Return why code is not proved to be that of a kernel, whatever its caller's mode."""
    asm = ts.assembler(kernel.target.name)
    make(asm)
    try:
        proof = verify(asm.finish("f").data, kernel.target, kernel.spec, kernel.kind)
    except ts.UnsupportedError as reason:
        return str(reason)
    assert not proof
    return str(proof)


def stored(asm: Any, at: Any) -> None:
    asm.vmovups(ymm0, ptr[rdi])
    asm.vmovups(at, ymm0)
    asm.vzeroupper()
    asm.ret()


def zero_if(condition: str, *decides: Callable[[Any], object]) -> Make:
    """Store zeros if the flags say so."""

    def make(asm: Any) -> None:
        zero = asm.label("zero")
        for each in decides:
            each(asm)
        getattr(asm, condition)(zero)
        stored(asm, ptr[rsi])
        asm.bind(zero)
        asm.vxorps(ymm0, ymm0, ymm0)
        asm.vmovups(ptr[rsi], ymm0)
        asm.vzeroupper()
        asm.ret()

    return make


def of_difference(*more: Callable[[Any], object], index: Any = rdi + rax) -> Make:
    """Find y by the difference of both addresses, after `more`."""

    def make(asm: Any) -> None:
        asm.mov(rax, rsi)
        asm.sub(rax, rdi)
        for each in more:
            each(asm)
        stored(asm, ptr[index])

    return make


CODES = {
    "lower": zero_if("jb", lambda asm: asm.cmp(rdi, rsi)),
    "higher": zero_if("ja", lambda asm: asm.cmp(rdi, rsi)),
    "less": zero_if("jl", lambda asm: asm.cmp(rdi, rsi)),
    "borrow": zero_if("jb", lambda asm: asm.mov(rax, rdi), lambda asm: asm.sub(rax, rsi)),
    "far away": zero_if(
        "jb",
        lambda asm: asm.mov(rax, 1 << 40),
        lambda asm: asm.lea(rcx, ptr[rdi + rax]),
        lambda asm: asm.lea(rdx, ptr[rsi + rax]),
        lambda asm: asm.cmp(rcx, rdx),
    ),
    "the stack": zero_if("jb", lambda asm: asm.cmp(rsp, rdi)),
    "a number": zero_if("jb", lambda asm: asm.mov(rax, 1 << 32), lambda asm: asm.cmp(rdi, rax)),
    "a page": zero_if("jne", lambda asm: asm.test(rdi, 4096)),
    "32 bits": of_difference(lambda asm: asm.movsxd(rax, x86.eax)),
    "32 bits of the stack": of_difference(
        lambda asm: asm.mov(ptr[rsp - 8], rax), lambda asm: asm.mov(x86.eax, x86.dword[rsp - 8])
    ),
    "half": of_difference(lambda asm: asm.sar(rax, 1), index=rdi + rax * 2),
    "the code": lambda asm: (asm.mov(rax, CODE), asm.vmovups(ymm0, ptr[rax]), stored(asm, ptr[rsi])),
    "the other operand": lambda asm: stored(asm, ptr[rdi + 65536]),
}


@pytest.mark.parametrize("name", CODES)
def test_code_that_depends_on_where_operands_lie_is_refused(name: str) -> None:
    assert "caller's choice" in (said := refused(CODES[name], OF_X86)) or "data only moves" in said or "outside" in said


def test_instructions_that_are_not_followed_are_named_in_words() -> None:
    make = zero_if("je", lambda asm: asm.popcnt(rax, rdi), lambda asm: asm.cmp(rax, 99))
    assert "popcnt rax, rdi: the prover does not follow this instruction" in refused(make, OF_X86)


def test_whole_differences_of_addresses_have_proofs() -> None:
    asm = ts.assembler("avx2")
    of_difference()(asm)
    assert verify(asm.finish("f").data, OF_X86.target, OF_X86.spec, OF_X86.kind)


A64_CODES: dict[str, Make] = {
    "higher": lambda asm: asm.cmp(X[0], X[1]),
    "32 bits": lambda asm: asm.sub(W[3], W[1], W[0]),
    "half": lambda asm: (asm.sub(X[3], X[1], X[0]), asm.asr(X[3], X[3], 1)),
}


@pytest.mark.parametrize("name", A64_CODES)
def test_the_same_on_aarch64(name: str) -> None:
    def make(asm: Any) -> None:
        A64_CODES[name](asm)
        asm.ldr(Q[0], mem[X[0]])
        asm.csel(X[3], X[1], X[0], a64.HI)
        asm.str(Q[0], mem[X[3]])
        asm.ret()

    assert "caller's choice" in refused(make, OF_A64)


def test_a_number_in_the_stack_by_another_pointer_keeps_its_bits() -> None:
    """Of 2^32 + 1 rows one would be stored."""

    def make(asm: Any) -> None:
        top, end = asm.label("top"), asm.label("end")
        asm.lea(r10, ptr[rsp - 64])
        asm.mov(ptr[r10], rdx)
        asm.mov(x86.edx, x86.dword[r10])
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

    assert "reads fewer bits" in refused(make, COUNTED)
