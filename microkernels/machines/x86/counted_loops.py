"""Loops and branches of x86-64 whose count is not known before they run, or whose index the body reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....encoder.operands import Label
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import Reg


class CountedLoops:
    """The loops, in terms of the other verbs of an `X86Machine`."""

    asm: X86Assembler
    copy: Any
    _operand: Any
    _restoring: Any

    @contextmanager
    def index_loop(self, index: Reg, limit: Any) -> Iterator[None]:
        """index = 0 .. limit - 1."""
        self.copy(index, 0)
        top = self.asm.here()
        with self._restoring():
            yield
        self.asm.inc(index)
        self.asm.cmp(index, self._operand(limit))
        self.asm.jne(top)

    def branch_if_more(self, amount: Any, most: int, elsewhere: Label) -> None:
        """Compare without a sign."""
        self.asm.cmp(self._operand(amount), most)
        self.asm.ja(elsewhere)

    @contextmanager
    def while_at_least(self, left: Any, step: int) -> Iterator[None]:
        """Run the body while left >= step, and subtract step each time; perhaps it never runs."""
        operand, end = self._operand(left), self.asm.label()
        self.asm.sub(operand, step)
        self.asm.jl(end)
        top = self.asm.here()
        with self._restoring():
            yield
        self.asm.sub(operand, step)
        self.asm.jge(top)
        self.asm.bind(end)
        self.asm.add(operand, step)
