"""LLVM 19 as an oracle of AArch64: text to words (llvm-mc), words to text (llvm-objdump), thousands per process."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import tools

ASSEMBLER, DISASSEMBLER = "llvm-mc-19", "llvm-objdump-19"
_TARGET = ("-triple=aarch64-linux", "-mattr=+all")
_ENCODING = re.compile(r"// encoding: \[([^\]]*)\]")
_ERROR = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)
_LINE = re.compile(r"^\s*([0-9a-f]+):\s+(.*?)\s*(?://.*|<(?!unknown).*>)?$", re.MULTILINE)

# Our feature -> LLVM's name.
FEATURES = {
    "NEON": "neon",
    "FP16": "fullfp16",
    "FHM": "fp16fml",
    "RDM": "rdm",
    "FCMA": "complxnum",
    "DOTPROD": "dotprod",
    "BF16": "bf16",
    "I8MM": "i8mm",
    "FRINTTS": "fptoint",
    "JSCVT": "jsconv",
    "LSE": "lse",
    "CRC": "crc",
    "CSSC": "cssc",
    "FLAGM": "flagm",
    "RCPC": "rcpc",
    "RCPC2": "rcpc-immo",
    "RAS": "ras",
    "SB": "sb",
    "NEON_AES": "aes",
    "NEON_SHA1": "sha2",
    "NEON_SHA256": "sha2",
    "NEON_SHA512": "sha3",
    "NEON_SHA3": "sha3",
    "NEON_SM3": "sm4",
    "NEON_SM4": "sm4",
    "SVE": "sve",
    "F32MM": "f32mm",
    "F64MM": "f64mm",
    "SVE2": "sve2",
    "SVE2p1": "sve2p1",
    "SVE2_AES": "sve2-aes",
    "SVE2_SHA3": "sve2-sha3",
    "SVE2_SM4": "sve2-sm4",
    "SVE2_BITPERM": "sve2-bitperm",
    "B16B16": "b16b16",
    "SME": "sme",
    "SME_F64F64": "sme-f64f64",
    "SME_I16I64": "sme-i16i64",
    "SME2": "sme2",
    "SME_F16F16": "sme-f16f16",
    "SME_B16B16": "b16b16",
}


def assemble(lines: Sequence[str], features: Iterable[str] | None = None) -> list[int | str]:
    """Return each instruction's word, or the reason why LLVM rejects it, for a processor with `features` (ours; None:
    all)."""
    target = _TARGET if features is None else (_TARGET[0], _attributes(features))
    done = tools.run(ASSEMBLER, "--show-encoding", *target, stdin="\n".join(lines) + "\n", check=False)
    errors = {int(line) - 1: message for line, message in _ERROR.findall(done.stderr)}
    encodings = iter(_ENCODING.findall(done.stdout))
    results = [errors[i] if i in errors else _word(next(encodings, "")) for i in range(len(lines))]
    left = list(encodings)
    assert not left, f"{len(left)} encodings more than lines: a line is not one instruction"
    return results


def _attributes(features: Iterable[str]) -> str:
    """Return the option for these features. LLVM's Armv8 includes floating point and NEON unless they are disabled."""
    return "-mattr=" + ",".join(["+v8a", "-fp-armv8", *(f"+{FEATURES[feature]}" for feature in features)])


def _word(encoding: str) -> int:
    assert encoding, "fewer encodings than lines"
    return int.from_bytes(bytes(int(part, 16) for part in encoding.split(",")), "little")


def disassemble(words: Sequence[int]) -> list[str]:
    """Return the text of each word; "<unknown>" if it is not an instruction."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "words.o"))
        source = "".join(f".inst {word:#010x}\n" for word in words)
        tools.run(ASSEMBLER, "-filetype=obj", "-o", path, *_TARGET, stdin=source)
        out = tools.run(DISASSEMBLER, "-d", "--no-show-raw-insn", "--mattr=+all", path).stdout
    found = {int(offset, 16): " ".join(text.split()) for offset, text in _LINE.findall(out)}
    return [found.get(4 * at, "") for at in range(len(words))]
