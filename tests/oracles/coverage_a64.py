"""What of AArch64 the table covers, of what LLVM 19 knows: `python -m tests.oracles.coverage --arch a64 [--missing]`.

The list to compare with is LLVM's own, and owes nothing to our table: words go through llvm-objdump, every value of the
bits that hold opcodes (31 to 10; for SME also 4 to 0) with random bits in the rest, and what it reads is taken down,
with the word that llvm-mc makes of it again: the disassembler forgives bits that should be one. It takes two minutes.
The features of an instruction are what llvm-mc says it requires when it is told of none. Ours counts as covered if our
decoder reads the word as the same mnemonic. Texts that differ in register numbers and immediates alone count once.
"""

from __future__ import annotations

import random
import re
import tempfile
from array import array
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tests.oracles import llvm_a64, tools
from tilesmith.encoder.decode import decode

_STEP = 1 << 20  # words in one process
_LINE = re.compile(r"^ *[0-9a-f]+:\s+(.*?)\s*(?:<[^>]*>)?(?: *//.*)?$", re.MULTILINE)
_SME = (0x80, 0x81, 0xA0, 0xA1, 0xC0, 0xC1, 0xE0, 0xE1)  # bits 31 to 24 of instructions with opcodes in bits 4 to 0
_REQUIRES = re.compile(r"^<stdin>:(\d+):\d+: error: (?:instruction requires: (.*)|.*)$", re.MULTILINE)
_NUMBER = re.compile(r"#-?[0-9a-fx.e+-]+|(?<![.\d\w])[a-z]{1,2}\d+|(?<=\[)\d+(?=\])|0x[0-9a-f]+|, \d+(?=[\]:])")
# What is left out on purpose, and why, by LLVM's feature; it is listed all the same.
_LEFT_OUT = {
    "of no use to kernels": "pauth pauth-lr mte chk gcs ls64 tme ite rme d128 the hbc wfxt mops cpa bti predres",
    "not asked for": "fp8 fp8fma fp8dot2 fp8dot4 faminmax lut lse128 rcpc3 altnzcv sme2p1 sme-lutv2 lor "
                     "ssve-fp8dot2 ssve-fp8dot4 ssve-fp8fma sme-f8f16 sme-f8f32",
}  # fmt: skip
LEFT_OUT = {feature: why for why, features in _LEFT_OUT.items() for feature in features.split()}
_WANTED = ("sme-f16f16 or sme-f8f16", "sme2p1 or sve2p1")  # either is enough, and one is wanted
# Privileged, debugging, operations of sys that have names of their own, and branches of features above whose text
# llvm-mc does not take back, so that it cannot say what they require.
_PRIVILEGED = re.compile(
    r"(at|tlbi\w*|cfp|cpp|dvp|cosp|brb|sys\w*|mrrs|msrr|eret\w*|drps|hvc|smc|dcps\d|hlt|udf|"
    r"bc\.\w+|b\.nv|autia\w+|autib\w+|retaa\w+|retab\w+)( |$)"
)


class Reading(NamedTuple):
    """One word that LLVM reads."""

    word: int
    text: str

    @property
    def mnemonic(self) -> str:
        """The first word of the text."""
        return self.text.split()[0]


def words(seed: int = 0) -> Iterator[array[int]]:
    """Every opcode with random operands, in runs of at most _STEP words."""
    rng = random.Random(seed)
    for high in range(0, 1 << 22, _STEP):  # bits 31 to 10, three times with other low bits
        for _ in range(3):
            yield array("I", [top << 10 | rng.getrandbits(10) for top in range(high, high + _STEP)])
    for byte in _SME:
        tops = [byte << 24 | rest << 10 for rest in range(1 << 14) for _ in range(2)]
        yield array("I", [top | low | rng.getrandbits(5) << 5 for top in tops for low in range(32)])


