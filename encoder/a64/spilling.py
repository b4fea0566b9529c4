"""The assembler of AArch64 that takes virtual registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..spilling import SpillingAssembler
from .assembler import A64Assembler
from .operand import Shifted
from .registers import Mem, W, X, mem
from .virtual import Virtual

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
