"""A program that executes instructions one after another, each with its own registers and memory.

A job is a block of bytes: the contents of every register, the memory, and the slot to execute. A slot is an instruction
and the branches after it. The program loads a block, jumps to the slot, and stores every register to another block.
x16 and x17 belong to the program: after the instruction, x16 tells where control went.

    Mode            the vectors that exist, and the resulting layout of a block
    WINDOW          the memory that instructions may access, at a fixed address below 4 GiB
    TRAMPOLINES     two addresses to which a branch to a register may go

The window ends where mapped memory ends, so that a first-fault or non-fault load can be made to reach the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.encoder.a64_targets import EVERYTHING
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.coherence import flush
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import D, General, P, W, X, Z, mem, sp, vl, za, zt0
from tilesmith.encoder.code import Code
from tilesmith.encoder.operands import Label

PAGE = 4096
MEMORY = 0x2000_0000
WINDOW_SIZE = 1024
WINDOW = MEMORY + PAGE - WINDOW_SIZE
_CONTROL = MEMORY + (16 << 20)  # in, out, jobs left, the caller's sp, this program's address
TRAMPOLINES = (MEMORY + (32 << 20), MEMORY + (32 << 20) + 32)  # not on a page that is written
_MMAP, _READ_WRITE, _EXECUTE, _FIXED_PRIVATE_ANONYMOUS = 222, 3, 4, 0x32  # Linux, asm-generic


class Mode(NamedTuple):
    """The bytes of a vector register, and whether the processor is in streaming mode, with ZA."""

    vector: int
    streaming: bool = False

    GENERAL, SP, NZCV, SLOT, PREDICATES, FFR = 0, 256, 264, 272, 384, 448
    MEMORY, VECTORS = 1024, 2048

    @property
    def za(self) -> int:
        return self.VECTORS + 32 * self.vector

    @property
    def zt0(self) -> int:
        return self.za + self.vector * self.vector

    @property
    def size(self) -> int:
        """The size of a block in bytes."""
        return self.zt0 + 1024 if self.streaming else self.za


# NEON has its own mode, because qemu keeps the bits above 128 in the results of some NEON instructions.
PLAIN, SCALABLE, STREAMING = Mode(16), Mode(32), Mode(64, streaming=True)


def program(slots: list[tuple[int, ...]], mode: Mode) -> tuple[Code, list[int]]:
    """Return the code of f(blocks in, blocks out, count), and the value of a block's SLOT field for each slot."""
    asm: Any = A64Assembler(EVERYTHING)
    start, save, elsewhere, other = asm.here("start"), asm.label("save"), asm.label("elsewhere"), asm.label("other")
    _prologue(asm, start, (elsewhere, other))
    if mode.streaming:
        asm.smstart()
    _loop(asm, save, (elsewhere, other), mode)
    places = []
    for words in slots:
        asm.align(16)
        places.append(len(asm.buffer))
        for word in words:
            asm.buffer += word.to_bytes(4, "little")
        asm.b(save)
        asm.b(elsewhere)
    return asm.finish("slots"), places


def _prologue(asm: Any, start: Label, ends: tuple[Label, Label]) -> None:
    """Save the caller's registers, map the memory, write the trampolines."""
    asm.sub(sp, sp, 176)
    for i in range(0, 12, 2):
        asm.stp(X[18 + i], X[19 + i], mem[sp, 8 * i])
    for i in range(0, 8, 2):
        asm.stp(D[8 + i], D[9 + i], mem[sp, 96 + 8 * i])
    asm.str(X[30], mem[sp, 160])
    asm.mov(X[20], X[0])
    asm.mov(X[21], X[1])
    asm.mov(X[22], X[2])
    _map(asm, MEMORY, _READ_WRITE)
    _map(asm, _CONTROL, _READ_WRITE)
    _map(asm, TRAMPOLINES[0], _READ_WRITE | _EXECUTE)
    asm.load_immediate(X[19], _CONTROL)
    asm.stp(X[20], X[21], mem[X[19]])
    asm.mov(X[23], sp)
    asm.stp(X[22], X[23], mem[X[19], 16])
    asm.adr(X[24], start)
    asm.str(X[24], mem[X[19], 32])
    asm.load_immediate(X[19], TRAMPOLINES[0])
    for place, end in zip(TRAMPOLINES, ends):
        asm.adr(X[24], end)
        _trampoline(asm, X[19], place - TRAMPOLINES[0])
    asm.load_immediate(X[25], PAGE)
    flush(asm, X[19], X[25])


def _map(asm: Any, start: int, rights: int) -> None:
    for reg, value in zip(X, (start, PAGE, rights, _FIXED_PRIVATE_ANONYMOUS, -1, 0)):
        asm.load_immediate(reg, value)
    asm.load_immediate(X[8], _MMAP)
    asm.svc(0)


def _trampoline(asm: Any, control: General, offset: int) -> None:
    """Write a trampoline: ldr x16 from the word after it; br x16."""
    part: Any = A64Assembler(EVERYTHING)
    part.ldr(X[16], 8)
    part.br(X[16])
    asm.load_immediate(X[25], int.from_bytes(part.buffer, "little"))
    asm.stp(X[25], X[24], mem[control, offset])


