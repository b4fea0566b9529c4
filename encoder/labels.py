"""What listings in both syntaxes show beside instructions: names of labels, notes, rows of constants."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

from .code import Code, PoolEntry
from .operands import Label

_LEGAL = re.compile(r"[^A-Za-z0-9_.]")  # characters that a label of GNU as must not contain


class Names:
    """Names by offset: every label of the code and its pool under a unique, local and legal name.

    A label is found by its offset, so labels at the same place share the name of the first.
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
    """The notes of each offset, joined into one line."""
    notes: dict[int, str] = {}
    for offset, text in code.notes:
        text = " ".join(text.split())
        notes[offset] = f"{notes[offset]}; {text}" if offset in notes else text
    return notes


def behind(code: Code, names: Names, notes: dict[int, str], comment: str) -> Iterator[str]:
    """Yield the label and the note behind the last instruction."""
    if code.text_size in names.at and all(entry.offset != code.text_size for entry in code.pool):
        yield f"{names.at[code.text_size]}:"
    if code.text_size in notes:
        yield f"{comment} {notes[code.text_size]}"


def rows_of(entry: PoolEntry, width: int = 16) -> Iterator[tuple[int, bytes]]:
    """Yield a constant in rows of at most `width` bytes, with their offsets."""
    for start in range(0, len(entry.data), width):
        yield start, entry.data[start : start + width]


def integers(data: bytes, unit: int) -> list[int]:
    """The integers of `unit` bytes each."""
    return [int.from_bytes(data[i : i + unit], "little") for i in range(0, len(data), unit)]


def meaning(row: bytes) -> str:
    """The bytes as f32 and as f64 numbers, where the size fits."""
    shown = []
    for letter, size, digits in ("f", 4, 9), ("d", 8, 17):
        if len(row) % size == 0:
            values = struct.unpack(f"<{len(row) // size}{letter}", row)
            shown.append(f"f{8 * size} {' '.join(f'{value:.{digits}g}' for value in values)}")
    return ", ".join(shown)
