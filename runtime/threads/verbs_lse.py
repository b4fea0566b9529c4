"""The verbs of threads on AArch64 processors with the Large System Extensions: atomic accesses in one instruction.

Exclusive loads and stores have to be repeated if many processors want the word; with these instructions the memory
system orders the accesses. Source: Arm ARM, B2.9 and C6.2 (CASAL, LDADDAL, SWPAL).
"""

from __future__ import annotations

from dataclasses import replace

from ...encoder.a64.registers import X, mem
from ...encoder.operands import Label
from ..scalar.machine import Operand, Register, Scalar, ScalarMemory
from .verbs_a64 import A64Verbs

_OLD, _EXPECTED = X[16], X[17]


class LseVerbs(A64Verbs):
    """A64Verbs with single-instruction atomic accesses."""

    def __init__(self, machine: Scalar) -> None:
        super().__init__(machine)
        target = machine.asm.target
        machine.asm.target = replace(target, features=target.features | {"LSE"})

    def exchange(self, dst: Register, place: ScalarMemory, value: Operand) -> None:
        at, new = self._at(place), self._in_register(value)
        self.m.asm.swpal(new, _OLD, mem[at])
        self.m.move(dst, _OLD)

    def add(self, dst: Register, place: ScalarMemory, value: int) -> None:
        at, addend = self._at(place), self._in_register(value)
        self.m.asm.ldaddal(addend, _OLD, mem[at])
        self.m.move(dst, _OLD)

    def replace(self, place: ScalarMemory, expected: Operand, value: Operand, failed: Label) -> None:
        at, new = self._at(place), self._in_register(value)
        self.m.move(_EXPECTED, expected)
        self.m.move(_OLD, _EXPECTED)
        self.m.asm.casal(_OLD, new, mem[at])
        self.m.asm.cmp(_OLD, _EXPECTED)
        self.m.asm.b_ne(failed)
