"""The AArch64 assembler refuses one case for each rule, and each message names the operand and the rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.encoder.a64_targets import EVERYTHING
from tilesmith.encoder import features
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import EQ, SYSTEM_REGISTERS, lsl, msl, system_register
from tilesmith.encoder.a64.registers import PN, ZA, D, P, Q, S, V, W, X, Z, listed, mem, sp, tiles, vl, wzr, xzr, za
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.errors import EncodeError

REJECTED: list[tuple[str, Callable[[A64Assembler], Any], str]] = [
    # classes and counts
    ("another class", lambda a: a.fmla(V[0].s4, X[1], V[2].s4), "x1 is not one of v0.4s to v31.4s"),
    ("mixed arrangements", lambda a: a.fmla(V[0].s4, V[1].s4, V[2].s2), "v2.2s is not one of"),
    ("mixed widths", lambda a: a.add(X[0], X[1], W[2]), "w2 is not one of x0 to xzr"),
    ("integer for a register", lambda a: a.sdiv(X[0], X[1], 3), "3 is not one of x0 to xzr"),
    ("too few operands", lambda a: a.madd(X[0], X[1], X[2]), "takes 4 operands, not 3"),
    ("too many operands", lambda a: a.nop(X[0]), "takes 0 operands, not 1"),
    ("stack pointer as data", lambda a: a.mul(X[0], sp, X[1]), "sp is not one of x0 to xzr"),
    ("zero as a base", lambda a: a.ldr(X[0], mem[xzr]), "needs a base that is one of x0 to sp"),
    ("register that does not exist", lambda a: X[31], "tuple index out of range"),
    ("nothing at all", lambda a: a.mov(X[0], None), "None is not"),
    # registers with a limited field
    ("half-precision lane above 15", lambda a: a.fmla(V[0].h8, V[1].h8, V[16].h[0]), r"v16.h\[0\] is not one of"),
    ("lane out of range", lambda a: a.fmla(V[0].s4, V[1].s4, V[2].s[4]), r"v2.s\[4\] is not one of v0.s\[0\]"),
    ("governing predicate above 7", lambda a: a.fadd(Z[0].s, P[8].m, Z[0].s, Z[1].s), "p8/m is not one of p0/m"),
    ("zeroing where merging is", lambda a: a.fmla(Z[0].s, P[0].z, Z[1].s, Z[2].s), "p0/z is not one of p0/m"),
    ("indexed vector above 7", lambda a: a.fmla(Z[0].s, Z[1].s, Z[8].s[0]), r"z8.s\[0\] is not one of z0.s"),
    ("list not aligned", lambda a: a.ld1w(listed(Z[1].s, Z[2].s), PN[8].z, mem[X[0]]), "is not one of"),
    ("list with a gap", lambda a: a.ld2(listed(V[0].s4, V[2].s4), mem[X[0]]), "v0.4s, v2.4s }"),
    ("list of mixed kinds", lambda a: listed(V[0].s4, V[1].d2), "registers of one kind"),
    ("destructive operands differ", lambda a: a.fadd(Z[0].s, P[1].m, Z[3].s, Z[1].s), "z3.s must be z0.s here"),
    ("offsets of ldr za differ", lambda a: a.ldr(za[W[12], 1], mem[X[0], 2 * vl]), r"must be \[x0, #1, mul vl\] here"),
    ("tile that does not exist", lambda a: a.fmopa(ZA[4].s, P[0].m, P[0].m, Z[0].s, Z[0].s), "za4.s is not one of"),
    ("slice index register", lambda a: a.mova(Z[0].s, P[0].m, ZA[0].s.h[W[11], 0]), "index in one of w12 to w15"),
    ("slice offset", lambda a: a.mova(Z[0].s, P[0].m, ZA[0].s.h[W[12], 4]), "offset from 0 to 3"),
    ("zeroed tile", lambda a: a.zero(tiles(ZA[4].s)), "names za4.s, which is no tile"),
    # immediates
    ("add over", lambda a: a.add(X[0], X[1], 4097), "4097 must be from 0 to 4095, or a multiple of 4096"),
    ("add under", lambda a: a.add(X[0], X[1], -1), "-1 must be from 0 to 4095"),
    ("logical zero", lambda a: a.and_(X[0], X[1], 0), "0 is not a logical immediate of 64 bits"),
    ("logical two runs", lambda a: a.orr(W[0], W[1], 5), "5 is not a logical immediate"),
    ("logical of 33 bits", lambda a: a.eor(W[0], W[1], 1 << 32), "is not a logical immediate of 32 bits"),
    ("movz over", lambda a: a.movz(X[0], 65536), "65536 must be from 0 to 65535"),
    ("movz shift", lambda a: a.movz(X[0], 1, lsl(8)), "lsl #8 is not one of lsl #0 to lsl #48"),
    ("movz shift of w", lambda a: a.movz(W[0], 1, lsl(32)), "lsl #32 is not one of lsl #0 to lsl #16"),
    ("modifier", lambda a: msl(4), "msl #4: "),
    ("shift amount", lambda a: a.add(W[0], W[1], W[2].lsl(32)), "shifted by lsl, lsr, asr #0 to #31"),
    ("rotated add", lambda a: a.add(X[0], X[1], X[2].ror(1)), "must be shifted by lsl, lsr, asr"),
    ("extension amount", lambda a: a.add(X[0], sp, W[2].uxtw(5)), "#0 to #4"),
    ("extension name", lambda a: W[2].extended("uxtq"), "'uxtq': an extension is one of"),
    ("right shift by 0", lambda a: a.sshr(V[0].s4, V[1].s4, 0), "0 must be from 1 to 32"),
    ("left shift by all", lambda a: a.shl(V[0].b16, V[1].b16, 8), "8 must be from 0 to 7"),
    ("float immediate", lambda a: a.fmov(V[0].s4, 0.1), "0.1 is not a floating-point immediate"),
    ("one of two floats", lambda a: a.fadd(Z[0].s, P[0].m, Z[0].s, 0.25), "0.25 is not one of 0.5 to 1.0"),
    ("compare with 1.0", lambda a: a.fcmp(S[0], 1.0), "1.0 must be 0.0"),
    ("sve immediate", lambda a: a.dup(Z[0].h, 257), "257 must be from -128 to 127, or 256 times that"),
    ("sve immediate of a byte", lambda a: a.add(Z[0].b, Z[0].b, 256), "256 must be from 0 to 255"),
    ("bit field too long", lambda a: a.ubfx(X[0], X[1], 60, 5), "5 reaches too far"),
    ("rotation", lambda a: a.fcadd(V[0].s4, V[1].s4, V[2].s4, 180), "180 is not one of 90 to 270"),
    ("never has no inverse", lambda a: a.cset(X[0], "al"), "'al' is not one of"),
    # memory
    ("offset not a multiple", lambda a: a.ldr(X[0], mem[X[1], 4]), "from 0 to 32760 in steps of 8"),
    ("offset negative", lambda a: a.ldr(X[0], mem[X[1], -8]), "has an offset that must be from 0"),
    ("unscaled over", lambda a: a.ldur(X[0], mem[X[1], 256]), "from -256 to 255"),
    ("pair over", lambda a: a.ldp(Q[0], Q[1], mem[X[1], 1024]), "from -1024 to 1008 in steps of 16"),
    ("post-index of another size", lambda a: a.ld1(listed(V[0].s4), mem[X[0]].post(8)), "must be 16"),
    ("post-index twice", lambda a: mem[X[0], 8].post(8), "post-index starts from the base alone"),
    ("post-index by zero register", lambda a: a.ld1(listed(V[0].s4), mem[X[0]].post(xzr)), "xzr"),
    ("register offset shift", lambda a: a.ldr(X[0], mem[X[1], X[2].lsl(2)]), "by #0 or #3"),
    ("lengths for bytes", lambda a: a.ldr(Z[0], mem[X[0], 16]), "counts vector lengths: write 2 \\* vl"),
    ("lengths over", lambda a: a.ld1w(listed(Z[0].s), P[0].z, mem[X[0], 8 * vl]), "from -8 to 7"),
    ("vector offset of another size", lambda a: a.ld1w(listed(Z[0].s), P[0].z, mem[X[0], Z[1].d.uxtw(2)]), "z1.d"),
    ("address of nothing", lambda a: mem["x0"], "an address is a base register"),
    # constrained unpredictable in the architecture
    ("write-back onto the data", lambda a: a.ldr(X[1], mem[X[1], 8].pre), r"\[x1, #8\]! must not use x1"),
    ("write-back onto stored data", lambda a: a.stp(X[0], X[1], mem[X[1]].post(16)), "must not use x1"),
    ("pair of one register", lambda a: a.ldp(D[0], D[0], mem[X[0]]), "d0 must not use d0"),
    ("status over the data", lambda a: a.stxr(W[1], X[1], mem[X[0]]), "x1 must not use w1"),
    # system
    ("register that is only read", lambda a: a.msr(SYSTEM_REGISTERS["cntvct_el0"], X[0]), "cannot be written"),
    ("no system register", lambda a: system_register(3, 8, 0, 0, 0), "is no system register"),
    ("a condition for a barrier", lambda a: a.dmb(EQ), "eq is not one of"),
    # labels
    ("branch too far", lambda a: a.b_eq(1 << 20), "1048576 is a distance that does not fit"),
    ("branch between instructions", lambda a: a.b(2), "2 is a distance that does not fit: .* in steps of 4"),
    ("unbound label", lambda a: (a.b(a.label("end")), a.finish()), "label end is used and never"),
    ("label too far", lambda a: _far(a), "label end is 40004 bytes away, which is a distance that does not fit"),
    (
        "misaligned constant",
        lambda a: (a.ldr(W[0], a.const(b"abc", 1)), a.ldr(W[0], a.const(b"x", 1)), a.finish()),
        "bytes away, which is a distance that does not fit",
    ),
    ("alignment 3", lambda a: a.align(3), "alignment 3"),
    ("counter of a loop", lambda a: a.load_immediate(wzr, 1), "wzr is not a general register"),
    ("number of a loop", lambda a: a.load_immediate(W[0], 1 << 32), "does not fit 32 bits"),
]


def _far(asm: A64Assembler) -> None:
    end = asm.label("end")
    asm.tbz(X[0], 3, end)
    for _ in range(10_000):
        asm.nop()
    asm.bind(end)
    asm.finish()


@pytest.mark.parametrize(("attempt", "message"), [case[1:] for case in REJECTED], ids=[case[0] for case in REJECTED])
def test_rejected(attempt: Callable[[A64Assembler], Any], message: str):
    with pytest.raises((EncodeError, IndexError), match=message):
        attempt(A64Assembler(EVERYTHING))


def test_missing_feature():
    asm = A64Assembler(TARGETS["neon"])
    asm.bfmmla(V[0].s4, V[1].h8, V[2].h8)
    with pytest.raises(EncodeError, match="bfmmla .*: target neon has no BF16"):
        asm.finish()


def test_x86_target_is_refused():
    with pytest.raises(EncodeError, match="this assembler is a64"):
        A64Assembler(features.TARGETS["avx2"])


def test_unknown_instruction_names_near_ones():
    with pytest.raises(AttributeError, match="no instruction 'fmlaa'; near: .*fmla"):
        A64Assembler(EVERYTHING).fmlaa(V[0].s4, V[1].s4, V[2].s4)


def test_a_rejected_instruction_leaves_no_trace_even_when_its_kinds_are_known():
    asm = A64Assembler(EVERYTHING)
    asm.add(X[0], X[1], 5)
    before = bytes(asm.buffer)
    with pytest.raises(EncodeError):
        asm.add(X[0], X[1], 4097)
    assert asm.buffer == before and len(asm.record) == 1
