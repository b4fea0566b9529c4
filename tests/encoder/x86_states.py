"""States for observing x86-64 instructions: random ones, and copies of these with one place changed at a time.

An instruction's domain is what it needs of its state so that it neither faults nor always does the same: addresses in
registers that are used as addresses, quotients that fit, landings to return to.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tests.emulation.x86.native import contents
from tests.encoder.x86_observer import FLAGS, GENERAL, MASKS, MEMORY, MXCSR, Array
from tilesmith.encoder.x86 import registers as regs

OPERAND = 64  # offset of memory operands in the memory
OPERAND_SIZE = 64
STACK = 256  # offset to which rsp points
FLAG_BITS = {"cf": 0, "pf": 2, "af": 4, "zf": 6, "sf": 7, "of": 11, "df": 10}
BASES = 6  # independent states; each of the others differs from one of them in one place
VECTORS, SINGLE_MASKS = 6, 5  # registers below these numbers are changed alone; the rest are changed together
_BASE = 9  # base register of memory operands, never changed
_DEFAULT_MXCSR = 0x1F80


class Unit(NamedTuple):
    """A place that is changed by itself."""

    name: str
    start: int  # bytes of the block
    stop: int


def units(memory: int) -> list[Unit]:
    """Return all places of a block with this much memory; a flag is a named bit of one byte."""
    single = [Unit(f"zmm{n}", 64 * n, 64 * n + 64) for n in range(VECTORS)]
    single += [Unit("vectors", 64 * VECTORS, MASKS)]
    single += [Unit(f"k{n}", MASKS + 8 * n, MASKS + 8 * n + 8) for n in range(SINGLE_MASKS)]
    single += [Unit("masks", MASKS + 8 * SINGLE_MASKS, GENERAL)]
    single += [Unit(r.name, GENERAL + 8 * r.num, GENERAL + 8 * r.num + 8) for r in regs.R64]
    single += [Unit(name, FLAGS + bit // 8, FLAGS + bit // 8 + 1) for name, bit in FLAG_BITS.items()]
    operand = MEMORY + OPERAND, MEMORY + OPERAND + OPERAND_SIZE
    single += [Unit("stack", operand[1], MEMORY + memory)]
    return [*single, Unit("memory", *operand)]


Values = Callable[[Any, int, "Places"], Sequence[int]]


class Places(NamedTuple):
    """Addresses that domains refer to."""

    memory: int
    landings: tuple[int, ...]


class Domain(NamedTuple):
    """The values of registers, keyed by name, and the numbers of `fill_size` bytes that fill the memory."""

    registers: dict[str, Values]
    fill: Values | None = None
    fill_size: int = 8


def among(*values: int) -> Values:
    """Return a domain of these values."""
    return lambda rng, count, places: [int(v) for v in rng.choice(np.array(values, np.uint64), count)]


def inside(first: int, steps: int, size: int) -> Values:
    """Return a domain of addresses: `first` bytes into the memory, plus less than `steps` multiples of `size`."""
    return lambda rng, count, places: [places.memory + first + size * int(n) for n in rng.integers(0, steps, count)]


def _landing(rng: Any, count: int, places: Places) -> list[int]:
    return [places.landings[int(n)] for n in rng.integers(0, len(places.landings), count)]


def _flags(rng: Any, count: int, places: Places) -> list[int]:
    return [2 | sum(int(rng.integers(0, 2)) << bit for bit in FLAG_BITS.values()) for _ in range(count)]


def _control(rng: Any, count: int, places: Places) -> list[int]:
    return [_DEFAULT_MXCSR | int(rng.integers(0, 4)) << 13 | int(rng.integers(0, 2)) << 15 for _ in range(count)]


def _divisor(rng: Any, count: int, places: Places) -> list[int]:
    """Return divisors that are large in magnitude at every width, signed or not: every byte is from 0x80 to 0xBF."""
    return [int(n) & ~0x4040_4040_4040_4040 | 0x8080_8080_8080_8080 for n in rng.integers(0, 1 << 63, count)]


def _dividend(rng: Any, count: int, places: Places) -> list[int]:
    return [int(n) & ~0xFF00 | int(n) & 0x100 for n in rng.integers(0, 1 << 62, count)]


_FEW, _BIT = among(0, 1, 2, 3, 4, 5, 6), among(0, 1)
_STRING = {"rsi": inside(128, 8, 8), "rdi": inside(256, 8, 8)}
_COMPONENTS = among(2, 4, 6)  # components of the processor's state: SSE, AVX; x87 would unmask its exceptions
DOMAINS = {
    r"(movs|cmps|stos|lods|scas)[bwdq]": Domain(_STRING, among(0, 1), 1),
    r"rep\w* (movs|cmps|stos|lods|scas)[bwdq]": Domain({**_STRING, "rcx": _FEW, "rax": _BIT}, among(0, 1), 1),
    r"xlatb": Domain({"rbx": inside(0, 100, 1)}),
    r"v?maskmovdqu": Domain({"rdi": inside(64, 20, 1)}),
    r"movdir64b": Domain({"rdi": inside(128, 4, 64)}),
    r"leave|enter": Domain({"rbp": inside(160, 8, 8)}),
    r"ret": Domain({}, _landing),
    r"call|jmp": Domain({"rdi": _landing}, _landing),
    r"popfq": Domain({}, _flags),
    r"v?ldmxcsr": Domain({}, _control, 4),
    r"i?div": Domain({"rdx": _BIT, "rax": _dividend, "rdi": _divisor}, _divisor),
    r"(lock )?cmpxchg(8b|16b)?": Domain(dict.fromkeys(("rax", "rdx", "rdi"), _BIT), _BIT),
    r"(lock )?bt[sr]?c?": Domain({"rsi": among(*range(0, 500, 7))}),
    r"loop\w*|jrcxz": Domain({"rcx": among(0, 1, 2)}),
    r"cpuid": Domain({"rax": among(0, 1, 2, 7, 0xD, 0x8000_0001, 0x8000_0002), "rcx": among(0, 1, 2)}),
    r"xgetbv": Domain({"rcx": among(0, 1)}),
    r"syscall": Domain({"rax": among(39, 110)}),  # getpid, getppid
    r"xsave\w*": Domain({"rax": _COMPONENTS}),
    r"sh[lr]d": Domain({"rcx": among(*range(16))}),
}
ANY = "any"
DOMAINS[ANY] = Domain({})


def domain_of(mnemonic: str) -> str:
    """Return the key in DOMAINS of the mnemonic's domain."""
    return next((pattern for pattern in DOMAINS if re.fullmatch(pattern, mnemonic)), ANY)


