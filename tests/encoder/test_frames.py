"""Frames of hand-written code: they are right at every instruction, or, if the walk cannot follow the code, absent."""

from __future__ import annotations

import platform
from collections.abc import Callable

import pytest

from tests.encoder.a64_targets import EVERYTHING as A64
from tests.encoder.targets import EVERYTHING as X86
from tests.oracles import gnu, gnu_a64, tools
from tests.oracles.unwinder import trapped
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import lsl
from tilesmith.encoder.a64.registers import D, Q, W, X, Z, mem, sp, xzr
from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import relocatable
from tilesmith.encoder.listing import listing
from tilesmith.encoder.walk import trace
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.names import bl, eax, ebx, r10, r12, r12d, r13, rax, rbp, rbx, rdi, rdx, rsi, rsp
from tilesmith.encoder.x86.registers import ptr, qword

native = pytest.mark.skipif(platform.machine() != "x86_64", reason="runs what it linked")


def made(write: Callable[..., None]) -> Code:
    """Return the code that a function emits; its name begins with its architecture, `x86_` or `a64_`."""
    asm = X86Assembler(X86) if write.__name__.startswith("x86") else A64Assembler(A64)
    write(asm)
    return asm.finish(write.__name__)


# Code that is followed, x86-64


def x86_pushes(asm: X86Assembler) -> None:
    """Emit two exits with a loop between, and pushes of flags and numbers."""
    out = asm.label()
    asm.endbr64()
    asm.push(rbx)
    asm.push(r12)
    asm.mov(bl, 3)
    with asm.loop(r12, 3):
        asm.pushfq()
        asm.push(7)
        asm.push(r12)
        asm.pop(rax)
        asm.pop(qword[rsi])
        asm.popfq()
    asm.cmp(rbx, rdi)
    asm.je(out)
    asm.pop(r12)
    asm.pop(rbx)
    asm.ret()
    asm.bind(out)
    asm.ud2()


def x86_frame_pointer(asm: X86Assembler) -> None:
    """Emit an alignment of the stack by a mask, and a call of a subroutine that saves a register too."""
    inner = asm.label()
    asm.push(rbp)
    asm.mov(rbp, rsp)
    asm.push(rbx)
    asm.and_(rsp, -64)
    asm.sub(rsp, 256)
    asm.mov(ebx, 5)
    asm.call(inner)
    asm.lea(rsp, ptr[rbp - 8])
    asm.pop(rbx)
    asm.leave()
    asm.ret()
    asm.bind(inner)
    asm.push(r12)
    asm.xor(r12d, r12d)
    asm.pop(r12)
    asm.ret()


def x86_other_pointer(asm: X86Assembler) -> None:
    """Emit code that keeps the stack pointer in another register."""
    asm.mov(rdx, rsp)
    asm.and_(rsp, -4096)
    asm.mov(eax, 70_000)
    asm.sub(rsp, rax)
    asm.mov(ptr[rdx - 16], r13)
    asm.mov(r13, 1 << 40)
    asm.mov(r13, ptr[rdx - 16])
    asm.mov(rsp, rdx)
    asm.ret()


def x86_large(asm: X86Assembler) -> None:
    """Emit a move of the stack pointer by a register, and saves of registers in the red zone and above it."""
    asm.mov(ptr[rsp - 8], rbx)
    asm.mov(ebx, 100_000)
    asm.sub(rsp, rbx)
    asm.mov(ptr[rsp + 64], rbp)
    asm.lea(rbp, ptr[rsp + rbx * 1])
    asm.mov(rbp, ptr[rsp + 64])
    asm.add(rsp, 100_000)
    asm.mov(rbx, ptr[rsp - 8])
    asm.ret()


X86_FUNCTIONS = (x86_pushes, x86_frame_pointer, x86_other_pointer, x86_large)


# Code that is followed, AArch64


