"""movprfx was a move whatever followed it, and masked vpmaddwd, vpmaddubsw and vextract* left out memory that the
processor accesses; equal registers were refused without a reason."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.emulation.assembled import AVX512, SVE, R, assembled, fault_of
from tilesmith.encoder.a64.registers import P, X, Z, mem
from tilesmith.encoder.x86.registers import XMM, YMM, ZMM, K, ptr, ymmword, zmmword
from tilesmith.runtime.verify.check import verify


def test_a_prefix_before_another_destination() -> None:
    """LLVM: instruction is unpredictable when following a movprfx."""

    def emit(asm: object) -> None:
        asm.ptrue(P[0].s)
        asm.ldr(Z[1], mem[X[0]])
        asm.movprfx(Z[0], Z[1])
        asm.fadd(Z[2].s, P[0].m, Z[2].s, Z[1].s)
        asm.str(Z[0], mem[X[1]])

    code, x = assembled(SVE, emit), np.ones(8, np.float32)
    assert "fadd z2.s, p0/m, z2.s, z1.s follows, whose destination is not z0" in fault_of(code, SVE, x, x.copy()).reason
    kernel = ts.unary("identity", 1, 8, target="sve256")
    proof = verify(code, kernel.target, kernel.spec, kernel.kind)
    assert proof.refuted and "CONSTRAINED UNPREDICTABLE" in str(proof)


def test_a_prefix_of_what_it_may_prefix() -> None:
    def emit(asm: object) -> None:
        asm.ptrue(P[0].s)
        asm.ldr(Z[1], mem[X[0]])
        asm.movprfx(Z[0], Z[1])
        asm.fadd(Z[0].s, P[0].m, Z[0].s, Z[1].s)
        asm.str(Z[0], mem[X[1]])

    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    ts.emulation.cpu.call(assembled(SVE, emit), SVE, x, y)
    assert (y == 2 * x).all()


@pytest.mark.parametrize(
    "emit",
    [
        lambda asm: asm.vpmaddwd(ZMM[0].kz(K[1]), ZMM[1], zmmword[R["rdi"]]),
        lambda asm: asm.vpmaddubsw(YMM[0].k(K[1]), YMM[1], ymmword[R["rdi"]]),
        lambda asm: asm.vextractf32x4(ptr[R["rdi"]].k(K[1]), ZMM[1], 1),
        lambda asm: asm.vpermilps(XMM[0].kz(K[1]), ptr[R["rdi"]], 0xE4),
    ],
    ids=["vpmaddwd", "vpmaddubsw", "vextractf32x4", "vpermilps"],
)
def test_a_mask_that_does_not_suppress_faults(emit: object) -> None:
    """SDM volume 2, table 2-61 and others: E4NF and E6NF; a Sapphire Rapids faults too."""

    def whole(asm: object) -> None:
        asm.kxorq(K[1], K[1], K[1])
        emit(asm)

    said = fault_of(assembled(AVX512, whole), AVX512, np.zeros(3, np.float32)).reason
    assert "does not suppress faults (exception class E" in said


def test_a_masked_tail_by_a_shuffle_is_refuted() -> None:
    """A tail of three elements: as a masked vmovups it is right, as a masked vpermilps it reads behind the operand."""

    def emit(asm: object) -> None:
        asm.mov(R["rax"], 7)
        asm.kmovq(K[1], R["rax"])
        asm.vpermilps(XMM[0].kz(K[1]), ptr[R["rdi"]], 0xE4)
        asm.vmovups(ptr[R["rsi"]].k(K[1]), XMM[0])

    kernel = ts.unary("identity", 1, 3, target="avx512")
    proof = verify(assembled(AVX512, emit), kernel.target, kernel.spec, kernel.kind)
    assert proof.refuted and "the mask of vpermilps does not suppress faults" in str(proof)


@pytest.mark.parametrize(
    ("target", "data", "why"),
    [
        (SVE, "008440f8", "ldr: [x0], #8 must not use x0"),
        (SVE, "000040a9", "ldp: x0 must not use x0"),
        (AVX512, "c4e271900c17", "vpgatherdd: the same vector register twice"),
    ],
)
def test_the_reason_why_equal_registers_are_refused(target: object, data: str, why: str) -> None:
    """llvm-mc: unpredictable LDR with writeback, unpredictable LDP; SDM: #UD if the index is the destination."""
    assert why in fault_of(bytes.fromhex(data), target, np.zeros(8)).reason
