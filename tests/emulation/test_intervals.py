"""No execution of a random program takes a way that the intervals call impossible, and some ways are impossible."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest

import tilesmith as ts
from tests.profiles import scaled
from tilesmith import a64, x86
from tilesmith.emulation.core.faults import AbiViolation, Fault
from tilesmith.emulation.coverage import recorded
from tilesmith.emulation.cpu import execute
from tilesmith.emulation.intervals.reachable import ways
from tilesmith.encoder.features import Target

NUMBERS = (1, 2, 3, 4, 6, 7, 8, 13, 64)
FRAME, WORDS = 64, 6


class Program:
    """Steps on five registers and on words of the stack, with branches ahead and loops. The first two registers hold
    the arguments."""

    def __init__(self, seed: int, target: str) -> None:
        self.random, self.asm, self.target = Random(seed), ts.assembler(target), target
        self.code = self._made()

    def _made(self) -> Any:
        self.begin()
        for _ in range(self.random.randint(3, 7)):
            self.part(self.random.choice(("steps", "steps", "if", "if", "loop", "loop")))
        self.end()
        return self.asm.finish("program")

    def part(self, kind: str) -> None:
        top, end = self.asm.label("top"), self.asm.label("end")
        if kind == "if":
            self.compared(end)
        elif kind == "loop":
            self.asm.bind(top)
        for _ in range(self.random.randint(1, 4)):
            self.step()
        if kind == "loop":
            self.counted(top)
        self.asm.bind(end)

    def begin(self) -> None:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError

    def step(self) -> None:
        raise NotImplementedError

    def compared(self, away: Any) -> None:
        raise NotImplementedError

    def counted(self, back: Any) -> None:
        raise NotImplementedError


class OfX86(Program):
    REGISTERS = (x86.rdi, x86.rsi, x86.rax, x86.rcx, x86.rdx)
    NARROW = (x86.edi, x86.esi, x86.eax, x86.ecx, x86.edx)

    def _word(self) -> Any:
        return x86.qword[x86.rsp + 8 * self.random.randrange(WORDS)]

    def begin(self) -> None:
        asm = self.asm
        asm.sub(x86.rsp, FRAME)
        for word in range(WORDS + 1):
            asm.mov(x86.qword[x86.rsp + 8 * word], word)
        for each in self.REGISTERS[2:]:
            asm.mov(each, self.random.choice(NUMBERS))

    def end(self) -> None:
        self.asm.add(x86.rsp, FRAME)
        self.asm.ret()

    def step(self) -> None:
        asm, random, number = self.asm, self.random, self.random.choice(NUMBERS)
        a, b = random.sample(self.REGISTERS, 2)
        at = random.randrange(5)
        random.choice(
            (
                lambda: asm.mov(a, b),
                lambda: asm.mov(a, number),
                lambda: asm.mov(a, (1 << 64) - number),
                lambda: asm.add(a, number),
                lambda: asm.sub(a, number),
                lambda: asm.add(a, b),
                lambda: asm.sub(a, b),
                lambda: asm.imul(a, b, number),
                lambda: asm.imul(a, b),
                lambda: asm.and_(a, number),
                lambda: asm.shr(a, number % 7),
                lambda: asm.lea(a, x86.ptr[b + b * 2 + number]),
                lambda: asm.inc(a),
                lambda: asm.dec(a),
                lambda: asm.mov(self._word(), a),
                lambda: asm.mov(a, self._word()),
                lambda: asm.add(self._word(), a),
                lambda: asm.mov(self.NARROW[at], self.NARROW[at - 1]),
                lambda: asm.mov(x86.dword[x86.rsp + 4 * random.randrange(2 * WORDS)], self.NARROW[at]),
                lambda: (asm.push(a), asm.pop(b)),
                lambda: asm.xor(self.NARROW[at], self.NARROW[at]),
                lambda: (asm.lea(x86.r8, x86.ptr[x86.rsp + 8]), asm.mov(x86.qword[x86.r8 + 8], b)),
                lambda: asm.neg(a),
                lambda: asm.cmove(a, b),
            )
        )()

    def _jump(self, to: Any) -> None:
        getattr(self.asm, self.random.choice(("jl", "jge", "jle", "jg", "jb", "jae", "jbe", "ja", "je", "jne")))(to)

    def compared(self, away: Any) -> None:
        a, b = self.random.sample(self.REGISTERS, 2)
        number = self.random.choice(NUMBERS)
        self.random.choice(
            (
                lambda: self.asm.cmp(a, number),
                lambda: self.asm.cmp(a, b),
                lambda: self.asm.test(a, a),
                lambda: self.asm.sub(a, number),
                lambda: self.asm.cmp(self._word(), number),
                lambda: (self.asm.cmp(a, b), self.asm.dec(a)),
                lambda: self.asm.sub(a, b),
            )
        )()
        self._jump(away)

    def counted(self, back: Any) -> None:
        self.asm.sub(self.random.choice(self.REGISTERS), self.random.choice(NUMBERS))
        self.asm.jge(back)


class OfA64(Program):
    REGISTERS = tuple(a64.X[each] for each in range(5))
    NARROW = tuple(a64.W[each] for each in range(5))

    def _word(self) -> Any:
        return a64.mem[a64.sp, 8 * self.random.randrange(WORDS)]

    def begin(self) -> None:
        asm = self.asm
        asm.sub(a64.sp, a64.sp, FRAME)
        for word in range(WORDS + 1):
            asm.str(a64.xzr, a64.mem[a64.sp, 8 * word])
        for each in self.REGISTERS[2:]:
            asm.mov(each, self.random.choice(NUMBERS))

    def end(self) -> None:
        self.asm.add(a64.sp, a64.sp, FRAME)
        self.asm.ret()

    def step(self) -> None:
        asm, random, number = self.asm, self.random, self.random.choice(NUMBERS)
        a, b, c = random.sample(self.REGISTERS, 3)
        at = random.randrange(5)
        random.choice(
            (
                lambda: asm.mov(a, b),
                lambda: asm.mov(a, number),
                lambda: asm.movn(a, number),
                lambda: asm.add(a, b, number),
                lambda: asm.sub(a, b, number),
                lambda: asm.add(a, b, c),
                lambda: asm.sub(a, b, c),
                lambda: asm.mul(a, b, c),
                lambda: asm.madd(a, b, c, a),
                lambda: asm.and_(a, b, 7),
                lambda: asm.lsr(a, b, number % 7),
                lambda: asm.str(a, self._word()),
                lambda: asm.ldr(a, self._word()),
                lambda: asm.mov(self.NARROW[at], self.NARROW[at - 1]),
                lambda: asm.str(self.NARROW[at], a64.mem[a64.sp, 4 * random.randrange(2 * WORDS)]),
                lambda: (asm.add(a64.X[9], a64.sp, 8), asm.str(b, a64.mem[a64.X[9], 8])),
                lambda: (asm.cmp(a, b), asm.csel(a, b, c, random.choice((a64.LT, a64.HS, a64.EQ)))),
                lambda: asm.stp(a, b, a64.mem[a64.sp, 8 * random.randrange(WORDS)]),
            )
        )()

    def compared(self, away: Any) -> None:
        a, b = self.random.sample(self.REGISTERS, 2)
        number = self.random.choice(NUMBERS)
        if self.random.random() < 0.2:
            self.random.choice((self.asm.cbz, self.asm.cbnz))(self.random.choice((a, self.NARROW[0])), away)
            return
        self.random.choice(
            (
                lambda: self.asm.cmp(a, number),
                lambda: self.asm.cmp(a, b),
                lambda: self.asm.subs(a, a, number),
                lambda: self.asm.subs(a, b, number),
            )
        )()
        condition = self.random.choice(("lt", "ge", "le", "gt", "lo", "hs", "ls", "hi", "eq", "ne"))
        getattr(self.asm, f"b_{condition}")(away)

    def counted(self, back: Any) -> None:
        a = self.random.choice(self.REGISTERS)
        self.asm.subs(a, a, self.random.choice(NUMBERS))
        self.asm.b_ge(back)


def taken(code: Any, target: Target, given: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the ways that a call takes inside the code; those of a program without an end up to a limit."""
    with recorded() as seen, suppress(Fault, AbiViolation):
        execute(code, target, given, limit=2000)
    return {(at, goes) for at, goes in seen.of(code.data) if 0 <= goes < len(code.data)}


@pytest.mark.parametrize(("program", "target"), [(OfX86, "avx2"), (OfA64, "neon")], ids=("x86", "a64"))
def test_every_way_that_is_taken_is_possible(program: type[Program], target: str) -> None:
    impossible = 0
    for seed in range(scaled(60, 20_000)):
        made = program(seed, target)
        code, on = made.code, made.asm.target
        most = Random(seed).choice((5, 40, 1 << 40))
        possible = ways(code.data, on.arch, {0: (0, most), 1: (0, most)})
        if possible is None:
            continue
        for drawn in range(6):
            random = Random(seed * 10 + drawn)
            given = random.choice((0, 1, most, random.randint(0, min(most, 20)))), random.randint(0, min(most, 20))
            wrong = taken(code, on, given) - possible
            assert not wrong, (seed, given, wrong)
        impossible += len(every(code, on.arch) - possible)
    assert impossible


def every(code: Any, arch: str) -> set[tuple[int, int]]:
    """Return both ways of each conditional branch."""
    found = ways(code.data, arch, {})
    return found or set()
