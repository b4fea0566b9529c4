"""LLVM 19 as an oracle of x86-64: text to bytes (llvm-mc), bytes to text (llvm-objdump), thousands per process."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import tools

ASSEMBLER, DISASSEMBLER = "llvm-mc-19", "llvm-objdump-19"
_FEATURES = "-mattr=+avxvnni,+avxifma,+avxneconvert,+avxvnniint8,+avxvnniint16,+amx-complex"
_TARGET = ("-triple=x86_64-linux", "-mcpu=graniterapids", _FEATURES)
_ENCODING = re.compile(r"# encoding: \[([^\]]*)\]")
_LABEL_OR_ENCODING = re.compile(r"^L(\d+):$|# encoding: \[([^\]]*)\]", re.MULTILINE)
_ERROR = re.compile(r"^<stdin>:(\d+):\d+: (error|warning): (.*)$", re.MULTILINE)
_LINE = re.compile(r"^\s*([0-9a-f]+):\s+(.*?)\s*(?:#.*|<.*>)?$", re.MULTILINE)

# Instructions for which LLVM writes other bytes; the disassembly must still be equal.
OTHER_BYTES = {
    "vmovq": "EVEX load and store of m64: we write 66.W1 6E and 7E, as GNU as does; LLVM F3.W1 7E and 66.W1 D6",
    "xchg": "between registers: which of the two goes to modrm.reg",
    **dict.fromkeys(
        ("rep movsw", "rep stosw", "rep lodsw", "repe cmpsw", "repne cmpsw", "repe scasw", "repne scasw"),
        "66 before F3, as GNU as writes; LLVM writes it behind",
    ),
}
# Instructions that LLVM encodes wrongly. The broadcast element is 8 bytes (SDM vol. 2, 2.7.5), but LLVM 19 counts disp8
# in bytes; GNU agrees with the SDM.
WRONG = ("vgf2p8affineqb", "vgf2p8affineinvqb")


def is_wrong(text: str) -> bool:
    """Whether LLVM is known to encode this instruction wrongly."""
    return text.removeprefix("{evex} ").startswith(WRONG) and "{1to" in text


def sense(text: str) -> str:
    """Return the disassembly with the operands of xchg sorted, as their order does not matter."""
    mnemonic, _, operands = text.partition(" ")
    return f"{mnemonic} {', '.join(sorted(operands.split(', ')))}" if mnemonic == "xchg" else text


SLOT = 32  # bytes

Encoding = tuple[int | None, ...]  # None: a byte that the linker fills in


def assemble(lines: Sequence[str]) -> list[Encoding | str]:
    """Return each instruction's bytes, or the reason why LLVM rejects it."""
    flags = ("-x86-asm-syntax=intel", "--show-encoding", *_TARGET)
    done = tools.run(ASSEMBLER, *flags, stdin="\n".join(lines) + "\n", check=False)
    errors = {int(line) - 1: message for line, kind, message in _ERROR.findall(done.stderr) if kind == "error"}
    encodings = iter(_ENCODING.findall(done.stdout))
    results = [errors[i] if i in errors else _parse(next(encodings, "")) for i in range(len(lines))]
    left = list(encodings)
    assert not left, f"{len(left)} encodings more than lines: a line is not one instruction"
    return results


