"""Code as text: `intel` for people (offset | bytes | text | note), `gas` for GNU as, which makes the same bytes.

What writes the source for GNU as is in `gas`, loaded when one is asked for.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from .code import Code, PoolEntry
from .errors import EncodeError
from .operands import Label

_LEGAL = re.compile(r"[^A-Za-z0-9_.]")  # what a label of GNU as must not contain


def listing(code: Code, syntax: str = "intel") -> str:
    """The code as text; syntax "intel" for people, "gas" is a source file that assembles to exactly `code.data`.

    The source has .cfi directives if the code moves the stack pointer in ways that can be followed (`walk` says which);
    otherwise a comment says why it has none.
    """
    if syntax not in ("intel", "gas"):
        raise EncodeError(f"listing syntax {syntax!r}: one of intel, gas")
    lines = _intel(code) if syntax == "intel" else import_module(".gas", __package__).source(code)
    return "\n".join(lines) + "\n"


class Names:
    """Where names stand: every label of the code and its pool under a unique, local and legal name.

    A label is found by its offset, so labels of one place share the name of the first.
    """

    def __init__(self, code: Code) -> None:
        self.at: dict[int, str] = {}
        taken: set[str] = set()
        offsets = [*code.labels.items(), *((entry.label, entry.offset) for entry in code.pool)]
        for name, offset in offsets:
            if offset not in self.at:
                self.at[offset] = self._unique(name, taken)

    @staticmethod
    def _unique(name: str, taken: set[str]) -> str:
        base = name if name.startswith(".L") else f".L{name}"
        base = candidate = _LEGAL.sub("_", base)
        count = 0
        while candidate in taken:
            count += 1
            candidate = f"{base}.{count}"
        taken.add(candidate)
        return candidate

    def __call__(self, operand: Any) -> str:
        if isinstance(operand, Label) and operand.offset is not None:
            return self.at[operand.offset]
        return str(operand)


def notes_of(code: Code) -> dict[int, str]:
    """The notes of each offset, on one line."""
    notes: dict[int, str] = {}
    for offset, text in code.notes:
        text = " ".join(text.split())
        notes[offset] = f"{notes[offset]}; {text}" if offset in notes else text
    return notes


def _intel(code: Code) -> Iterator[str]:
    names, notes = Names(code), notes_of(code)
    pool = f", {len(code.data) - code.text_size} of them constants" if code.pool else ""
    yield f"{code.name}: {code.target.name}, {len(code.data)} bytes{pool}"
    for offset, data, form, operands in code.instructions:
        if offset in names.at:
            yield f"{names.at[offset]}:"
        text = form.text(operands, names)
        remark = f"  ; {notes[offset]}" if offset in notes else ""
        yield f"{offset:6x}  {data.hex(' '):<33}  {text:<50}{remark}".rstrip()
    yield from behind(code, names, notes, ";")
    for entry in code.pool:
        yield f"{names.at[entry.offset]}:"
        for start, row in rows_of(entry):
            yield f"{entry.offset + start:6x}  {_hex(row):<35}  {meaning(row)}".rstrip()


def behind(code: Code, names: Names, notes: dict[int, str], comment: str) -> Iterator[str]:
    """Labels and notes behind the last instruction."""
    if code.text_size in names.at and all(entry.offset != code.text_size for entry in code.pool):
        yield f"{names.at[code.text_size]}:"
    if code.text_size in notes:
        yield f"{comment} {notes[code.text_size]}"


def rows_of(entry: PoolEntry, width: int = 16) -> Iterator[tuple[int, bytes]]:
    """A constant in rows of at most `width` bytes."""
    for start in range(0, len(entry.data), width):
        yield start, entry.data[start : start + width]


def _hex(data: bytes) -> str:
    unit = 4 if len(data) % 4 == 0 else 1
    return " ".join(f"{word:0{2 * unit}x}" for word in integers(data, unit))


def integers(data: bytes, unit: int) -> list[int]:
    """The numbers of so many bytes each."""
    return [int.from_bytes(data[i : i + unit], "little") for i in range(0, len(data), unit)]


def meaning(row: bytes) -> str:
    """What the bytes mean as f32 and as f64, where the size suits."""
    shown = []
    for letter, size, digits in ("f", 4, 9), ("d", 8, 17):
        if len(row) % size == 0:
            values = struct.unpack(f"<{len(row) // size}{letter}", row)
            shown.append(f"f{8 * size} {' '.join(f'{value:.{digits}g}' for value in values)}")
    return ", ".join(shown)
