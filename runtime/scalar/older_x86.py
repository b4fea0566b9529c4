"""The scalar machine of x86-64 processors before AVX2: comparisons of two words by SSE, copies by general registers."""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.features import TARGETS
from ...encoder.operands import Label
from ...encoder.x86.registers import REGISTERS, Reg, ptr, qword
from .x86 import X86Scalar

_NOTED, _NEXT, _CONSTANTS = (REGISTERS[name] for name in ("xmm0", "xmm1", "xmm2"))


class OlderX86Scalar(X86Scalar):
    """Emits legacy encodings only, which every processor with SSE4.2 has."""

    target = TARGETS["sse"]

    def copy_words(self, target: Reg, source: Reg, count: Reg, found: Sequence[Reg]) -> None:
        """Copy one word at a time, the last one first."""
        asm, (low, high, bits) = self.asm, found
        top, check = asm.label("words"), asm.label("check")
        asm.mov(self.x, qword[source + count * 8 - 8])
        asm.mov(qword[target + count * 8 - 8], self.x)
        for register in found:
            asm.mov(register, self.x)
        asm.jmp(check)
        asm.bind(top)
        asm.mov(self.x, qword[source + count * 8 - 8])
        asm.mov(qword[target + count * 8 - 8], self.x)
        asm.or_(bits, self.x)
        self.take_if(low, self.x, "<")
        self.take_if(high, self.x, ">")
        asm.bind(check)
        asm.dec(count)
        asm.jne(top)

    def differ(self, base: Reg, offset: int, constant: int, first: bool) -> None:
        """Load both operands, because a memory operand of a legacy instruction must be aligned to 16 bytes."""
        difference = _NOTED if first else _NEXT
        self.asm.movdqu(difference, ptr[base + offset])
        self.asm.movdqu(_CONSTANTS, ptr[self.constants + 8 * constant])
        self.asm.pxor(difference, _CONSTANTS)
        if not first:
            self.asm.por(_NOTED, _NEXT)

    def branch_if_different(self, label: Label) -> None:
        """Emit PTEST of SSE4.1."""
        self.asm.ptest(_NOTED, _NOTED)
        self.asm.jne(label)
