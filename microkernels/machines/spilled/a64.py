"""AArch64 machines whose further general registers are words of the stack frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.operand import Shifted
from ....encoder.a64.registers import Mem, Virtual, W, X, mem, sp, virtual, xzr
from ....encoder.asm import Assembler
from ....encoder.features import Target
from ...contract.machine import STACK_PAGE
from ..a64.core import A64Machine
from .assembler import SpillingAssembler
from .machine import Spilled

_REAL = {"x": X, "w": W}
CARRIERS = (25, 26, 27)
"""The carriers. Functions restore them."""
BASE = 28
"""The register with the address of the words. Functions restore it."""


class SpillingA64(SpillingAssembler, A64Assembler):
    """Loads and stores go by the base register, since the stack pointer moves."""

    def carriers(self) -> Sequence[int]:
        """Three of the registers that functions restore."""
        return CARRIERS

    def numbers(self, operand: Any) -> Iterator[int]:
        """Registers stand alone, shifted or extended, or are base and offset of a memory operand."""
        if isinstance(operand, Virtual):
            yield operand.number
        elif isinstance(operand, Shifted):
            yield from self.numbers(operand.reg)
        elif isinstance(operand, Mem):
            yield from self.numbers(operand.base)
            yield from self.numbers(operand.offset)

    def carried(self, operand: Any, held: dict[int, int]) -> Any:
        """Return the operand with carriers in place of virtual registers."""
        if isinstance(operand, Virtual):
            return _REAL[operand.kind][held[operand.number]]
        if isinstance(operand, Shifted):
            return self.carried(operand.reg, held)._shifted(operand.op, operand.amount)
        if isinstance(operand, Mem):
            base, offset = self.carried(operand.base, held), self.carried(operand.offset, held)
            plain = mem[base, offset] if operand.mode != "," else mem[base].post(offset)
            return plain.pre if operand.mode == "!" else plain
        return operand

    def effect(self, operand: Any, access: str) -> tuple[bool, bool]:
        """Addresses are read, and written if the base moves. A write of 32 bits clears the others."""
        if isinstance(operand, Mem):
            return True, bool(operand.mode)
        return access in "rx", access in "wx"

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
    def is_virtual(register: Any) -> bool:
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
