"""The mode that a kernel computes under: its own, whatever mode its caller has set.

The mode is what the thread's control register says: rounding to nearest even, denormals kept, no exception trapped. A
kernel with an instruction that follows the register compares it when it begins; flags that only record what happened
are left out. Where the caller's mode differs, a few instructions behind the kernel's end set the kernel's own, call its
body as a function, with a copy of the arguments on the stack, and put the caller's word back. So calls under the usual
mode pay for one comparison, and for nothing where they return.

Which kernels compare is read from the instructions that were emitted: a kernel that only moves elements, or computes
with integers, has neither the comparison nor what stands behind it, and no kind of kernel has to say which it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from re import Pattern
from typing import ClassVar

from ...encoder.asm import Assembler
from ...encoder.operands import Label


class OwnRounding(ABC):
    """Part of the machine contract: `enter` begins with `compare_mode`, `leave` ends with `settle_mode`."""

    asm: Assembler
    stacked: int = 0
    """Arguments of the function that lie on the stack."""
    follows: ClassVar[Pattern[str]]
    """The pattern of the mnemonics of instructions whose result depends on the mode, or that trap where it says so."""

    def compare_mode(self) -> None:
        """Behind the first instruction: go elsewhere if the caller's mode is not the kernel's own."""
        asm = self.asm
        start = len(asm.buffer)
        asm.note("the caller's rounding mode")
        self._elsewhere = asm.label(".Lelsewhere")
        self.unless_own(self._elsewhere)
        self._comparison = start, len(asm.buffer)
        self._body = asm.here(".Lbody")

    def settle_mode(self) -> None:
        """Behind the last instruction: what another mode goes to; the comparison goes if no instruction follows it."""
        asm = self.asm
        if any(self.follows.fullmatch(form.mnemonic) for form in {form for _, form, _ in asm.record}):
            asm.bind(self._elsewhere)
            asm.note("under the kernel's own rounding mode")
            self.under_own(self._body)
        else:
            asm.labels.remove(self._body)
            asm.remove(*self._comparison)

    @abstractmethod
    def unless_own(self, elsewhere: Label) -> None:
        """Go there unless the control register holds what programs start with; no argument is touched."""

    @abstractmethod
    def under_own(self, body: Label) -> None:
        """Call the body with the arguments of the kernel and with its own mode, and return to the kernel's caller."""
