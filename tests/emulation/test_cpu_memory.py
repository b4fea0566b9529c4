"""Memory that emulated code may touch: operands but not the gaps of views, active elements, and the stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.emulation.assembled import AVX2, AVX512, NEON, SVE, X, assembled, fault_of, rax, rdi, rsi, rsp
from tilesmith.emulation.cpu import Fault, Region, address_of, call, execute
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.x86 import registers as x86


def copying(size: int) -> bytes:
    """Return code that copies `size` bytes from rdi to rsi with one load and one store."""
    reg = {16: x86.XMM, 32: x86.YMM}[size][0]
    return assembled(AVX2, lambda m: (m.vmovups(reg, x86.ptr[rdi]), m.vmovups(x86.ptr[rsi], reg)))


@pytest.mark.parametrize("short", range(1, 9))
def test_a_byte_beside_an_operand_is_a_fault(short: int) -> None:
    source, result = np.zeros(40 - short, np.uint8), np.zeros(32, np.uint8)
    source.flags.writeable = False
    at = source[8:]
    fault = fault_of(copying(32), AVX2, at, result, names=("x", "y"))
    assert (fault.name, fault.outside, fault.address) == ("x", short, address_of(at))
    assert "vmovups" in fault.text
    assert fault.offset == 0
    fault = fault_of(copying(32), AVX2, result, np.zeros(32 - short, np.uint8), names=("x", "y"))
    assert (fault.name, fault.outside) == ("y", short)
    code = assembled(AVX2, lambda m: m.vmovups(x86.YMM[0], x86.ptr[rdi - short]))
    fault = fault_of(code, AVX2, result, names=("x",))
    assert (fault.name, fault.outside) == ("x", short)
    assert f"{short} before" in fault.reason


def test_gaps_of_a_view_must_not_be_touched() -> None:
    matrix = np.zeros((3, 8), np.float32)[:, :5]
    code = assembled(AVX2, lambda m: m.vmovups(x86.XMM[0], x86.ptr[rdi + rsi]))
    for column in range(2):
        call(code, AVX2, matrix, 4 * column)
    for column in (2, 3, 4):
        fault = fault_of(code, AVX2, matrix, 4 * column, names=("m",))
        assert fault.outside == 4 * (column - 1)
        assert "between its elements" in fault.reason
    code = assembled(AVX2, lambda m: m.mov(x86.dword[rdi + 20], x86.R32[0]))
    assert "between its elements" in fault_of(code, AVX2, matrix).reason


def test_operands_may_overlap_and_strides_be_negative() -> None:
    data = np.arange(10, dtype=np.int64)
    code = assembled(AVX2, lambda m: (m.mov(rax, x86.qword[rdi]), m.mov(x86.qword[rsi], rax)))
    inner = data[2:6]
    inner.flags.writeable = False
    call(code, AVX2, inner, data[4:])
    assert data[4] == 2
    backwards = data[::-1]
    call(code, AVX2, backwards, backwards[3:])
    assert data[6] == 9


def test_read_only_operands_are_not_written() -> None:
    data = np.zeros(4)
    data.flags.writeable = False
    fault = fault_of(copying(32), AVX2, np.zeros(4), data, names=("x", "y"))
    assert "y, which cannot be written" in fault.reason


def test_a_fault_leaves_arrays_as_they_were() -> None:
    result, code = np.zeros(4), assembled(AVX2, lambda m: (m.mov(x86.qword[rdi], rsp), m.mov(x86.qword[rdi + 32], rsp)))
    fault_of(code, AVX2, result)
    assert not result.any()


@pytest.mark.parametrize("mask", [0b1, 0b1110, 0b10000001, 0])
def test_masked_elements_are_not_touched(mask: int) -> None:
    """Elements under clear bits of the mask lie outside the operand."""
    k1, some = x86.K[1], max(mask.bit_length(), 1)
    source, result = np.arange(some, dtype=np.float32), np.full(some, -1, np.float32)

    def emit(m: Any) -> None:
        m.kmovw(k1, x86.R32[2])
        m.vmovups(x86.YMM[20].kz(k1), x86.ptr[rdi])
        m.vaddps(x86.YMM[20].kz(k1), x86.YMM[20], x86.ptr[rdi])
        m.vmovups(x86.ptr[rsi].k(k1), x86.YMM[20])

    call(assembled(AVX512, emit), AVX512, source, result, mask)
    expected = [2 * i if mask >> i & 1 else -1 for i in range(some)]
    assert result.tolist() == expected


def test_predicated_elements_are_not_touched() -> None:
    source, result = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)

    def emit(m: Any) -> None:
        m.movz(X[9], 5)
        m.whilelo(a64.P[0].s, a64.xzr, X[9])
        m.ld1w(a64.listed(a64.Z[0].s), a64.P[0].z, a64.mem[X[0]])
        m.st1w(a64.listed(a64.Z[0].s), a64.P[0], a64.mem[X[1]])

    call(assembled(SVE, emit), SVE, source, result)
    assert result.tolist() == source.tolist()


def test_aligned_moves_need_alignment() -> None:
    data = np.zeros(128, np.uint8)
    at = -address_of(data) % 32
    code = assembled(AVX2, lambda m: m.vmovaps(x86.YMM[0], x86.ptr[rdi]))
    call(code, AVX2, data[at : at + 32])
    assert "must be a multiple of 32" in fault_of(code, AVX2, data[at + 4 :]).reason
    down = assembled(NEON, lambda m: (m.sub(a64.sp, a64.sp, 8), m.str(X[0], a64.mem[a64.sp])))
    assert "not a multiple of 16" in fault_of(down, NEON).reason


def test_the_stack_ends_where_the_convention_says() -> None:
    """It ends 128 bytes below rsp on x86-64 and at sp on AArch64; above lie the caller's frame and arguments."""
    call(assembled(AVX2, lambda m: m.mov(x86.qword[rsp - 128], rax)), AVX2)
    for code, target in (
        (assembled(AVX2, lambda m: m.mov(x86.qword[rsp - 136], rax)), AVX2),
        (assembled(NEON, lambda m: m.stur(X[1], a64.mem[a64.sp, -8])), NEON),
    ):
        assert "below the end of the stack" in fault_of(code, target).reason
    for code, target in (
        (assembled(AVX2, lambda m: m.mov(x86.qword[rsp + 8], rax)), AVX2),
        (assembled(NEON, lambda m: m.str(X[1], a64.mem[a64.sp])), NEON),
    ):
        assert fault_of(code, target).outside == 8


def test_only_regions_may_be_touched() -> None:
    """execute() takes integers like a native call: an address in no region is a fault."""
    a, b, c = (np.ones((4, 4), np.float32) for _ in range(3))
    kernel = ts.brgemm(4, 4, 4, target="avx2")
    integers = [address_of(x) for x in (a, b, c)]
    execute(kernel.code, kernel.target, integers, [Region("a", a, False), Region("b", b, False), Region("c", c)])
    assert (c == 5).all()
    with pytest.raises(Fault, match=r"reads .* (a|c)"):
        execute(kernel.code, kernel.target, integers, [Region("a", a, False), Region("c", c)])
