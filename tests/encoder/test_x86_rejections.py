"""Operands that cannot be encoded raise EncodeError with the operand and the rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.encoder.targets import EVERYTHING
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.operands import Label
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import (
    REGISTERS,
    XMM,
    YMM,
    ZMM,
    K,
    Mem,
    byte,
    dword,
    mem,
    ptr,
    qword,
    rn_sae,
    sae,
)

rax, rcx, rsp, eax, ax, al, ah, sil, r8, r9b = (
    REGISTERS[name] for name in ("rax", "rcx", "rsp", "eax", "ax", "al", "ah", "sil", "r8", "r9b")
)
z0, z1, z2, x0, x1, y0, y1, k1 = ZMM[0], ZMM[1], ZMM[2], XMM[0], XMM[1], YMM[0], YMM[1], K[1]

REJECTED: list[tuple[str, Callable[[X86Assembler], Any], str]] = [
    # classes and counts
    ("another class", lambda a: a.vaddps(z0, rax, z1), "rax is not a zmm register"),
    ("mixed lengths", lambda a: a.vaddps(z0, y1, z1), "ymm1 is not a zmm register"),
    ("narrower general register", lambda a: a.push(eax), "eax is not an r64 register"),
    ("integer for a register", lambda a: a.mov(5, rax), "5 is not an r64 register"),
    ("too few operands", lambda a: a.vaddps(z0, z1), "takes 3 operands, not 2"),
    ("too many operands", lambda a: a.inc(rax, rax), "takes 1 operands, not 2"),
    ("VEX has 16 registers", lambda a: a.vhaddps(x0, XMM[16], x1), "xmm16 .* needs an EVEX"),
    ("VEX has 16 indices", lambda a: a.vgatherdps(x0, ptr[rax + XMM[17] * 4], x1), r"xmm17\*4\] .* needs an EVEX"),
    # immediates
    ("u8 over", lambda a: a.vshufps(x0, x1, x1, 256), "256 must be from -128 to 255"),
    ("u8 under", lambda a: a.vshufps(x0, x1, x1, -129), "-129 must be from -128 to 255"),
    ("i32 over", lambda a: a.add(rax, 1 << 31), "2147483648 must be from"),
    ("i32 under", lambda a: a.add(rax, -(1 << 31) - 1), "-2147483649 must be from"),
    ("i16 over", lambda a: a.add(ax, 1 << 16), "65536 must be from -32768 to 65535"),
    ("i8 as bits of others", lambda a: a.push(1 << 63), "must be from"),
    ("64 bits over", lambda a: a.mov(rax, 1 << 64), "18446744073709551616 must be from"),
    ("a float", lambda a: a.mov(rax, 2.5), "2.5 is not a Python integer"),
    ("branch too far", lambda a: a.jmp(1 << 31), "2147483648 is a distance"),
    # memory
    ("displacement over", lambda a: a.mov(rax, ptr[rax + (1 << 31)]), "displacement 2147483648"),
    ("displacement under", lambda a: a.mov(rax, mem(rax, -(1 << 31) - 1)), "displacement -2147483649"),
    ("rsp as index", lambda a: a.mov(rax, ptr[rcx + rsp * 2]), "rsp: an index"),
    ("32-bit base", lambda a: a.mov(rax, ptr[eax]), "eax: a base"),
    ("32-bit index", lambda a: a.mov(rax, mem(rax, 0, eax)), "eax: an index"),
    ("scale 3", lambda a: a.mov(rax, ptr[rax + rcx * 3]), "scale 3"),
    ("two indices", lambda a: a.mov(rax, ptr[rax * 2 + rcx * 2]), "one base and one index"),
    ("label with base", lambda a: a.mov(rax, Mem(rax, label=Label("data"))), "relative to rip"),
    ("unknown size", lambda a: a.inc(ptr[rax]), r"state the size of \[rax\]: 8, 16, 32, 64"),
    ("unknown size of a store", lambda a: a.mov(ptr[rax], 1), r"state the size of \[rax\]"),
    ("wrong size", lambda a: a.vaddss(x0, x1, qword[rax]), r"m64\[rax\] has 64 bits, 32 are"),
    ("vector index", lambda a: a.vaddps(z0, z1, ptr[rax + z2 * 4]), r"\[rax \+ zmm2\*4\] has a vector index"),
    ("gather without one", lambda a: a.vgatherdps(z0.k(k1), ptr[rax]), r"\[rax\] needs a vector index"),
    ("gather by the wrong index", lambda a: a.vgatherdps(z0.k(k1), ptr[rax + y1 * 4]), "index in a zmm register"),
    ("gather onto its index", lambda a: a.vgatherdps(z0.k(k1), ptr[rax + z0 * 4]), "same vector register twice"),
    ("gather onto its mask", lambda a: a.vgatherdps(x0, ptr[rax + x1 * 4], x0), "same vector register twice"),
    ("gather without mask", lambda a: a.vgatherdps(z0, ptr[rax + z1 * 4]), "zmm0 needs a mask"),
    ("scatter without mask", lambda a: a.vscatterdps(ptr[rax + z1 * 4], z0), r"zmm1\*4\] needs a mask"),
    # REX
    ("ah with a REX register", lambda a: a.mov(ah, sil), "ah, bh, ch, dh"),
    ("ah with an extended base", lambda a: a.mov(ah, byte[r8]), "ah, bh, ch, dh"),
    ("ah as source", lambda a: a.add(r9b, ah), "ah, bh, ch, dh"),
    # masks
    ("k0", lambda a: a.vaddps(z0.k(K[0]), z1, z1), "zmm0: .* not k0"),
    ("a mask that is none", lambda a: a.vaddps(z0.k(rax), z1, z1), "zmm0: .* not rax"),
    ("masked twice", lambda a: z0.k(k1).k(K[2]), r"zmm0 \{k1\}: .* not k2"),
    ("masked general register", lambda a: rax.k(k1), "rax: a mask"),
    ("memory under k0", lambda a: ptr[rax].k(K[0]), "k0: memory is masked"),
    ("unmaskable instruction", lambda a: a.vpand(x0.k(k1), x1, x1), r"xmm0 \{k1\} cannot be masked"),
    ("masked source", lambda a: a.vaddps(z0, z1.k(k1), z2), r"zmm1 \{k1\} cannot be masked"),
    ("masked source in memory", lambda a: a.vaddps(z0, z1, ptr[rax].k(k1)), r"\[rax\] \{k1\} cannot be masked"),
    ("zeroing into memory", lambda a: a.vmovups(ptr[rax].kz(k1), z1), r"\[rax\]: memory cannot be zero-masked"),
    ("zeroing a mask", lambda a: a.vcmpps(K[2].kz(k1), z1, z1, 1), r"k2 \{k1\}\{z\} cannot be zero-masked"),
    # broadcast, rounding
    ("broadcast in VEX", lambda a: a.vhaddps(x0, x1, ptr[rax].bcast), r"\[rax\]\{1toN\} cannot be broadcast"),
    ("broadcast of another size", lambda a: a.vaddps(z0, z1, qword[rax].bcast), "has 64 bits, 32 are"),
    ("broadcast of a move", lambda a: a.vmovups(z0, ptr[rax].bcast), "cannot be broadcast"),
    ("broadcast gather", lambda a: ptr[rax + z1 * 4].bcast, "vector index are not broadcast"),
    ("rounding at 256 bits", lambda a: a.vaddps(y0, y1, y1, rn_sae), "takes no rounding"),
    ("rounding with memory", lambda a: a.vaddps(z0, z1, ptr[rax], rn_sae), r"\[rax\] is not a zmm register"),
    ("rounding of and", lambda a: a.vandps(z0, z1, z2, rn_sae), "takes no rounding"),
    ("sae for er", lambda a: a.vaddps(z0, z1, z2, sae), "takes {rn-sae}"),
    ("rounding twice", lambda a: a.vaddps(z0, z1, z2, rn_sae, rn_sae), "takes {rn-sae}"),
    ("rounding in between", lambda a: a.vaddps(z0, rn_sae, z1, z2), "{rn-sae} stands behind the vector registers"),
    # labels, alignment, features
    ("jump to an unbound label", lambda a: (a.jmp(a.label("end")), a.finish()), "label end is used and never"),
    ("load from an unbound label", lambda a: (a.lea(rax, ptr[Label("end")]), a.finish()), "label end is used"),
    ("label bound twice", lambda a: a.bind(a.bind(a.label("top"))), "label top is bound twice"),
    ("alignment 3", lambda a: a.align(3), "alignment 3"),
    ("alignment 0", lambda a: a.align(0), "alignment 0"),
    ("pool alignment above the code's", lambda a: a.const(bytes(128), 128), "alignment 128"),
    ("another architecture", lambda a: X86Assembler(replace(EVERYTHING, arch="a64")), "is a64"),
]


@pytest.mark.parametrize(("attempt", "message"), [case[1:] for case in REJECTED], ids=[case[0] for case in REJECTED])
def test_rejected(attempt: Callable[[X86Assembler], Any], message: str):
    with pytest.raises(EncodeError, match=message):
        attempt(X86Assembler(EVERYTHING))


def test_nothing_is_appended_by_a_rejected_instruction():
    asm = X86Assembler(EVERYTHING)
    with pytest.raises(EncodeError):
        asm.vaddps(z0, rax, z1)
    assert not asm.buffer and not asm.record


@pytest.mark.parametrize(
    ("target", "emit", "message"),
    [
        ("avx2", lambda a: a.vaddps(z0, z1, z2), "vaddps .*: target avx2 has no AVX512F"),
        ("avx2", lambda a: a.vaddps(x0, XMM[16], x1), "target avx2 has no AVX512F, AVX512VL"),
    ],
)
def test_missing_feature(target: str, emit: Callable[[X86Assembler], Any], message: str):
    asm = X86Assembler(TARGETS[target])
    emit(asm)
    with pytest.raises(EncodeError, match=message):
        asm.finish()


def test_unknown_instruction_names_near_ones():
    with pytest.raises(AttributeError, match="no instruction 'vfmadd231p'; near: .*vfmadd231ps"):
        X86Assembler(EVERYTHING).vfmadd231p(z0, z1, z2)


def test_a_message_shows_the_nearest_forms_only():
    with pytest.raises(EncodeError) as caught:
        X86Assembler(EVERYTHING).vaddps(z0, z1, dword[rax])
    assert str(caught.value).count("\n") <= 8
    assert "m32[rax] has 32 bits, 512 are accessed" in str(caught.value)