def attempts(lines: Sequence[str]) -> list[list[bytes] | str]:
    """Return the instructions that LLVM assembles from each line, any number of them, or the reason why it rejects the
    line.

    Unlike `assemble`, this accepts hundreds of thousands of lines, most of them wrong.
    """
    flags = ("-x86-asm-syntax=intel", "--show-encoding", *_TARGET)
    source = "".join(f"{line}\nL{number}:\n" for number, line in enumerate(lines))
    done = tools.run(ASSEMBLER, *flags, stdin=source, check=False)
    assert done.returncode >= 0, f"{ASSEMBLER} crashes:\n{done.stderr[-2000:]}"
    results: list[list[bytes] | str] = []
    made: list[bytes] = []
    for label, encoding in _LABEL_OR_ENCODING.findall(done.stdout):
        if label:
            results.append(made)
            made = []
        else:
            made.append(plain(_parse(encoding)))
    for line, kind, message in _ERROR.findall(done.stderr):
        if kind == "error":
            results[int(line) // 2] = message
    assert len(results) == len(lines), f"{len(results)} answers to {len(lines)} lines"
    return results


def program(source: str) -> bytes:
    """Return the .text section that LLVM assembles from a source file in GNU syntax."""
    with tempfile.TemporaryDirectory() as folder:
        made, text = str(Path(folder, "made.o")), Path(folder, "text.bin")
        tools.run(ASSEMBLER, "-filetype=obj", "-o", made, *_TARGET, stdin=source)
        tools.run("llvm-objcopy-19", "-O", "binary", "-j", ".text", made, str(text))
        return text.read_bytes()


def _parse(encoding: str) -> Encoding:
    assert encoding, "fewer encodings than lines"
    return tuple(int(part, 16) if part.startswith("0x") else None for part in encoding.split(","))


def equal(data: bytes, encoding: Encoding) -> bool:
    """Whether the bytes match this encoding, ignoring bytes that the linker fills in."""
    return len(data) == len(encoding) and all(e is None or e == d for d, e in zip(data, encoding))


def plain(encoding: Encoding) -> bytes:
    """Return the bytes, with 0 for those that the linker fills in."""
    return bytes(e or 0 for e in encoding)


def disassemble(chunks: Sequence[bytes]) -> list[str]:
    """Return the text of each chunk; an empty string if the chunk is not exactly one instruction."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "chunks.o"))
        source = tools.byte_directives(list(chunks))
        tools.run(ASSEMBLER, "-filetype=obj", "-o", path, *_TARGET, stdin=source)
        flags = ("-d", "--no-show-raw-insn", "--x86-asm-syntax=intel", "--mcpu=graniterapids", f"-{_FEATURES}")
        out = tools.run(DISASSEMBLER, *flags, path).stdout
    found = {int(offset, 16): " ".join(text.split()) for offset, text in _LINE.findall(out)}
    starts = [0]
    for chunk in chunks:
        starts.append(starts[-1] + len(chunk))
    between = {offset for offset in found if offset not in set(starts)}
    assert not between, f"chunks are more than one instruction at {sorted(between)[:5]}"
    return [found.get(start, "") for start in starts[:-1]]


def first_instructions(chunks: Sequence[bytes]) -> list[tuple[str, int] | None]:
    """Return the text and length of the first instruction of each chunk, or None if the chunk starts with none.

    Each chunk is padded with nops to SLOT bytes, so the target of a relative branch counts from its number times SLOT.
    """
    with tempfile.TemporaryDirectory() as folder:
        raw, made = Path(folder, "chunks.bin"), str(Path(folder, "chunks.o"))
        raw.write_bytes(b"".join(chunk + b"\x90" * (SLOT - len(chunk)) for chunk in chunks))
        tools.run(
            "llvm-objcopy-19", "-I", "binary", "-O", "elf64-x86-64", "--rename-section=.data=.text,code", str(raw), made
        )
        out = tools.run(DISASSEMBLER, "-d", "--no-show-raw-insn", "--x86-asm-syntax=intel", made).stdout
    found = {int(offset, 16): " ".join(text.split()) for offset, text in _LINE.findall(out)}
    starts = sorted(found)
    ends = dict(zip(starts, [*starts[1:], len(chunks) * SLOT]))
    results: list[tuple[str, int] | None] = []
    for at in range(0, len(chunks) * SLOT, SLOT):
        if found[at] == "lock":  # LLVM's disassembler takes the prefix for an instruction
            rest = ends[at]
            results.append((f"lock {found[rest]}", ends[rest] - at))
        else:
            results.append(None if "unknown" in found[at] else (found[at], ends[at] - at))
    return results
