"""The verbs of threads on x86-64. Plain loads acquire and plain stores release; a locked instruction is a fence."""

from __future__ import annotations

from typing import Any

from ...encoder.operands import Label
from ...encoder.x86.registers import REGISTERS, dword, qword
from ..scalar.machine import Operand, Register, ScalarMemory
from .verbs import Verbs

_ARGUMENTS = tuple(REGISTERS[name] for name in ("rdi", "rsi", "rdx", "r10", "r8"))


def _operand(memory: ScalarMemory) -> Any:
    return qword[memory.base + memory.offset]


class X86Verbs(Verbs):
    """Register use: rax is x, rcx is y, rdx is z."""

    calls = {
        "futex": 202,
        "rt_sigprocmask": 14,
        "prctl": 157,
        "gettid": 186,
        "getcpu": 309,
        "sched_setaffinity": 203,
        "sched_getaffinity": 204,
    }
    answer = REGISTERS["rax"]

    def load(self, dst: Register, place: ScalarMemory) -> None:
        self.m.move(dst, place)

    def store(self, place: ScalarMemory, value: Operand) -> None:
        self.m.move(place, value)

    def exchange(self, dst: Register, place: ScalarMemory, value: Operand) -> None:
        self.m.move(self.m.y, value)
        self.m.asm.xchg(_operand(place), self.m.y)
        if dst is not self.m.y:
            self.m.move(dst, self.m.y)

    def add(self, dst: Register, place: ScalarMemory, value: int) -> None:
        self.m.move(self.m.y, value)
        self.m.asm.lock_xadd(_operand(place), self.m.y)
        if dst is not self.m.y:
            self.m.move(dst, self.m.y)

    def replace(self, place: ScalarMemory, expected: Operand, value: Operand, failed: Label) -> None:
        self.m.move(self.m.y, value)
        self.m.move(self.m.x, expected)
        self.m.asm.lock_cmpxchg(_operand(place), self.m.y)
        self.m.asm.jne(failed)

    def pause(self) -> None:
        self.m.asm.pause()

    def ticks(self, dst: Register) -> None:
        self.m.asm.rdtsc()
        self.m.asm.shl(self.m.z, 32)
        self.m.asm.or_(self.m.x, self.m.z)
        if dst is not self.m.x:
            self.m.move(dst, self.m.x)

    def system(self, name: str, *arguments: Operand) -> None:
        for register, argument in zip(_ARGUMENTS, arguments):
            self.m.move(register, argument)
        self.m.move(self.m.x, self.calls[name])
        self.m.asm.syscall()  # overwrites rcx and r11

    def clear_bit(self, words: ScalarMemory, number: Register) -> None:
        self.m.asm.btr(_operand(words), number)

    def save_control(self, place: ScalarMemory) -> None:
        self.m.asm.stmxcsr(dword[place.base + place.offset])

    def load_control(self, place: ScalarMemory) -> None:
        self.m.asm.ldmxcsr(dword[place.base + place.offset])
