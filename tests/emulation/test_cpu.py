"""The emulator around the instructions: arguments, results, counts, and calling conventions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.emulation.assembled import AVX2, NEON, R, X, assembled, fault_of, rax, rdi, rsi, rsp
from tilesmith.emulation import cpu
from tilesmith.emulation.core.call import SMALL_STACK, STACK
from tilesmith.emulation.core.memory import Memory, MemoryFault
from tilesmith.emulation.cpu import AbiViolation, Pointers, call
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.x86 import registers as x86

# Results and arguments


@pytest.mark.parametrize("count", [1, 6, 7, 8, 9, 20])
def test_arguments_beyond_the_registers_are_on_the_stack(count: int) -> None:
    numbers = [(i + 1) * 0x1111_2222_3333 for i in range(count)]
    stacked = x86.Mem(rsp, 8 * (count - 6)) if count > 6 else None
    last = [R[name] for name in ("rdi", "rsi", "rdx", "rcx", "r8", "r9")][count - 1] if count <= 6 else stacked
    assert call(assembled(AVX2, lambda m: m.mov(rax, last)), AVX2, *numbers).result == numbers[-1]
    source = a64.mem[a64.sp, 8 * (count - 9)]
    emit = (lambda m: m.mov(X[0], X[count - 1])) if count <= 8 else (lambda m: m.ldr(X[0], source))
    assert call(assembled(NEON, emit), NEON, *numbers).result == numbers[-1]


def test_negative_integers_arrive_as_they_are() -> None:
    assert call(assembled(AVX2, lambda m: m.mov(rax, rdi)), AVX2, -5).result == -5
    assert call(assembled(NEON, lambda m: m.mov(X[0], X[1])), NEON, 0, -5).result == -5


def test_registers_that_carry_nothing_hold_nan() -> None:
    def emit(m: Any) -> None:
        m.vmovups(x86.ptr[rdi], x86.YMM[7])

    out = np.zeros(8, np.float32)
    call(assembled(AVX2, emit), AVX2, out)
    assert np.isnan(out).all()
    assert np.isnan(out.view(np.float64)).all()


def test_pointers_name_arrays() -> None:
    arrays = [np.array([i + 0.5]) for i in range(3)]
    code = assembled(AVX2, lambda m: (m.mov(rax, x86.qword[rdi + 16]), m.mov(rax, x86.qword[rax])))
    assert call(code, AVX2, Pointers(arrays)).result == arrays[2].view(np.int64)[0]


def test_constants_behind_the_code_are_readable_and_not_writable() -> None:
    code = assembled(AVX2, lambda m: m.mov(rax, x86.qword[m.const(b"tilesmit")]))
    assert call(code, AVX2).result == int.from_bytes(b"tilesmit", "little")
    code = assembled(AVX2, lambda m: m.mov(x86.qword[m.const(b"tilesmit")], rax))
    assert "cannot be written" in fault_of(code, AVX2).reason


# Conventions


@pytest.mark.parametrize("name", ["rbx", "rbp", "r12", "r15"])
def test_registers_of_the_caller_must_be_restored(name: str) -> None:
    with pytest.raises(AbiViolation, match=name):
        call(assembled(AVX2, lambda m: m.inc(R[name])), AVX2)
    call(assembled(AVX2, lambda m: (m.push(R[name]), m.inc(R[name]), m.pop(R[name]))), AVX2)


@pytest.mark.parametrize("number", [18, 19, 28, 29])
def test_registers_of_the_caller_must_be_restored_on_aarch64(number: int) -> None:
    with pytest.raises(AbiViolation, match=f"x{number}"):
        call(assembled(NEON, lambda m: m.add(X[number], X[number], 1)), NEON)


def test_vector_and_control_registers_of_the_caller_must_be_restored() -> None:
    with pytest.raises(AbiViolation, match="d8"):
        call(assembled(NEON, lambda m: m.movi(a64.V[8].d2, 0)), NEON)
    control = np.array([0x9FC0], np.uint32)
    with pytest.raises(AbiViolation, match="mxcsr"):
        call(assembled(AVX2, lambda m: m.ldmxcsr(x86.dword[rdi])), AVX2, control)


def test_mxcsr_affects_later_instructions() -> None:
    """Denormals are flushed while the control register says so, and only then."""
    words, data = np.array([0x9FC0, 0x1F80], np.uint32), np.array([1e-40, 1.0, 0.0, 0.0], np.float32)

    def emit(m: Any) -> None:
        x0 = x86.XMM[0]
        m.vmovss(x0, x86.dword[rsi])
        m.ldmxcsr(x86.dword[rdi])
        m.vaddss(x86.XMM[1], x0, x0)
        m.ldmxcsr(x86.dword[rdi + 4])
        m.vaddss(x86.XMM[2], x0, x0)
        m.vmovss(x86.dword[rsi + 8], x86.XMM[1])
        m.vmovss(x86.dword[rsi + 12], x86.XMM[2])

    call(assembled(AVX2, emit), AVX2, words, data)
    assert data[2] == 0
    assert data[3] == data[0] + data[0] != 0


# Counts


@pytest.mark.parametrize(("target", "lanes"), [("avx2", 8), ("avx512", 16), ("neon", 4), ("sve128", 4), ("sve512", 16)])
def test_counts_of_a_kernel(target: str, lanes: int) -> None:
    """64 x 16 x 8 takes at least m n k / lanes multiplications, at most as many fused ones, and stores all of C."""
    m, n, k = 16, 64, 8
    kernel = ts.brgemm(m, n, k, target=target, beta=0.0)
    a, b, c = np.ones((m, k), np.float32), np.ones((k, n), np.float32), np.empty((m, n), np.float32)
    done = call(kernel.code, kernel.target, a, b, c)
    assert (c == k).all()
    assert done.classes["fma"] + done.counts.get("vmulps", 0) + done.counts.get("fmul", 0) >= m * n * k // lanes
    assert done.classes["fma"] <= m * n * k // lanes
    assert done.classes["store"] >= m * n // lanes // 2
    assert done.steps == sum(done.counts.values())
    assert done.features <= kernel.target.features | {"-"}
    assert done.classes["branch"] >= 1


CLASSES = {
    "vmovups ymm, m": (lambda m: m.vmovups(x86.YMM[0], x86.ptr[rdi]), {"load"}),
    "vmovups m, ymm": (lambda m: m.vmovups(x86.ptr[rdi], x86.YMM[0]), {"store"}),
    "vmovups ymm, ymm": (lambda m: m.vmovups(x86.YMM[0], x86.YMM[1]), {"move"}),
    "vbroadcastss ymm, m": (lambda m: m.vbroadcastss(x86.YMM[0], x86.dword[rdi]), {"load", "shuffle"}),
    "vfmadd231ps ymm, ymm, m": (lambda m: m.vfmadd231ps(x86.YMM[0], x86.YMM[1], x86.ptr[rdi]), {"load", "fma"}),
    "add m, r": (lambda m: m.add(x86.qword[rdi], rax), {"load", "store", "arithmetic"}),
    "vpermps": (lambda m: m.vpermps(x86.YMM[0], x86.YMM[1], x86.YMM[2]), {"shuffle"}),
    "vcvtdq2ps": (lambda m: m.vcvtdq2ps(x86.YMM[0], x86.YMM[1]), {"convert"}),
    "lea": (lambda m: m.lea(rax, x86.ptr[rdi + 8]), {"address"}),
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_instructions(name: str) -> None:
    emit, classes = CLASSES[name]
    data = np.zeros(32, np.uint8)
    counted = dict(call(assembled(AVX2, emit), AVX2, data).classes)
    assert counted.pop("branch") == 1  # the return
    assert set(counted) == classes


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_the_product_of_the_lowest_numbers_saturates(dtype: Any) -> None:
    """2 * lowest^2 needs one bit more than twice the size of an element."""
    info = np.iinfo(dtype)
    data = np.array([info.min, info.max], dtype).repeat(8 // np.dtype(dtype).itemsize)
    view = a64.V[0].h8 if dtype == np.int16 else a64.V[0].s4

    def emit(m: Any) -> None:
        m.ldr(a64.Q[0], a64.mem[X[0]])
        m.sqdmulh(view, view, view)
        m.str(a64.Q[0], a64.mem[X[0]])

    call(assembled(NEON, emit), NEON, data)
    assert set(data.tolist()) == {info.max, 2 * info.max**2 >> info.bits}


# Code that is executed again


@pytest.mark.parametrize("target", [AVX2, NEON], ids=lambda each: each.name)
def test_code_is_decoded_once(target: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    emit = (lambda m: m.mov(rax, 77)) if target is AVX2 else (lambda m: m.mov(X[0], 77))
    code, decoded, decode = assembled(target, emit), [], cpu.decode

    def counted(data: bytes, offset: int, arch: str) -> Any:
        decoded.append(offset)
        return decode(data, offset, arch)

    cpu._instructions.cache_clear()
    monkeypatch.setattr(cpu, "decode", counted)
    assert [call(code, target).result for _ in range(3)] == [77] * 3
    assert len(decoded) == len({*decoded}) == 2


@pytest.mark.parametrize("target", [AVX2, NEON], ids=lambda each: each.name)
def test_the_stack_of_a_call_that_is_gone_is_closed(target: Any) -> None:
    memory = Memory()
    process = cpu.CALLS[target.arch](memory, target, [1] * 20, cpu.BACK)
    assert memory.load(STACK + SMALL_STACK, 8) == 1  # an argument
    del process
    with pytest.raises(MemoryFault):
        memory.load(STACK + SMALL_STACK, 8)


def dynamic(target: Any) -> bytes:
    """Return code that claims 256 KiB of the stack by a register, uses the last word of it, and gives it back."""
    asm = ts.assembler(target.name)
    if target is AVX2:
        asm.mov(rax, 1 << 18)
        asm.sub(rsp, rax)
        asm.mov(x86.qword[rsp], rax)
        asm.add(rsp, rax)
    else:
        asm.load_immediate(X[0], 1 << 18)
        asm.mov(X[1], a64.sp)
        asm.sub(X[1], X[1], X[0])
        asm.mov(a64.sp, X[1])
        asm.str(X[0], a64.mem[a64.sp])
        asm.add(X[1], X[1], X[0])
        asm.mov(a64.sp, X[1])
    asm.ret()
    return asm.finish("code").data


@pytest.mark.parametrize("target", [AVX2, NEON], ids=lambda each: each.name)
def test_stack_that_is_claimed_by_a_register(target: Any) -> None:
    assert call(dynamic(target), target).result == 1 << 18
