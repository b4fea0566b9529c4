"""AArch64 machines whose further general registers are words of the stack frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.registers import X, mem, sp, xzr
from ....encoder.a64.virtual import Virtual, carried, effect, numbers, virtual
from ....encoder.asm import Assembler
from ....encoder.features import Target
from ...contract.machine import STACK_PAGE
from ..a64.core import A64Machine
from .assembler import SpillingAssembler
from .machine import Spilled

CARRIERS = (25, 26, 27)
"""The carriers. Functions restore them."""
BASE = 28
"""The register with the address of the words. Functions restore it."""


class SpillingA64(SpillingAssembler, A64Assembler):
    """Loads and stores go by the base register, since the stack pointer moves."""

    def carriers(self) -> Sequence[int]:
        """Three of the registers that functions restore."""
        return CARRIERS

    numbers, carried, effect = staticmethod(numbers), staticmethod(carried), staticmethod(effect)

    def load_word(self, carrier: int, number: int) -> None:
        """Emit ldr."""
        self.ldr(X[carrier], self.word_of(number))

    def store_word(self, number: int, carrier: int) -> None:
        """Emit str."""
        self.str(X[carrier], self.word_of(number))


_RESERVED = tuple(X[number] for number in (*CARRIERS, BASE))


class SpilledA64(Spilled, A64Machine):
    """The words of virtual registers are claimed at entry."""

    reserved = _RESERVED

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        cast(SpillingA64, asm).word_of = lambda number: mem[X[BASE], 8 * number]

    @staticmethod
    def is_virtual(register: object) -> bool:
        """Whether the value of a register lies in memory."""
        return isinstance(register, Virtual)

    @staticmethod
    def virtual(number: int) -> Virtual:
        """The virtual register of this number."""
        return virtual(number)

    def enter(self, vectors: int) -> None:
        """Push the reserved registers and claim the words, after everything else that entry saves."""
        super().enter(vectors)
        self.note("values beyond the registers are in the stack frame")
        for register in _RESERVED:
            self._pushed.append(register)
            self.asm.str(register, mem[sp, -16].pre)
        frame = 8 * self.values
        for part in [STACK_PAGE] * (frame // STACK_PAGE) + [frame % STACK_PAGE]:
            if part:
                self.asm.sub(sp, sp, part)
                self.asm.str(xzr, mem[sp])
        self._pushed.append(frame)
        self.asm.add(X[BASE], sp, 0)
