"""The access and effect columns of x86-64 against the tables of LLVM, as tests/golden/x86_access.txt keeps them.

A line of the file is an instruction, the role of each operand, and what it reads and writes besides. `make golden`
writes it from LLVM 19 (tests/oracles/llvm_tables.py) and, for what that does not know, from a newer one, which shows
only which operands are both read and written. LLVM has one register for all flags but the direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.encoder.draws import all_forms
from tests.encoder.x86_shapes import Shape, shapes_of_form
from tests.oracles import llvm, llvm_tables, newer, tools
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.effects import FLAGS, implicit
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import Mem, Reg
from tilesmith.encoder.x86.words import EVEX

GOLDEN = Path(__file__).parents[1] / "golden" / "x86_access.txt"


class Access(NamedTuple):
    """What an instruction reads and writes."""

    operands: str
    reads: frozenset[str]
    writes: frozenset[str]

    def __str__(self) -> str:
        return f"{self.operands or '-'} | {' '.join(sorted(self.reads))} | {' '.join(sorted(self.writes))}"


def representative(form: X86Form) -> tuple[str, Shape]:
    """An instruction of the form as text, and its operands."""
    low, high = shapes_of_form(form)
    shape = high if form.prefix.encoding == EVEX else low
    if form.gathers and form.prefix.encoding == EVEX:
        shape = shape.under(regs.K[1])
    return f"{form.mnemonic} {shape.text}".strip(), shape


def chosen(forms: Iterable[X86Form]) -> Iterator[X86Form]:
    """Of each row and encoding one form with registers alone and one with memory; no branches to labels."""
    seen = set()
    for form in forms:
        key = form.row, form.prefix.encoding, tuple(c.touches_memory for c in form.classes)
        if key not in seen and "D" not in form.roles and not form.control:
            seen.add(key)
            yield form


def write() -> None:
    """Ask both LLVMs and write the file."""
    asked = {representative(form)[0]: form for form in chosen(all_forms())}
    found = dict(zip(asked, llvm_tables.entries(list(asked))))
    lines = [f"{text} | {_of_entry(asked[text], entry)}" for text, entry in found.items() if entry is not None]
    rest = [text for text, entry in found.items() if entry is None]
    for text, registers in zip(rest, newer.registers(rest)):
        lines.append(f"{text} | {_of_newer(asked[text], registers)}")
    header = f"# Roles of operands, implicit reads and writes, from the tables of {tools.version(llvm.ASSEMBLER)}"
    GOLDEN.write_text("\n".join([f"{header} through `make golden`; do not edit.", *sorted(lines)]) + "\n")


def _of_entry(form: X86Form, entry: llvm_tables.Entry) -> Access:
    shape = representative(form)[1]
    letters = "".join(_letter(entry, operand) for operand in shape.operands)
    return Access(letters, frozenset(llvm_tables.implicit(entry.reads)), frozenset(llvm_tables.implicit(entry.writes)))


def _letter(entry: llvm_tables.Entry, operand: object) -> str:
    if isinstance(operand, Mem):
        return entry.memory
    return entry.access(operand.name) if isinstance(operand, Reg) else "r"


# Those of the newer instructions that set flags and write nothing else: 361050, chapter 16.
_COMPARES = re.compile(r"vu?com(x|isbf16)\w*")


def _of_newer(form: X86Form, registers: list[str]) -> Access:
    shape = representative(form)[1]
    compares = bool(_COMPARES.fullmatch(form.mnemonic))
    letters = ["r"] * len(shape.operands)
    if not compares and isinstance(shape.operands[0], Reg):
        letters[0] = "x" if registers.count(shape.operands[0].name) > 1 else "w"
    return Access("".join(letters), frozenset(), frozenset({"flags"} if compares else ()))


@cache
def golden() -> dict[str, Access]:
    """The file."""
    made = {}
    for line in GOLDEN.read_text().splitlines():
        if not line.startswith("#"):
            text, letters, reads, writes = (part.strip() for part in line.split("|"))
            made[text] = Access(letters.replace("-", "", letters == "-"), frozenset(reads.split()), frozenset(writes.split()))
    return made


def declared(form: X86Form) -> Access:
    """What the columns say, with the flags as one as LLVM has them."""
    effects = implicit(form)
    return Access(form.access, _as_one(effects.reads), _as_one(effects.writes))


def _as_one(names: frozenset[str]) -> frozenset[str]:
    return frozenset("flags" if name in FLAGS else name for name in names)
