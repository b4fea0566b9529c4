"""A face of the assembler that replaces the instructions that a processor lacks.

The machines of this package are written in the mnemonics of AVX2. A face emits the processor's own instructions for
them. All other attributes are the assembler's own, so a kernel is finished as on any other machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....encoder.table import Emitter
from .....encoder.x86.assembler import X86Assembler
from .....encoder.x86.registers import R32, Mem, Reg, mem

_EAX = R32[0]  # free between a kernel's instructions


class Face:
    """An assembler with replaced instructions. `temporary` is the first vector register that replacements destroy."""

    def __init__(self, asm: X86Assembler, temporary: int) -> None:
        self.real: Any = asm
        self.temporary = temporary

    def __getattr__(self, name: str) -> Any:
        """Return a replacement, or the assembler's own attribute. Replacements are cached."""
        made = self.replacement(name)
        if made is None:
            return getattr(self.real, name)
        self.__dict__[name] = made
        return made

    def replacement(self, name: str) -> Emitter | None:
        """The emitter that replaces a mnemonic; None for instructions that the processor has, and for other
        attributes."""
        raise NotImplementedError


def further(operand: Mem, disp: int) -> Mem:
    """The memory `disp` bytes behind an operand. It has no stated size, so the instruction implies it."""
    if operand.base is None:
        return Mem(disp=operand.disp + disp, label=operand.label)
    return mem(operand.base, operand.disp + disp, operand.index, operand.scale)


def sized(operand: Mem, bits: int) -> Mem:
    """A memory operand with a stated size."""
    assert operand.base is not None, "constants have no size of their own"
    return mem(operand.base, operand.disp, operand.index, operand.scale, size=bits)


def by_eax(asm: Any, load: Callable[[Reg], None]) -> Reg:
    """Return eax with a byte of memory four times, because no instruction broadcasts a byte."""
    load(_EAX)
    asm.imul(_EAX, _EAX, 0x01010101)
    return _EAX
