"""Run one AArch64 instruction on the kernel server's processor and in the emulator, from the same state.

    case = make_case(form, rng, vector_bits)
    assert not differences(server, case)

The processor executes a stub: load every register from a block, the instruction, store every register to another. x0 to
x2 hold the addresses of the blocks and of the memory. No case uses these registers, or x18, x29, x30 and sp. The memory
ends at a page that nobody may access. Instructions of SME execute in streaming mode, with ZA and ZT0 in the block.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from tests.emulation.differing import differing
from tests.emulation.numerics.arm import EVERYTHING
from tests.emulation.x86.native import contents
from tests.encoder.a64_driver import far
from tilesmith.emulation.a64.operands import SIZES
from tilesmith.emulation.a64.semantics import predecode
from tilesmith.emulation.a64.state import A64State
from tilesmith.emulation.core.faults import Refusal
from tilesmith.emulation.core.memory import Memory, MemoryFault, Region, address_of
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import D, Mem, P, RegList, Shifted, Slice, View, W, X, Z, sp, vl, za, zt0
from tilesmith.encoder.a64.registers import mem as at
from tilesmith.encoder.a64.slots import Choice
from tilesmith.encoder.decode import decode

SIZE = 2048  # bytes of memory
ALIKE = 4  # neighbouring vectors whose elements are drawn together: bits, floats or integers
USED = tuple(n for n in range(3, 29) if n != 18)
FORBIDDEN = {0, 1, 2, 18, 29, 30}
ONES = (1 << 32) - 1
FPCR = (0, 0, 0, 1 << 22, 2 << 22, 3 << 22, 1 << 24, 1 << 25, 1 << 19, 1 << 24 | 1 << 19 | 1 << 22)


class Block:
    """The layout of the registers in a block."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.predicates = 32 * length
        self.ffr = self.predicates + 16 * length // 8
        self.general = self.ffr + 8
        self.nzcv, self.fpcr, self.base = (self.general + 8 * n for n in (32, 33, 34))
        self.zt0 = self.general + 8 * 36
        self.za = self.zt0 + 64
        self.size = self.za + length * length


@dataclass
class Case:
    """An instruction, and the registers and memory before it. `base` is the general register, `bases` the vector, whose
    values are offsets to which the address of the memory is added. `first` is an instruction that precedes it."""

    form: Any
    operands: tuple[Any, ...]
    word: int
    place: Block
    block: Any
    memory: Any
    base: int | None = None
    bases: int | None = None
    first: int | None = None
    after: dict[str, Any] = field(default_factory=dict)

    @property
    def streaming(self) -> bool:
        """Whether the case executes in streaming mode."""
        return any(feature.startswith("SME") for feature in self.form.features)

    @property
    def words(self) -> list[int]:
        """The instructions to execute."""
        return [self.word] if self.first is None else [self.first, self.word]

    def __str__(self) -> str:
        fpcr = int(self.block[self.place.fpcr :][:8].view(np.uint64)[0])
        return f"{self.form.text(self.operands)}  [{self.word:#010x}, VL {8 * self.place.length}, fpcr {fpcr:#x}]"


