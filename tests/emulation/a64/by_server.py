"""Run one AArch64 instruction on the kernel server's processor and in the emulator, from the same state.

    case = make_case(form, rng, vector_bits)
    assert not differences(server, case)

The processor executes a stub: load every register from a block, the instruction, store every register to another. x0 to
x2 hold the addresses of the blocks and of the memory. No case uses these registers, or x18, x29, x30 and sp.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from tests.emulation.differing import differing
from tests.emulation.x86.native import contents
from tests.encoder.a64_driver import far
from tilesmith.emulation.a64.operands import SIZES
from tilesmith.emulation.a64.semantics import predecode
from tilesmith.emulation.a64.state import A64State
from tilesmith.emulation.core.faults import Refusal
from tilesmith.emulation.core.memory import Memory, MemoryFault, Region, address_of
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import D, Mem, P, RegList, Shifted, View, X, Z, sp, vl
from tilesmith.encoder.a64.registers import mem as at
from tilesmith.encoder.a64.slots import Choice
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.decode import decode

SIZE = 2048  # bytes of memory
USED = tuple(n for n in range(3, 29) if n != 18)
FORBIDDEN = {0, 1, 2, 18, 29, 30}
ONES = (1 << 32) - 1
FPCR = (0, 0, 0, 1 << 22, 2 << 22, 3 << 22, 1 << 24, 1 << 25, 1 << 19, 1 << 24 | 1 << 19 | 1 << 22)


class Block:
    """The layout of the registers in a block."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.predicates = 32 * length
        self.general = self.predicates + 16 * length // 8
        self.nzcv, self.fpcr, self.base = (self.general + 8 * n for n in (32, 33, 34))
        self.size = self.general + 8 * 36


@dataclass
class Case:
    """An instruction, and the registers and memory before it. `base` is the register whose value is an offset to which
    the address of the memory is added."""

    form: Any
    operands: tuple[Any, ...]
    word: int
    place: Block
    block: Any
    memory: Any
    base: int | None
    after: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        fpcr = int(self.block[self.place.fpcr :][:8].view(np.uint64)[0])
        return f"{self.form.text(self.operands)}  [{self.word:#010x}, VL {8 * self.place.length}, fpcr {fpcr:#x}]"


