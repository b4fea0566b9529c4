"""Turn Intel text into a call of the assembler, so that golden files are plain lines of text and bytes."""

from __future__ import annotations

import re
from typing import Any

from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import TABLE, X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, Address, Mem

SIZES = {
    "byte": regs.byte,
    "word": regs.word,
    "dword": regs.dword,
    "qword": regs.qword,
    "xmmword": regs.xmmword,
    "ymmword": regs.ymmword,
    "zmmword": regs.zmmword,
    None: regs.ptr,
}
CONTROLS = {f"{{{c.name}}}": c for c in (regs.rn_sae, regs.rd_sae, regs.ru_sae, regs.rz_sae, regs.sae)}
_MEMORY = re.compile(r"(?:(\w+) ptr )?\[([^\]]*)\](?:\{1to(\d+)\})?(?: \{(k\d)\})?")
_REGISTER = re.compile(r"(\w+)(?: \{(k\d)\}(\{z\})?)?")


def emit(asm: X86Assembler, text: str) -> None:
    """Append the instruction that the text describes."""
    prefix, _, rest = text.partition(" ")
    mnemonic = "mov" if prefix == "movabs" else prefix
    if mnemonic not in TABLE:  # two words: lock add, rep movsb
        second, _, rest = rest.partition(" ")
        mnemonic += f"_{second}"
    getattr(asm, mnemonic)(*(_operand(part) for part in rest.split(", ") if part))


def _operand(text: str) -> Any:
    if text in CONTROLS:
        return CONTROLS[text]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    memory = _MEMORY.fullmatch(text)
    if memory:
        return _memory(*memory.groups())
    name, mask, zeroing = _REGISTER.fullmatch(text).groups()  # type: ignore[union-attr]
    reg = REGISTERS[name]
    return (reg.kz if zeroing else reg.k)(REGISTERS[mask]) if mask else reg


def _memory(size: str | None, inner: str, broadcast: str | None, mask: str | None) -> Mem:
    address = Address()
    for term in re.findall(r"(?:^|[+-] )[^+-]+|^-\d+", inner):
        address = address + (0 if term.strip() == "rip" else _term(term.replace(" ", "")))
    mem = SIZES[size][address]._with(rip=inner.startswith("rip"))
    mem = mem.to(int(broadcast)) if broadcast else mem
    return mem.k(REGISTERS[mask]) if mask else mem


def _term(term: str) -> Any:
    term = term.removeprefix("+")
    if re.fullmatch(r"-?\d+", term):
        return int(term)
    scale, star, name = term.rpartition("*")
    return REGISTERS[name] * int(scale) if star else REGISTERS[name]