def make_case(form: Any, rng: random.Random, vector_bits: int, fpcr: int = 0) -> Case | None:
    """Draw operands and contents; return None if the operands use a register that the stub needs."""
    word, operands = next(((w, o) for _ in range(300) if (o := form.decode(w := _drawn(form, rng))) is not None), (0, None))
    if operands is None or decode(word.to_bytes(4, "little"), 0, "a64").form.mnemonic != form.mnemonic:  # type: ignore[union-attr]
        return None
    numbers = np.random.default_rng(rng.getrandbits(64))
    place = Block(vector_bits // 8)
    block = np.zeros(place.size, np.uint8)
    general = block[place.general :][:256].view(np.uint64)
    case = Case(form, operands, word, place, block, np.empty(0, np.uint8))
    if not _placed(case, general, random.Random(0)):  # the rest is slow
        return None
    for n in range(0, 32, ALIKE):
        block[n * place.length :][: ALIKE * place.length] = contents(rng, numbers, ALIKE * place.length)
    case.memory = np.concatenate([contents(rng, numbers, 256) for _ in range(SIZE // 256)])
    density = rng.choice((0.2, 0.6, 0.95, 1.0))
    bits = np.packbits(numbers.random(16 * place.length) < density, bitorder="little")
    block[place.predicates : place.ffr] = bits
    true = rng.choice((place.length, place.length, rng.randrange(place.length)))
    block[place.ffr :][: place.length // 8] = np.packbits(np.arange(place.length) < true, bitorder="little")
    if case.streaming:
        block[place.zt0 : place.za] = contents(rng, numbers, 64)
        block[place.za :] = contents(rng, numbers, place.length**2)
    general[:] = [_value(rng) for _ in range(32)]
    block[place.nzcv :][:8].view(np.uint64)[0] = rng.randrange(16) << 28
    block[place.fpcr :][:8].view(np.uint64)[0] = fpcr
    return case if _placed(case, general, rng) and _monitored(case, rng) else None


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
    for at, operand in enumerate(case.operands):
        if isinstance(operand, Mem):
            if not _address(case, operand, general, rng):
                return False
            numbers += [operand.base.num] if case.bases is None else []
            numbers += [getattr(operand.offset, "num", -1) if _is_general(operand.offset) else -1]
        elif isinstance(operand, Slice):
            numbers.append(operand.index.num)
            if operand.kind.startswith("zav") and case.form.mnemonic.startswith("ld1"):
                _activate_last(case)
        elif case.form.mnemonic == "dc" and at == 1:
            if case.operands[0].name in ("ivac", "zva"):  # one is privileged, the other's size is the processor's choice
                return False
            case.base = operand.num
            numbers.append(operand.num)
            general[operand.num % 32] = SIZE // 2 + rng.randrange(64)
        elif _is_general(operand):
            if operand.kind in ("sp", "wsp"):
                return False
            numbers.append(-1 if operand.kind in ("xzr", "wzr") else operand.num)
    named = [n for n in numbers if n >= 0]
    if FORBIDDEN & set(named):
        return False
    return case.base is None or named.count(case.base) == 1


def _monitored(case: Case, rng: random.Random) -> bool:
    """Let a load of the same place precede some exclusive stores, which would always fail without it. Return whether
    the architecture defines the instruction."""
    name = case.form.mnemonic
    if name.startswith(("ldxp", "ldaxp")):
        return case.operands[0] is not case.operands[1]
    if not name.startswith(("stxr", "stxp", "stlxr", "stlxp")):
        return True
    if rng.random() < 0.7:
        pair = name[-1] == "p"
        loaded = next(n for n in USED if n not in {getattr(each, "num", 0) for each in case.operands} | {case.base})
        # bit 22 of a store is set in the load; the status and a second register of one that has none are ones
        ones = 31 << 16 | (0 if pair else 31 << 10)
        case.first = case.word & ~(31 | 1 << 15) | 1 << 22 | ones | loaded
        if pair:
            case.first = case.first & ~(31 << 10) | (31 << 10)
    status = case.operands[0].num
    return status not in [case.base, *(each.num for each in case.operands[1:-1])]


def _is_general(operand: Any) -> bool:
    reg = operand.reg if isinstance(operand, Shifted) else operand
    return getattr(reg, "kind", "") in ("x", "w", "xzr", "wzr", "sp", "wsp")


def _address(case: Case, mem: Mem, general: Any, rng: random.Random) -> bool:
    offset = mem.offset
    if case.form.mnemonic in ("adr", "prfb", "prfh", "prfw", "prfd"):  # no access
        return not _is_general(mem.base) or mem.base.kind == "x"
    if isinstance(mem.base, View):
        return mem.base.arrangement == "d" and _vector_base(case, mem, general, rng)
    if mem.base.kind != "x":
        return False
    start = SIZE // 2 + rng.randrange(-64, 64)
    if case.form.mnemonic.startswith(("ldff", "ldnf")) and rng.random() < 0.7:
        start = SIZE - rng.randrange(1, 2 * case.place.length)
        if case.form.mnemonic.startswith("ldnf"):  # qemu gives up, or faults, if an element crosses the end of a page
            start &= -8
    elif _ordered(case.form.mnemonic):
        start &= -16
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
    if case.form.mnemonic.startswith(("ldff", "ldnf")) and (isinstance(offset, int) or _is_general(offset) or
                                                            getattr(offset, "kind", "") == "vl"):  # fmt: skip
        _activate_early(case, rng)
    return True


def _activate_early(case: Case, rng: random.Random) -> None:
    """Make one of the first eight bytes active. Up to its version 11.1, qemu reads a wrong part of the predicate of a
    first-fault load if the first active element is behind them (sve_ldnfff1_r)."""
    size, number = SIZES[case.operands[0].regs[0].arrangement], case.operands[1].num
    place = case.place.predicates + number * case.place.length // 8
    case.block[place] |= 1 << rng.randrange(8 // size) * size


def _activate_last(case: Case) -> None:
    """Make the last elements active. Up to its version 11.1, qemu does not clear the inactive elements of a column of ZA
    that follow the last active one (sme_ld1)."""
    place = case.place.predicates + case.operands[1].num * case.place.length // 8
    case.block[place : place + case.place.length // 8].view(np.uint16)[-1] |= 0xD101  # bytes 15, 14, 12, 8 and 0: elements of all sizes


def _vector_base(case: Case, mem: Mem, general: Any, rng: random.Random) -> bool:
    """Set a vector of addresses. The general register that may be added to it is the offset."""
    if _is_general(mem.offset) and mem.offset.kind == "x":
        general[mem.offset.num] = rng.randrange(64)
    first = case.operands[0]
    if isinstance(first, RegList) and mem.base.num == first.regs[0].num:
        return False
    case.bases = mem.base.num
    row = case.block[case.bases * case.place.length :][: case.place.length].view("i8")
    row[:] = [SIZE // 2 + rng.randrange(-64, 64) for _ in row]
    if case.form.mnemonic.startswith("ldff"):
        row[rng.randrange(len(row))] = SIZE - rng.randrange(8)
    return True


def _ordered(name: str) -> bool:
    """Whether a mnemonic is an atomic or ordered access, which must be aligned."""
    return bool(re.match(r"(ld|st)(ax|ap|x|l?xr|l?xp|ar|lr|lu|add|clr|eor|set|[su]max|[su]min)|swp|cas", name))


def _unit(case: Case) -> int:
    """Return the number of bytes that `mul vl` stands for."""
    length, first, name = case.place.length, case.operands[0], case.form.mnemonic
    if first.kind == "p":
        return length // 8
    if name in ("ldr", "str") or not isinstance(first, RegList):
        return length
    letters = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}
    if name[-1] == "q" or len(first.regs) > 1 and case.streaming:
        return length
    return length // SIZES[first.regs[0].arrangement] * letters[name[-1]]


# Executing


def _stub(case: Case) -> bytes:
    before, after = _around(case.place.length, case.base, case.bases, case.streaming)
    return before + b"".join(word.to_bytes(4, "little") for word in case.words) + after


@cache
def _around(length: int, base: int | None, bases: int | None, streaming: bool) -> tuple[bytes, bytes]:
    """Return the code of a stub before and after its instructions."""
    asm: Any = A64Assembler(EVERYTHING)
    place = Block(length)
    asm.sub(sp, sp, 160)
    for i in range(4):
        asm.stp(D[8 + 2 * i], D[9 + 2 * i], at[sp, 16 * i])
    for i in range(5):
        asm.stp(X[19 + 2 * i], X[20 + 2 * i], at[sp, 64 + 16 * i])
    if streaming:
        asm.smstart()
        _matrix(asm, asm.ldr, X[0], place)
    else:
        far(asm, X[3], X[0], place.ffr)
        asm.ldr(P[0], at[X[3]])
        asm.wrffr(P[0].b)
        asm.clrex()
    for n in range(32):
        asm.ldr(Z[n], at[X[0], n * vl])
    far(asm, X[3], X[0], place.predicates)
    for n in range(16):
        asm.ldr(P[n], at[X[3], n * vl])
    far(asm, X[3], X[0], place.general)
    for name in ("nzcv", "fpcr"):
        asm.ldr(X[4], at[X[3], getattr(place, name) - place.general])
        asm.msr(SYSTEM_REGISTERS[name], X[4])
    if bases is not None:
        spare = Z[(bases + 1) % 32]
        asm.dup(spare.d, X[2])
        asm.add(Z[bases].d, Z[bases].d, spare.d)
        asm.ldr(spare, at[X[0], spare.num * vl])
    for n in reversed(USED):
        asm.ldr(X[n], at[X[3], 8 * n])
    if base is not None:
        asm.add(X[base], X[2], X[base])
    before = bytes(asm.buffer)
    asm.stp(X[3], X[4], at[sp, 144])
    far(asm, X[3], X[1], place.general)
    for n in USED[2:]:
        asm.str(X[n], at[X[3], 8 * n])
    asm.str(X[2], at[X[3], place.base - place.general])
    asm.ldp(X[4], X[5], at[sp, 144])
    asm.stp(X[4], X[5], at[X[3], 24])
    for name in ("nzcv", "fpcr"):
        asm.mrs(X[4], SYSTEM_REGISTERS[name])
        asm.str(X[4], at[X[3], getattr(place, name) - place.general])
    asm.movz(X[3], 0)
    asm.msr(SYSTEM_REGISTERS["fpcr"], X[3])
    for n in range(32):
        asm.str(Z[n], at[X[1], n * vl])
    far(asm, X[3], X[1], place.predicates)
    for n in range(16):
        asm.str(P[n], at[X[3], n * vl])
    far(asm, X[3], X[1], place.ffr)
    if streaming:
        _matrix(asm, asm.str, X[1], place)
        asm.smstop()
    else:
        asm.rdffr(P[0].b)
        asm.str(P[0], at[X[3]])
    for i in range(4):
        asm.ldp(D[8 + 2 * i], D[9 + 2 * i], at[sp, 16 * i])
    for i in range(5):
        asm.ldp(X[19 + 2 * i], X[20 + 2 * i], at[sp, 64 + 16 * i])
    asm.add(sp, sp, 160)
    asm.ret()
    return before, bytes(asm.buffer[len(before) :])


def _matrix(asm: Any, move: Any, block: Any, place: Block) -> None:
    """Emit loads or stores of ZA and ZT0."""
    far(asm, X[3], block, place.zt0)
    move(zt0, at[X[3]])
    far(asm, X[3], block, place.za)
    for row in range(place.length):
        if row % 16 == 0:
            asm.load_immediate(W[12], row)
        move(za[W[12], row % 16], at[X[3], row % 16 * vl])
        if row % 16 == 15:
            far(asm, X[3], X[3], 16 * place.length)


def processed(server: Any, case: Case) -> None:
    """Execute a case on the server's processor; the result goes to case.after."""
    block, out, memory = case.block.copy(), np.zeros(case.place.size, np.uint8), case.memory.copy()
    bits = 8 * case.place.length
    server.call(_stub(case), block, out, memory, vector_bits=bits, streaming_bits=bits if case.streaming else None)
    base = int(out[case.place.base :][:8].view(np.uint64)[0])
    case.after["processor"] = _parts(case, out, memory, base)


def emulated(case: Case) -> None:
    """Execute a case in the emulator; the result goes to case.after."""
    memory, place = _aligned(case.memory), case.place
    state = A64State(Memory([Region("memory", memory)]), place.length)
    if case.streaming:
        state.za.switch(streaming=True, enabled=True)
        state.za.bytes[:] = case.block[place.za :].reshape(place.length, -1)
        state.za.table[:] = case.block[place.zt0 : place.za]
    state.vectors[:] = case.block[: place.predicates].reshape(32, -1)
    packed = case.block[place.predicates : place.ffr].reshape(16, -1)
    state.predicates[:] = np.unpackbits(packed, axis=1, bitorder="little").astype(bool)
    state.ffr[:] = np.unpackbits(case.block[place.ffr :][: place.length // 8], bitorder="little").astype(bool)
    general = case.block[place.general :][:256].view(np.uint64)
    state.x[:] = general[:31].tolist()
    if case.base is not None:
        state.x[case.base] = (state.x[case.base] + address_of(memory)) % (1 << 64)
    if case.bases is not None:
        state.vectors[case.bases].view(np.uint64)[:] += np.uint64(address_of(memory))
    state.nzcv = int(case.block[place.nzcv :][:8].view(np.uint64)[0]) >> 28
    state.set_fpcr(int(case.block[place.fpcr :][:8].view(np.uint64)[0]))
    for word in case.words:
        found = decode(word.to_bytes(4, "little"), 0, "a64")
        assert found is not None
        with np.errstate(all="ignore"):
            predecode(state, found.form, found.operands, 1 << 20)()
    state.memory.copy_back()
    out = np.zeros(place.size, np.uint8)
    out[: place.predicates] = state.vectors.reshape(-1)
    out[place.predicates : place.ffr] = np.packbits(state.predicates, axis=1, bitorder="little").reshape(-1)
    if case.streaming:
        out[place.za :] = state.za.bytes.reshape(-1)
        out[place.zt0 : place.za] = state.za.table
    else:
        out[place.ffr :][: place.length // 8] = np.packbits(state.ffr, bitorder="little")
    out[place.general :][:248].view(np.uint64)[:] = state.x
    out[place.nzcv :][:8].view(np.uint64)[0] = state.nzcv << 28
    out[place.fpcr :][:8].view(np.uint64)[0] = state.fpcr
    case.after["emulator"] = _parts(case, out, memory, address_of(memory))


def _aligned(data: Any) -> Any:
    """Return a copy at a multiple of 64."""
    room = np.zeros(len(data) + 64, np.uint8)
    start = -address_of(room) % 64
    room[start:][: len(data)] = data
    return room[start:][: len(data)]


def _parts(case: Case, block: Any, memory: Any, base: int) -> dict[str, Any]:
    place = case.place
    length, half = place.length, place.length // 8
    if case.bases is not None:
        block[case.bases * length :][:length].view(np.uint64)[:] -= np.uint64(base)
    parts: dict[str, Any] = {f"z{n}": block[n * length :][:length].tobytes() for n in range(32)}
    parts |= {f"p{n}": block[place.predicates + n * half :][:half].tobytes() for n in range(16)}
    general = block[place.general :][:256].view(np.uint64)
    parts |= {f"x{n}": (int(general[n]) - (base if n == case.base else 0)) % (1 << 64) for n in USED}
    parts["nzcv"] = int(block[place.nzcv :][:8].view(np.uint64)[0])
    parts |= {"ffr": block[place.ffr : place.general].tobytes(), "memory": memory.tobytes()}
    if case.streaming:
        parts |= {"zt0": block[place.zt0 : place.za].tobytes()}
        parts |= {f"za[{n}]": block[place.za + n * length :][:length].tobytes() for n in range(length)}
    return parts


def differences(server: Any, case: Case) -> list[str]:
    """Return the differences between the server's processor and the emulator, in words."""
    try:
        emulated(case)
    except (Refusal, MemoryFault) as error:
        wanted = "SIGILL" if isinstance(error, Refusal) else "SIGSEGV"
        try:
            processed(server, case)
        except GuestFault as fault:
            return [] if fault.signal == wanted else [f"{error}, but {fault}"]
        return [f"the emulator refuses: {error}"]
    try:
        processed(server, case)
    except GuestFault as fault:
        if fault.signal != "SIGSEGV":
            raise
        return [f"the emulator does not fault: {fault}"]
    return list(differing(case.after["processor"], case.after["emulator"]))


__all__ = ["FPCR", "Case", "differences", "make_case"]