def _loop(asm: Any, save: Label, ends: tuple[Label, Label], mode: Mode) -> None:
    """Take the next block, load it, jump to its slot; afterwards store the state."""
    more, done, following = asm.label("more"), asm.label("done"), asm.label("next")
    asm.bind(following)
    asm.load_immediate(X[0], _CONTROL)
    asm.ldr(X[3], mem[X[0], 16])
    asm.cbnz(X[3], more)
    asm.b(done)
    asm.bind(more)
    asm.sub(X[3], X[3], 1)
    asm.str(X[3], mem[X[0], 16])
    asm.ldp(X[16], X[17], mem[X[0]])
    far(asm, X[4], X[16], mode.size)
    far(asm, X[5], X[17], mode.size)
    asm.stp(X[4], X[5], mem[X[0]])
    asm.ldr(X[4], mem[X[16], mode.SLOT])
    asm.ldr(X[5], mem[X[0], 32])
    asm.add(X[4], X[4], X[5])
    asm.str(X[4], mem[X[16], mode.SLOT])
    _load(asm, mode)
    for number, end in enumerate(ends, 1):
        asm.bind(end)
        asm.load_immediate(X[16], number)
        if number == 1:
            asm.b(save)
    asm.bind(save)
    _save(asm, mode)
    asm.b(following)
    asm.bind(done)
    if mode.streaming:
        asm.smstop()
    _epilogue(asm)


def far(asm: Any, to: General, base: General, distance: int) -> None:
    """Emit to = base + distance, with a distance of up to 24 bits."""
    asm.add(to, base, distance & 0xFFF)
    if distance >> 12:
        asm.add(to, to, distance & ~0xFFF)


def _load(asm: Any, mode: Mode) -> None:
    """Load everything from the block at x16, then jump to its slot."""
    _window(asm, mode, load=True)
    if mode.streaming:
        _matrix(asm, X[16], asm.ldr, mode)
    else:
        asm.ldr(P[0], mem[X[16], mode.FFR * 8 // mode.vector * vl])
        asm.wrffr(P[0].b)
    _vectors(asm, X[16], asm.ldr, mode)
    asm.ldp(X[4], X[5], mem[X[16], mode.SP])
    asm.mov(sp, X[4])
    asm.msr(SYSTEM_REGISTERS["nzcv"], X[5])
    for n in (*range(0, 16, 2), *range(19, 31, 2)):
        asm.ldp(X[n], X[n + 1], mem[X[16], 8 * n])
    asm.ldr(X[18], mem[X[16], 8 * 18])
    asm.ldr(X[16], mem[X[16], mode.SLOT])
    asm.br(X[16])


def _save(asm: Any, mode: Mode) -> None:
    """Store everything to the block at x17."""
    for n in (*range(0, 18, 2), *range(19, 31, 2)):
        asm.stp(X[n], X[n + 1], mem[X[17], 8 * n])
    asm.str(X[18], mem[X[17], 8 * 18])
    asm.mov(X[0], sp)
    asm.mrs(X[1], SYSTEM_REGISTERS["nzcv"])
    asm.stp(X[0], X[1], mem[X[17], mode.SP])
    _vectors(asm, X[17], asm.str, mode)
    if mode.streaming:
        _matrix(asm, X[17], asm.str, mode)
    else:
        asm.rdffr(P[0].b)
        asm.str(P[0], mem[X[17], mode.FFR * 8 // mode.vector * vl])
    _window(asm, mode, load=False)


def _vectors(asm: Any, block: General, move: Any, mode: Mode) -> None:
    """Load vectors and predicates from the block, or store them to it."""
    for n in range(16):
        move(P[n], mem[block, (mode.PREDICATES * 8 // mode.vector + n) * vl])
    for n in range(32):
        move(Z[n], mem[block, (mode.VECTORS // mode.vector + n) * vl])


def _window(asm: Any, mode: Mode, load: bool) -> None:
    """Copy the window from the block at x16, or to the block at x17."""
    asm.load_immediate(X[6], WINDOW)
    asm.add(X[7], X[16 if load else 17], mode.MEMORY)
    source, target = (X[7], X[6]) if load else (X[6], X[7])
    for n in range(WINDOW_SIZE // mode.vector):
        asm.ldr(Z[n % 32], mem[source, n * vl])
        asm.str(Z[n % 32], mem[target, n * vl])


def _matrix(asm: Any, block: General, move: Any, mode: Mode) -> None:
    """Load ZA and ZT0 from the block, or store them to it."""
    asm.load_immediate(W[12], 0)
    far(asm, X[6], block, mode.za)
    for n in range(mode.vector):
        if n and n % 16 == 0:
            asm.add(W[12], W[12], 16)
            asm.add(X[6], X[6], 16 * mode.vector)
        move(za[W[12], n % 16], mem[X[6], n % 16 * vl])
    far(asm, X[6], block, mode.zt0)
    move(zt0, mem[X[6]])


def _epilogue(asm: Any) -> None:
    asm.load_immediate(X[0], _CONTROL)
    asm.ldr(X[1], mem[X[0], 24])
    asm.mov(sp, X[1])
    for i in range(0, 12, 2):
        asm.ldp(X[18 + i], X[19 + i], mem[sp, 8 * i])
    for i in range(0, 8, 2):
        asm.ldp(D[8 + i], D[9 + i], mem[sp, 96 + 8 * i])
    asm.ldr(X[30], mem[sp, 160])
    asm.add(sp, sp, 176)
    asm.ret()
