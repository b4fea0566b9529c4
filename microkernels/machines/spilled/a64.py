"""AArch64 machines whose further general registers are words of the stack frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from ....encoder.a64.registers import X, mem, sp, xzr
from ....encoder.a64.spilling import BASE, CARRIERS, SpillingA64
from ....encoder.a64.virtual import virtual
from ....encoder.asm import Assembler
from ....encoder.features import Target
from ...contract.machine import STACK_PAGE, facts_of
from ..a64.core import A64Machine

_RESERVED = tuple(X[number] for number in (*CARRIERS, BASE))


class SpilledA64(A64Machine):
    """A machine that hands out virtual registers if no other is left. Their words are claimed at entry."""

    described: ClassVar[Any]
    """The machine of the target, whose facts this one has."""
    values: ClassVar[int]
    """The number of virtual registers, an even one."""

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self.facts = facts_of(self.described, target)
        cast(SpillingA64, asm).word_of = lambda number: mem[X[BASE], 8 * number]
        self._add_virtual(())

    def _add_virtual(self, preserved: Sequence[Any]) -> None:
        """Remove the reserved registers from the free ones, and add the virtual ones, which are claimed last."""
        names = {*map(id, preserved)}
        real = [reg for reg in self._free_general if reg not in _RESERVED]
        added = [virtual(number) for number in range(self.values - 1, -1, -1)]
        self._free_general = [*(reg for reg in added if id(reg) not in names), *real]

    def reclaim(self, preserved: Sequence[Any]) -> None:
        """Free virtual registers too."""
        super().reclaim(preserved)
        self._add_virtual(preserved)

    def generals_left(self) -> int:
        """The number of free registers of the processor."""
        return sum(reg in X for reg in self._free_general)

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
