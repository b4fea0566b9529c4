"""Find out what an x86-64 instruction reads and writes according to the tables of LLVM 19, without LLVM's sources.

llvm-mc names the opcode and its operands (--show-inst). llc, given the opcode in a program of machine instructions
(MIR) in which every register is marked as read and every memory operand as loaded and stored, complains of all that
its tables say otherwise: of an implicit register that is missing, a definition that is marked as a use, a load or a
store that the opcode does not make.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from . import llvm, tools

COMPILER = "llc-19"
_BATCH = 40  # instructions per program; llc stops at the first that lacks an implicit register
_LABEL = "%bb.0"  # the target of branches
# Registers that hold modes of the machine; our table leaves them out.
_MODES = {"mxcsr", "fpcw", "fpsw", "ssp", "fs_base", "gs_base"}
_LEGACY = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
_WHOLE = {f"{prefix}{letters}": f"r{letters}" for letters in _LEGACY for prefix in ("", "e", "r")}
_WHOLE |= {f"{letter}{half}": f"r{letter}x" for letter in "abcd" for half in "lh"} | {"eflags": "flags"}


@dataclass
class Entry:
    """An instruction as LLVM's tables describe it."""

    opcode: str
    operands: list[str]  # in MIR's notation: $zmm1, 3, $noreg
    reads: set[str] = field(default_factory=set)  # implicitly
    writes: set[str] = field(default_factory=set)
    definitions: set[int] = field(default_factory=set)  # places among the operands
    loads: bool = True
    stores: bool = True

    def access(self, register: str) -> str:
        """Return the role of an operand that is this register: "w", "x" (read and written) or "r"."""
        places = [i for i, operand in enumerate(self.operands) if operand.partition("_")[0] == f"${register}"]
        written = bool(self.definitions & set(places))
        return ("x" if len(places) > 1 else "w") if written else "r"

    @property
    def memory(self) -> str:
        """The role of the memory operand; a hyphen if the instruction neither loads nor stores."""
        return {(True, True): "x", (True, False): "r", (False, True): "w"}.get((self.loads, self.stores), "-")


def entries(lines: Sequence[str]) -> list[Entry | None]:
    """Return the entry of each instruction in Intel syntax, or None if LLVM 19 rejects it."""
    found = list(_opcodes(lines))
    known = [entry for entry in found if entry is not None]
    straight = [entry for entry in known if _LABEL not in entry.operands]
    batches = [straight[at : at + _BATCH] for at in range(0, len(straight), _BATCH)]
    batches += [[entry] for entry in known if _LABEL in entry.operands]  # a branch ends its block
    for batch in batches:
        _complete(batch)
        _verify(batch)
    return found


def _opcodes(lines: Sequence[str]) -> Iterator[Entry | None]:
    source = "".join(f"{line}\nL{number}:\n" for number, line in enumerate(lines))
    flags = ("-x86-asm-syntax=intel", "--show-inst", *llvm._TARGET)
    out = tools.run(llvm.ASSEMBLER, *flags, stdin=source, check=False).stdout
    names = _register_names()
    parts = re.split(r"^L\d+:$", out, flags=re.MULTILINE)[: len(lines)]
    for part in parts:
        opcode = re.findall(r"<MCInst #\d+ (\w+)", part)
        operands = re.findall(r"<MCOperand (Reg|Imm|Expr|SFPImm|DFPImm):([^>]*)>", part)
        shown = {"Reg": lambda value: names[int(value)], "Expr": lambda value: _LABEL}
        mir = [shown.get(kind, str)(value) for kind, value in operands]
        yield Entry(opcode[0], mir) if len(opcode) == 1 else None


_SHOWING = {
    "r64": "push {}",
    "r32": "not {}",
    "r16": "not {}",
    "r8": "not {}",
    "xmm": "vmovups {}, [r9]",
    "ymm": "vmovups {}, [r9]",
    "zmm": "vmovups {}, [r9]",
    "k": "kmovw {}, [r9]",
    "tmm": "tilezero {}",
    "pair": "vp2intersectd {}, zmm1, zmm2",
}


