"""Instructions of streaming mode: emulation.cpu refuses the same instructions as the server's processor.

FEXPA is left out: processors with FEAT_SSVE_FEXPA have it, as qemu 11 does, but no target here has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.emulation.numerics.arm import EVERYTHING
from tilesmith.emulation.a64.semantics import in_streaming
from tilesmith.emulation.cpu import Fault, call
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import STREAMING
from tilesmith.encoder.a64.registers import D, P, S, V, X, Z, listed, mem, sp
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.code import Code

Emit = Callable[[A64Assembler], object]
LEGAL: dict[str, Emit] = {
    "load": lambda a: a.ld1w(listed(Z[0].s), P[0].z, mem[X[0]]),
    "load of a register": lambda a: a.ldr(Z[0], mem[X[0]]),
    "load and replicate": lambda a: a.ld1rqw(listed(Z[0].s), P[0].z, mem[X[0]]),
    "scalar load": lambda a: a.ldr(S[0], mem[X[0]]),
    "scalar arithmetic": lambda a: a.fadd(D[0], D[1], D[2]),
    "shuffles": lambda a: a.tbl(Z[0].b, listed(Z[1].b), Z[2].b),
    "insertion": lambda a: a.insr(Z[0].s, S[1]),
    "dot products": lambda a: a.bfdot(Z[0].s, Z[1].h, Z[2].h),
    "counts": lambda a: a.cntp(X[9], P[0], P[0].b),
    "adr of a general register": lambda a: a.adr(X[9], a.here()),
}
ILLEGAL: dict[str, Emit] = {
    "NEON": lambda a: a.movi(V[0].d2, 0),
    "NEON load": lambda a: a.ld1r(listed(V[0].s4), mem[X[0]]),
    "gather": lambda a: a.ld1w(listed(Z[0].s), P[0].z, mem[X[0], Z[3].s.sxtw()]),
    "gather of words": lambda a: a.ld1d(listed(Z[0].d), P[0].z, mem[X[0], Z[3].d]),
    "scatter": lambda a: a.st1w(listed(Z[0].s), P[0], mem[X[0], Z[3].s.sxtw()]),
    "adr": lambda a: a.adr(Z[0].d, mem[Z[3].d, Z[3].d]),
    "compact": lambda a: a.compact(Z[0].s, P[0], Z[1].s),
    "ftmad": lambda a: a.ftmad(Z[0].s, Z[0].s, Z[1].s, 0),
    "ftsmul": lambda a: a.ftsmul(Z[0].s, Z[1].s, Z[2].s),
    "ftssel": lambda a: a.ftssel(Z[0].s, Z[1].s, Z[2].s),
    "fadda": lambda a: a.fadda(S[0], P[0], S[0], Z[1].s),
    "matrix products of bf16": lambda a: a.bfmmla(Z[0].s, Z[1].h, Z[2].h),
    "matrix products of bytes": lambda a: a.smmla(Z[0].s, Z[1].b, Z[2].b),
    "match": lambda a: a.match(P[1].b, P[0].z, Z[1].b, Z[2].b),
    "histograms": lambda a: a.histseg(Z[0].b, Z[1].b, Z[2].b),
    "bits": lambda a: a.bext(Z[0].s, Z[1].s, Z[2].s),
    "first-fault loads": lambda a: a.ldff1w(listed(Z[0].s), P[0].z, mem[X[0], X[9].lsl(2)]),
    "loads without faults": lambda a: a.ldnf1w(listed(Z[0].s), P[0].z, mem[X[0]]),
    "ffr": lambda a: a.setffr(),
    "reading ffr": lambda a: a.rdffr(P[1].b),
}


def code_of(emit: Emit, streaming: bool) -> Code:
    """Return f(buffer), which executes the instruction with or without streaming mode."""
    asm = A64Assembler(EVERYTHING)
    asm.sub(sp, sp, 64)
    for i in range(0, 8, 2):
        asm.stp(D[8 + i], D[9 + i], mem[sp, 8 * i])
    if streaming:
        asm.smstart(STREAMING["sm"])
    asm.ptrue(P[0].b)
    asm.dup(Z[3].d, 0)
    asm.movz(X[9], 0)
    emit(asm)
    if streaming:
        asm.smstop(STREAMING["sm"])
    for i in range(0, 8, 2):
        asm.ldp(D[8 + i], D[9 + i], mem[sp, 8 * i])
    asm.add(sp, sp, 64)
    asm.ret()
    return asm.finish("one")


@pytest.mark.parametrize("name", [*LEGAL, *ILLEGAL])
def test_instructions_of_streaming_mode(aarch64: Any, name: str) -> None:
    if lacks := aarch64.lacks(TARGETS["sme256"]):
        pytest.skip(lacks)
    emit = LEGAL.get(name) or ILLEGAL[name]
    buffer = np.zeros(1 << 10, np.uint8)
    aarch64.call(code_of(emit, streaming=False), buffer, vector_bits=256)
    code = code_of(emit, streaming=True)
    if name in ILLEGAL:
        with pytest.raises(GuestFault, match="SIGILL"):
            aarch64.call(code, buffer, streaming_bits=256)
    else:
        aarch64.call(code, buffer, streaming_bits=256)
    alone = A64Assembler(EVERYTHING)
    emit(alone)
    alone.ret()
    instruction = alone.finish("alone").instructions[0]
    assert in_streaming(instruction.form, instruction.operands) == (name in LEGAL)


def test_the_emulator_reports_missing_instructions() -> None:
    buffer = np.zeros(1 << 10, np.uint8)
    target = TARGETS["sme256"]
    call(code_of(ILLEGAL["gather"], streaming=False).data, target, buffer)
    with pytest.raises(Fault, match="ld1w .*does not exist in streaming mode"):
        call(code_of(ILLEGAL["gather"], streaming=True).data, target, buffer)
