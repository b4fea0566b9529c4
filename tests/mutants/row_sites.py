"""The sites of an instruction row where a small change makes a mutant: bits, fields, widths, prefixes, features.

Rows are text (encoder/x86/grammar.py, encoder/a64/forms.py), in string constants of modules named rows_*.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.mutants.sites import Site

Replace = Callable[[re.Match[str]], str]


class Change(NamedTuple):
    """A pattern that is searched in a row, and the replacement of its first match."""

    pattern: re.Pattern[str]
    replace: Replace


def _by(table: dict[str, str]) -> Replace:
    return lambda match: table[match[0]]


def _words(*cycle: str) -> Change:
    """Return a change that replaces one of these words by the next one."""
    table = dict(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    return Change(re.compile(rf"(?<!\w)(?:{'|'.join(cycle)})(?!\w)"), _by(table))


def _bit(position: int) -> Change:
    """Return a change that flips one bit of a fixed part of the pattern, counted from its end."""

    def replace(match: re.Match[str]) -> str:
        bits = match[0]
        at = len(bits) - 1 - position % len(bits)
        return bits[:at] + "10"[int(bits[at])] + bits[at + 1 :]

    return Change(re.compile(r"(?<= )[01]{5,}(?= )"), replace)


def _fields_swapped(first: str, second: str) -> Change:
    """Return a change that swaps two fields of the instruction word."""
    return Change(re.compile(rf"\b({first})\b(.*?)\b({second})\b"), lambda match: match[3] + match[2] + match[1])


_EFFECTS = Change(re.compile(r"(?<=[; ])[wxr]:(?=\w+$)"), _by({"w:": "r:", "x:": "w:", "r:": "w:"}))
X86 = (
    Change(re.compile(r"(?<= )([0-9A-F]{2})(?= /|  )"), lambda match: f"{int(match[1], 16) ^ 0x10:02X}"),  # the opcode
    Change(re.compile(r"(?<= /)[0-7](?= )"), lambda match: str(int(match[0]) ^ 1)),
    Change(re.compile(r"(?<=\.)(66|F2|F3)(?=\.)"), _by({"66": "F3", "F3": "F2", "F2": "66"})),
    Change(re.compile(r"\{kz\}"), lambda match: "{k}"),
    Change(re.compile(r"\{(er|sae)\}"), _by({"{er}": "{sae}", "{sae}": "{er}"})),
    _words("W0", "W1"),
    _words("0F38", "0F3A"),
    _words("MAP5", "MAP6"),
    _words("RVM", "RMV", "VMR"),
    _words("RM", "MR"),
    _words("m8", "m16", "m32", "m64", "m128", "m256", "m512"),
    _words("b16", "b32", "b64"),
    _words("i8", "u8"),
    _words("r32", "r64"),
    _words("AVX512F", "AVX512BW", "AVX512DQ"),
    _words("AVX", "AVX2"),
    _EFFECTS,
)
A64 = (
    *map(_bit, (0, 2, 5, 9)),
    _fields_swapped("(?:R|Z|V)n:5|Pn:4", "(?:R|Z|V|X)d:5|Pd:4"),
    _fields_swapped("[RZV]m:5|Pm:4", "[RZV]n:5|Pn:4"),
    Change(re.compile(r"(?<=\*)(2|4|8|16)(?=[\],+ ])"), lambda match: str(2 * int(match[1]))),  # scales
    Change(re.compile(r"(?<=\bT=)\w(?=\w)"), lambda match: ""),  # one element size less
    Change(re.compile(r"(?<=/)[MZ]\b"), _by({"M": "Z", "Z": "M"})),
    Change(re.compile(r"\|sp\b"), lambda match: ""),
    _words("imm", "simm"),
    _words("2d", "4s", "8h", "16b"),
    _words("SVE", "SVE2"),
    _EFFECTS,
)


def sites(tree: ast.Module, changes: tuple[Change, ...]) -> Iterator[Site]:
    """Yield every change of every row; the scope of a site is the mnemonic."""
    tables = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROWS"]
    for node in ast.walk(ast.Module([*tables], [])):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for number, row in enumerate(node.value.splitlines()):
                if row and row[0] not in "#[" and " = " not in row:
                    yield from (site for change in changes for site in _changed(node, number, row, change))


def _changed(node: ast.Constant, number: int, row: str, change: Change) -> Iterator[Site]:
    mnemonic, gap, columns = row.partition("  ")
    found = change.pattern.search(columns)
    if found is None:
        return
    new = mnemonic + gap + columns[: found.start()] + change.replace(found) + columns[found.end() :]

    def apply() -> None:
        lines = str(node.value).splitlines()
        lines[number] = new
        node.value = "\n".join(lines) + "\n"

    yield Site(node.lineno + number, mnemonic, " ".join(columns.split()), " ".join(new.split()[1:]), apply)