def a64_frame_record(asm: A64Assembler) -> None:
    """Emit a signed return address, saves of register pairs, and a subroutine."""
    inner = asm.label()
    asm.paciasp()
    asm.stp(X[29], X[30], mem[sp, -80].pre)
    asm.mov(X[29], sp)
    asm.stp(X[19], X[20], mem[sp, 16])
    asm.stp(Q[8], Q[9], mem[sp, 32])
    asm.str(D[10], mem[sp, 64])
    for number in (19, 20):
        asm.mov(X[number], xzr)
    for number in (8, 9, 10):
        asm.dup(Z[number].s, W[0])
    asm.bl(inner)
    asm.ldr(D[10], mem[sp, 64])
    asm.ldp(Q[8], Q[9], mem[X[29], 32])
    asm.ldp(X[19], X[20], mem[sp, 16])
    asm.ldp(X[29], X[30], mem[sp].post(80))
    asm.autiasp()
    asm.ret()
    asm.bind(inner)
    asm.str(X[21], mem[sp, -16].pre)
    asm.movz(X[21], 1)
    asm.ldr(X[21], mem[sp].post(16))
    asm.ret(X[30])


def a64_vector_lengths(asm: A64Assembler) -> None:
    """Emit a move of the stack pointer by the vector length; the frame pointer still gives the caller's frame."""
    asm.stp(X[29], X[30], mem[sp, -32].pre)
    asm.mov(X[29], sp)
    asm.str(D[8], mem[sp, 16])
    asm.addvl(sp, sp, -2)
    asm.str(Z[8], mem[sp])
    asm.dup(Z[8].d, X[0])
    asm.add(sp, X[29], 0)
    asm.ldr(D[8], mem[sp, 16])
    asm.ldp(X[29], X[30], mem[sp].post(32))
    asm.ret()


def a64_large(asm: A64Assembler) -> None:
    """Emit moves by a shifted immediate, by a register, and by a register in steps of 16, with two exits."""
    out = asm.label()
    asm.sub(sp, sp, 8192)
    asm.str(X[22], mem[sp, 8])
    asm.load_immediate(X[16], 0x1_0010)
    asm.sub(sp, sp, X[16])
    asm.load_immediate(X[22], 4096)
    asm.sub(sp, sp, X[22].extended("uxtx", 4))
    asm.add(sp, sp, 16 * 4096)
    asm.add(sp, sp, X[16])
    asm.ldr(X[22], mem[sp, 8])
    asm.cbz(X[0], out)
    asm.add(sp, sp, 8192)
    asm.ret()
    asm.bind(out)
    asm.udf(0)


A64_FUNCTIONS = (a64_frame_record, a64_vector_lengths, a64_large)


@native
def test_frames_are_right_at_every_instruction(tmp_path):
    functions = [(made(write), ["3", "room[0]"]) for write in X86_FUNCTIONS]
    reached = trapped(tmp_path, functions, "x86")
    assert all(reached[write.__name__] > 0.9 for write in X86_FUNCTIONS)


def test_frames_are_right_at_every_instruction_on_aarch64(tmp_path):
    functions = [(made(write), ["room[0]"]) for write in A64_FUNCTIONS]
    reached = trapped(tmp_path, functions, "a64", "-cpu", "max,pauth-impdef=on")
    assert all(reached[write.__name__] > 0.9 for write in A64_FUNCTIONS)


@pytest.mark.parametrize("write", [*X86_FUNCTIONS, *A64_FUNCTIONS], ids=lambda write: write.__name__)
def test_directives_and_object_have_the_same_tables(tmp_path, write):
    """The directives, assembled by GNU as, and the object give the same tables."""
    code, oracle = made(write), gnu if write in X86_FUNCTIONS else gnu_a64
    (tmp_path / "k.o").write_bytes(relocatable(code))
    tools.run(oracle.ASSEMBLER, "-o", str(tmp_path / "as.o"), "--", stdin=listing(code, "gas"))
    dumps = [tools.run("readelf", "--debug-dump=frames-interp", str(tmp_path / name)) for name in ("k.o", "as.o")]
    tables = [[line for line in dump.stdout.splitlines() if line[:1] in "0 " and "=" not in line] for dump in dumps]
    assert tables[0] == tables[1] and len(tables[0]) > 5
    assert oracle.assemble(listing(code, "gas")) == code.data


# Code that is not followed


def x86_lost_stack(asm: X86Assembler) -> None:
    asm.mov(rsp, rdi)
    asm.ret()


