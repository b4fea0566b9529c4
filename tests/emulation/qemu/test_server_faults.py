"""Accesses beside the arguments, crashes and broken calling conventions end one call, with an explanation."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.emulation.qemu.server_code import add_four, emitted, raises, running, sides, still_works, three
from tilesmith.emulation.qemu import guest
from tilesmith.emulation.qemu.buffers import SIDES
from tilesmith.emulation.qemu.faults import (
    AbiViolation,
    CallTimeout,
    GuestFault,
    ServerError,
    StrayWrite,
)
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import D, Q, V, W, X, mem, sp
from tilesmith.encoder.a64.targets import TARGETS

# Accesses beside the arguments


def test_over_read_by_one_byte(aarch64):
    x, y, z = three()
    with raises(GuestFault, r"SIGSEGV at offset 0x4: `ldr q1, \[x1\]` reads 1 byte behind b$") as caught:
        aarch64.call(emitted(add_four), x, y.view(np.uint8)[:15], z, names=("a", "b", "c"))
    assert (caught.value.signal, caught.value.offset) == ("SIGSEGV", 4)
    assert caught.value.registers["x1"] == caught.value.address - 15
    assert still_works(aarch64)


def test_over_read_of_a_leading_dimension(aarch64):
    """The padding behind the last row is outside the argument."""
    whole = np.zeros((4, 8), np.float32)
    code = emitted(lambda asm: asm.ldr(Q[0], mem[X[0], X[1]]))
    aarch64.call(code, whole[:, :4], 3 * 32)
    with raises(GuestFault, "reads 1 byte behind argument 0"):
        aarch64.call(code, whole[:, :3], 3 * 32)


def test_under_read(aarch64):
    code = emitted(lambda asm: asm.ldur(W[9], mem[X[0], -4]))
    with raises(GuestFault, "reads 4 bytes before argument 0"):
        aarch64.call(code, np.zeros(4, np.int32), side="start")


def test_far_reads(aarch64):
    """An access that is a whole block too far is still reported beside its array."""
    code = emitted(lambda asm: asm.ldr(W[9], mem[X[0], X[1]]))
    for offset in (4096, 65536, (1 << 20) - 8, -4096, -(1 << 20)):
        for side in SIDES:
            with raises(GuestFault, "reads .* (behind|before) b"):
                aarch64.call(code, np.zeros(1024, np.int32), offset, 0, side=side, names=("b",))


@pytest.mark.parametrize("side, offset, where", [("end", -4, "4 before its first"), ("start", 16, "1 behind its last")])
def test_stray_writes_on_mapped_pages(aarch64, side, offset, where):
    x = np.zeros(4, np.int32)
    with raises(StrayWrite, f"wrote beside x: {where}"):
        aarch64.call(emitted(lambda asm: asm.str(W[1], mem[X[0], X[2]])), x, 0, offset, side=side, names=("x",))
    for _ in range(2):  # later users of these pages are not blamed
        aarch64.call(emitted(lambda asm: asm.nop()), x, side=side)


@sides
def test_stray_write_in_a_gap(aarch64, side):
    whole = np.zeros((3, 4), np.int32)
    code = emitted(lambda asm: asm.str(W[1], mem[X[0], X[2]]))
    aarch64.call(code, whole[:, :3], 5, 16, side=side)
    with raises(StrayWrite, "byte 12 from element 0, in a gap"):
        aarch64.call(code, whole[:, :3], 5, 12, side=side)
    assert whole.tolist() == [[0, 0, 0, 0], [5, 0, 0, 0], [0, 0, 0, 0]]
    aarch64.call(emitted(lambda asm: asm.nop()), whole[:, :3], side=side)


def test_stray_reads_give_nan(aarch64):
    """The memory beside an array on its pages holds NaN, neither 0 nor a number."""
    seen = np.zeros(1, np.float32)
    code = emitted(lambda asm: (asm.ldur(W[9], mem[X[0], -4]), asm.str(W[9], mem[X[1]])))
    aarch64.call(code, np.zeros(4, np.float32), seen, side="end")
    assert np.isnan(seen[0])


def test_read_only_arrays(aarch64):
    x, y, z = three()
    z.setflags(write=False)
    with raises(GuestFault, r"`str q0, \[x2\]` writes byte 0 of z, which is read-only"):
        aarch64.call(emitted(add_four), x, y, z, names=("x", "y", "z"))
    assert z.tolist() == [0, 0, 0, 0]


def test_a_fault_leaves_the_arrays_alone(aarch64):
    x, y, z = three()
    with raises(GuestFault, "near null"):
        aarch64.call(
            emitted(lambda asm: (add_four(asm), asm.load_immediate(X[9], 0), asm.ldr(X[9], mem[X[9]]))), x, y, z
        )
    assert not z.any()


# Crashes


CRASHES = {
    "null load": (lambda asm: (asm.load_immediate(X[0], 0), asm.ldr(X[0], mem[X[0]])), "reads address 0x0, near null"),
    "null store": (lambda asm: (asm.load_immediate(X[0], 0), asm.str(X[0], mem[X[0], 8])), "writes address 0x8, near"),
    "junk pointer": (lambda asm: asm.ldr(X[0], mem[X[9]]), "SIGSEGV.*far from every argument"),
    "jump into data": (lambda asm: asm.br(X[0]), "SIGSEGV: jumped to byte 0 of argument 0$"),
    "call into data": (lambda asm: asm.blr(X[0]), "jumped to byte 0 of argument 0, last call from offset 0x0"),
    "jump to null": (lambda asm: (asm.load_immediate(X[0], 0), asm.br(X[0])), "jumped to address 0x0, near null"),
    "illegal instruction": (lambda asm: asm.udf(0), "SIGILL at offset 0x0: `udf #0` cannot be executed"),
    "breakpoint": (lambda asm: asm.brk(1), "SIGTRAP at offset 0x0"),
    "write to code": (
        lambda asm: (asm.adr(X[9], asm.here()), asm.str(X[9], mem[X[9]])),
        "writes byte 0 of the code, which",
    ),
    "stack overflow": (
        lambda asm: (
            asm.load_immediate(X[9], guest.STACK_SIZE),
            asm.sub(sp, sp, X[9].extended("uxtx")),
            asm.str(X[9], mem[sp]),
        ),
        "writes .* before the stack",
    ),
}


@pytest.mark.parametrize("emit, message", CRASHES.values(), ids=CRASHES)
def test_crashes_cost_one_call(aarch64, emit, message):
    process = running(aarch64)
    for _ in range(3):
        with raises(GuestFault, message):
            aarch64.call(emitted(emit), np.zeros(4, np.int32))
    assert still_works(aarch64)
    assert running(aarch64) is process


def test_running_off_the_end_of_the_code(aarch64):
    asm = A64Assembler(TARGETS["neon"])
    for _ in range(1024):
        asm.nop()
    with raises(GuestFault, "SIGILL: jumped to 1 byte behind the code"):
        aarch64.call(asm.finish())
    assert still_works(aarch64)


def test_a_fault_in_streaming_mode(aarch64):
    if aarch64.features()["SME"]:
        pytest.skip(f"SME: {aarch64.features()['SME']}")
    with raises(GuestFault, "SIGILL"):
        aarch64.call(bytes.fromhex("7f4703d5 00000000"))  # smstart, udf #0
    assert still_works(aarch64)
    with raises(AbiViolation, "svcr holds 0x3, not 0x0"):
        aarch64.call(bytes.fromhex("7f4703d5 c0035fd6"))  # smstart, ret
    assert still_works(aarch64)


@pytest.mark.slow
def test_endless_loop(aarch64):
    start = time.monotonic()
    with raises(CallTimeout, "no answer within 0.5 s"):
        aarch64.call(emitted(lambda asm: asm.b(asm.here())), timeout=0.5)
    assert still_works(aarch64)
    assert time.monotonic() - start < 30


def test_a_kernel_that_ends_the_process(aarch64):
    code = emitted(lambda asm: (asm.load_immediate(X[0], 3), asm.load_immediate(X[8], 94), asm.svc(0)))  # exit_group
    with raises(ServerError, "the guest has ended with status 3"):
        aarch64.call(code)
    assert still_works(aarch64)


def test_a_killed_guest(aarch64):
    aarch64.start()
    aarch64._process._process.kill()
    aarch64._process._process.wait()
    assert still_works(aarch64)


# The calling convention


VIOLATIONS = {
    **{f"x{i}": lambda asm, i=i: asm.add(X[i], X[i], 1) for i in range(18, 30)},
    **{f"d{i}": lambda asm, i=i: asm.fmov(D[i], D[(i + 1) % 32]) for i in range(8, 16)},
    "sp": lambda asm: asm.sub(sp, sp, 16),
    "fpcr": lambda asm: (asm.load_immediate(X[0], 1 << 24), asm.msr(SYSTEM_REGISTERS["fpcr"], X[0])),
}


@pytest.mark.parametrize("register", VIOLATIONS)
def test_clobbered_registers(aarch64, register):
    with raises(AbiViolation, f"did not preserve {register}: {register} holds 0x") as caught:
        aarch64.call(emitted(VIOLATIONS[register]))
    assert list(caught.value.registers) == [register]
    assert still_works(aarch64)


def test_clobbered_frame_of_the_caller(aarch64):
    with raises(AbiViolation, "caller's stack frame"):
        aarch64.call(emitted(lambda asm: asm.str(X[0], mem[sp])))
    with raises(AbiViolation, "caller's stack frame"):
        aarch64.call(emitted(lambda asm: asm.str(X[0], mem[sp, 8])), *range(9))
    assert still_works(aarch64)


def test_registers_that_a_callee_may_change(aarch64):
    """x0 to x17, all of v0 to v31 but the low halves of v8 to v15, predicates, flags and its own stack may change."""

    def emit(asm):
        for i in range(18):
            asm.load_immediate(X[i], i)
        for i in (*range(8), *range(16, 32)):
            asm.movi(V[i].b16, i)
        for i in range(8, 16):
            asm.mov(V[i].d[1], X[i])
        asm.cmp(X[0], 1)
        asm.stp(X[0], X[1], mem[sp, -16].pre)
        asm.ldp(X[0], X[1], mem[sp].post(16))

    aarch64.call(emitted(emit))


def test_registers_hold_junk_on_entry(aarch64):
    """No register is 0 by chance: every float in a vector register is a NaN, and no register is a pointer."""
    floats, words = np.zeros((32, 4), np.float32), np.zeros(30, np.uint64)

    def emit(asm):
        for i in range(32):
            asm.str(Q[i], mem[X[0], 16 * i])
        for i in (i for i in range(2, 30) if i != 16):
            asm.str(X[i], mem[X[1], 8 * i])

    aarch64.call(emitted(emit), floats, words)
    assert (
        np.isnan(floats).all() and np.isnan(floats.view(np.float16)).all() and np.isnan(floats.view(np.float64)).all()
    )
    used = np.delete(words, [0, 1, 16])
    assert (used >> np.uint64(32) == 0x0FF5).all() and len(set(used.tolist())) == len(used)
