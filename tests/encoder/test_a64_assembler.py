"""Labels, loops, constants, listings and objects of the AArch64 assembler; emitted code runs under qemu."""

from __future__ import annotations

import random
import re
import struct

import pytest

from tests.encoder.a64_targets import EVERYTHING
from tests.frames import frames
from tests.oracles import gnu_a64, tools
from tilesmith.encoder.a64 import abi
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import EQ, SYSTEM_REGISTERS, lsl
from tilesmith.encoder.a64.registers import ZA, B, D, P, Q, S, V, W, X, Z, listed, mem, sp, tiles, vl, xzr, za
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import relocatable
from tilesmith.encoder.listing import listing


def program(name: str = "program") -> Code:
    """Return code with loops, branches, a pool, notes, padding, every kind of operand, and rows that GNU as lacks."""
    asm = A64Assembler(EVERYTHING)
    end = asm.label("end")
    asm.note("entry: nothing to do for 0")
    asm.cbz(X[1], end)
    asm.tbz(X[1], 40, end)
    asm.adr(X[2], end)
    with asm.loop(X[9], 0x1_2345_0000, align=32):
        asm.note("k loop")
        asm.ldp(Q[0], Q[1], mem[X[0]].post(32))
        asm.ldr(D[2], mem[sp, W[3].sxtw(3)])
        asm.fmla(V[0].s4, V[1].s4, V[2].s[3])
        asm.ld4(listed(V[30].b, V[31].b, V[0].b, V[1].b)[15], mem[X[0]].post(X[4]))
        asm.ld1w(listed(Z[0].s), P[0].z, mem[X[0], -8 * vl])
        asm.ld1d(listed(Z[0].d), P[7].z, mem[Z[1].d, 248])
        asm.fmla(Z[0].s, P[1].m, Z[1].s, Z[31].s)
        asm.fcadd(V[0].s4, V[1].s4, V[2].s4, 90)
        asm.fmopa(ZA[3].s, P[0].m, P[1].m, Z[0].s, Z[1].s)
        asm.mova(ZA[1].d.v[W[15], 1], P[2].m, Z[3].d)
        asm.fmla(za.s[W[8], 7, 4], listed(Z[0].s, Z[1].s, Z[2].s, Z[3].s), Z[15].s)
        asm.zero(tiles(ZA[1].d, ZA[7].d))
        asm.and_(X[0], X[1], 0xFF00FF00FF00FF00)
        asm.add(X[0], sp, X[1].lsl(3))
        asm.movk(X[0], 1, lsl(48))
        asm.csel(X[0], X[1], xzr, EQ)
        asm.msr(SYSTEM_REGISTERS["fpcr"], X[0])
        asm.fmov(S[0], -0.125)
    asm.ldr(Q[3], asm.const(struct.pack("<4f", 1, 2, 3, 4)))
    asm.ldr(D[3], asm.const_f64(2.5))
    asm.ldr(S[3], asm.const_f32(-0.5))
    asm.const(b"odd")
    asm.bind(end)
    asm.b(8)
    asm.cbnz(W[1], -4)
    asm.ret()
    asm.note("behind the code")
    return asm.finish(name)


@pytest.mark.parametrize("name", ["program", "x0", "and", "sp", "brgemm 64x48 (f32)", "4mm", "größe", "a-b.c"])
def test_gas_reassembles_to_the_same_bytes_under_any_name(name: str):
    code = program(name)
    assert gnu_a64.assemble(listing(code, "gas")) == code.data


@pytest.mark.parametrize("label", ["x0", "loop", "v0.4s", "1st", "a b", "z0", "größe", "lsl", ".LC0"])
def test_gas_labels_are_legal_and_unique(label: str):
    asm = A64Assembler(EVERYTHING)
    first, second = asm.here(label), asm.label(label)
    asm.b(first)
    asm.b_ne(second)
    asm.ldr(D[0], asm.const_f64(1.0))
    asm.bind(second)
    code = asm.finish()
    assert gnu_a64.assemble(listing(code, "gas")) == code.data


def test_listing_shows_offset_bytes_text_and_notes():
    code = program()
    lines = listing(code).splitlines()
    for instruction in code.instructions:
        shown = [line for line in lines if line.startswith(f"{instruction.offset:6x}  {instruction.data.hex(' ')}")]
        assert len(shown) == 1 and instruction.form.mnemonic in shown[0]
    assert next(line for line in lines if "cbz x1, .Lend" in line).endswith("; entry: nothing to do for 0")


def test_padding_is_nops_and_the_pool_is_aligned():
    code = program()
    start = next(i.offset for i in code.instructions if i.form.mnemonic == "ldp")
    assert start % 32 == 0
    assert all(entry.offset % len(entry.data) == 0 for entry in code.pool if len(entry.data) != 3)
    assert code.features >= {"NEON", "SVE", "SME", "SME2"}


def test_every_named_target_assembles_what_it_has():
    for target in TARGETS.values():
        asm = A64Assembler(target)
        asm.fmla(V[0].s4, V[1].s4, V[2].s[0])
        if target.isa == "sve":
            asm.fmla(Z[0].s, P[0].m, Z[1].s, Z[2].s)
        asm.finish()


