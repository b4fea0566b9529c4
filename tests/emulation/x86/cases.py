"""Draw an x86-64 instruction, and the registers and memory before it, such that a processor can execute it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.encoder.draws import CONTROLS, FILES
from tilesmith.emulation.core.memory import address_of
from tilesmith.emulation.x86.state import MXCSR as DEFAULT_MXCSR
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.effects import UNALIGNED, implicit
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import Mem
from tilesmith.encoder.x86.words import LEGACY

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI = range(8)
# Offsets in the block of registers; the last three are the stack pointer of the stub, and whether a jump was taken.
K, GENERAL, FLAGS, MXCSR, SAVED, TAKEN, BLOCK = 2048, 2112, 2240, 2248, 2256, 2264, 2304
SIZE = 1024  # bytes of memory
BELOW = 1 << 16  # bytes below memory that is used as a stack, for a signal at that time
MIDDLE = SIZE // 2
FLAG_BITS = {"cf": 0, "pf": 2, "af": 4, "zf": 6, "sf": 7, "df": 10, "of": 11}
JUMP = 5  # bytes of the jump behind the instruction, over the place that its own jump leads to
_ROUND = np.array([1.0, 1.5, 2.5, -2.5, 0.5, 3.0, 8.0, 16.5, -0.75, 100.25])


@dataclass
class Case:
    """An instruction, and the registers and memory before it."""

    form: X86Form
    operands: tuple[Any, ...]
    data: bytes
    block: Any  # registers
    memory: Any
    landing: tuple[str, int] | None = None  # the register, or the place in memory, that holds the target of a jump
    after: dict[str, Any] = field(default_factory=dict)
    undefined: tuple[str, ...] = ()  # the flags that the emulator left undefined

    def __str__(self) -> str:
        return f"{self.form.text(self.operands)}  [{self.data.hex(' ')}]"


def make_case(form: X86Form, rng: random.Random, mxcsr: int = 0x1F80) -> Case | None:
    """Draw operands and contents; return None if the drawn operands do not fit together."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    block = np.zeros(BLOCK, np.uint8)
    pool = _pool(rng.randrange(POOLS))
    block[:K] = pool[numbers.integers(0, len(pool), K // 64)].reshape(-1)
    block[K:GENERAL] = numbers.integers(0, 256, 64, np.uint8)
    general = block[GENERAL:FLAGS].view(np.uint64)
    general[:] = [_general(rng) for _ in range(16)]
    room = np.zeros(BELOW + SIZE + 64, np.uint8)
    memory = room[-address_of(room) % 64 + BELOW :][:SIZE]
    memory[:] = pool[numbers.integers(0, len(pool), SIZE // 64)].reshape(-1)
    block[FLAGS : FLAGS + 8].view(np.uint64)[0] = 2 | sum(rng.getrandbits(1) << bit for bit in FLAG_BITS.values())
    block[MXCSR : MXCSR + 4].view(np.uint32)[0] = mxcsr
    general[RSP] = address_of(_STACK) + _STACK.size // 2
    _implicit(form, rng, general, address_of(memory))
    operands = _operands(form, rng, block, address_of(memory))
    try:
        if operands is None or not form.accepts(operands):
            return None
        data = _branch(form, rng) if "D" in form.roles else form.encode(operands)
    except EncodeError:
        return None
    case = Case(form, operands, data, block, memory)
    return case if _likely(case, rng) else None


def _branch(form: X86Form, rng: random.Random) -> bytes:
    """Return a branch to the landing place, in the short or the long encoding."""
    if form.near and rng.random() < 0.5:
        return form.near + JUMP.to_bytes(4, "little")
    return form.relocate(SimpleNamespace(buffer=b""), (JUMP,))


_STACK = np.zeros(2 * BELOW, np.uint8)
_INDEX = {"rsi": RSI, "rdi": RDI, "rbx": RBX}


def _implicit(form: X86Form, rng: random.Random, general: Any, memory: int) -> None:
    """Point the registers that an instruction uses as addresses into memory, and make counts and lengths small."""
    effects = implicit(form)
    for name in ("rsi", "rdi"):
        if name in effects.reads | effects.writes:
            general[_INDEX[name]] = memory + MIDDLE + rng.randrange(-64, 64)
    if form.mnemonic.startswith("rep"):
        general[RCX] = rng.randrange(6)
    if form.mnemonic == "xlatb":
        general[RBX] = memory + MIDDLE
    if "pcmpestr" in form.mnemonic:
        for number in (RAX, RDX):
            general[number] = rng.choice((rng.randrange(18), -rng.randrange(18), rng.getrandbits(32))) % (1 << 64)
    if "rsp" in effects.reads | effects.writes:
        general[RSP] = memory + MIDDLE + 8 * rng.randrange(-8, 8)
    if form.mnemonic in ("enter", "leave"):
        general[RBP] = memory + MIDDLE + 8 * rng.randrange(-8, 8)
    if form.mnemonic in ("div", "idiv") and rng.random() < 0.7:
        general[RDX] = 0 if form.mnemonic == "div" else -(int(general[RAX]) >> 63) % (1 << 64)


def place_of(case: Case, mem: Mem) -> int:
    """Return the address of an operand."""
    general = case.block[GENERAL:FLAGS].view(np.uint64).tolist()
    index = 0 if mem.index is None else general[mem.index.num] * mem.scale
    return (general[mem.base.num] + index + mem.disp) % (1 << 64)


def _likely(case: Case, rng: random.Random) -> bool:
    """Make rare cases likely: equal numbers in a comparison with exchange, loads of control registers that work, jumps
    to the place behind the instruction, numbers of bits and addresses within memory. Return False if the operands are
    such that the case cannot work."""
    form, operand, memory = case.form, case.operands[0] if case.operands else None, address_of(case.memory)
    general, mnemonic = case.block[GENERAL:FLAGS].view(np.uint64), case.form.mnemonic
    name = mnemonic.rpartition(" ")[2]
    if isinstance(operand, Mem) and operand.index is None or (isinstance(operand, Mem) and operand.index.file == "r64"):
        at = place_of(case, operand) - memory
        if name.startswith("cmpxchg") and rng.random() < 0.5:
            size = form.classes[0].size // 8
            halves = (general[RAX : RAX + 1], general[RDX : RDX + 1])
            half = size // 2 if name[-1] == "b" else size
            for i in range(size // half):
                case.memory[at + i * half : at + (i + 1) * half] = halves[i].view(np.uint8)[:half]
        if name in ("ldmxcsr", "vldmxcsr"):
            case.memory[at : at + 4].view(np.uint32)[0] = DEFAULT_MXCSR | rng.getrandbits(2) << 13
        if name in ("jmp", "call"):
            case.landing = "memory", at
    elif name == "cmpxchg" and rng.random() < 0.5:
        general[operand.num % 16 if operand.width > 8 else operand.num & 3] = general[RAX]
    elif name in ("jmp", "call") and not isinstance(operand, int):
        case.landing = "general", operand.num
    if name in ("bt", "btc", "btr", "bts") and isinstance(operand, Mem) and not isinstance(case.operands[1], int):
        if case.operands[1].num in (operand.base.num, operand.index.num if operand.index else -1):
            return False
        general[case.operands[1].num] = rng.randrange(-800, 800) % (1 << 64)
    if name == "movdir64b":
        mem = case.operands[1]
        if operand.num in (mem.base.num, mem.index.num if mem.index else -1):
            return False
        general[operand.num] = memory + 64 * rng.randrange(SIZE // 64)
    if name == "ret":
        case.landing = "memory", int(general[RSP]) - memory
    if name == "popfq":
        at = int(general[RSP]) - memory
        word = 0x202 | sum(rng.getrandbits(1) << bit for bit in FLAG_BITS.values())
        case.memory[at : at + 8].view(np.uint64)[0] = word
    return True


POOLS = 8
_KINDS = ("bits", "f2", "f4", "f4", "f8", "f8", "i1", "i2", "i4", "i8")


def contents(rng: random.Random, numbers: np.random.Generator, size: int) -> Any:
    """Return bytes of one kind: random bits, floats of every class, small integers."""
    return _of_kind(rng.choice(_KINDS), numbers, size)


@cache
def _pool(seed: int) -> Any:
    """Return rows of 64 bytes of every kind, to draw registers and memory from."""
    numbers = np.random.default_rng(seed)
    return np.concatenate([_of_kind(kind, numbers, 64 * 256).reshape(-1, 64) for kind in _KINDS])


def _of_kind(kind: str, numbers: np.random.Generator, size: int) -> Any:
    if kind == "bits":
        return numbers.integers(0, 256, size, np.uint8)
    special = _special(kind)
    count = size // special.itemsize
    chosen = special[numbers.integers(0, len(special), count)]
    if kind[0] == "i":
        values = numbers.integers(-9, 10, count).astype(special.dtype)
        return np.where(numbers.random(count) < 0.2, chosen, values).view(np.uint8)
    values = numbers.standard_normal(count) * 2.0 ** numbers.integers(-20, 20, count)
    rounds = _ROUND[numbers.integers(0, len(_ROUND), count)]
    with np.errstate(all="ignore"):
        values = np.where(numbers.random(count) < 0.3, rounds, values).astype(special.dtype)
    return np.where(numbers.random(count) < 0.15, chosen, values).view(np.uint8)


@cache
def _special(kind: str) -> Any:
    """Return special numbers of a type. For integers these are the ends of the range; for floats zeros, infinities, NaN
    of both kinds, denormals, and the largest and smallest numbers, of both signs.
    """
    dtype = np.dtype(kind)
    if kind[0] == "i":
        limits = np.iinfo(dtype)
        return np.array([limits.min, limits.max, limits.min + 1, limits.max - 1], dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    info = np.finfo(dtype)
    infinity = int(np.array(np.inf, dtype).view(bits))
    quiet = 1 << info.nmant - 1
    chosen = [
        0,
        infinity,
        infinity | quiet,
        infinity | quiet | 5,
        infinity | 3,
        1,
        quiet,
        quiet | 1,
        (1 << info.nmant) - 1,
        1 << info.nmant,
        infinity - 1,
        (1 << info.nmant) + 1,
    ]
    sign = 1 << 8 * dtype.itemsize - 1
    return np.array([*chosen, *(word | sign for word in chosen)], bits).view(dtype)


def _general(rng: random.Random) -> int:
    return rng.choice(
        (
            rng.getrandbits(64),
            rng.getrandbits(32),
            rng.randrange(64),
            (1 << 64) - 1 - rng.randrange(64),
            1 << rng.randrange(64),
            (1 << 63) - rng.randrange(2),
        )
    )


def _operands(form: X86Form, rng: random.Random, block: Any, memory: int) -> tuple[Any, ...] | None:
    made: list[Any] = []
    mask = regs.K[rng.randrange(1, 8)] if rng.random() < 0.6 or form.gathers else None
    zeroing = rng.random() < 0.5
    for wanted in form.classes:
        if wanted.kind == "register":
            operand = _register(form, wanted, rng)
        elif wanted.touches_memory:
            operand = _memory(form, wanted, rng, block, memory)
        elif wanted.kind == "one":
            operand = 1
        elif wanted.kind == "branch":
            operand = JUMP
        elif form.mnemonic in ("ret", "enter"):  # a frame within memory
            operand = rng.choice((0, 8, 24)) if wanted.size == 16 else rng.choice((0, 1, 2, 3))
        else:
            low = 0 if wanted.kind == "bits" else -(1 << wanted.size - 1)
            operand = rng.choice((rng.randrange(low, low + (1 << wanted.size)), rng.randrange(16), 0))
        if operand is None:
            return None
        if wanted.mask and mask is not None:
            operand = operand.kz(mask) if zeroing and wanted.mask == "kz" else operand.k(mask)
        made.append(operand)
    if form.control:
        made.insert(len(made) - form.roles.count("I"), CONTROLS[form.control])
    return tuple(made)


def _register(form: X86Form, wanted: Any, rng: random.Random) -> Any:
    if wanted.file not in FILES:
        return regs.REGISTERS[wanted.file]
    some = [r for r in FILES[wanted.file] if (r.num < 16 or wanted.high) and not (r.num == RSP and r.file[0] == "r")]
    return rng.choice(some)


def _memory(form: X86Form, wanted: Any, rng: random.Random, block: Any, memory: int) -> Any:
    """Return a memory operand in the middle of the memory, and set the registers of its address."""
    general, effects = block[GENERAL:FLAGS].view(np.uint64), implicit(form)
    named = {int(_OTHERS.get(name, -1)) for name in (*effects.reads, *effects.writes)}
    free = [reg for reg in regs.R64 if reg.num not in {RSP, RAX, RCX, RDX} | named]
    base = rng.choice(free)
    place, disp = memory + MIDDLE, rng.choice((0, 0, 64, -64, 128, 256, -128))
    if wanted.kind == "gather":
        index = rng.choice([r for r in FILES[f"{wanted.file}mm"] if r.num < 16 or wanted.high])
        bits = 4 if form.mnemonic.rstrip("psdq")[-1:] == "r" and "d" in _index_letter(form.mnemonic) else 8
        row = block[64 * index.num : 64 * index.num + 64].view(f"i{bits}")
        row[:] = [rng.randrange(-24, 24) for _ in row]
        scale = rng.choice((1, 2, 4, 8))
        general[base.num] = place - disp
        return Mem(base, disp, index, scale, 0)
    legacy = form.prefix.encoding == LEGACY and wanted.size == 128 and form.mnemonic not in UNALIGNED
    aligned = form.mnemonic.startswith(("vmova", "vmovdqa", "vmovnt")) or form.mnemonic.endswith("cmpxchg16b")
    if form.mnemonic.startswith("lock") or form.mnemonic == "xchg":
        # A locked access across two cache lines stops all processors, and Linux makes its thread wait.
        place += wanted.size // 8 * rng.randrange(-2, 2)
    elif not aligned and not legacy:
        place += rng.randrange(-64, 64)
    general[base.num] = (place - disp) % (1 << 64)
    change = {"size": wanted.size, "broadcast": wanted.count if wanted.kind == "broadcast" else 0}
    if rng.random() < 0.3:
        index = rng.choice([reg for reg in free if reg is not base])
        general[index.num] = rng.randrange(8)
        scale = rng.choice((1, 2, 4, 8))
        general[base.num] -= general[index.num] * scale
        return Mem(base, disp, index, scale, **change)
    return Mem(base, disp, **change)


_OTHERS = {"rbx": RBX, "rsi": RSI, "rdi": RDI, "rbp": RBP}


def _index_letter(mnemonic: str) -> str:
    return mnemonic.replace("vp", "v", 1)[len("vgather") if "gather" in mnemonic else len("vscatter") :][:1]
