"""The assembler of x86-64 that takes virtual registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors import EncodeError
from ..spilling import SpillingAssembler
from .assembler import X86Assembler
from .registers import R64, Mem
from .virtual import REAL, Virtual

_CARRIERS = (10, 11)  # they carry no arguments, and belong to no caller


class SpillingX86(SpillingAssembler, X86Assembler):
    """An instruction on one virtual register takes its word as a memory operand where there is such a form."""

    def carriers(self) -> Sequence[int]:
        """r10 and r11."""
        return _CARRIERS

    def numbers(self, operand: Any) -> Iterator[int]:
        """Registers stand alone, or are base and index of a memory operand."""
        for each in (operand.base, operand.index) if isinstance(operand, Mem) else (operand,):
            if isinstance(each, Virtual):
                yield each.number

    def carried(self, operand: Any, held: dict[int, int]) -> Any:
        """Return the operand with carriers in place of virtual registers."""
        if isinstance(operand, Virtual):
            return REAL[operand.width][held[operand.number]]
        if not isinstance(operand, Mem) or not any(self.numbers(operand)) and operand.base is operand.index is None:
            return operand
        base, index = (
            R64[held[each.number]] if isinstance(each, Virtual) else each for each in (operand.base, operand.index)
        )
        return operand._with(base=base, index=index)

    def effect(self, operand: Any, access: str) -> tuple[bool, bool]:
        """Addresses are read. A write of 32 bits clears the others, a write of fewer keeps them."""
        if isinstance(operand, Mem):
            return True, False
        return access in "rx" or operand.width < 32, access in "wx"

    def _from_memory(self, emit: Callable[..., None], operands: Sequence[Any], named: Sequence[Sequence[int]]) -> bool:
        places = [at for at, numbers in enumerate(named) if numbers]
        operand = operands[places[0]]
        alone = len(places) == 1 and isinstance(operand, Virtual) and operand.width == 64
        if not alone or any(isinstance(each, Mem) for each in operands):
            return False
        taken = [self.word_of(operand.number) if at == places[0] else each for at, each in enumerate(operands)]
        try:
            self._form(emit, taken)
        except EncodeError:
            return False
        emit(*taken)
        return True

    def load_word(self, carrier: int, number: int) -> None:
        """Emit mov."""
        self.mov(R64[carrier], self.word_of(number))

    def store_word(self, number: int, carrier: int) -> None:
        """Emit mov."""
        self.mov(self.word_of(number), R64[carrier])
