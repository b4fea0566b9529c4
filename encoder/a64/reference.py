"""Print the page of all AArch64 instructions, from the rows, as Markdown: `python -m
tilesmith.encoder.a64.reference`."""

from __future__ import annotations

from collections.abc import Iterator

from ..table import Row, titled_rows
from .assembler import TABLE
from .forms import A64Form
from .rows import ROWS

_HEAD = """# AArch64 instructions

Written by `make docs` from the rows in `encoder/a64/rows_*.py`; do not edit.
`encoder/a64/notation.py` explains the notation of the operands, `encoder/a64/pattern.py` the variables in them (T, R).
Roles are those of the operands in order: r read, w written, x both, as is what keeps a part of itself; the role of an
address is about the memory. *Reads* and *writes* are registers and flags that the instruction does not name. The modes
of FPCR and the cumulative flags of FPSR are not stated.
"""
_COLUMNS = "| mnemonic | operands | features | roles | reads | writes |\n|---|---|---|---|---|---|\n"


def page() -> str:
    """Return the page as Markdown."""
    forms = [form for mnemonic in TABLE for form in TABLE.forms(mnemonic) if isinstance(form, A64Form)]
    first = {form.row: form for form in reversed(forms)}
    lines = [_HEAD, f"\n{len(TABLE)} mnemonics, {len(forms)} forms.\n"]
    for title, rows in _sections().items():
        lines += [f"\n## {title}\n\n{_COLUMNS}", *(_line(row, first[row]) for row in rows)]
    return "".join(lines)


def _sections() -> dict[str, list[Row]]:
    """The rows under their titles. Equal titles in several modules are one section."""
    sections: dict[str, list[Row]] = {}
    for title, row in titled_rows(ROWS):
        sections.setdefault(title, []).append(row)
    return sections


def _line(row: Row, form: A64Form) -> str:
    operands = f"`{row.operands}`" if row.operands else ""
    features = "" if row.features == "-" else row.features
    reads, writes = (" ".join(_implicit(row, roles)) for roles in ("rx", "wx"))
    cells = (row.mnemonic, operands.replace("|", "\\|"), features, form.access, reads, writes)
    return f"| {' | '.join(cells)} |\n"


def _implicit(row: Row, roles: str) -> Iterator[str]:
    """Yield the names in the effects column that have one of these roles."""
    for part in row.effects.split():
        role, _, names = part.partition(":")
        if role in roles:
            yield from names.split(",")


def main() -> None:
    """Print the page."""
    print(page(), end="")


if __name__ == "__main__":
    main()
