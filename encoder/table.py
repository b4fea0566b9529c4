"""The instruction table: rows of text, compiled on first use to emitters.

A row is one line: mnemonic, operands, encodings, features, two or more spaces between the columns. What the columns
mean is the architecture's business (`x86/forms.py`); a Table finds the rows of a mnemonic, expands them to forms,
and picks the form that takes the operands given. The choice is made once for each combination of operand kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from .errors import EncodeError
from .operands import kind_of

Emitter = Callable[..., None]
Names = Callable[[Any], str]
"""The text of an operand that is not memory; a listing renames labels with it."""
_REMEMBERED = 4096  # encoded instructions kept per mnemonic


class Row(NamedTuple):
    """One line of a table, split into its columns."""

    mnemonic: str
    operands: str
    encodings: str
    features: str


class Form(Protocol):
    """One way to write an instruction: what each operand must be, and the closure that makes its bytes."""

    mnemonic: str
    features: frozenset[str]
    encode: Callable[[tuple[Any, ...]], bytes]
    siblings: list[Any]  # every form of the mnemonic, in order of preference

    def relocates(self, operands: tuple[Any, ...]) -> bool:
        """Whether the bytes depend on where a label is; the same for operands of equal kinds."""

    def relocate(self, asm: Any, operands: tuple[Any, ...]) -> bytes:
        """The bytes for appending at the assembler's position, with the fixups registered there."""

    def accepts(self, operands: tuple[Any, ...]) -> bool:
        """Whether every operand fits."""

    def sizes(self) -> tuple[int, ...]:
        """Bits of memory that each operand position touches, 0 for others."""

    def syntax(self) -> str:
        """The form as the manual writes it."""

    def problems(self, operands: tuple[Any, ...]) -> Iterator[str]:
        """Why the operands do not fit: every one that does not, by name."""

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        """The instruction in Intel or Arm syntax."""

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""


def _nearest(forms: list[Form], operands: tuple[Any, ...]) -> str:
    """The forms with the fewest problems, and their problems; one line each, not more than eight."""
    reasons = {form.syntax(): list(form.problems(operands)) for form in forms}
    fewest = min(map(len, reasons.values()))
    lines = [f"  {syntax}: {'; '.join(found)}" for syntax, found in reasons.items() if len(found) == fewest]
    return "\n".join(lines[:8])


class Table:
    """All instructions of an architecture."""

    def __init__(self, texts: Iterable[str], expand: Callable[[Row], Iterator[Form]]) -> None:
        self._expand = expand
        self._unread = list(texts)  # split into rows when the first is asked for
        self._read: dict[str, list[Row]] = {}
        self._forms: dict[str, list[Form]] = {}

    def add(self, text: str) -> None:
        """Add rows, one a line; empty lines and lines that begin with # are comments."""
        self._unread.append(text)

    @property
    def _rows(self) -> dict[str, list[Row]]:
        while self._unread:
            for line in self._unread.pop(0).splitlines():
                if line and not line.startswith("#"):
                    columns = [column.strip() for column in line.split("  ") if column.strip()]
                    if len(columns) == 3:  # no operands
                        columns.insert(1, "")
                    row = Row(*columns)
                    self._read.setdefault(row.mnemonic, []).append(row)
                    self._forms.pop(row.mnemonic, None)
        return self._read

    def __contains__(self, mnemonic: str) -> bool:
        return mnemonic in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, mnemonic: str) -> list[Row]:
        """The rows of a mnemonic, in order of preference."""
        if mnemonic not in self._rows:
            raise EncodeError(f"unknown instruction {mnemonic!r}")
        return self._rows[mnemonic]

    def forms(self, mnemonic: str) -> list[Form]:
        """Every form of a mnemonic, in order of preference."""
        forms = self._forms.get(mnemonic)
        if forms is None:
            forms = self._forms[mnemonic] = [form for row in self.rows(mnemonic) for form in self._expand(row)]
            for form in forms:
                form.siblings = forms
        return forms

    def match(self, mnemonic: str, operands: tuple[Any, ...]) -> Form:
        """The first form that takes the operands; EncodeError shows the accepted forms."""
        forms = self.forms(mnemonic)
        found = [form for form in forms if form.accepts(operands)]
        shown = f"{mnemonic} {', '.join(map(repr, operands))}"
        if not found:
            raise EncodeError(f"{shown}: no such form. Nearest:\n{_nearest(forms, operands)}")
        for position, operand in enumerate(operands):
            sizes = {form.sizes()[position] for form in found if form.features == found[0].features}
            if getattr(operand, "size", None) == 0 and len(sizes) > 1:
                listed = ", ".join(map(str, sorted(sizes)))
                raise EncodeError(f"{shown}: state the size of {operand!r}: {listed} bits all fit (dword[...])")
        return found[0]

    def emitter(self, mnemonic: str) -> Emitter:
        """A function (assembler, *operands) that checks the operands and appends the instruction.

        Bytes are remembered by operands: kernels repeat few distinct instructions, and a repeat costs one look-up.
        """
        self.rows(mnemonic)
        chosen: dict[tuple[str, ...], tuple[Form, bool]] = {}
        remembered: dict[tuple[Any, ...], tuple[Form, bytes]] = {}

        def first(asm: Any, operands: tuple[Any, ...]) -> tuple[Form, bytes]:
            try:
                kinds = tuple([operand.kind for operand in operands])
            except AttributeError:  # a plain integer, or something that no form takes
                kinds = tuple(map(kind_of, operands))
            found = chosen.get(kinds)
            if found is None:
                form = self.match(mnemonic, operands)
                found = chosen[kinds] = form, form.relocates(operands)
            form, relocates = found
            if relocates:
                return form, form.relocate(asm, operands)
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            result = remembered[operands] = form, form.encode(operands)
            return result

        def emit(asm: Any, *operands: Any) -> None:
            form, data = remembered.get(operands) or first(asm, operands)
            asm.record.append((len(asm.buffer), form, operands))
            asm.buffer += data

        emit.__name__ = mnemonic
        return emit
