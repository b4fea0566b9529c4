"""The operations that threads need beyond a scalar machine: atomic accesses, time, the system, floating-point control.

A word is 8 aligned bytes. Values are registers or small numbers. Every verb overwrites x, y and z of the scalar
machine, so none of them may be an operand, but each may be the destination. Loads acquire, stores release, and the
others do both. Sources: Intel SDM volume 3, 9.2; Arm ARM B2.3; Linux, arch/x86/entry/syscalls and asm-generic/unistd.h.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from ...encoder.operands import Label
from ..scalar.machine import Operand, Register, Scalar, ScalarMemory

FUTEX_WAIT, FUTEX_WAKE = 128, 129  # both private to the process: linux/futex.h
SIG_SETMASK = 2  # asm-generic/signal-defs.h
PR_SET_NAME = 15  # linux/prctl.h


class Verbs(ABC):
    """Emits into a scalar machine's assembler."""

    calls: Mapping[str, int]
    """The numbers of the system calls, keyed by name."""
    answer: Register
    """The register that holds the result of a system call."""

    def __init__(self, machine: Scalar) -> None:
        self.m = machine

    @abstractmethod
    def load(self, dst: Register, place: ScalarMemory) -> None:
        """Emit dst = the word. Later reads are ordered after it."""

    @abstractmethod
    def store(self, place: ScalarMemory, value: Operand) -> None:
        """Emit the word = value, ordered after all earlier writes."""

    @abstractmethod
    def exchange(self, dst: Register, place: ScalarMemory, value: Operand) -> None:
        """Emit dst = the word and the word = value, atomically."""

    @abstractmethod
    def add(self, dst: Register, place: ScalarMemory, value: int) -> None:
        """Emit dst = the word and the word += value, atomically."""

    @abstractmethod
    def replace(self, place: ScalarMemory, expected: Operand, value: Operand, failed: Label) -> None:
        """Emit, atomically, the word = value if it equals `expected`; otherwise jump to `failed`."""

    @abstractmethod
    def pause(self) -> None:
        """Emit the hint that this is a spin loop."""

    @abstractmethod
    def ticks(self, dst: Register) -> None:
        """Emit dst = the time in ticks of the processor's clock, which runs at a constant speed."""

    @abstractmethod
    def system(self, name: str, *arguments: Operand) -> None:
        """Emit a system call. Its arguments must not be argument registers."""

    @abstractmethod
    def clear_bit(self, words: ScalarMemory, number: Register) -> None:
        """Clear a bit of an array of words. `number` may be y."""

    @abstractmethod
    def save_control(self, place: ScalarMemory) -> None:
        """Save rounding mode, denormal handling and exception masks of this thread."""

    @abstractmethod
    def load_control(self, place: ScalarMemory) -> None:
        """Restore what `save_control` saved."""

    def wait(self, word: ScalarMemory, value: Operand) -> None:
        """Sleep until somebody wakes the waiters of this word, unless it has changed already."""
        address = self.word_address(word)
        self.system("futex", address, FUTEX_WAIT, value, 0)

    def wake(self, word: ScalarMemory, count: int) -> None:
        """Wake up to `count` threads that wait for this word."""
        address = self.word_address(word)
        self.system("futex", address, FUTEX_WAKE, count)

    def word_address(self, word: ScalarMemory) -> Register:
        """Return a register with the address of a word: x if it has to be computed."""
        if not word.offset:
            return word.base
        self.m.address(self.m.x, word.base, offset=word.offset)
        return self.m.x
