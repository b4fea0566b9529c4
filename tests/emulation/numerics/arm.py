"""AArch64 as an oracle: the server runs one instruction on whole arrays.

    result = on_arm(server, lambda asm: asm.fmla(V[0].s4, V[1].s4, V[2].s4), c, a, b, fpcr=1 << 25)

q0, q1 and q2 are loaded, 16 bytes of each operand at a time, and q0 is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import Q, X, mem
from tilesmith.encoder.a64.targets import IMPLIES
from tilesmith.encoder.features import Target

Array = np.ndarray[Any, Any]
Emit = Callable[[A64Assembler], object]

EVERYTHING = Target("oracle", "a64", "neon", frozenset(IMPLIES).union(*IMPLIES.values()), vector_bits=128, fma_bits=128)


def on_arm(server: Server, emit: Emit, *operands: Array, fpcr: int = 0) -> Array:
    """Return q0 after the instruction for every 16 bytes of up to three operands of equal size, in the first one's
    type."""
    fpcr_register = SYSTEM_REGISTERS["fpcr"]
    asm = A64Assembler(EVERYTHING)
    asm.mrs(X[9], fpcr_register)
    asm.msr(fpcr_register, X[5])
    with asm.loop(X[4]):
        for i in range(len(operands)):
            asm.ldr(Q[i], mem[X[i]].post(16))
        emit(asm)
        asm.str(Q[0], mem[X[3]].post(16))
    asm.msr(fpcr_register, X[9])
    asm.ret()
    flat = [np.ascontiguousarray(x).reshape(-1) for x in operands]
    steps, rest = divmod(flat[0].nbytes, 16)
    assert not rest and all(x.nbytes == flat[0].nbytes for x in flat)
    out = np.zeros_like(flat[0])
    pointers = [*flat, *[flat[0]] * (3 - len(flat))]
    server.call(asm.finish("oracle"), *pointers, out, steps, fpcr)
    return out
