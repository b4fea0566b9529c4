"""How much of AArch64 our table covers, compared with LLVM 19: `python -m tests.oracles.coverage --arch a64
[--missing]`.

The list of instructions comes from LLVM and is independent of our table. Words go through llvm-objdump: every value of
the bits that hold opcodes (31 to 10; for SME also 4 to 0), with random bits in the rest. The texts that it prints are
assembled again by llvm-mc, because the disassembler tolerates zeros in bits that should be one. This takes two minutes.
The features of an instruction are those that llvm-mc says it requires if it is given none. An instruction is covered if
our decoder reads the word. Texts that differ only in register numbers and immediates count once.
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

_STEP = 1 << 20  # words per process
_LINE = re.compile(r"^ *[0-9a-f]+:\s+(.*?)\s*(?:<[^>]*>)?(?: *//.*)?$", re.MULTILINE)
_SME = (0x80, 0x81, 0xA0, 0xA1, 0xC0, 0xC1, 0xE0, 0xE1)  # bits 31 to 24 of instructions with opcodes in bits 4 to 0
_REQUIRES = re.compile(r"^<stdin>:(\d+):\d+: error: (?:instruction requires: (.*)|.*)$", re.MULTILINE)
_NUMBER = re.compile(r"#-?[0-9a-fx.e+-]+|(?<![.\d\w])[a-z]{1,2}\d+|(?<=\[)\d+(?=\])|0x[0-9a-f]+|, \d+(?=[\]:])")
# LLVM's features that are left out on purpose, keyed by the reason; they are listed all the same.
_LEFT_OUT = {
    "of no use to kernels": "pauth pauth-lr mte chk gcs ls64 tme ite rme d128 the hbc wfxt mops cpa bti predres",
    "not asked for": "fp8 fp8fma fp8dot2 fp8dot4 faminmax lut lse128 rcpc3 altnzcv sme2p1 sme-lutv2 lor "
    "ssve-fp8dot2 ssve-fp8dot4 ssve-fp8fma sme-f8f16 sme-f8f32",
}
LEFT_OUT = {feature: why for why, features in _LEFT_OUT.items() for feature in features.split()}
_WANTED = ("sme-f16f16 or sme-f8f16", "sme2p1 or sve2p1")  # either feature suffices, and one of them is wanted
# Privileged and debugging instructions, operations of sys that have their own names, and branches of features above
# whose text llvm-mc does not accept, so that it cannot tell what they require.
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
    """Yield every opcode with random operands, in runs of at most _STEP words."""
    rng = random.Random(seed)
    for high in range(0, 1 << 22, _STEP):  # bits 31 to 10, three times with other low bits
        for _ in range(3):
            yield array("I", [top << 10 | rng.getrandbits(10) for top in range(high, high + _STEP)])
    for byte in _SME:
        tops = [byte << 24 | rest << 10 for rest in range(1 << 14) for _ in range(2)]
        yield array("I", [top | low | rng.getrandbits(5) << 5 for top in tops for low in range(32)])


def read(run: array[int]) -> list[str]:
    """Return LLVM's text of each word."""
    with tempfile.TemporaryDirectory() as folder:
        raw, made = Path(folder, "words.bin"), str(Path(folder, "words.o"))
        raw.write_bytes(run.tobytes())
        tools.run(
            "llvm-objcopy-19",
            "-I",
            "binary",
            "-O",
            "elf64-littleaarch64",
            "--rename-section=.data=.text,code",
            "--strip-all",
            str(raw),
            made,
        )
        out = tools.run(llvm_a64.DISASSEMBLER, "-d", "-z", "--no-show-raw-insn", "--mattr=+all", made).stdout
    return [" ".join(text.split()) for text in _LINE.findall(out)]


def readings() -> list[Reading]:
    """Return one word for each text, where texts that differ only in their numbers count as one."""
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
    """Return the readings with the words that llvm-mc assembles from their texts, if it accepts them."""
    words = llvm_a64.assemble([reading.text for reading in found])
    return [reading if isinstance(word, str) else reading._replace(word=word) for reading, word in zip(found, words)]


def features(found: list[Reading]) -> list[str]:
    """Return LLVM's name of the features that each reading requires; "base" for what every Armv8 processor with NEON
    has."""
    source = "\n".join(reading.text for reading in found) + "\n"
    done = tools.run(llvm_a64.ASSEMBLER, "-triple=aarch64-linux", stdin=source, check=False)
    required = {int(line) - 1: needs or "base" for line, needs in _REQUIRES.findall(done.stderr)}
    return [required.get(at, "base") for at in range(len(found))]


def left_out(feature: str) -> str:
    """Return the reason why instructions that require this feature are left out; an empty string if they are wanted."""
    names = re.findall(r"[\w-]+", feature)
    return "" if feature in _WANTED else next((LEFT_OUT[name] for name in names if name in LEFT_OUT), "")


def is_covered(reading: Reading) -> bool:
    """Whether our decoder reads the word; it may use another alias."""
    return decode(reading.word.to_bytes(4, "little"), arch="a64") is not None


def report(found: list[Reading], every: bool) -> Table:
    """Return the table to print. With `every`, first print the missing encodings one by one."""
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
    """Print the report; with `every`, also print every missing encoding before it."""
    Console(width=180).print(report(readings(), every))
