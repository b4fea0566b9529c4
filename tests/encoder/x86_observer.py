"""Observe what an x86-64 instruction does to registers, flags and memory by executing it in any number of states.

    observer = Observer([bytes.fromhex("4801f7"), "jne"])
    after = observer.run(0, states)

A state is a block of bytes: every vector, mask and general register, the flags, MXCSR and a piece of memory. For each
state the processor loads everything, executes the one instruction and stores everything.

All addresses are below 2 GiB and are written into the code. So no register is needed to find them, and rsp belongs to
the state like all other registers. Branches, calls and returns arrive at one of the landings, which stores its number
in the last byte of the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import Mem, byte, dword, qword, xmmword, ymmword, zmmword
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system import libc
from tilesmith.runtime.system.libc import ffi

Array = np.ndarray[Any, Any]

MASKS, GENERAL, FLAGS, MXCSR, MEMORY = 2048, 2112, 2240, 2248, 2304  # offsets in a block; vectors are at 0
_MAP_32BIT = 0x40  # Linux, x86-64
_ROOM = 1 << 16  # bytes below the memory: a stack for signals that arrive while rsp points into the memory
_SIZE = 1 << 18
_WORDS = ("input", "output", "count", "target", "rdi", "rsp", "mxcsr")
_STACK = _SIZE - (1 << 15)  # the stack of the code around the instruction
_RSP, _RDI = 4, 7


class Observer:
    """Instructions in machine code, or the mnemonics of branches to the first landing, ready for any state."""

    def __init__(self, instructions: Sequence[bytes | str], memory: int = 512) -> None:
        self.memory, self.block = memory, MEMORY + memory
        flags = libc.MAP_PRIVATE | libc.MAP_ANONYMOUS | _MAP_32BIT
        self._base = libc.mmap(0, _SIZE, libc.PROT_READ | libc.PROT_WRITE, flags, -1, 0)
        self.address = self._base + _ROOM  # the address of the memory that instructions see
        self._control = np.asarray(_Words(self._base + _SIZE - 4096))
        self._wide = not host.host().missing({"AVX512BW"})
        self._assemble(instructions)

    def __del__(self) -> None:
        if hasattr(self, "_base"):
            libc.munmap(self._base, _SIZE)

    def run(self, number: int, states: Array) -> Array:
        """Return the blocks after the instruction; `states` is a contiguous array of bytes of shape (count, block)."""
        assert states.flags.c_contiguous and states.shape[1] == self.block
        after = states.copy()
        addresses = [each.__array_interface__["data"][0] for each in (states, after)]
        self._control[:4] = [*addresses, len(states), self._entries[number]]
        self._function()
        return after

    def _word(self, name: str) -> Mem:
        return qword[self._base + _SIZE - 4096 + 8 * _WORDS.index(name)]

    def _assemble(self, instructions: Sequence[bytes | str]) -> None:
        asm: Any = X86Assembler(host.host())
        again, store = asm.label(), asm.label()
        self._prologue(asm)
        asm.bind(again)
        self._load(asm)
        asm.bind(store)
        self._store(asm, again)
        landings = [asm.label() for _ in range(2)]
        for number, landing in enumerate(landings, 1):
            asm.bind(landing)
            asm.mov(byte[self.address + self.memory - 1], number)
            asm.jmp(store)
        entries = []
        for instruction in instructions:
            entries.append(asm.here())
            if isinstance(instruction, bytes):
                asm.buffer += instruction
                asm.jmp(store)
                continue
            taken = asm.label()  # near, because loop and jrcxz reach no further
            asm.__getattr__(instruction)(taken)  # because `loop` is a method of the assembler
            asm.jmp(store)
            asm.bind(taken)
            asm.jmp(landings[0])
        self._code = publish(asm.finish("observer").data)
        self._function = ffi.cast("void(*)(void)", self._code.address)
        self._entries = [self._code.address + entry.offset for entry in entries]
        self.landings = [self._code.address + landing.offset for landing in landings]

    def _prologue(self, asm: Any) -> None:
        for number in (3, 5, 12, 13, 14, 15):
            asm.push(regs.R64[number])
        asm.mov(self._word("rsp"), regs.R64[_RSP])
        asm.stmxcsr(dword[self._base + _SIZE - 4096 + 8 * _WORDS.index("mxcsr")])

    def _vectors(self, asm: Any, base: regs.Reg, load: bool) -> None:
        """Move all vector and mask registers from or to a block."""
        moves = [(asm.vmovdqu, regs.YMM[n], ymmword[base + 64 * n]) for n in range(16)]
        if self._wide:
            moves = [(asm.vmovdqu64, regs.ZMM[n], zmmword[base + 64 * n]) for n in range(32)]
            moves += [(asm.kmovq, regs.K[n], qword[base + MASKS + 8 * n]) for n in range(8)]
        for move, register, memory in moves:
            move(register, memory) if load else move(memory, register)

    def _copy(self, asm: Any, block: regs.Reg, load: bool) -> None:
        """Copy the memory from a block to the address where instructions access it, or back."""
        for at in range(0, self.memory, 16):
            inside, outside = xmmword[block + MEMORY + at], xmmword[self.address + at]
            asm.vmovdqu(regs.XMM[0], inside if load else outside)
            asm.vmovdqu(outside if load else inside, regs.XMM[0])

    def _load(self, asm: Any) -> None:
        r, rdi, rsp = regs.R64, regs.R64[_RDI], regs.R64[_RSP]
        asm.mov(rdi, self._word("input"))
        self._copy(asm, rdi, load=True)
        self._vectors(asm, rdi, load=True)
        asm.ldmxcsr(dword[rdi + MXCSR])
        asm.mov(rsp, self._base + _STACK)
        asm.push(qword[rdi + FLAGS])
        asm.popfq()
        for number in (*(n for n in range(16) if n != _RDI), _RDI):
            asm.mov(r[number], qword[rdi + GENERAL + 8 * number])
        asm.jmp(self._word("target"))

    def _store(self, asm: Any, again: Any) -> None:
        r, rdi, rax, rsp = regs.R64, regs.R64[_RDI], regs.R64[0], regs.R64[_RSP]
        asm.mov(self._word("rdi"), rdi)
        asm.mov(rdi, self._word("output"))
        for number in (n for n in range(16) if n != _RDI):
            asm.mov(qword[rdi + GENERAL + 8 * number], r[number])
        asm.mov(rsp, self._base + _STACK)
        asm.pushfq()
        asm.pop(qword[rdi + FLAGS])
        asm.mov(rax, self._word("rdi"))
        asm.mov(qword[rdi + GENERAL + 8 * _RDI], rax)
        asm.cld()
        asm.stmxcsr(dword[rdi + MXCSR])
        self._vectors(asm, rdi, load=False)
        self._copy(asm, rdi, load=False)
        asm.add(self._word("input"), self.block)
        asm.add(self._word("output"), self.block)
        asm.dec(self._word("count"))
        asm.jne(again)
        asm.ldmxcsr(dword[self._base + _SIZE - 4096 + 8 * _WORDS.index("mxcsr")])
        asm.mov(rsp, self._word("rsp"))
        for number in (15, 14, 13, 12, 5, 3):
            asm.pop(r[number])
        asm.vzeroupper()
        asm.ret()


class _Words:
    """The control words as an array."""

    def __init__(self, address: int) -> None:
        self.__array_interface__ = {"version": 3, "shape": (len(_WORDS),), "typestr": "<u8", "data": (address, False)}
