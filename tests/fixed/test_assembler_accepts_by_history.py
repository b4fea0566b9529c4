"""Whether the assembler accepted an operand depended on earlier operands.

Its caches are keyed by equality, and in Python 1.0 and True equal 1. Masks were also found by their number, slices by
their contents, and registers of another architecture by their kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from tests.encoder.wrong_values import Liar
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import lsl
from tilesmith.encoder.a64.registers import ZA, B, P, S, V, W, X, Z, mem, vl, za
from tilesmith.encoder.a64.targets import TARGETS as A64_TARGETS
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.x86 import registers as x86
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.classes import OperandClass

rax, rcx, z1, z2, y1 = x86.R64[0], x86.R64[1], x86.ZMM[1], x86.ZMM[2], x86.YMM[1]
AVX512 = TARGETS["avx512"]
GFNI = replace(AVX512, features=AVX512.features | {"GFNI"})


class LyingInt(int):
    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return True


# Each entry: a right operand, and one that Python considers equal to it
X86: list[tuple[Callable[[X86Assembler], Any], Callable[[X86Assembler], Any]]] = [
    (lambda a: z1.k(x86.K[1]), lambda a: z1.k(rcx)),
    (lambda a: z1.kz(x86.K[1]), lambda a: z1.kz(x86.XMM[1])),
    (lambda a: a.mov(rax, 1), lambda a: a.mov(rax, 1.0)),
    (lambda a: a.mov(rax, 1), lambda a: a.mov(rax, True)),
    (lambda a: a.mov(rax, 1), lambda a: a.mov(rax, Liar(1))),
    (lambda a: a.mov(rax, rcx), lambda a: a.mov(rax, Liar(rcx))),
    (lambda a: a.enter(8, 0), lambda a: a.enter(8, 0.0)),
    (lambda a: a.vgf2p8affineqb(y1, y1, y1, 3), lambda a: a.vgf2p8affineqb(y1, y1, y1, 3.0)),
    (lambda a: x86.mem(rax, 64), lambda a: x86.mem(rax, 64.0)),
    (lambda a: x86.mem(rax, 0, rcx, 4), lambda a: x86.mem(rax, 0, rcx, 4.0)),
    (lambda a: x86.Mem(rax, 1), lambda a: x86.Mem(rax, 1.0)),
    (lambda a: a.align(16), lambda a: a.align(16.0)),
]
A64: list[tuple[Callable[[A64Assembler], Any], Callable[[A64Assembler], Any]]] = [
    (lambda a: a.ldr(S[0], mem[X[0], 16]), lambda a: a.ldr(S[0], mem[X[0], 16.0])),
    (lambda a: mem[X[0]].post(16), lambda a: mem[X[0]].post(16.0)),
    (lambda a: a.and_(X[0], X[1], 1), lambda a: a.and_(X[0], X[1], 1.0)),
    (lambda a: a.and_(X[0], X[1], 1), lambda a: a.and_(X[0], X[1], True)),
    (lambda a: a.fmov(S[0], 1.0), lambda a: a.fmov(S[0], True)),
    (lambda a: a.ubfx(X[0], X[1], 3, 4), lambda a: a.ubfx(X[0], X[1], 3, 4.0)),
    (lambda a: a.fcadd(V[0].s4, V[1].s4, V[2].s4, 90), lambda a: a.fcadd(V[0].s4, V[1].s4, V[2].s4, 90.0)),
    (lambda a: X[1].lsl(3), lambda a: X[1].lsl(3.0)),
    (lambda a: lsl(16), lambda a: lsl(16.0)),
    (lambda a: V[0].s[1], lambda a: V[0].s[1.0]),
    (lambda a: V[0].s[1], lambda a: V[0].s[True]),
    (lambda a: Z[0].s, lambda a: Z[0]["s"]),
    (lambda a: Z[0][1], lambda a: Z[0].view(1)),
    (lambda a: 2 * vl, lambda a: 2.0 * vl),
    (lambda a: za[W[12], 0:1], lambda a: za[W[12], (0, 1)]),
    (lambda a: ZA[0].s.h[W[12], 1], lambda a: ZA[0].s.h[W[12], 1.0]),
    (lambda a: P[1].s[W[12], 3], lambda a: P[1].s[W[12], 3.0]),
]


@pytest.mark.parametrize(("right", "wrong"), X86)
def test_x86_refuses_what_equals_the_right_operand(right: Any, wrong: Any):
    right(X86Assembler(GFNI))
    with pytest.raises(EncodeError):
        wrong(X86Assembler(GFNI))


@pytest.mark.parametrize(("right", "wrong"), A64)
def test_a64_refuses_what_equals_the_right_operand(right: Any, wrong: Any):
    right(A64Assembler(A64_TARGETS["sme512"]))
    with pytest.raises(EncodeError):
        wrong(A64Assembler(A64_TARGETS["sme512"]))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("value", [np.int64(5), np.uint8(5), IntEnum("Member", {"FIVE": 5}).FIVE, np.array(5)])  # type: ignore[attr-defined]
def test_a_number_of_another_type_is_recorded_as_an_int(value: Any, first: bool):
    asm, alone = X86Assembler(AVX512), X86Assembler(AVX512)
    emit, alone_emit = asm.table.emitter("mov"), asm.table.emitter("mov")
    alone_emit(alone, rax, 5)
    for operand in (value, 5) if first else (5, value):
        emit(asm, rax, operand)
    assert bytes(asm.buffer) == bytes(alone.buffer) * 2
    assert [type(operands[1]) for _, operands, _ in asm.record] == [int, int]


def test_a_lying_integer_is_encoded_by_its_value():
    asm = X86Assembler(AVX512)
    asm.mov(rax, 1)
    asm.mov(rax, LyingInt(7))
    other = X86Assembler(AVX512)
    other.mov(rax, 7)
    assert asm.buffer.endswith(other.buffer)


@pytest.mark.parametrize("foreign", [B[0], np.dtype(bool)])
def test_an_operand_of_another_kind_leaves_the_right_one_alone(foreign: Any):
    """A b register of AArch64 and numpy's bool have the same kind as a broadcast of x86-64, but are refused."""
    wanted = OperandClass("b32", "", True, 512, False, 0)
    assert not wanted.takes(foreign)
    assert wanted.takes(x86.ptr[rax].bcast)
    asm = X86Assembler(AVX512)
    asm.vaddps(z1, z1, x86.ptr[rax].bcast)
    with pytest.raises(EncodeError, match="is not"):
        asm.vaddps(z1, z1, foreign)


def test_a_refused_branch_leaves_no_fixup():
    """tbz is refused for a bit number that does not fit a w register, although an earlier tbz of the same kinds was
    accepted."""
    asm = A64Assembler(A64_TARGETS["neon"])
    end = asm.label("end")
    asm.tbz(W[0], 3, end)
    with pytest.raises(EncodeError):
        asm.tbz(W[0], 33, end)
    asm.nop()
    asm.bind(end)
    assert asm.finish().data[4:8] == bytes.fromhex("1f2003d5")
