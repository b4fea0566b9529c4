"""The contract of what threads need beyond a scalar machine: atomic accesses, time, the system, floating-point control.

A word is 8 bytes, aligned. Values are registers or small numbers; x, y and z of the scalar machine are lost by every
verb, so none of them may be an operand, but each may be the destination. Loads acquire, stores release, and the others
do both. Sources: Intel SDM volume 3, 9.2; Arm ARM B2.3; Linux, arch/x86/entry/syscalls and asm-generic/unistd.h.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from ...encoder.operands import Label
from ..scalar.machine import Memory, Operand, Register, Scalar

FUTEX_WAIT, FUTEX_WAKE = 128, 129  # both private to the process: linux/futex.h
SIG_SETMASK = 2  # asm-generic/signal-defs.h
PR_SET_NAME = 15  # linux/prctl.h


class Verbs(ABC):
    """Emits into a scalar machine's assembler."""

    calls: Mapping[str, int]
    """System call -> its number."""
    answer: Register
    """Where a system call leaves its result."""

    def __init__(self, machine: Scalar) -> None:
        self.m = machine

    @abstractmethod
    def load(self, dst: Register, place: Memory) -> None:
        """dst = the word, and whatever is read later is read after it."""

    @abstractmethod
    def store(self, place: Memory, value: Operand) -> None:
        """The word = value, after everything that was written before."""

    @abstractmethod
    def exchange(self, dst: Register, place: Memory, value: Operand) -> None:
        """dst = the word, and the word = value, in one."""

    @abstractmethod
    def add(self, dst: Register, place: Memory, value: int) -> None:
        """dst = the word, and the word += value, in one."""

    @abstractmethod
    def replace(self, place: Memory, expected: Operand, value: Operand, failed: Label) -> None:
        """The word = value if it is the expected one, in one; else jump to the label."""

    @abstractmethod
    def pause(self) -> None:
        """Tell the processor that this is a loop which waits."""

    @abstractmethod
    def ticks(self, dst: Register) -> None:
        """dst = the time in ticks of the processor's clock, which runs at one speed."""

    @abstractmethod
    def system(self, name: str, *arguments: Operand) -> None:
        """A system call; its arguments are no argument registers."""

    @abstractmethod
    def clear_bit(self, words: Memory, number: Register) -> None:
        """Clear a bit of an array of words; `number` may be y."""

    @abstractmethod
    def save_control(self, place: Memory) -> None:
        """Keep rounding mode, denormals and exception masks of this thread."""

    @abstractmethod
    def load_control(self, place: Memory) -> None:
        """Set them."""

    def wait(self, word: Memory, value: Operand) -> None:
        """Sleep until somebody wakes those who wait for this word, unless it has changed already."""
        address = self.word_address(word)
        self.system("futex", address, FUTEX_WAIT, value, 0)

    def wake(self, word: Memory, count: int) -> None:
        """Wake up so many who wait for this word."""
        address = self.word_address(word)
        self.system("futex", address, FUTEX_WAKE, count)

    def word_address(self, word: Memory) -> Register:
        """A register with the address of a word; x if it has to be computed."""
        if not word.offset:
            return word.base
        self.m.address(self.m.x, word.base, offset=word.offset)
        return self.m.x
