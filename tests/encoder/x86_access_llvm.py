"""Compare the access and effect columns of x86-64 with LLVM's tables, as kept in tests/golden/x86_access.txt.

A line of the file is an instruction, the role of each operand, and what it reads and writes implicitly. `make golden`
writes it from LLVM 19 (tests/oracles/llvm_tables.py). Instructions that LLVM 19 does not know come from a newer LLVM,
which shows only the operands that are both read and written. LLVM has one register for all flags except the direction.
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
    """The roles of an instruction's operands, and the units that it reads and writes implicitly."""

    operands: str
    reads: frozenset[str]
    writes: frozenset[str]

    def __str__(self) -> str:
        return f"{self.operands or '-'} | {' '.join(sorted(self.reads))} | {' '.join(sorted(self.writes))}"


def representative(form: X86Form) -> tuple[str, Shape]:
    """Return an instruction of the form as text, and its operands."""
    low, high = shapes_of_form(form)
    shape = high if form.prefix.encoding == EVEX else low
    if form.gathers and form.prefix.encoding == EVEX:
        shape = shape.under(regs.K[1])
    return f"{form.mnemonic} {shape.text}".strip(), shape


def chosen(forms: Iterable[X86Form]) -> Iterator[X86Form]:
    """Yield one form with only registers and one with memory for each row and encoding."""
    seen = set()
    for form in forms:
        key = form.row, form.prefix.encoding, tuple(c.touches_memory for c in form.classes)
        if key not in seen and not form.control:
            seen.add(key)
            yield form


def write() -> None:
    """Query both versions of LLVM and write the file. Lines are only added; obsolete lines must be deleted by hand."""
    asked = {representative(form)[0]: form for form in chosen(all_forms())}
    found = dict(zip(asked, llvm_tables.entries(list(asked))))
    lines = [f"{text} | {_of_entry(asked[text], entry)}" for text, entry in found.items() if entry is not None]
    rest = [text for text, entry in found.items() if entry is None]
    for text, registers in zip(rest, newer.registers(rest)):
        lines.append(f"{text} | {_of_newer(asked[text], registers)}")
    header = f"# Roles of operands, implicit reads and writes, from the tables of {tools.version(llvm.ASSEMBLER)}"
    old = [f"{text} | {access}" for text, access in golden().items() if text not in asked] if GOLDEN.exists() else []
    GOLDEN.write_text("\n".join([f"{header} through `make golden`.", *sorted(lines + old)]) + "\n")
    golden.cache_clear()


def _of_entry(form: X86Form, entry: llvm_tables.Entry) -> Access:
    shape = representative(form)[1]
    letters = "".join(_letter(entry, operand) for operand in shape.operands)
    return Access(letters, frozenset(llvm_tables.implicit(entry.reads)), frozenset(llvm_tables.implicit(entry.writes)))


def _letter(entry: llvm_tables.Entry, operand: object) -> str:
    if isinstance(operand, Mem):
        return entry.memory
    return entry.access(operand.name) if isinstance(operand, Reg) else "r"


# Newer instructions that set flags and write nothing else: 361050, chapter 16.
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
    """Return the contents of the file."""
    lines = (line for line in GOLDEN.read_text().splitlines() if not line.startswith("#"))
    return {text.strip(): _parsed(rest) for text, _, rest in (line.partition("|") for line in lines)}


def _parsed(text: str) -> Access:
    letters, reads, writes = (part.strip() for part in text.split("|"))
    return Access("" if letters == "-" else letters, frozenset(reads.split()), frozenset(writes.split()))


