"""Run one x86-64 instruction on this processor and in the emulator, from the same registers and memory.

    case = make_case(form, rng)
    assert not differences(case)

The processor executes a stub: load every register from a block, the instruction, store every register to another.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from tests.emulation.differing import differing
from tests.encoder.draws import CONTROLS, FILES
from tilesmith.emulation.core.faults import Refusal
from tilesmith.emulation.core.memory import Memory, MemoryFault, Region, address_of
from tilesmith.emulation.x86 import legacy as legacy_forms
from tilesmith.emulation.x86.semantics import predecode
from tilesmith.emulation.x86.state import X86State
from tilesmith.encoder.decode import decode
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import Mem, dword, qword, zmmword
from tilesmith.encoder.x86.words import LEGACY
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

RSP, RDI = 4, 7
K, GENERAL, FLAGS, MXCSR, BLOCK = 2048, 2112, 2240, 2248, 2304  # offsets in the block of registers
SIZE = 1024  # bytes of memory
FLAG_BITS = {"cf": 0, "pf": 2, "af": 4, "zf": 6, "sf": 7, "of": 11}
_ROUND = np.array([1.0, 1.5, 2.5, -2.5, 0.5, 3.0, 8.0, 16.5, -0.75, 100.25])

# Flags that the manual defines, for instructions that leave some undefined.
_LOGIC = "cf zf sf of pf"
DEFINED = {
    **dict.fromkeys(["and", "or", "xor", "test"], _LOGIC),
    **dict.fromkeys(["shl", "shr", "sar", "shld", "shrd"], "cf zf sf pf"),
    **dict.fromkeys(["imul", "mul"], "cf of"), **dict.fromkeys(["bsf", "bsr"], "zf"),
    **dict.fromkeys(["bt", "bts", "btr", "btc", "rol", "ror"], "cf"), **dict.fromkeys(["lzcnt", "tzcnt"], "cf zf"),
    "bextr": "zf cf of", **dict.fromkeys(["blsi", "blsr", "blsmsk", "andn", "bzhi"], "cf zf sf of"),
}  # fmt: skip


@dataclass
class Case:
    """An instruction, and the registers and memory before it."""

    form: X86Form
    operands: tuple[Any, ...]
    data: bytes
    block: Any  # registers
    memory: Any
    after: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.form.text(self.operands)}  [{self.data.hex(' ')}]"


def make_case(form: X86Form, rng: random.Random, mxcsr: int = 0x1F80) -> Case | None:
    """Draw operands and contents; return None if the drawn operands do not fit together."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    block = np.zeros(BLOCK, np.uint8)
    block[:K] = np.concatenate([contents(rng, numbers, 64) for _ in range(32)])
    block[K:GENERAL] = numbers.integers(0, 256, 64, np.uint8)
    general = block[GENERAL:FLAGS].view(np.uint64)
    general[:] = [_general(rng) for _ in range(16)]
    memory = np.concatenate([contents(rng, numbers, 64) for _ in range(SIZE // 64)])
    aligned = np.zeros(SIZE + 64, np.uint8)
    memory_at = aligned[-address_of(aligned) % 64 :][:SIZE]
    memory_at[:] = memory
    block[FLAGS : FLAGS + 8].view(np.uint64)[0] = 2 | sum(rng.getrandbits(1) << bit for bit in FLAG_BITS.values())
    block[MXCSR : MXCSR + 4].view(np.uint32)[0] = mxcsr
    operands = _operands(form, rng, block, address_of(memory_at))
    try:
        if operands is None or not form.accepts(operands):
            return None
        data = form.encode(operands)
    except EncodeError:
        return None
    return Case(form, operands, data, block, memory_at)


def contents(rng: random.Random, numbers: np.random.Generator, size: int) -> Any:
    """Return bytes of one kind: random bits, floats of every class, small integers."""
    kind = rng.choice(("bits", "f2", "f4", "f4", "f8", "f8", "i1", "i2", "i4", "i8"))
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
    chosen = [0, infinity, infinity | quiet, infinity | quiet | 5, infinity | 3, 1, quiet, quiet | 1,
              (1 << info.nmant) - 1, 1 << info.nmant, infinity - 1, (1 << info.nmant) + 1]  # fmt: skip
    sign = 1 << 8 * dtype.itemsize - 1
    return np.array([*chosen, *(word | sign for word in chosen)], bits).view(dtype)


def _general(rng: random.Random) -> int:
    return rng.choice((rng.getrandbits(64), rng.getrandbits(32), rng.randrange(64), (1 << 64) - 1 - rng.randrange(64),
                       1 << rng.randrange(64), (1 << 63) - rng.randrange(2)))  # fmt: skip


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
    general = block[GENERAL:FLAGS].view(np.uint64)
    free = [reg for reg in regs.R64 if reg.num not in (RSP, 0, 1, 2)]
    base = rng.choice(free)
    place, disp = memory + SIZE // 2, rng.choice((0, 0, 64, -64, 128, 256, -128))
    if wanted.kind == "gather":
        index = rng.choice([r for r in FILES[f"{wanted.file}mm"] if r.num < 16 or wanted.high])
        bits = 4 if form.mnemonic.rstrip("psdq")[-1:] == "r" and "d" in _index_letter(form.mnemonic) else 8
        row = block[64 * index.num : 64 * index.num + 64].view(f"i{bits}")
        row[:] = [rng.randrange(-24, 24) for _ in row]
        scale = rng.choice((1, 2, 4, 8))
        general[base.num] = place - disp
        return Mem(base, disp, index, scale, 0)
    legacy = form.prefix.encoding == LEGACY and wanted.size == 128 and form.mnemonic not in legacy_forms.UNALIGNED
    if not form.mnemonic.startswith(("vmova", "vmovdqa", "vmovnt")) and not legacy:
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


def _index_letter(mnemonic: str) -> str:
    return mnemonic.replace("vp", "v", 1)[len("vgather") if "gather" in mnemonic else len("vscatter") :][:1]


# Executing


def natively(case: Case) -> None:
    """Execute a case on the processor; the result goes to case.after."""
    block, memory = case.block.copy(), case.memory
    before, out = memory.copy(), np.zeros(BLOCK, np.uint8)
    code = publish(_stub(case.data))
    ffi.cast("void(*)(int64_t, int64_t)", code.address)(address_of(block), address_of(out))
    case.after["processor"] = _parts(out, memory.copy())
    memory[:] = before


def _stub(instruction: bytes) -> bytes:
    before, after = around()
    return before + instruction + after


@cache
def around() -> tuple[bytes, bytes]:
    """Return the code of a stub before and after its instruction."""
    asm: Any = X86Assembler(host.host())
    r, rdi, rsi, rax, rsp = regs.R64, regs.R64[RDI], regs.R64[6], regs.R64[0], regs.R64[RSP]
    saved = [r[n] for n in (3, 5, 12, 13, 14, 15)]
    for reg in (*saved, rsi):
        asm.push(reg)
    for n in range(32):
        asm.vmovdqu64(regs.ZMM[n], zmmword[rdi + 64 * n])
    for n in range(8):
        asm.kmovq(regs.K[n], qword[rdi + K + 8 * n])
    asm.ldmxcsr(dword[rdi + MXCSR])
    asm.push(qword[rdi + FLAGS])
    asm.popfq()
    for n in (*(n for n in range(16) if n not in (RSP, RDI)), RDI):
        asm.mov(r[n], qword[rdi + GENERAL + 8 * n])
    before = bytes(asm.buffer)
    asm.mov(qword[rsp - 16], rdi)
    asm.mov(rdi, qword[rsp])
    for n in range(16):
        if n not in (RSP, RDI):
            asm.mov(qword[rdi + GENERAL + 8 * n], r[n])
    asm.mov(rax, qword[rsp - 16])
    asm.mov(qword[rdi + GENERAL + 8 * RDI], rax)
    asm.pushfq()
    asm.pop(rax)
    asm.mov(qword[rdi + FLAGS], rax)
    asm.stmxcsr(dword[rdi + MXCSR])
    for n in range(8):
        asm.kmovq(qword[rdi + K + 8 * n], regs.K[n])
    for n in range(32):
        asm.vmovdqu64(zmmword[rdi + 64 * n], regs.ZMM[n])
    asm.mov(dword[rsp - 16], 0x1F80)
    asm.ldmxcsr(dword[rsp - 16])
    asm.pop(rsi)
    for reg in reversed(saved):
        asm.pop(reg)
    asm.vzeroupper()
    asm.cld()
    asm.ret()
    return before, bytes(asm.buffer[len(before) :])


def emulated(case: Case) -> None:
    """Execute a case in the emulator; the result goes to case.after."""
    memory = case.memory.copy()
    region = Region("memory", case.memory, True)
    state = X86State(Memory([region]))
    state.vectors[:] = case.block[:K].reshape(32, 64)
    state.k[:] = case.block[K:GENERAL].view(np.uint64).tolist()
    state.r[:] = case.block[GENERAL:FLAGS].view(np.uint64).tolist()
    state.flags = int(case.block[FLAGS : FLAGS + 8].view(np.uint64)[0])
    state.set_mxcsr(int(case.block[MXCSR : MXCSR + 4].view(np.uint32)[0]))
    found = decode(case.data)
    assert found is not None and found.length == len(case.data), case
    with np.errstate(all="ignore"):
        predecode(state, found.form, found.operands, 1 << 20)()
    state.memory.copy_back()
    out = np.zeros(BLOCK, np.uint8)
    out[:K] = state.vectors.reshape(-1)
    out[K:GENERAL].view(np.uint64)[:] = state.k
    out[GENERAL:FLAGS].view(np.uint64)[:] = state.r
    out[FLAGS : FLAGS + 8].view(np.uint64)[0] = state.flags
    out[MXCSR : MXCSR + 4].view(np.uint32)[0] = state.mxcsr
    case.after["emulator"] = _parts(out, case.memory.copy())
    case.memory[:] = memory


def _parts(block: Any, memory: Any) -> dict[str, Any]:
    parts: dict[str, Any] = {f"zmm{n}": block[64 * n : 64 * n + 64].tobytes() for n in range(32)}
    parts |= {f"k{n}": int(block[K:GENERAL].view(np.uint64)[n]) for n in range(8)}
    parts |= {r.name: int(block[GENERAL:FLAGS].view(np.uint64)[r.num]) for r in regs.R64 if r.num != RSP}
    flags = int(block[FLAGS : FLAGS + 8].view(np.uint64)[0])
    parts |= {name: flags >> bit & 1 for name, bit in FLAG_BITS.items()}
    parts["mxcsr"] = int(block[MXCSR : MXCSR + 4].view(np.uint32)[0]) & 0xFFC0
    parts["memory"] = memory.tobytes()
    return parts


def differences(case: Case) -> list[str]:
    """Return the differences between the processor and the emulator, in words."""
    try:
        emulated(case)
    except (Refusal, MemoryFault) as error:
        return [f"the emulator refuses: {error}"]
    natively(case)
    defined = DEFINED.get(case.form.mnemonic, " ".join(FLAG_BITS)).split()
    return list(differing(case.after["processor"], case.after["emulator"], set(FLAG_BITS) - set(defined)))
