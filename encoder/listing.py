"""Code as text: `intel` for people (offset | bytes | text | note), `gas` for GNU as, which makes the same bytes of it.

The source for GNU as is written by the module `gas`, which is loaded on first use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .code import Code
from .deferred import lazy
from .errors import EncodeError
from .labels import Names, behind, integers, meaning, notes_of, rows_of
from .records import NamedTuple

if TYPE_CHECKING:
    from . import gas

gas = lazy(__package__, ".gas")


class ListingLine(NamedTuple):
    """A line of the listing for people: an instruction with its offset, bytes and note, or a text alone, such as a
    label or a constant."""

    text: str
    offset: int | None = None
    data: bytes = b""
    note: str = ""

    def __str__(self) -> str:
        if self.offset is None:
            return self.text
        remark = f"  ; {self.note}" if self.note else ""
        return f"{self.offset:6x}  {self.data.hex(' '):<33}  {self.text:<50}{remark}".rstrip()


def listing(code: Code, syntax: str = "intel") -> str:
    """Return the code as text. Syntax "intel" is for people; "gas" is a source file that assembles to exactly
    `code.data`.

    The source has .cfi directives if the code moves the stack pointer in ways that can be followed (see `walk`);
    otherwise a comment says why it has none.
    """
    if syntax not in ("intel", "gas"):
        raise EncodeError(f"listing syntax {syntax!r}: one of intel, gas")
    shown = map(str, lines(code)) if syntax == "intel" else gas.source(code)
    return "\n".join(shown) + "\n"


def lines(code: Code) -> Iterator[ListingLine]:
    """Yield the lines of the listing for people."""
    names, notes = Names(code), notes_of(code)
    pool = f", {sum(len(entry.data) for entry in code.pool)} of them constants" if code.pool else ""
    yield ListingLine(f"{code.name}: {code.target.name}, {len(code.data)} bytes{pool}")
    for offset, data, form, operands in code.instructions:
        if offset in names.at:
            yield ListingLine(f"{names.at[offset]}:")
        yield ListingLine(form.text(operands, names), offset, data, notes.get(offset, ""))
    yield from map(ListingLine, behind(code, names, notes, ";"))
    for entry in code.pool:
        yield ListingLine(f"{names.at[entry.offset]}:")
        for start, row in rows_of(entry):
            yield ListingLine(f"{entry.offset + start:6x}  {_hex(row):<35}  {meaning(row)}".rstrip())


def _hex(data: bytes) -> str:
    unit = 4 if len(data) % 4 == 0 else 1
    return " ".join(f"{word:0{2 * unit}x}" for word in integers(data, unit))