@cache
def _register_names() -> dict[int, str]:
    """Return LLVM 19's register numbers, each with the name that MIR uses."""
    numbered = {
        "r64": [f"r{n}" for n in range(8, 16)],
        "r32": [f"r{n}d" for n in range(8, 16)],
        "r16": [f"r{n}w" for n in range(8, 16)],
        "r8": [f"r{n}b" for n in range(8, 16)],
        **{file: [f"{file}{n}" for n in range(32)] for file in ("xmm", "ymm", "zmm")},
        **{file: [f"{file}{n}" for n in range(8)] for file in ("k", "tmm")},
    }
    numbered["r64"] += [f"r{name}" for name in _LEGACY]
    numbered["r32"] += [f"e{name}" for name in _LEGACY]
    numbered["r16"] += _LEGACY
    numbered["r8"] += ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"]
    registers = [(name, _SHOWING[file].format(name)) for file, names in numbered.items() for name in names]
    registers += [(f"k{n}_k{n + 1}", _SHOWING["pair"].format(f"k{n}")) for n in range(0, 8, 2)]
    flags = ("-x86-asm-syntax=intel", "--show-inst", *llvm._TARGET)
    out = tools.run(llvm.ASSEMBLER, *flags, stdin="\n".join(line for _, line in registers)).stdout
    first = re.findall(r"<MCInst #\d+ \w+\s*#\s*<MCOperand Reg:(\d+)>", out)
    return {0: "$noreg"} | {int(number): f"${name}" for number, (name, _) in zip(first, registers, strict=True)}


def _program(batch: Sequence[Entry]) -> str:
    """Return a program with all instructions in one function, after _HEAD lines."""
    lines = "".join(f"    {_line(entry)}\n" for entry in batch)
    return f"---\nname: f\nbody: |\n  bb.0:\n{lines}...\n"


def _line(entry: Entry) -> str:
    implicit = [f"implicit ${name}" for name in sorted({*entry.reads, *_MODES_OF_MIR})]
    implicit += [f"implicit-def ${name}" for name in sorted({*entry.writes, *_MODES_OF_MIR})]
    return f"{entry.opcode} {', '.join([*entry.operands, *implicit])} :: (load store (s8))"


_HEAD = 4  # lines of a program before its first instruction
_MODES_OF_MIR = ("fpcw", "fpsw", "mxcsr", "ssp")
_MISSING = re.compile(r":(\d+):\d+: missing implicit register operand '(implicit|implicit-def) \$(\w+)'")


def _run(batch: Sequence[Entry]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.mir")
        path.write_text(_program(batch))
        flags = ("-mtriple=x86_64-linux", "-run-pass=none", "-verify-machineinstrs", "-o", "/dev/null")
        return tools.run(COMPILER, *flags, str(path), check=False).stderr


def _complete(batch: Sequence[Entry]) -> None:
    """Add to every entry the implicit registers that llc reports as missing, one after the other."""
    first = 0
    while found := _MISSING.search(_run(batch[first:])):
        first += int(found[1]) - _HEAD - 1
        entry = batch[first]
        (entry.reads if found[2] == "implicit" else entry.writes).add(found[3])


_COMPLAINT = re.compile(
    r"\*\*\* Bad machine code: ([^\n]*) \*\*\*\n- function:[^\n]*\n- basic block:[^\n]*\n"
    r"- instruction: ([^\n]*)\n(?:- operand (\d+):)?"
)


_TIES = re.compile(r"\(tied-def \d+\)|early-clobber |frame-setup |frame-destroy ")


def _verify(batch: Sequence[Entry]) -> None:
    """Correct every entry according to llc's complaints."""
    out = _run(batch)
    complaints = _COMPLAINT.findall(out)
    assert complaints, f"{COMPILER} does not verify: {out[:2000]}"
    by_line: dict[str, list[Entry]] = {}
    for entry in batch:
        by_line.setdefault(_line(entry).strip(), []).append(entry)
    for complaint, line, operand in complaints:
        for entry in by_line[_TIES.sub("", line).strip()]:
            if complaint == "Explicit definition marked as use":
                entry.definitions.add(int(operand))
            elif complaint == "Missing mayLoad flag":
                entry.loads = False
            elif complaint == "Missing mayStore flag":
                entry.stores = False


def implicit(names: set[str]) -> set[str]:
    """Return implicit registers under our table's names: whole general registers, `flags`, no modes."""
    return {_WHOLE.get(name, name) for name in names} - _MODES
