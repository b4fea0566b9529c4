"""Draw operands for every form of the x86-64 table: first nasty ones, then random ones. Seeded, so a failure repeats.

Nasty operands are those for which encodings have exceptions: bases rsp/r12 (need SIB) and rbp/r13 (need a
displacement), displacements at the limits of disp8 in units of N, registers 0, 7, 8, 15, 16, 31, no base, no index,
rip-relative.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.operands import Label
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.encoder.x86.classes import OperandClass, operand_class
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import Mem, Reg
from tilesmith.encoder.x86.words import LEGACY

FILES = {
    "r64": regs.R64,
    "r32": regs.R32,
    "r16": regs.R16,
    "r8": regs.R8 + regs.R8H,
    "k": regs.K,
    "tmm": regs.TMM,
    "xmm": regs.XMM,
    "ymm": regs.YMM,
    "zmm": regs.ZMM,
}
CONTROLS = {control.name: control for control in (regs.rn_sae, regs.rd_sae, regs.ru_sae, regs.rz_sae, regs.sae)}
NASTY_NUMBERS = (0, 7, 8, 15, 16, 31)
NASTY_BASES = tuple(regs.R64[n] for n in (4, 12, 5, 13, 0, 15))
NASTY_INDICES = tuple(regs.R64[n] for n in (12, 5, 13, 0, 15))
TARGET = Label("target")  # the target of branches and rip-relative memory; unbound, so that branches are near


def all_forms() -> Iterator[X86Form]:
    """Yield every form of every row."""
    for mnemonic in TABLE:
        yield from TABLE.forms(mnemonic)  # type: ignore[misc]


def draws(form: X86Form, count: int, seed: int = 0) -> list[tuple[Any, ...]]:
    """Return at most `count` distinct operand tuples that the form encodes."""
    rng = random.Random(zlib.crc32(f"{form.syntax()} {form.roles} {form.prefix.length}".encode()) + seed)
    memory = iter(_addresses(form, rng))
    made: dict[str, tuple[Any, ...]] = {}
    for _ in range(4 * count):
        operands = tuple(_operand(c, rng, memory) for c in form.classes)
        operands = _with_control(form, operands)
        if repr(operands) not in made and _encodable(form, operands):
            made[repr(operands)] = operands
        if len(made) == count:
            break
    return list(made.values())


def _encodable(form: X86Form, operands: tuple[Any, ...]) -> bool:
    """Whether the operands fit together (no ah with REX, no gather into its own index) and this form is the first that
    accepts them.

    Only legacy forms overlap in ways that their text does not show: 1 fits i8, i32 and i64.
    """
    rivals = form.siblings if form.prefix.encoding == LEGACY else [form]
    if next((rival for rival in rivals if rival.accepts(operands)), None) is not form:
        return False
    if any(getattr(o, "broadcast", 0) == 1 for o in operands) and _ambiguous(form, operands):
        return False
    try:
        form.encode(operands) if "D" not in form.roles else None
    except EncodeError:
        return False
    return True


def _ambiguous(form: X86Form, operands: tuple[Any, ...]) -> bool:
    """Whether forms of several vector lengths accept a broadcast that does not state its count."""
    found = [f for f in form.siblings if f.accepts(operands)]
    return len({f.sizes() for f in found if f.features == found[0].features}) > 1


def _with_control(form: X86Form, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    if not form.control:
        return operands
    place = len(operands) - form.roles.count("I")
    return (*operands[:place], CONTROLS[form.control], *operands[place:])


def _operand(wanted: OperandClass, rng: random.Random, memory: Iterator[Mem]) -> Any:
    if wanted.kind == "register":
        return _register(wanted, rng)
    if wanted.touches_memory:
        return _memory(wanted, rng, next(memory))
    if wanted.kind == "branch":
        return TARGET
    return 1 if wanted.kind == "one" else _immediate(wanted, rng)


@cache
def _choices(name: str, high: bool) -> tuple[list[Reg], list[Reg]]:
    """Return the registers of a file, and the nasty ones among them."""
    file = [reg for reg in FILES[name] if reg.num < 16 or high]
    return file, [reg for reg in file if reg.num in NASTY_NUMBERS]


def _register(wanted: OperandClass, rng: random.Random) -> Reg:
    if wanted.file not in FILES:
        return regs.REGISTERS[wanted.file]
    file, nasty = _choices(wanted.file, wanted.high)
    reg = rng.choice(nasty if rng.random() < 0.6 else file)
    mask = rng.choice(regs.K[1:])
    decorations = [reg, reg.k(mask)] if wanted.mask else [reg]
    return rng.choice([*decorations, reg.kz(mask)] if wanted.mask == "kz" else decorations)


def _memory(wanted: OperandClass, rng: random.Random, mem: Mem) -> Mem:
    changes: dict[str, Any] = {"size": wanted.size}
    if wanted.kind == "gather":
        changes |= {"index": _register(_vector_class(wanted), rng), "label": None, "rip": False, "size": 0}
        changes["scale"] = rng.choice((1, 2, 4, 8))
    if wanted.kind == "broadcast":
        changes["broadcast"] = rng.choice((1, wanted.count))
    if wanted.name == "sib":
        changes |= {"index": mem.index or rng.choice(NASTY_INDICES), "label": None, "rip": False}
    if wanted.mask and (wanted.kind == "gather" or rng.random() < 0.5):
        changes["mask"] = rng.choice(regs.K[1:])
    return mem._with(**changes)


def _vector_class(wanted: OperandClass) -> OperandClass:
    return operand_class({"x": "xmm", "y": "ymm", "z": "zmm"}[wanted.file], "", wanted.high, 0, False, 0)


def _immediate(wanted: OperandClass, rng: random.Random) -> int:
    half = 1 << wanted.size - 1
    limits = (0, 1, 127, 128, 2 * half - 1, half) if wanted.kind == "bits" else (-half, -1, 0, 1, half - 1)
    values = [*limits, rng.randrange(half), -129, -128, 127, 128]
    low, high = (-half, 2 * half - 1) if wanted.kind == "bits" else (-half, half - 1)
    return rng.choice([value for value in values if low <= value <= high])


@cache
def _nasty_addresses(n: int) -> tuple[tuple[int, ...], tuple[Mem, ...]]:
    """Return displacements at the limits of disp8 in units of n, and the addresses that need no random numbers."""
    disps = (0, *(d * n for d in (-129, -128, -127, 127, 128, 1)), n - 1, n + 1, -128, 127, 128, 2**31 - 1, -(2**31))
    nasty = [Mem(base, disp) for base in NASTY_BASES for disp in disps]
    nasty += [Mem(None, disp, index, s) for disp in disps for index in (None, *NASTY_INDICES[:2]) for s in (2, 8)]
    nasty += [Mem(disp=disp, rip=True) for disp in (0, 8, -8, 2**31 - 1, -(2**31))]
    nasty += [Mem(label=TARGET, disp=disp) for disp in (0, 8, -8, 127) for _ in range(4)]
    return disps, tuple(nasty)


def _addresses(form: X86Form, rng: random.Random) -> Iterator[Mem]:
    """Yield addresses without end: nasty ones in random order, then random ones. Most forms need only a few, so each is
    made on demand."""
    disps, plain = _nasty_addresses(form.disp_unit)
    nasty: list[Any] = [*plain, *((index, scale) for index in NASTY_INDICES for scale in (1, 2, 4, 8))]
    while nasty:
        place = rng.randrange(len(nasty))
        nasty[place], nasty[-1] = nasty[-1], nasty[place]
        found = nasty.pop()
        yield found if isinstance(found, Mem) else Mem(rng.choice(NASTY_BASES), rng.choice(disps), *found)
    while True:
        index = rng.choice([None, *(reg for reg in regs.R64 if reg.num != 4)])
        disp = rng.choice([rng.randrange(-200, 200) * form.disp_unit, rng.choice(disps)])
        yield Mem(rng.choice(regs.R64), disp, index, 1 << rng.randrange(4))


def encoded(form: X86Form, operands: tuple[Any, ...]) -> bytes:
    """Return the bytes of exactly this form, with zeros for labels."""
    if form.relocates(operands):
        return form.relocate(_Sink(), operands)
    return form.encode(operands)


def llvm_text(form: X86Form, operands: tuple[Any, ...], data: bytes) -> str:
    """Return the text for LLVM, which shortens a VEX prefix by swapping operands unless the text states the prefix."""
    text = form.gas(operands, data).replace("ds:[", "[").removeprefix("{vex3} ")
    only_b = data[0] == 0xC4 and data[1] & 0x7F == 0x41 and not data[2] >> 7
    registers = not any(c.touches_memory for c in form.classes)
    return "{vex3} " + text if only_b and registers else text


class _Sink:
    """Replaces an assembler whose labels are never bound."""

    buffer = b""

    def fixup(self, *_: Any) -> None:
        """Ignore the fixup: the label stays 0."""
