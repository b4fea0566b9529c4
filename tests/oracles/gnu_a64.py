"""GNU binutils as an oracle of AArch64: source to bytes."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import tools

ASSEMBLER, COPIER = "aarch64-linux-gnu-as", "aarch64-linux-gnu-objcopy"
_ERROR = re.compile(r"^{standard input}:(\d+): Error: (.*)$", re.MULTILINE)


def assemble(source: str, *options: str) -> bytes:
    """Return the .text section that `as` assembles from a source file."""
    with tempfile.TemporaryDirectory() as folder:
        made, text = str(Path(folder, "made.o")), Path(folder, "text.bin")
        tools.run(ASSEMBLER, *options, "-o", made, "--", stdin=source)
        tools.run(COPIER, "-O", "binary", "-j", ".text", made, str(text))
        return text.read_bytes()


def rejected(lines: Sequence[str]) -> dict[int, str]:
    """Return the numbers of the lines that `as` rejects, with its messages."""
    source = "\n".join(lines) + "\n"
    done = tools.run(ASSEMBLER, "-march=all", "-o", "/dev/null", "--", stdin=source, check=False)
    return {int(line) - 1: message for line, message in _ERROR.findall(done.stderr)}
