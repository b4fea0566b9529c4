"""Code as source text from which GNU as makes the same bytes.

The source has the call frame information (`cfi`) and the promises to a linker (`properties`) of an object of `elf`.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import cfi, properties
from .code import CODE_ALIGNMENT, Code
from .labels import Names, behind, integers, meaning, notes_of, rows_of
from .records import NamedTuple
from .walk import Trace, trace


class _Dialect(NamedTuple):
    """The directives that tell GNU as how to read an architecture's instructions."""

    comment: str
    begin: str  # line before the instructions
    end: tuple[str, ...]  # lines behind the constants


# binutils 2.40, which does not know `.arch all`
_ARCH = (
    ".arch armv9.3-a+crypto+sha3+sm4+rng+flagm+cssc+fp16fml+bf16+i8mm+f32mm+f64mm"
    "+sve2-aes+sve2-sha3+sve2-sm4+sve2-bitperm+sme+sme-f64+sme-i64"
)
_DIALECTS = {
    "x86": _Dialect("#", ".intel_syntax noprefix", (".att_syntax prefix",)),
    "a64": _Dialect("//", _ARCH, ()),
}


def source(code: Code) -> Iterator[str]:
    """Yield the lines. The name is defined in AT&T syntax, where no name is mistaken for a register or an operator."""
    names, notes, symbol, dialect = Names(code), notes_of(code), code.symbol, _DIALECTS[code.arch]
    comment, known = dialect.comment, trace(code)
    yield f"{comment} {' '.join(code.name.split())}: {code.target.name}, {len(code.data)} bytes"
    if known.lost and code.record:
        yield f"{comment} no call frame information: {known.lost}"
    yield from (".text", f".balign {CODE_ALIGNMENT}", f".globl {symbol}", f".type {symbol}, %function", f"{symbol}:")
    yield dialect.begin
    yield from _instructions(code, names, notes, known)
    yield from behind(code, names, notes, comment)
    for entry in code.pool:
        if entry.padding:
            yield f"    {_bytes(code.data[entry.offset - entry.padding : entry.offset])}"
        yield f"{names.at[entry.offset]}:"
        for _, row in rows_of(entry):
            directive = _longs(row) if len(row) % 4 == 0 else _bytes(row)
            yield f"    {directive:<60}  {comment} {meaning(row)}".rstrip(f" {comment}")
    yield from (*dialect.end, f".size {symbol}, . - {symbol}", '.section .note.GNU-stack, "", %progbits')
    promised = properties.note_words(code, known)
    if promised:
        yield from ('.section .note.gnu.property, "a", %note', f".balign {properties.ALIGNMENT}")
        yield f"    .long {', '.join(f'{word:#x}' for word in promised)}"


def _instructions(code: Code, names: Names, notes: dict[int, str], known: Trace) -> Iterator[str]:
    """Yield the instructions, and between them the call frame directives."""
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
    return ".long " + ", ".join(f"{word:#010x}" for word in integers(data, 4))
