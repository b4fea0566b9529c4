"""The code that queries an AArch64 processor."""

from __future__ import annotations

from ...encoder.a64.abi import RESULT
from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.names import SYSTEM_REGISTERS
from ...encoder.a64.targets import TARGETS
from ...encoder.code import Code


def midr() -> Code:
    """Emit uint64_t midr(void), which reads MIDR_EL1; Linux emulates the access."""
    asm = A64Assembler(TARGETS["neon"])
    asm.mrs(RESULT, SYSTEM_REGISTERS["midr_el1"])
    asm.ret()
    return asm.finish("midr")
