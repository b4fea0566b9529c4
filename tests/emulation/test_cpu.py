"""The emulator around the instructions: arguments, memory, faults, limits, counts, the calling conventions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.cpu import AbiViolation, Fault, Pointers, Region, address_of, call, execute
from tilesmith.emulation.numerics import amx
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.targets import TARGETS as A64_TARGETS
from tilesmith.encoder.features import TARGETS, Target, closure
from tilesmith.encoder.operands import Label
from tilesmith.encoder.x86 import registers as x86
from tilesmith.encoder.x86.assembler import X86Assembler

AVX2, AVX512, NEON, SVE = TARGETS["avx2"], TARGETS["avx512"], A64_TARGETS["neon"], A64_TARGETS["sve256"]
TILES = Target("tiles", "x86", "avx512", AVX512.features | closure(["AMX_BF16", "AMX_INT8"]), 512, 512)
R = {reg.name: reg for reg in x86.R64}
rdi, rsi, rax, rcx, rsp, rbx = (R[name] for name in ("rdi", "rsi", "rax", "rcx", "rsp", "rbx"))
X = a64.X


def assembled(target: Target, emit: Callable[[Any], None], ends: bool = True) -> bytes:
    """The bytes of what `emit` appends, and a return."""
    asm: Any = (X86Assembler if target.arch == "x86" else A64Assembler)(target)
    emit(asm)
    if ends:
        asm.ret()
    return bytes(asm.finish("test").data)


def fault_of(code: bytes, target: Target, *arguments: Any, **options: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        call(code, target, *arguments, **options)
    return caught.value


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


# Memory


def copying(size: int) -> bytes:
    """rdi to rsi, `size` bytes from each: with one instruction."""
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


def test_gaps_of_a_view_belong_to_nobody() -> None:
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


def test_what_must_not_be_written_is_not() -> None:
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
    """Elements under clear bits lie outside of the operand."""
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
    assert "no multiple of 16" in fault_of(down, NEON).reason


def test_the_stack_ends_where_the_convention_says() -> None:
    """128 bytes below rsp on x86-64, at sp on AArch64; above it the frame of the caller begins with the arguments."""
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


# What is no instruction, or never ends


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
    assert "add a line" in fault.reason
    newer = Target("newer", "a64", "sve", SVE.features | {"SVE2", "SME2_OR_SVE2p1"}, 256, 256)
    dot = assembled(newer, lambda m: m.sdot(a64.Z[0].s, a64.Z[1].h, a64.Z[2].h))
    assert "add a line" in fault_of(dot, newer).reason


def test_divisions_fault_as_they_should() -> None:
    code = assembled(AVX2, lambda m: (m.mov(rax, rdi), m.cqo(), m.idiv(rsi)))
    assert call(code, AVX2, -7, 2).result == -3
    assert "zero" in fault_of(code, AVX2, 1, 0).reason
    assert "does not fit" in fault_of(code, AVX2, -(1 << 63), -1).reason


# Tiles


def tiles(config: bytes, shift: int = 0) -> bytes:
    """A configuration, at a multiple of 64 bytes or `shift` behind it."""

    def emit(m: Any) -> None:
        m.ldtilecfg(x86.ptr[rdi + shift])
        m.tilerelease()

    return assembled(TILES, emit)


def aligned(data: bytes) -> Any:
    """The bytes at a multiple of 64, with 64 behind them."""
    room = np.zeros(len(data) + 128, np.uint8)
    at = -address_of(room) % 64
    room[at : at + len(data)] = np.frombuffer(data, np.uint8)
    return room[at : at + len(data) + 64]


def test_wrong_tile_configurations_are_reported() -> None:
    right = amx.config({0: (16, 64)})
    call(tiles(right), TILES, aligned(right))
    assert "not aligned to 64" in fault_of(tiles(right, 8), TILES, aligned(right)).reason
    for wrong in (
        amx.config({0: (17, 64)}),
        amx.config({0: (16, 65)}),
        amx.config({0: (16, 0)}),
        amx.config({}, palette=2),
    ):
        fault = fault_of(tiles(wrong), TILES, aligned(wrong))
        assert "#GP" in fault.reason
        assert "ldtilecfg" in fault.text
    assert "no tiles are configured" in fault_of(assembled(TILES, lambda m: m.tilezero(x86.TMM[0])), TILES).reason


def test_tiles_multiply() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (3, 8), np.int8), rng.integers(-128, 128, (8, 5), np.int8)
    packed = np.ascontiguousarray(b.reshape(2, 4, 5).transpose(0, 2, 1))  # quads along k
    c = rng.integers(-100, 100, (3, 5), np.int32)
    expected = c + a.astype(np.int32) @ b.astype(np.int32)
    config = aligned(amx.config({0: (3, 20), 1: (3, 8), 2: (2, 20)}))
    t, strides = x86.TMM, (20, 8, 20)

    def emit(m: Any) -> None:
        m.ldtilecfg(x86.ptr[rdi])
        for tile, base, stride in zip(t, (R["rcx"], R["rsi"], R["rdx"]), strides):
            m.mov(R["r11"], stride)
            m.tileloadd(tile, x86.ptr[base + R["r11"]])
        m.tdpbssd(t[0], t[1], t[2])
        m.mov(R["r11"], 20)
        m.tilestored(x86.ptr[R["rcx"] + R["r11"]], t[0])
        m.tilerelease()

    call(assembled(TILES, emit), TILES, config, a, packed, c)
    assert c.tolist() == expected.tolist()


def test_tiles_left_configured_are_a_violation() -> None:
    config = aligned(amx.config({0: (16, 64)}))
    with pytest.raises(AbiViolation, match="tilerelease"):
        call(assembled(TILES, lambda m: m.ldtilecfg(x86.ptr[rdi])), TILES, config)


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


def test_mxcsr_holds_for_what_follows() -> None:
    """Denormals are flushed while the control register says so."""
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
    """64 x 16 x 8: as many fused multiply-adds as the vectors allow, and no more stores than chunks of C."""
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


def test_regions_are_what_may_be_touched() -> None:
    """execute() takes integers as a native call does: an address in no region is a fault."""
    a, b, c = (np.ones((4, 4), np.float32) for _ in range(3))
    kernel = ts.brgemm(4, 4, 4, target="avx2")
    integers = [address_of(x) for x in (a, b, c)]
    execute(kernel.code, kernel.target, integers, [Region("a", a, False), Region("b", b, False), Region("c", c)])
    assert (c == 5).all()
    with pytest.raises(Fault, match=r"reads .* (a|c)"):
        execute(kernel.code, kernel.target, integers, [Region("a", a, False), Region("c", c)])


# SME


def test_outer_products_are_those_of_the_server(aarch64: Any) -> None:
    """za1.s += rows (x) columns under predicates, loads and stores of rows and columns, streaming mode on and off."""
    target = Target("sme", "a64", "sme", SVE.features | A64_TARGETS["neon_bf16"].features | {"SME"}, 256, 256)
    if aarch64.features().get("SME") or 256 not in aarch64.streaming_lengths():
        pytest.skip("the server's processor has no SME of 256 bits")
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((2, 8)).astype(np.float32), rng.standard_normal((2, 8)).astype(np.float32)
    c = rng.standard_normal((8, 8)).astype(np.float32)
    w, z, p, tile = a64.W, a64.Z, a64.P, a64.ZA[1].s

    def emit(m: Any) -> None:
        m.sub(a64.sp, a64.sp, 64)
        for i in range(4):
            m.stp(a64.D[8 + 2 * i], a64.D[9 + 2 * i], a64.mem[a64.sp, 16 * i])
        m.smstart()
        m.zero(a64.za)
        m.movz(X[9], 7)
        m.whilelo(p[0].s, a64.xzr, X[9])
        m.ptrue(p[1].s)
        m.movz(w[12], 0)
        for row in range(4):
            m.ld1w(tile.h[w[12], row], p[1].z, a64.mem[X[2]])
            m.add(X[2], X[2], 32)
        for k in range(2):
            m.ldr(z[0], a64.mem[X[0], k * a64.vl])
            m.ldr(z[1], a64.mem[X[1], k * a64.vl])
            m.fmopa(tile, p[0].m, p[1].m, z[0].s, z[1].s)
        m.mova(z[2].s, p[1].m, tile.v[w[12], 1])
        m.str(z[2], a64.mem[X[3]])
        for row in range(4):
            m.st1w(tile.h[w[12], row], p[0], a64.mem[X[4]])
            m.add(X[4], X[4], 32)
        m.smstop()
        for i in range(4):
            m.ldp(a64.D[8 + 2 * i], a64.D[9 + 2 * i], a64.mem[a64.sp, 16 * i])
        m.add(a64.sp, a64.sp, 64)

    code = assembled(target, emit)
    results = []
    for run in (lambda *x: call(code, target, *x), lambda *x: aarch64.call(code, *x, streaming_bits=256)):
        column, rows = np.zeros(8, np.float32), np.zeros((4, 8), np.float32)
        run(a, b, c[:4].copy(), column, rows)
        results.append((column, rows))
    assert results[0][0].tobytes() == results[1][0].tobytes()
    assert results[0][1].tobytes() == results[1][1].tobytes()
    expected = c[:4] + a[:, :4].T @ b
    np.testing.assert_allclose(results[0][1][:, :7], expected[:, :7], rtol=1e-5)
    with pytest.raises(AbiViolation, match="svcr"):
        call(assembled(target, lambda m: m.smstart()), target)


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_the_product_of_the_lowest_numbers_saturates(dtype: Any) -> None:
    """2 * lowest^2 needs one bit more than twice the element's size."""
    info = np.iinfo(dtype)
    data = np.array([info.min, info.max], dtype).repeat(8 // np.dtype(dtype).itemsize)
    view = a64.V[0].h8 if dtype == np.int16 else a64.V[0].s4

    def emit(m: Any) -> None:
        m.ldr(a64.Q[0], a64.mem[X[0]])
        m.sqdmulh(view, view, view)
        m.str(a64.Q[0], a64.mem[X[0]])

    call(assembled(NEON, emit), NEON, data)
    assert set(data.tolist()) == {info.max, 2 * info.max**2 >> info.bits}
