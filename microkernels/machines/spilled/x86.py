"""x86-64 machines whose further general registers are words of the stack frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, cast

from ....encoder.asm import Assembler
from ....encoder.features import Target
from ....encoder.x86.registers import R32, R64, Reg, dword
from ....encoder.x86.spilling import SpillingX86
from ....encoder.x86.virtual import virtual
from ...contract.machine import STACK_PAGE, Pattern, Slot, facts_of
from ..x86.core import FURTHER_SLOTS, RED_ZONE_SLOTS, X86Machine

_SLOTS = RED_ZONE_SLOTS + FURTHER_SLOTS
_RSP = R64[4]


class SpilledX86(X86Machine):
    """A machine that hands out virtual registers if no other is left. The whole frame is claimed at entry, with slots
    as in a kernel that has scratch memory, and one more for each virtual register."""

    described: ClassVar[Any]
    """The machine of the target, whose facts this one has."""
    values: ClassVar[int]
    """The number of virtual registers, an even one."""

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self.facts = facts_of(self.described, target)
        cast(SpillingX86, asm).word_of = lambda number: self._place(Slot(_SLOTS + 1 + number))
        self._carriers = tuple(R64[number] for number in cast(SpillingX86, asm).carriers())
        self._slots = _SLOTS
        self._free_slots = list(range(_SLOTS, 0, -1))
        self._add_virtual(())

    def _add_virtual(self, preserved: Sequence[Reg | Slot]) -> None:
        """Remove the carriers from the free registers, and add the virtual ones, which are claimed last."""
        names = {*map(id, preserved)}
        real = [reg for reg in self._free_general if reg not in self._carriers]
        added = [virtual(number) for number in range(self.values - 1, -1, -1)]
        self._free_general = [*(reg for reg in added if id(reg) not in names), *real]

    def reclaim(self, preserved: Sequence[Reg | Slot]) -> None:
        """Free virtual registers too."""
        super().reclaim(preserved)
        self._add_virtual(preserved)

    def generals_left(self) -> int:
        """The number of free registers of the processor."""
        return sum(reg in R64 for reg in self._free_general)

    def pattern(self, emit: Callable[[], None], bases: Sequence[Reg]) -> Pattern | None:
        """Emit the instructions. There is no pattern of instructions whose bases may be carriers."""
        emit()
        return None

    def enter(self, vectors: int) -> None:
        """Claim the frame after the comparison of the rounding mode."""
        super().enter(vectors)
        self.note("values beyond the registers are in the stack frame")
        frame = 8 * (_SLOTS + self.values)
        self.asm.sub(_RSP, frame)
        self._frame = frame
        for page in range(frame // STACK_PAGE * STACK_PAGE, 0, -STACK_PAGE):
            self.asm.test(dword[_RSP + page], R32[0])
