"""Undefined bytes, jumps out of the code and endless loops are reported with their place."""

from __future__ import annotations

from typing import Any

from tests.emulation.assembled import AVX2, AVX512, NEON, X, assembled, fault_of, rax, rdi, rsi
from tilesmith.emulation.cpu import call
from tilesmith.encoder.operands import Label
from tilesmith.encoder.x86 import registers as x86


def test_undefined_bytes_are_reported_with_their_place() -> None:
    code = assembled(AVX2, lambda m: m.mov(rax, rdi), ends=False) + b"\xc4\xe2\x7d\xff\xff"
    fault = fault_of(code, AVX2, 1)
    assert "undefined instruction: c4 e2 7d ff ff" in fault.reason
    assert fault.offset == 3
    assert "undefined" in fault_of(b"\xff\xff\xff\xff", NEON).reason
    assert "raises an exception" in fault_of(assembled(AVX2, lambda m: m.ud2()), AVX2).reason


def test_instructions_that_the_target_lacks_are_reported() -> None:
    code = assembled(AVX512, lambda m: m.vaddps(x86.ZMM[0], x86.ZMM[0], x86.ZMM[0]))
    assert "target avx2 lacks AVX512F" in fault_of(code, AVX2).reason


def test_leaving_the_code_is_reported() -> None:
    assert "leaves the code" in fault_of(assembled(AVX2, lambda m: m.jmp(rdi), ends=False), AVX2, 0x1234).reason
    assert "leaves the code" in fault_of(assembled(AVX2, lambda m: m.mov(rax, rdi), ends=False), AVX2, 1).reason
    assert "leaves the code" in fault_of(assembled(NEON, lambda m: m.br(X[0]), ends=False), NEON, 64).reason


def test_endless_loops_end() -> None:
    def emit(m: Any) -> None:
        start = Label("start")
        m.bind(start)
        m.jmp(start)

    fault = fault_of(assembled(AVX2, emit), AVX2, limit=1000)
    assert "endless" in fault.reason
    assert "jmp" in fault.text


def test_instructions_without_semantics_say_so() -> None:
    fault = fault_of(assembled(AVX2, lambda m: m.cpuid()), AVX2)
    assert "let the caller decide, by the features of a target" in fault.reason


def test_divisions_fault_as_they_should() -> None:
    code = assembled(AVX2, lambda m: (m.mov(rax, rdi), m.cqo(), m.idiv(rsi)))
    assert call(code, AVX2, -7, 2).result == -3
    assert "zero" in fault_of(code, AVX2, 1, 0).reason
    assert "does not fit" in fault_of(code, AVX2, -(1 << 63), -1).reason