class States(NamedTuple):
    """The blocks, indexed by base and by what was changed: first nothing, then each unit."""

    blocks: Array  # (BASES, 1 + units, block) of bytes
    changed: Array  # (BASES, units, block): bits in which a block differs from its base


def gather_indices(bits: int) -> Callable[[Array], None]:
    """Return a change that fills vector register 9 with small numbers, the same in all states of a base, since its
    elements are indices of a gather."""

    def change(blocks: Array) -> None:
        rng = np.random.default_rng(bits)
        rows = rng.integers(-6, 7, (len(blocks), 512 // bits)).astype(f"i{bits // 8}") * 4
        blocks[:, :, 64 * 9 : 64 * 10] = rows.view(np.uint8)[:, None, :]

    return change


@cache
def states(key: str, memory: int, places: Places, seed: int, gather: int = 0) -> States:
    """Return states for a domain; `gather` is the number of bits of an index if the instruction takes a vector of
    them."""
    rng = np.random.default_rng([seed, len(key)])
    domain = DOMAINS[key]
    found = units(memory)
    blocks = np.zeros((BASES, 1 + len(found), MEMORY + memory), np.uint8)
    blocks[:] = _blocks(rng, memory)[:, None]
    other = _blocks(rng, memory)
    for number, unit in enumerate(found, 1):
        if unit.name in FLAG_BITS:
            blocks[:, number, unit.start] ^= 1 << FLAG_BITS[unit.name] % 8
        else:
            blocks[:, number, unit.start : unit.stop] = other[:, unit.start : unit.stop]
    names = [unit.name for unit in found]
    general = blocks[:, :, GENERAL:FLAGS].view(np.uint64)
    values = {"rsp": inside(STACK, 8, 8), f"r{_BASE}": inside(OPERAND, 1, 1), "r10": among(0), **domain.registers}
    for name, choose in values.items():
        register = regs.REGISTERS[name].num
        general[:, :, register] = np.array(choose(rng, BASES, places), np.uint64)[:, None]
        general[:, 1 + names.index(name), register] = np.array(choose(rng, BASES, places), np.uint64)
    if domain.fill:
        blocks[:, :, MEMORY:] = _filled(domain, rng, memory, places)[:, None]
        for number, unit in enumerate(found[-2:], len(found) - 1):
            others = _filled(domain, rng, memory, places)
            blocks[:, number, unit.start : unit.stop] = others[:, unit.start - MEMORY : unit.stop - MEMORY]
    blocks[:, :, -1] = 0  # landings store their number here
    if gather:
        gather_indices(gather)(blocks)
    return States(blocks, blocks[:, 1:] ^ blocks[:, :1])


def _filled(domain: Domain, rng: Any, memory: int, places: Places) -> Array:
    assert domain.fill is not None
    count = BASES * memory // domain.fill_size
    numbers = np.array(domain.fill(rng, count, places), np.uint64).astype(f"u{domain.fill_size}")
    return numbers.view(np.uint8).reshape(BASES, memory)


def _blocks(rng: Any, memory: int) -> Array:
    """Return independent states; the first has few different numbers, so that many of its elements are equal."""
    source = random.Random(int(rng.integers(1 << 62)))
    made = np.zeros((BASES, MEMORY + memory), np.uint8)
    few = source.choice(("i1", "i2", "i4", "i8"))
    for number, block in enumerate(made):
        parts = [_few(few, rng) if number == 0 else contents(source, rng, 64) for _ in range((MASKS + memory) // 64)]
        block[:MASKS] = np.concatenate(parts[: MASKS // 64])
        block[MASKS:GENERAL].view(np.uint64)[:] = [_mask(source) for _ in range(8)]
        block[GENERAL:FLAGS].view(np.uint64)[:] = [_general(source) for _ in range(16)]
        block[FLAGS : FLAGS + 8].view(np.uint64)[0] = 2 | sum(source.getrandbits(1) << b for b in FLAG_BITS.values())
        block[MXCSR : MXCSR + 4].view(np.uint32)[0] = _DEFAULT_MXCSR
        block[MEMORY:] = np.concatenate(parts[MASKS // 64 :])
    return made


def _few(kind: str, rng: Any) -> Array:
    numbers: Array = rng.integers(-1, 2, 64 // int(kind[1])).astype(kind)
    return numbers.view(np.uint8)


def _mask(source: Any) -> int:
    low = source.choice((16, 32, 64))
    return int(source.choice((source.getrandbits(64), 0, (1 << 64) - 1, (1 << low) - 1, 1 << source.randrange(low))))


def _general(source: Any) -> int:
    wide, single = (source.getrandbits(64), source.getrandbits(32)), 1 << source.randrange(64)
    return int(source.choice((*wide, wide[0], source.randrange(20), 0, single)))