def x86_other_end(asm: X86Assembler) -> None:
    asm.push(rax)
    asm.ret()


def x86_other_jump(asm: X86Assembler) -> None:
    asm.push(rax)
    asm.jmp(rax)


def x86_not_saved(asm: X86Assembler) -> None:
    asm.mov(r10, rbx)
    asm.xor(ebx, ebx)
    asm.mov(rbx, r10)
    asm.ret()


def x86_overwritten(asm: X86Assembler) -> None:
    asm.push(rbx)
    asm.inc(rbx)
    asm.mov(qword[rsp], 1)
    asm.pop(rbx)
    asm.ret()


def x86_below_the_red_zone(asm: X86Assembler) -> None:
    asm.mov(ptr[rsp - 136], rbx)
    asm.inc(rbx)
    asm.mov(rbx, ptr[rsp - 136])
    asm.ret()


def x86_return_address(asm: X86Assembler) -> None:
    asm.mov(ptr[rsp], rax)
    asm.ret()


def x86_ways_differ(asm: X86Assembler) -> None:
    out = asm.label()
    asm.test(rdi, rdi)
    asm.je(out)
    asm.push(rax)
    asm.bind(out)
    asm.ret()


def x86_saved_in_a_loop(asm: X86Assembler) -> None:
    with asm.loop(rdi):
        asm.mov(ptr[rsp - 8], rbx)
        asm.inc(rbx)
    asm.mov(rbx, ptr[rsp - 8])
    asm.ret()


def x86_within(asm: X86Assembler) -> None:
    asm.jmp(1)
    asm.mov(eax, 5)
    asm.ret()


def a64_lost_stack(asm: A64Assembler) -> None:
    asm.mov(sp, X[0])
    asm.ret()


def a64_link(asm: A64Assembler) -> None:
    asm.blr(X[0])
    asm.ret()


def a64_vector(asm: A64Assembler) -> None:
    asm.fmov(D[15], X[0])
    asm.ret()


def a64_signed(asm: A64Assembler) -> None:
    asm.paciasp()
    asm.ret()


def a64_other_key(asm: A64Assembler) -> None:
    asm.pacibsp()
    asm.autibsp()
    asm.ret()


def a64_below_the_stack(asm: A64Assembler) -> None:
    asm.str(X[19], mem[sp, -16].pre)
    asm.add(sp, sp, 16)
    asm.movz(X[19], 1, lsl(16))
    asm.ldur(X[19], mem[sp, -16])
    asm.ret()


def a64_half(asm: A64Assembler) -> None:
    asm.str(W[19], mem[sp, -16].pre)
    asm.movz(X[19], 1)
    asm.ldr(W[19], mem[sp].post(16))
    asm.ret()


def a64_streaming(asm: A64Assembler) -> None:
    asm.smstart()
    asm.smstop()
    asm.ret()


STACK, REGISTER, END = (
    "no register is known to point into the frame",
    "not in the frame",
    "the stack is not as it began",
)
REASONS = {
    x86_lost_stack: STACK,
    x86_other_end: END,
    x86_other_jump: END,
    x86_not_saved: REGISTER,
    x86_overwritten: REGISTER,
    x86_below_the_red_zone: REGISTER,
    x86_return_address: REGISTER,
    x86_ways_differ: STACK,
    x86_saved_in_a_loop: REGISTER,
    x86_within: "no instruction begins at 0x3",
    a64_lost_stack: STACK,
    a64_link: REGISTER,
    a64_vector: REGISTER,
    a64_signed: END,
    a64_other_key: REGISTER,
    a64_below_the_stack: REGISTER,
    a64_half: REGISTER,
    a64_streaming: REGISTER,
}


@pytest.mark.parametrize(("write", "reason"), REASONS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_code_that_is_not_followed_has_no_frames(tmp_path, write, reason):
    code = made(write)
    assert reason in trace(code).lost
    source = listing(code, "gas")
    assert ".cfi" not in source and f"no call frame information: {trace(code).lost}" in source
    path = tmp_path / "k.o"
    path.write_bytes(relocatable(code))
    done = tools.run("readelf", "-SnW", str(path))
    assert ".eh_frame" not in done.stdout and "SHSTK" not in done.stdout and not done.stderr
