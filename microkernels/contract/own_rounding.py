"""The rounding mode of a kernel, which does not depend on its caller's.

The mode is the state of the thread's control register: rounding to nearest even, denormals kept, no exception trapped.
A kernel with an instruction that depends on the register compares the register when it begins; sticky flags are left
out. If the caller's mode differs, a few instructions behind the kernel's end set the kernel's mode, call its body as a
function, with a copy of the arguments on the stack, and restore the caller's word. So a call under the usual mode pays
for one comparison and for nothing on return.

Whether a kernel compares is read from the instructions that were emitted: a kernel that only moves elements, or
computes with integers, has neither the comparison nor the code behind its end, and no kind of kernel has to declare it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from ...encoder.asm import Assembler
from ...encoder.operands import Label


class OwnRounding(ABC):
    """Part of the machine contract: `enter` begins with `comparing_mode`, `leave` ends with `settled_mode`."""

    asm: Assembler
    stacked: int = 0
    """How many arguments of the function are on the stack."""

    @contextmanager
    def comparing_mode(self) -> Iterator[Label]:
        """A scope behind the first instruction, for a branch to the label where the mode is not the kernel's own."""
        asm = self.asm
        start = len(asm.buffer)
        asm.note("the caller's rounding mode")
        self._elsewhere = asm.label(".Lelsewhere")
        yield self._elsewhere
        self._comparison = start, len(asm.buffer)
        self._body = asm.here(".Lbody")

    def settled_mode(self) -> Label | None:
        """The body, to be called under the kernel's own mode by what is emitted next, the target of that branch.

        None where no instruction depends on the mode: then the comparison is removed, and nothing branches here.
        """
        asm = self.asm
        if any(map(self.follows, {form.mnemonic for form, _, _ in asm.record})):
            asm.bind(self._elsewhere)
            asm.note("under the kernel's own rounding mode")
            return self._body
        asm.labels.remove(self._body)
        asm.remove(*self._comparison)
        return None

    @staticmethod
    @abstractmethod
    def follows(mnemonic: str) -> bool:
        """Whether results of the instruction depend on the mode, or it traps under some modes."""

    @abstractmethod
    def unless_own(self, elsewhere: Label) -> None:
        """Branch to `elsewhere` unless the control register has its initial value; no argument is changed."""

    @abstractmethod
    def under_own(self, body: Label) -> None:
        """Call the body with the kernel's arguments and under its own mode, and return to the kernel's caller."""
