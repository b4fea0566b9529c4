"""A kernel's own FPCR on AArch64: zero, as programs start. The sticky flags are in FPSR, which keeps the flags that a
kernel's instructions set.
"""

from __future__ import annotations

from ....encoder.a64 import abi, control
from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.names import SYSTEM_REGISTERS
from ....encoder.a64.registers import X, mem, sp, xzr
from ....encoder.operands import Label
from ...contract.machine import OwnRounding

_FPCR = SYSTEM_REGISTERS["fpcr"]
_CALLERS, _PASSING = X[16], X[17]  # veneers may destroy these registers, which carry no arguments


class A64Rounding(OwnRounding):
    """FPCR is zero, or is zeroed while the kernel runs."""

    asm: A64Assembler

    follows = staticmethod(control.follows)

    def unless_own(self, elsewhere: Label) -> None:
        """Emit one read and one branch."""
        self.asm.mrs(_CALLERS, _FPCR)
        self.asm.cbnz(_CALLERS, elsewhere)

    def under_own(self, body: Label) -> None:
        """Call the body with the caller's FPCR and the return address stored above its arguments."""
        asm, frame = self.asm, -(-8 * self.stacked // 16) * 16
        asm.stp(abi.LINK, _CALLERS, mem[sp, -16].pre)
        asm.msr(_FPCR, xzr)
        if frame:
            asm.sub(sp, sp, frame)
        for number in range(self.stacked):
            asm.ldr(_PASSING, mem[sp, frame + 16 + abi.STACK_ARGUMENT + 8 * number])
            asm.str(_PASSING, mem[sp, 8 * number])
        asm.bl(body)
        if frame:
            asm.add(sp, sp, frame)
        asm.ldp(abi.LINK, _CALLERS, mem[sp].post(16))
        asm.msr(_FPCR, _CALLERS)
        asm.ret()