def make_case(form: Any, rng: random.Random, vector_bits: int, fpcr: int = 0) -> Case | None:
    """Draw operands and contents; return None if the operands use a register that the stub needs."""
    word = _drawn(form, rng)
    operands = form.decode(word)
    if operands is None or decode(word.to_bytes(4, "little"), 0, "a64").form.mnemonic != form.mnemonic:  # type: ignore[union-attr]
        return None
    numbers = np.random.default_rng(rng.getrandbits(64))
    place = Block(vector_bits // 8)
    block = np.zeros(place.size, np.uint8)
    general = block[place.general :][:256].view(np.uint64)
    case = Case(form, operands, word, place, block, np.empty(0, np.uint8), None)
    if not _placed(case, general, random.Random(0)):  # the rest is slow
        return None
    for n in range(32):
        block[n * place.length :][: place.length] = contents(rng, numbers, place.length)
    case.memory = np.concatenate([contents(rng, numbers, 64) for _ in range(SIZE // 64)])
    density = rng.choice((0.2, 0.6, 0.95, 1.0))
    bits = np.packbits(numbers.random(16 * place.length) < density, bitorder="little")
    block[place.predicates : place.general] = bits
    general[:] = [_value(rng) for _ in range(32)]
    block[place.nzcv :][:8].view(np.uint64)[0] = rng.randrange(16) << 28
    block[place.fpcr :][:8].view(np.uint64)[0] = fpcr
    return case if _placed(case, general, rng) else None


def _value(rng: random.Random) -> int:
    return rng.choice((rng.getrandbits(64), rng.getrandbits(32), rng.randrange(64), (1 << 64) - 1 - rng.randrange(64),
                       1 << rng.randrange(64), (1 << 63) - rng.randrange(2), 1 << 31))  # fmt: skip


def _drawn(form: Any, rng: random.Random) -> int:
    word: int = form.word | rng.getrandbits(32) & ONES & ~form.mask
    for slot in form.slots:
        if isinstance(slot, Choice) and slot.decode(word) is None:
            word = word & ~slot.field.mask | rng.choice(list(slot.codes.values()))
    return word


def _placed(case: Case, general: Any, rng: random.Random) -> bool:
    """Set registers so that addresses lie in the memory. Return whether no operand uses a register that the stub
    needs."""
    numbers: list[int] = []
    for operand in case.operands:
        if isinstance(operand, Mem):
            if not _address(case, operand, general, rng):
                return False
            numbers += [operand.base.num, getattr(operand.offset, "num", -1) if _is_general(operand.offset) else -1]
        elif _is_general(operand):
            if operand.kind in ("sp", "wsp"):
                return False
            numbers.append(-1 if operand.kind in ("xzr", "wzr") else operand.num)
    named = [n for n in numbers if n >= 0]
    if FORBIDDEN & set(named):
        return False
    return case.base is None or named.count(case.base) == 1


def _is_general(operand: Any) -> bool:
    reg = operand.reg if isinstance(operand, Shifted) else operand
    return getattr(reg, "kind", "") in ("x", "w", "xzr", "wzr", "sp", "wsp")


def _address(case: Case, mem: Mem, general: Any, rng: random.Random) -> bool:
    if mem.base.kind != "x":
        return False
    start, offset = SIZE // 2 + rng.randrange(-64, 64), mem.offset
    if getattr(offset, "kind", "") == "vl":
        start -= offset.num * _unit(case)
    elif isinstance(offset, int):
        start -= offset if mem.mode != "," else 0
    elif _is_general(offset):
        reg = getattr(offset, "reg", offset)
        if reg.kind in ("xzr", "wzr") or reg.num in FORBIDDEN or reg.num == mem.base.num:
            return False
        general[reg.num] = rng.randrange(16)
    else:
        view: View = offset.reg if isinstance(offset, Shifted) else offset
        if not isinstance(view, View):
            return False
        row = case.block[view.num * case.place.length :][: case.place.length].view(f"i{SIZES[view.arrangement]}")
        row[:] = [rng.randrange(32) for _ in row]
    case.base = mem.base.num
    general[mem.base.num] = start % (1 << 64)
    return True


def _unit(case: Case) -> int:
    """Return the number of bytes that `mul vl` stands for."""
    length, first, name = case.place.length, case.operands[0], case.form.mnemonic
    if first.kind == "p":
        return length // 8
    if name in ("ldr", "str"):
        return length
    letters = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}
    return length // SIZES[first.regs[0].arrangement] * letters[name[-1]] if isinstance(first, RegList) else length


# Executing


def _stub(case: Case) -> bytes:
    before, after = _around(case.place.length, case.base)
    return before + case.word.to_bytes(4, "little") + after


@cache
def _around(length: int, base: int | None) -> tuple[bytes, bytes]:
    """Return the code of a stub before and after its instruction."""
    asm: Any = A64Assembler(TARGETS["sve256"])
    place = Block(length)
    asm.sub(sp, sp, 160)
    for i in range(4):
        asm.stp(D[8 + 2 * i], D[9 + 2 * i], at[sp, 16 * i])
    for i in range(5):
        asm.stp(X[19 + 2 * i], X[20 + 2 * i], at[sp, 64 + 16 * i])
    for n in range(32):
        asm.ldr(Z[n], at[X[0], n * vl])
    far(asm, X[3], X[0], place.predicates)
    for n in range(16):
        asm.ldr(P[n], at[X[3], n * vl])
    for name in ("nzcv", "fpcr"):
        asm.ldr(X[3], at[X[0], getattr(place, name)])
        asm.msr(SYSTEM_REGISTERS[name], X[3])
    for n in reversed(USED):
        asm.ldr(X[n], at[X[0], place.general + 8 * n])
    if base is not None:
        asm.add(X[base], X[2], X[base])
    before = bytes(asm.buffer)
    for n in USED:
        asm.str(X[n], at[X[1], place.general + 8 * n])
    asm.str(X[2], at[X[1], place.base])
    for name in ("nzcv", "fpcr"):
        asm.mrs(X[3], SYSTEM_REGISTERS[name])
        asm.str(X[3], at[X[1], getattr(place, name)])
    asm.movz(X[3], 0)
    asm.msr(SYSTEM_REGISTERS["fpcr"], X[3])
    for n in range(32):
        asm.str(Z[n], at[X[1], n * vl])
    far(asm, X[3], X[1], place.predicates)
    for n in range(16):
        asm.str(P[n], at[X[3], n * vl])
    for i in range(4):
        asm.ldp(D[8 + 2 * i], D[9 + 2 * i], at[sp, 16 * i])
    for i in range(5):
        asm.ldp(X[19 + 2 * i], X[20 + 2 * i], at[sp, 64 + 16 * i])
    asm.add(sp, sp, 160)
    asm.ret()
    return before, bytes(asm.buffer[len(before) :])


def processed(server: Any, case: Case) -> None:
    """Execute a case on the server's processor; the result goes to case.after."""
    block, out, memory = case.block.copy(), np.zeros(case.place.size, np.uint8), case.memory.copy()
    server.call(_stub(case), block, out, memory, vector_bits=8 * case.place.length)
    base = int(out[case.place.base :][:8].view(np.uint64)[0])
    case.after["processor"] = _parts(case, out, memory, base)


def emulated(case: Case) -> None:
    """Execute a case in the emulator; the result goes to case.after."""
    memory, place = case.memory.copy(), case.place
    state = A64State(Memory([Region("memory", memory)]), place.length)
    state.vectors[:] = case.block[: place.predicates].reshape(32, -1)
    packed = case.block[place.predicates : place.general].reshape(16, -1)
    state.predicates[:] = np.unpackbits(packed, axis=1, bitorder="little").astype(bool)
    general = case.block[place.general :][:256].view(np.uint64)
    state.x[:] = general[:31].tolist()
    if case.base is not None:
        state.x[case.base] = (state.x[case.base] + address_of(memory)) % (1 << 64)
    state.nzcv = int(case.block[place.nzcv :][:8].view(np.uint64)[0]) >> 28
    state.set_fpcr(int(case.block[place.fpcr :][:8].view(np.uint64)[0]))
    found = decode(case.word.to_bytes(4, "little"), 0, "a64")
    assert found is not None
    with np.errstate(all="ignore"):
        predecode(state, found.form, found.operands, 1 << 20)()
    state.memory.copy_back()
    out = np.zeros(place.size, np.uint8)
    out[: place.predicates] = state.vectors.reshape(-1)
    out[place.predicates : place.general] = np.packbits(state.predicates, axis=1, bitorder="little").reshape(-1)
    out[place.general :][:248].view(np.uint64)[:] = state.x
    out[place.nzcv :][:8].view(np.uint64)[0] = state.nzcv << 28
    out[place.fpcr :][:8].view(np.uint64)[0] = state.fpcr
    case.after["emulator"] = _parts(case, out, memory, address_of(memory))


def _parts(case: Case, block: Any, memory: Any, base: int) -> dict[str, Any]:
    place = case.place
    length, half = place.length, place.length // 8
    parts: dict[str, Any] = {f"z{n}": block[n * length :][:length].tobytes() for n in range(32)}
    parts |= {f"p{n}": block[place.predicates + n * half :][:half].tobytes() for n in range(16)}
    general = block[place.general :][:256].view(np.uint64)
    parts |= {f"x{n}": (int(general[n]) - (base if n == case.base else 0)) % (1 << 64) for n in USED}
    parts["nzcv"] = int(block[place.nzcv :][:8].view(np.uint64)[0])
    parts["memory"] = memory.tobytes()
    return parts


def differences(server: Any, case: Case) -> list[str]:
    """Return the differences between the server's processor and the emulator, in words."""
    try:
        emulated(case)
    except (Refusal, MemoryFault) as error:
        return [f"the emulator refuses: {error}"]
    processed(server, case)
    return list(differing(case.after["processor"], case.after["emulator"]))


__all__ = ["FPCR", "Case", "differences", "make_case"]
