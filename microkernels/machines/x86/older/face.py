"""A face of the assembler: instructions that a processor lacks, under the names of those that replace them elsewhere.

The machines of this package are written in the mnemonics of AVX2. A face finds what its processor has instead. All else
of the assembler is the assembler's own, so that a kernel is finished as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....encoder.table import Emitter
from .....encoder.x86.assembler import X86Assembler
from .....encoder.x86.registers import R32, Mem, Reg

_EAX = R32[0]  # free between instructions of a kernel


class Face:
    """An assembler by another name. `temporary` is the number of the vector registers that replacements destroy."""

    def __init__(self, asm: X86Assembler, temporary: int) -> None:
        self.real: Any = asm
        self.temporary = temporary

    def __getattr__(self, name: str) -> Any:
        """A replacement, or the assembler's own attribute; instructions are kept for the next time."""
        made = self.replacement(name)
        if made is None:
            return getattr(self.real, name)
        self.__dict__[name] = made
        return made

    def replacement(self, name: str) -> Emitter | None:
        """What is emitted for a mnemonic; None for what the processor has, and for all other attributes."""
        raise NotImplementedError


def further(operand: Mem, disp: int) -> Mem:
    """The memory `disp` bytes behind an operand; no size is stated, so that the instruction implies it."""
    return Mem(operand.base, operand.disp + disp, operand.index, operand.scale, label=operand.label)


def by_eax(asm: Any, load: Callable[[Reg], None]) -> Reg:
    """A byte of memory four times in eax, since no instruction broadcasts it."""
    load(_EAX)
    asm.imul(_EAX, _EAX, 0x01010101)
    return _EAX
