"""Code as text: `intel` for people (offset | bytes | text | note), `gas` for GNU as, which makes the same bytes.

The source for GNU as has the call frame information and the properties that an object file of `elf` has.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import cfi, properties
from .code import CODE_ALIGNMENT, Code, PoolEntry
from .errors import EncodeError
from .operands import Label
from .walk import Trace, trace

_LEGAL = re.compile(r"[^A-Za-z0-9_.]")  # what a label of GNU as must not contain


def listing(code: Code, syntax: str = "intel") -> str:
    """The code as text; syntax "intel" for people, "gas" is a source file that assembles to exactly `code.data`.

    The source has .cfi directives if the code moves the stack pointer in ways that can be followed (`walk` says which);
    otherwise a comment says why it has none.
    """
    writers = {"intel": _intel, "gas": _gas}
    if syntax not in writers:
        raise EncodeError(f"listing syntax {syntax!r}: one of {', '.join(writers)}")
    return "\n".join(writers[syntax](code)) + "\n"


class _Dialect(NamedTuple):
    """How GNU as is told what an architecture's instructions mean."""

    comment: str
    begin: str  # before the instructions
    end: tuple[str, ...]  # behind the constants


# binutils 2.40; `.arch all` is not known
_ARCH = (
    ".arch armv9.3-a+crypto+sha3+sm4+rng+flagm+cssc+fp16fml+bf16+i8mm+f32mm+f64mm"
    "+sve2-aes+sve2-sha3+sve2-sm4+sve2-bitperm+sme+sme-f64+sme-i64"
)
_DIALECTS = {
    "x86": _Dialect("#", ".intel_syntax noprefix", (".att_syntax prefix",)),
    "a64": _Dialect("//", _ARCH, ()),
}


class _Names:
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


def _notes(code: Code) -> dict[int, str]:
    """The notes of each offset, on one line."""
    notes: dict[int, str] = {}
    for offset, text in code.notes:
        text = " ".join(text.split())
        notes[offset] = f"{notes[offset]}; {text}" if offset in notes else text
    return notes


def _intel(code: Code) -> Iterator[str]:
    names, notes = _Names(code), _notes(code)
    pool = f", {len(code.data) - code.text_size} of them constants" if code.pool else ""
    yield f"{code.name}: {code.target.name}, {len(code.data)} bytes{pool}"
    for offset, data, form, operands in code.instructions:
        if offset in names.at:
            yield f"{names.at[offset]}:"
        text = form.text(operands, names)
        remark = f"  ; {notes[offset]}" if offset in notes else ""
        yield f"{offset:6x}  {data.hex(' '):<33}  {text:<50}{remark}".rstrip()
    yield from _end(code, names, notes, ";")
    for entry in code.pool:
        yield f"{names.at[entry.offset]}:"
        for start, row in _rows(entry):
            yield f"{entry.offset + start:6x}  {_hex(row):<35}  {_values(row)}".rstrip()


def _end(code: Code, names: _Names, notes: dict[int, str], comment: str) -> Iterator[str]:
    """Labels and notes behind the last instruction."""
    if code.text_size in names.at and all(entry.offset != code.text_size for entry in code.pool):
        yield f"{names.at[code.text_size]}:"
    if code.text_size in notes:
        yield f"{comment} {notes[code.text_size]}"


def _rows(entry: PoolEntry, width: int = 16) -> Iterator[tuple[int, bytes]]:
    """A constant in rows of at most `width` bytes."""
    for start in range(0, len(entry.data), width):
        yield start, entry.data[start : start + width]


def _hex(data: bytes) -> str:
    unit = 4 if len(data) % 4 == 0 else 1
    return " ".join(f"{word:0{2 * unit}x}" for word in _integers(data, unit))


def _integers(data: bytes, unit: int) -> list[int]:
    return [int.from_bytes(data[i : i + unit], "little") for i in range(0, len(data), unit)]


def _values(row: bytes) -> str:
    """What the bytes mean as f32 and as f64, where the size suits."""
    shown = []
    for letter, size, digits in ("f", 4, 9), ("d", 8, 17):
        if len(row) % size == 0:
            values = struct.unpack(f"<{len(row) // size}{letter}", row)
            shown.append(f"f{8 * size} {' '.join(f'{value:.{digits}g}' for value in values)}")
    return ", ".join(shown)


def _gas(code: Code) -> Iterator[str]:
    """The name is defined in AT&T syntax, where no name is mistaken for a register or an operator."""
    names, notes, symbol, dialect = _Names(code), _notes(code), code.symbol, _DIALECTS[code.arch]
    comment, known = dialect.comment, trace(code)
    yield f"{comment} {' '.join(code.name.split())}: {code.target.name}, {len(code.data)} bytes"
    if known.lost and code.record:
        yield f"{comment} no call frame information: {known.lost}"
    yield from (".text", f".balign {CODE_ALIGNMENT}", f".globl {symbol}", f".type {symbol}, %function", f"{symbol}:")
    yield dialect.begin
    yield from _gas_instructions(code, names, notes, known)
    yield from _end(code, names, notes, comment)
    for entry in code.pool:
        if entry.padding:
            yield f"    {_bytes(code.data[entry.offset - entry.padding : entry.offset])}"
        yield f"{names.at[entry.offset]}:"
        for _, row in _rows(entry):
            directive = _longs(row) if len(row) % 4 == 0 else _bytes(row)
            yield f"    {directive:<60}  {comment} {_values(row)}".rstrip(f" {comment}")
    yield from (*dialect.end, f".size {symbol}, . - {symbol}", '.section .note.GNU-stack, "", %progbits')
    promised = properties.note_words(code, known)
    if promised:
        yield from ('.section .note.gnu.property, "a", %note', f".balign {properties.ALIGNMENT}")
        yield f"    .long {', '.join(f'{word:#x}' for word in promised)}"


def _gas_instructions(code: Code, names: _Names, notes: dict[int, str], known: Trace) -> Iterator[str]:
    """The instructions, and between them how the caller is found."""
    comment, frames = _DIALECTS[code.arch].comment, cfi.directives(known)
    if not known.lost:
        yield ".cfi_startproc"
    for offset, data, form, operands in code.instructions:
        if offset in names.at:
            yield f"{names.at[offset]}:"
        yield from frames.get(offset, ())
        text = form.gas(operands, data, names)
        remark = f"  {comment} {notes[offset]}" if offset in notes else ""
        yield f"    {text:<60}{remark}".rstrip()
    if not known.lost:
        yield ".cfi_endproc"


def _bytes(data: bytes) -> str:
    return ".byte " + ", ".join(f"{byte:#04x}" for byte in data)


def _longs(data: bytes) -> str:
    return ".long " + ", ".join(f"{word:#010x}" for word in _integers(data, 4))