# Instructions for which LLVM's tables are coarser than the manual or incomplete: the correct line, and the reason.
CORRECTED = {
    "c(wd|dq|qo)": ("- | rax | rdx", "LLVM has rax written as well"),
    "movdiri .*": ("wr | | ", "a store; LLVM has a load besides, for an unknown intrinsic"),
    "movdir64b .*": ("rr | | ", "the store goes to the address in the first operand"),
    "lea .*": ("wr | | ", "the address alone is read"),
    "nop .+": ("r | | ", "the operand is not accessed"),
    "push .*ptr.*": ("r | rsp | rsp", "the store goes to the stack"),
    "pop .*ptr.*": ("w | rsp | rsp", "the load comes from the stack"),
    "loop target": ("r | rcx | rcx", "LLVM never makes one; SDM vol. 2A, LOOP"),
    "loopn?e target": ("r | rcx flags | rcx", "the same"),
    "call .*": ("r | rsp | rsp", "LLVM describes calls by calling convention"),
    "ret": ("- | rsp | rsp", "the same"),
    "ret .+": ("r | rsp | rsp", "the same"),
    "enter .*": ("rr | rsp rbp | rsp rbp", "LLVM never makes one; SDM vol. 2A, ENTER"),
    "leave": ("- | rbp | rsp rbp", "rsp comes from rbp"),
    "syscall": ("- | rax flags df | rax rcx r11", "LLVM never makes one; rcx takes rip, r11 the flags, rax the result"),
    "(cl|st)c": ("- | | flags", "the other flags are kept, and not read"),
    "bs[fr] .*": ("xr | | flags", "of 0 the destination stays as it is"),
    "cmpxchg dil?, .*": ("xr | rax | rax flags", "the destination is what is compared"),
    "xabort .*": ("r | | rax", "rax takes the status"),
    "(prefetch|clflush|clwb|cldemote).*": ("r | | ", "the contents are neither read nor written"),
    "stosq": ("- | rax rdi df | rdi", "LLVM leaves rdi out; SDM vol. 2B, STOS"),
    "rep stosq": ("- | rax rcx rdi df | rcx rdi", "the same"),
    "wrss[dq] .*": ("wr | | ", "a store"),
    "f?xrstor(64)? .*": ("r | {reads} | ", "memory is read"),
    "fxsave(64)? .*": ("w | | ", "memory is written"),
    "xsavec(64)? .*": ("w | {reads} | ", "XSAVEC does not read the header, as XSAVE does: SDM vol. 2C"),
    "v?ldmxcsr .*": ("r | | ", "memory is read"),
    "ldtilecfg .*": ("r | | ", "memory is read; the columns do not name register files as a whole"),
    "sttilecfg .*": ("w | | ", "memory is written"),
    "vzero(upper|all)|tilerelease": ("- | | ", "the columns do not name register files as a whole"),
    "vp?maskmov(ps|pd|d|q) [xy]mmword.*": ("wrr | | ", "a store"),
    "vp?expand.*ptr.*": ("wr | | ", "a load that LLVM leaves out"),
    "vextract[fi](64x2|32x8) .*ptr.*": ("wrr | | ", "a store that LLVM leaves out"),
}


def expected(text: str, form: X86Form) -> Access:
    """Return what the form should say. LLVM treats an operand that the opcode implies as an implicit register."""
    found = golden()[text]
    corrected = next((line for pattern, (line, _) in CORRECTED.items() if re.fullmatch(pattern, text)), None)
    if corrected is not None:
        return _parsed(corrected.format(reads=" ".join(found.reads)))
    reads, writes = set(found.reads), set(found.writes)
    if text.startswith("rep"):  # a prefix: SDM vol. 2B, REP
        reads.add("rcx")
        writes.add("rcx")
    letters = list(found.operands)
    for at, wanted in enumerate(form.classes):
        if wanted.file in regs.IMPLIED:
            name = wanted.file if wanted.file == "xmm0" else regs.R64[regs.REGISTERS[wanted.file].num].name
            letters[at] = {(True, True): "x", (False, True): "w"}.get((name in reads, name in writes), "r")
            reads.discard(name)
            writes.discard(name)
    return Access("".join(letters), frozenset(reads), frozenset(writes))


def faults(forms: Iterable[X86Form]) -> list[str]:
    """Return the forms whose columns differ from LLVM's corrected tables."""
    wrong = []
    for form in chosen(forms):
        text, _ = representative(form)
        if text not in golden():
            wrong.append(f"{text}: {GOLDEN.name} has no such line: `make golden`")
        elif declared(form) != expected(text, form):
            wrong.append(f"{text}: {form.syntax()}: {declared(form)}, LLVM: {expected(text, form)}")
    return wrong


def forgotten(forms: Iterable[X86Form], mnemonic: str = "") -> list[str]:
    """Return the lines of the file, of one mnemonic or of all, that no form takes any more."""
    taken = {representative(form)[0] for form in forms}
    return [
        f"{text}: no form takes it"
        for text in golden()
        if text not in taken and (not mnemonic or re.match(rf"{mnemonic}( |$)", text))
    ]


# Instructions that set or clear all six flags according to the manual (SDM vol. 2; 361050 for AVX10.2). LLVM does not
# distinguish flags.
_ALL_FLAGS = re.compile(
    r"v?u?com(i|x)s[hsd]|vcomisbf16|kortest[bwdq]|ktest[bwdq]|cmpn?(o|b|z|be|s|p|l|le)xadd|umwait|tpause|xtest|v?ptest"
    r"|vtestp[sd]|v?pcmp[ei]str[im]|rdrand|rdseed|popcnt|(lock )?(add|adc|sub|sbb|neg|xadd)|cmp"
)


def flag_faults(forms: Iterable[X86Form]) -> list[str]:
    """Return the forms that change all flags according to the manual, but only some according to the column."""
    return [
        f"{form.syntax()}: writes {' '.join(sorted(implicit(form).writes))}, the manual: all flags"
        for form in forms
        if _ALL_FLAGS.fullmatch(form.mnemonic) and not set(FLAGS) <= implicit(form).writes
    ]


def declared(form: X86Form) -> Access:
    """Return what the columns say, with all flags as one unit, as in LLVM."""
    effects = implicit(form)
    return Access(form.access, _as_one(effects.reads), _as_one(effects.writes))


def _as_one(names: frozenset[str]) -> frozenset[str]:
    return frozenset("flags" if name in FLAGS else name for name in names)
