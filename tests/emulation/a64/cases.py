"""Draw cases for the comparison of the AArch64 emulator with a processor: an instruction, registers and memory.

    case = make_case(form, rng, vector_bits)

Instructions of SME execute in streaming mode, with ZA and ZT0 in the block of registers. Addresses lie in a memory that
ends with a page.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.emulation.x86.native import contents
from tilesmith.emulation.a64.operands import SIZES
from tilesmith.encoder.a64.registers import Mem, RegList, Shifted, Slice, View
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
    drawn = (_drawn(form, rng) for _ in range(300))
    word, operands = next(((word, found) for word in drawn if (found := form.decode(word)) is not None), (0, None))
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
    near = _value(rng) if rng.random() < 0.3 else None
    general[:] = [_value(rng) if near is None else (near + rng.randrange(-9, 99)) % (1 << 64) for _ in range(32)]
    block[place.nzcv :][:8].view(np.uint64)[0] = rng.randrange(16) << 28
    block[place.fpcr :][:8].view(np.uint64)[0] = fpcr
    if not _placed(case, general, rng) or not _monitored(case, rng):
        return None
    if form.mnemonic.startswith("cas") and rng.random() < 0.5:
        _expect(case, general)
    return case


def _value(rng: random.Random) -> int:
    return rng.choice(
        (
            rng.getrandbits(64),
            rng.getrandbits(32),
            rng.randrange(64),
            (1 << 64) - 1 - rng.randrange(64),
            1 << rng.randrange(64),
            (1 << 63) - rng.randrange(2),
            1 << 31,
        )
    )


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
    for position, operand in enumerate(case.operands):
        if isinstance(operand, Mem):
            if not _address(case, operand, general, rng):
                return False
            numbers += [operand.base.num] if case.bases is None else []
            numbers += [getattr(operand.offset, "num", -1) if _is_general(operand.offset) else -1]
        elif isinstance(operand, Slice):
            numbers.append(operand.index.num)
            if operand.kind.startswith("zav") and case.form.mnemonic.startswith("ld1"):
                _activate_last(case)
        elif case.form.mnemonic == "dc" and position == 1:
            if case.operands[0].name in ("ivac", "zva"):  # one is privileged, the processor chooses the other's size
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


def _expect(case: Case, general: Any) -> None:
    """Let the memory hold what a compare and swap expects."""
    first, name = case.operands[0], case.form.mnemonic
    size = {"b": 1, "h": 2}.get(name[-1], 4 if first.kind[0] == "w" else 8)
    start = int(general[case.base])
    for operand in case.operands[: 2 if name.startswith("casp") else 1]:
        value = 0 if operand.kind[1:] == "zr" else int(general[operand.num])
        case.memory[start : start + size] = np.frombuffer(value.to_bytes(8, "little")[:size], np.uint8)
        start += size


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
    contiguous = isinstance(offset, int) or _is_general(offset) or getattr(offset, "kind", "") == "vl"
    if contiguous and case.form.mnemonic.startswith(("ldff", "ldnf")):
        _activate_early(case, rng)
    return True


def _activate_early(case: Case, rng: random.Random) -> None:
    """Make one of the first eight bytes active. Up to its version 11.1, qemu reads a wrong part of the predicate of a
    first-fault load if the first active element is behind them (sve_ldnfff1_r)."""
    size, number = SIZES[case.operands[0].regs[0].arrangement], case.operands[1].num
    place = case.place.predicates + number * case.place.length // 8
    case.block[place] |= 1 << rng.randrange(8 // size) * size


def _activate_last(case: Case) -> None:
    """Make the last elements active. Up to its version 11.1, qemu does not clear the inactive elements of a column of
    ZA that follow the last active one (sme_ld1)."""
    place = case.place.predicates + case.operands[1].num * case.place.length // 8
    last = case.block[place : place + case.place.length // 8].view(np.uint16)[-1:]
    last |= 0xD101  # bytes 15, 14, 12, 8 and 0: elements of all sizes


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
