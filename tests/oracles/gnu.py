"""GNU binutils as an oracle of x86-64: source to bytes (as), bytes to text (objdump)."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import tools

ASSEMBLER, DISASSEMBLER, COPIER = "as", "objdump", "objcopy"
_LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(.*?)\s*$", re.MULTILINE)


def assemble(source: str) -> bytes:
    """Return the .text section that `as` assembles from a source file."""
    with tempfile.TemporaryDirectory() as folder:
        made, text = str(Path(folder, "made.o")), Path(folder, "text.bin")
        tools.run(ASSEMBLER, "--64", "-o", made, "--", stdin=source)
        tools.run(COPIER, "-O", "binary", "-j", ".text", made, str(text))
        return text.read_bytes()


def rejected(lines: Sequence[str]) -> list[bool]:
    """Return, for each instruction, whether `as` rejects it."""
    source = "\n".join([".intel_syntax noprefix", *lines]) + "\n"
    done = tools.run(ASSEMBLER, "--64", "-o", "/dev/null", "--", stdin=source, check=False)
    numbers = {int(n) - 2 for n in re.findall(r"^{standard input}:(\d+): Error:", done.stderr, re.MULTILINE)}
    return [i in numbers for i in range(len(lines))]


def disassemble(data: bytes) -> list[tuple[int, bytes, str]]:
    """Return the offset, bytes and text of each instruction."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.bin")
        path.write_bytes(data)
        flags = ("-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--insn-width=16")
        out = tools.run(DISASSEMBLER, *flags, str(path)).stdout
    return [(int(o, 16), bytes.fromhex(d), " ".join(t.split())) for o, d, t in _LINE.findall(out)]
