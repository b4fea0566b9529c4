"""Proofs placed operands before a multiple of 64 KiB and the stack on 128 KiB: aligned moves were proved that fault.

Expected: operands are aligned to their elements and the stack pointer at the call to 16, as the conventions say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts
from tests.side_by_side.kernels import MAKERS
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.registers import X, mem
from tilesmith.encoder.decode import decode
from tilesmith.runtime.verify.check import verify
from tilesmith.runtime.verify.proof import Proof
from tilesmith.x86 import ptr, rax, rdi, rsi, rsp, xmm0, ymm0


def copied(emit: Callable[[Any], None], target: str = "avx2", columns: int = 8) -> Proof:
    """Return the proof of a function that copies a row of f32."""
    asm = ts.assembler(target)
    emit(asm)
    asm.vzeroupper() if target != "sse" else None
    asm.ret()
    return ts.verify(asm.finish("copy"), ts.unary("identity", 1, columns, target=target))


def by_stack(place: int, name: str) -> Callable[[Any], None]:
    def emit(asm: Any) -> None:
        asm.vmovups(ymm0, ptr[rdi])
        getattr(asm, name)(ptr[rsp + place], ymm0)
        asm.vmovups(ymm0, ptr[rsp + place])
        asm.vmovups(ptr[rsi], ymm0)

    return emit


def by_aligned_stack(alignment: int, room: int) -> Callable[[Any], None]:
    def emit(asm: Any) -> None:
        asm.mov(rax, rsp)
        asm.sub(rsp, room)
        asm.and_(rsp, -alignment)
        asm.vmovups(ymm0, ptr[rdi])
        asm.vmovaps(ptr[rsp], ymm0)
        asm.vmovups(ymm0, ptr[rsp])
        asm.vmovups(ptr[rsi], ymm0)
        asm.mov(rsp, rax)

    return emit


@pytest.mark.parametrize("place", [-40, -56, -72, -88])
def test_the_stack_is_a_multiple_of_16(place: int) -> None:
    """rsp + 8 is a multiple of 16, so rsp - 40 may be one of 32, or not."""
    assert copied(by_stack(place, "vmovups"))
    proof = copied(by_stack(place, "vmovaps"))
    assert proof.refuted and "vmovaps" in str(proof), str(proof)


def test_code_may_align_the_stack() -> None:
    proof = copied(by_aligned_stack(32, 64))
    assert proof and "each of its 4 places modulo 64" in str(proof)
    assert copied(by_aligned_stack(64, 64)) and not copied(by_aligned_stack(16, 64))


def test_operands_are_aligned_to_their_elements() -> None:
    def emit(name: str) -> Callable[[Any], None]:
        def body(asm: Any) -> None:
            asm.vmovss(xmm0, ptr[rdi])
            asm.vmovss(ptr[rsi], xmm0)
            asm.vmovups(ymm0, ptr[rdi + 4])
            getattr(asm, name)(ptr[rsi + 4], ymm0)

        return body

    assert copied(emit("vmovups"), columns=9)
    for name in ("vmovaps", "vmovntps"):
        proof = copied(emit(name), columns=9)
        assert proof.refuted and name in str(proof) and "begins at a multiple of 4 only" in str(proof), str(proof)


def test_operands_of_legacy_instructions() -> None:
    def emit(asm: Any) -> None:
        asm.movss(xmm0, ptr[rdi])
        asm.movss(ptr[rsi], xmm0)
        asm.xorps(xmm0, xmm0)
        asm.orps(xmm0, ptr[rdi + 4])
        asm.movups(ptr[rsi + 4], xmm0)

    proof = copied(emit, "sse", 5)
    assert proof.refuted and "orps" in str(proof) and "multiple of 16" in str(proof), str(proof)


def test_code_that_tests_the_address_of_an_operand() -> None:
    """Both ways are executed, and a test of too few bits is refuted."""

    def emit(bits: int) -> Callable[[Any], None]:
        def body(asm: Any) -> None:
            other, end = asm.label(), asm.label()
            asm.vmovups(ymm0, ptr[rdi])
            asm.test(rsi, bits)
            asm.jne(other)
            asm.vmovaps(ptr[rsi], ymm0)
            asm.jmp(end)
            asm.bind(other)
            asm.vmovups(ptr[rsi], ymm0)
            asm.bind(end)

        return body

    proof = copied(emit(31))
    assert proof and "looks at the address of y" in str(proof)
    assert copied(emit(15)).refuted


def test_scratch_memory_stays_inside_the_frame() -> None:
    """Room for rounding an address of the stack up, with other distances that fit at some places only."""
    kernel = MAKERS["sum of rows f32 3x11"]("neon")
    at = next(
        each.offset
        for each in kernel._code.instructions
        if (own := decode(kernel.code, each.offset, "a64")) and own.text.endswith("sp, #63")
    )
    word = int.from_bytes(kernel.code[at : at + 4], "little")
    assert "each of its 4 places modulo 64" in str(kernel.verify())
    code = bytearray(kernel.code)
    code[at : at + 4] = (word & ~(0xFFF << 10) | 127 << 10).to_bytes(4, "little")
    assert not verify(bytes(code), kernel.target, kernel.spec, kernel.kind)


def test_ordered_accesses_of_aarch64() -> None:
    def function(name: str) -> Proof:
        asm = ts.assembler("neon")
        assert isinstance(asm, A64Assembler)
        getattr(asm, name)(X[8], mem[X[0]])
        asm.str(X[8], mem[X[1]])
        asm.ret()
        return ts.verify(asm.finish("copy"), ts.unary("identity", 1, 2, target="neon"))

    assert function("ldr")
    proof = function("ldar")
    assert proof.refuted and "multiple of 8" in str(proof), str(proof)
