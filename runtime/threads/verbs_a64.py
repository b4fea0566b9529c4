"""The verbs of threads on AArch64. Atomic accesses are exclusive loads and stores, which every processor has."""

from __future__ import annotations

from ...encoder.a64.names import SYSTEM_REGISTERS
from ...encoder.a64.registers import General, W, X, mem, xzr
from ...encoder.operands import Label
from ..scalar.machine import Operand, Register, ScalarMemory
from .verbs import Verbs

_NUMBER, _STATUS, _OLD = X[8], W[17], X[16]
_ARGUMENTS = X[:5]


class A64Verbs(Verbs):
    """Register use: x is x8, y is x13, z is x14; x16 and x17 are the scalar machine's scratch registers."""

    calls = {
        "futex": 98,
        "rt_sigprocmask": 135,
        "prctl": 167,
        "gettid": 178,
        "getcpu": 168,
        "sched_setaffinity": 122,
        "sched_getaffinity": 123,
    }
    answer = X[0]

    def _at(self, place: ScalarMemory) -> General:
        """Return a register with the address: z if it has to be computed, since these accesses take no offset."""
        if not place.offset:
            base: General = place.base
            return base
        self.m.address(self.m.z, place.base, offset=place.offset)
        at: General = self.m.z
        return at

    def _in_register(self, value: Operand) -> General:
        """Return a register with the value: y if it is not in a register."""
        if isinstance(value, (int, ScalarMemory)):
            if value == 0:
                return xzr
            self.m.move(self.m.y, value)
            value = self.m.y
        register: General = value
        return register

    def load(self, dst: Register, place: ScalarMemory) -> None:
        self.m.asm.ldar(dst, mem[self._at(place)])

    def store(self, place: ScalarMemory, value: Operand) -> None:
        self.m.asm.stlr(self._in_register(value), mem[self._at(place)])

    def exchange(self, dst: Register, place: ScalarMemory, value: Operand) -> None:
        asm, at, new, again = self.m.asm, self._at(place), self._in_register(value), self.m.asm.label()
        asm.bind(again)
        asm.ldaxr(_OLD, mem[at])
        asm.stlxr(_STATUS, new, mem[at])
        asm.cbnz(_STATUS, again)
        self.m.move(dst, _OLD)

    def add(self, dst: Register, place: ScalarMemory, value: int) -> None:
        asm, at, again = self.m.asm, self._at(place), self.m.asm.label()
        asm.bind(again)
        asm.ldaxr(_OLD, mem[at])
        asm.add(self.m.y, _OLD, value)
        asm.stlxr(_STATUS, self.m.y, mem[at])
        asm.cbnz(_STATUS, again)
        self.m.move(dst, _OLD)

    def replace(self, place: ScalarMemory, expected: Operand, value: Operand, failed: Label) -> None:
        asm, at, new, again = self.m.asm, self._at(place), self._in_register(value), self.m.asm.label()
        asm.bind(again)
        asm.ldaxr(_OLD, mem[at])
        asm.cmp(_OLD, expected)
        asm.b_ne(failed)
        asm.stlxr(_STATUS, new, mem[at])
        asm.cbnz(_STATUS, again)

    def pause(self) -> None:
        self.m.asm.yield_()

    def ticks(self, dst: Register) -> None:
        self.m.asm.mrs(dst, SYSTEM_REGISTERS["cntvct_el0"])

    def system(self, name: str, *arguments: Operand) -> None:
        for register, argument in zip(_ARGUMENTS, arguments):
            self.m.move(register, argument)
        self.m.move(_NUMBER, self.calls[name])
        self.m.asm.svc(0)

    def clear_bit(self, words: ScalarMemory, number: Register) -> None:
        asm, (word, bit), at = self.m.asm, (self.m.x, _OLD), self.m.z
        self.m.address(at, words.base, offset=words.offset)
        asm.lsr(word, number, 6)
        asm.add(at, at, word.lsl(3))
        asm.mov(bit, 1)
        asm.lsl(bit, bit, number)  # the shift uses the lowest 6 bits
        asm.ldr(word, mem[at])
        asm.bic(word, word, bit)
        asm.str(word, mem[at])

    def save_control(self, place: ScalarMemory) -> None:
        self.m.asm.mrs(self.m.x, SYSTEM_REGISTERS["fpcr"])
        self.m.move(place, self.m.x)

    def load_control(self, place: ScalarMemory) -> None:
        self.m.move(self.m.x, place)
        self.m.asm.msr(SYSTEM_REGISTERS["fpcr"], self.m.x)