def read(run: array[int]) -> list[str]:
    """LLVM's text of each word."""
    with tempfile.TemporaryDirectory() as folder:
        raw, made = Path(folder, "words.bin"), str(Path(folder, "words.o"))
        raw.write_bytes(run.tobytes())
        tools.run("llvm-objcopy-19", "-I", "binary", "-O", "elf64-littleaarch64",
                  "--rename-section=.data=.text,code", "--strip-all", str(raw), made)  # fmt: skip
        out = tools.run(llvm_a64.DISASSEMBLER, "-d", "-z", "--no-show-raw-insn", "--mattr=+all", made).stdout
    return [" ".join(text.split()) for text in _LINE.findall(out)]


def readings() -> list[Reading]:
    """One word for each text with numbers left out."""
    found: dict[str, Reading] = {}
    for run in words():
        texts = read(run)
        assert len(texts) == len(run), f"{len(texts)} texts of {len(run)} words"
        for word, text in zip(run, texts):
            if text and text[0] not in "<.":
                key = _NUMBER.sub(lambda number: number[0][:2].rstrip("0123456789"), text)
                found.setdefault(key, Reading(word, text))
    return _canonical([reading for reading in found.values() if not _PRIVILEGED.match(reading.text)])


def _canonical(found: list[Reading]) -> list[Reading]:
    """The readings with the words that llvm-mc makes of their texts, where it takes them back."""
    words = llvm_a64.assemble([reading.text for reading in found])
    return [reading if isinstance(word, str) else reading._replace(word=word) for reading, word in zip(found, words)]


def features(found: list[Reading]) -> list[str]:
    """LLVM's name of what each requires; "base" of what every Armv8 processor with NEON has."""
    source = "\n".join(reading.text for reading in found) + "\n"
    done = tools.run(llvm_a64.ASSEMBLER, "-triple=aarch64-linux", stdin=source, check=False)
    required = {int(line) - 1: needs or "base" for line, needs in _REQUIRES.findall(done.stderr)}
    return [required.get(at, "base") for at in range(len(found))]


def left_out(feature: str) -> str:
    """Why what requires this feature is left out; empty if it is wanted."""
    names = re.findall(r"[\w-]+", feature)
    return "" if feature in _WANTED else next((LEFT_OUT[name] for name in names if name in LEFT_OUT), "")


def is_covered(reading: Reading) -> bool:
    """Whether our decoder reads the same instruction; it may know it by another alias."""
    return decode(reading.word.to_bytes(4, "little"), arch="a64") is not None


def report(found: list[Reading], every: bool) -> Table:
    """The table to print; with `every`, missing encodings are printed one by one before."""
    rows: dict[str, list[tuple[Reading, bool]]] = defaultdict(list)
    for reading, feature in zip(found, features(found)):
        rows[feature].append((reading, is_covered(reading)))
    table = Table("LLVM requires", "mnemonics of LLVM", "ours", "encodings of LLVM", "ours", "missing")
    for feature in sorted(rows, key=lambda name: (name != "base", bool(left_out(name)), name)):
        table.add_row(feature, *_cells(feature, rows[feature]))
        for reading, covered in rows[feature]:
            if every and not covered and not left_out(feature):
                print(f"{feature:<24} {reading.word:08x} {reading.text}")
    total = [row for part in rows.values() for row in part]
    table.add_row("all", *_cells("all", total)[:-1], "")
    return table


def _cells(feature: str, rows: list[tuple[Reading, bool]]) -> list[str]:
    mnemonics = {reading.mnemonic for reading, _ in rows}
    covered = {reading.mnemonic for reading, covers in rows if covers}
    missing = sorted(mnemonics - covered)
    partly = sorted({reading.mnemonic for reading, covers in rows if not covers} & covered)
    why = left_out(feature)
    shown = (f"{why}: " if why and missing else "") + " ".join(missing)
    shown += f" (forms of {' '.join(partly)})" if partly and not why else ""
    return [*map(str, (len(mnemonics), len(covered), len(rows), sum(covers for _, covers in rows))), shown.strip()]


def show(every: bool) -> None:
    """Print the report; with `every`, every missing encoding before it."""
    Console(width=180).print(report(readings(), every))