def weighted_sum(name: str = "weighted_sum") -> Code:
    """Return long weighted_sum(const long *x, long n), the sum of x[i] * 7 for n >= 1, with 7 in the constant pool."""
    asm = A64Assembler(TARGETS["neon"])
    x, n = abi.ARGUMENTS[:2]
    total, value, weight = abi.SCRATCH[:3]
    asm.ldr(weight, asm.const(struct.pack("<q", 7)))
    asm.mov(total, xzr)
    with asm.loop(n, align=16):  # type: ignore[arg-type]
        asm.ldr(value, mem[x].post(8))
        asm.madd(total, value, weight, total)
    asm.mov(abi.RESULT, total)
    asm.ret()
    return asm.finish(name)


# A program without a C library: it prints 64-bit numbers as hexadecimal lines.
_C = """
    static long call(long number, long a, const void *b, long c) {
        register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x2 __asm__("x2") = c;
        register const void *x1 __asm__("x1") = b;
        __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
        return x0;
    }
    static void print(unsigned long value) {
        char line[17];
        for (int i = 15; i >= 0; i--, value >>= 4) line[i] = "0123456789abcdef"[value & 15];
        line[16] = '\\n';
        call(64, 1, line, 17);
    }
    %s
    void _start(void) { run(); call(93, 0, 0, 0); }
"""


def printed(tmp_path, code: Code, source: str) -> list[int]:
    """Return the numbers that `run` prints, a C function that is linked with the code and executed by the emulator."""
    kernel, main, program = (tmp_path / name for name in ("kernel.o", "main.c", "program"))
    kernel.write_bytes(relocatable(code))
    main.write_text(_C % source)
    flags = ("-O1", "-Wall", "-Werror", "-static", "-nostdlib", "-ffreestanding", "-Wl,--fatal-warnings")
    tools.run("aarch64-linux-gnu-gcc", *flags, "-o", str(program), str(main), str(kernel))
    return [int(line, 16) for line in tools.run("qemu-aarch64", "-cpu", "max", str(program)).stdout.split()]


def test_called_from_c(tmp_path):
    source = """
        extern long weighted_sum(const long *, long);
        static void run(void) { static long x[] = {1, 2, 30}; print(weighted_sum(x, 3)); }
    """
    assert printed(tmp_path, weighted_sum(), source) == [7 * (1 + 2 + 30)]


def test_numbers_arrive_in_registers(tmp_path):
    rng = random.Random(4)
    values = [rng.choice((0, 0xFFFF, rng.getrandbits(16))) << 16 * rng.randrange(4) for _ in range(20)]
    values += [rng.getrandbits(64) for _ in range(10)] + [~value & (1 << 64) - 1 for value in values]
    asm = A64Assembler(TARGETS["neon"])
    for value in values:
        asm.load_immediate(X[1], value)
        asm.str(X[1], mem[X[0]].post(8))
    asm.ret()
    source = f"""
        extern void numbers(unsigned long *);
        static unsigned long x[{len(values)}];
        static void run(void) {{ numbers(x); for (int i = 0; i < {len(values)}; i++) print(x[i]); }}
    """
    assert printed(tmp_path, asm.finish("numbers"), source) == values


def test_readelf_is_content(tmp_path):
    path = tmp_path / "kernel.o"
    code = weighted_sum()
    path.write_bytes(relocatable(code))
    done = tools.run("aarch64-linux-gnu-readelf", "-aW", str(path))
    assert not done.stderr and "warning" not in done.stdout.lower()
    assert "AArch64" in done.stdout
    assert re.search(rf"{len(code.data)} FUNC    GLOBAL DEFAULT    1 weighted_sum\n", done.stdout)


def test_operands_are_made_once():
    assert V[3].s4 is V[3].s4 and V[3].s[1] is V[3].s[1] and X[1].lsl(3) is X[1].lsl(3)
    assert mem[X[0], 16] is mem[X[0], 16] and mem[X[0]].post(16) is mem[X[0]].post(16)
    assert mem[X[0], 0 * vl] is mem[X[0]] and mem[X[0], 0] is mem[X[0]]
    assert listed(V[0].s4, V[1].s4) is listed(V[0].s4, V[1].s4) and P[0].m is P[0].m
    assert ZA[0].s.h[W[12], 1] is ZA[0].s.h[W[12], 1] and za.s[W[8], 0:1, 2] is za.s[W[8], 0:1, 2]
    assert str(za.s[W[8], 0:1, 2]) == "za.s[w8, 0:1, vgx2]" and str(B[1]) == "b1"


def test_a_repeated_instruction_is_one_look_up():
    """An instruction seen before enters one Python function, which finds its bytes."""
    asm = A64Assembler(EVERYTHING)
    operands = [(V[n].s4, V[n + 1].s4, V[2].s[1]) for n in range(16)]

    def emit_all():
        for those in operands:
            asm.fmla(*those)

    assert frames(emit_all).total() > 5 * len(operands)
    assert frames(emit_all).total() == 1 + len(operands)
