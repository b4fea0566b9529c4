"""A newer LLVM than Debian's as an oracle of x86-64, from the package `ziglang` on PyPI (extra `newer`): text to bytes.

It knows AVX10.2 and AMX-FP8, which llvm-mc-19 does not. The package has 101 MB, so it is installed only on request.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import tools

# Features of our table that are newer than LLVM 19.
FEATURES = frozenset(("AMX_AVX512", "AMX_FP8", "AMX_MOVRS", "AMX_TF32", "AVX10_2", "MOVRS"))
_SLOT = 32  # bytes for each instruction, the rest is filled with nops
_ERROR = re.compile(r"^[^:\n]*\.s:(\d+):\d+: error: (.*)$", re.MULTILINE)


def require() -> None:
    """End the test if the package is missing: skip it with the reason, or fail it on CI."""
    if importlib.util.find_spec("ziglang") is None:
        tools.missing("ziglang is not installed: pip install 'tilesmith[newer]'")


def assemble(lines: Sequence[str]) -> list[bytes | str]:
    """Return each instruction's bytes, with zeros for what the linker fills in, or the reason why it is rejected."""
    require()
    with tempfile.TemporaryDirectory() as folder:
        source, made, text = (Path(folder, name) for name in ("lines.s", "lines.o", "lines.bin"))
        source.write_text(_source(lines))
        errors = {(int(n) - 3) // 2: message for n, message in _ERROR.findall(_compile(source, made))}
        if errors:
            source.write_text(_source(["nop" if i in errors else line for i, line in enumerate(lines)]))
            rest = _compile(source, made)
            assert not rest, rest
        tools.run("objcopy", "-O", "binary", "-j", ".text", str(made), str(text))
        data = text.read_bytes()
    slots = [data[at : at + _SLOT] for at in range(0, len(data), _SLOT)]
    return [errors.get(i) or slots[i] for i in range(len(lines))]


def registers(lines: Sequence[str]) -> list[list[str]]:
    """Return the registers among the operands of each machine instruction, in LLVM's order; twice if read and
    written."""
    require()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "lines.s")
        labelled = "".join(f"{line}\nL{number}:\n" for number, line in enumerate(lines))
        source.write_text(f".intel_syntax noprefix\n{labelled}")
        flags = ("-triple", "x86_64-linux-gnu", "-show-inst", "-filetype", "asm", str(source), "-o", "-")
        command = [sys.executable, "-m", "ziglang", "clang", "-cc1as", *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stderr[:2000]
    parts = re.split(r"^L\d+:$", done.stdout, flags=re.MULTILINE)[: len(lines)]
    return [[name.lower() for name in re.findall(r"<MCOperand Reg:(\w+)", part)] for part in parts]


def equal(ours: bytes, slot: bytes) -> bool:
    """Whether the slot holds exactly this instruction."""
    return slot == (ours + b"\x90" * _SLOT)[: len(slot)]


def _source(lines: Sequence[str]) -> str:
    return ".intel_syntax noprefix\n" + "".join(f".balign {_SLOT}, 0x90\n{line}\n" for line in lines)


def _compile(source: Path, made: Path) -> str:
    """Compile a source file and return the compiler's complaints."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-linux-gnu", "-mcpu=x86_64"]
    done = subprocess.run(
        [*command, "-ferror-limit=0", "-c", "-o", str(made), str(source)], capture_output=True, text=True, timeout=300
    )
    return done.stderr if done.returncode else ""
