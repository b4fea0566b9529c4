"""Print the page of all instructions, from the rows, as Markdown: `python -m tilesmith.encoder.x86.reference`."""

from __future__ import annotations

from collections.abc import Iterable

from ..table import Row, titled_rows
from .assembler import TABLE
from .effects import implicit
from .forms import X86Form
from .rows import ROWS

_HEAD = """# x86-64 instructions

Written by `make docs` from the rows in `encoder/x86/rows_*.py`; do not edit. `encoder/x86/grammar.py` explains the
letters of the operands.
Roles are those of the operands in order: r read, w written, x both. *Reads* and *writes* are registers and flags that
the instruction does not name, general registers under their 64-bit names.
"""
_COLUMNS = "| mnemonic | operands | features | roles | reads | writes |\n|---|---|---|---|---|---|\n"


def page() -> str:
    """Return the page as Markdown."""
    forms = [form for mnemonic in TABLE for form in TABLE.forms(mnemonic) if isinstance(form, X86Form)]
    first = {form.row: form for form in reversed(forms)}
    sections: dict[str, list[str]] = {}
    for title, row in titled_rows(ROWS):
        sections.setdefault(title, []).append(_line(row, first[row]))
    lines = [_HEAD, f"\n{len(TABLE)} mnemonics, {len(forms)} forms.\n"]
    for title, rows in sections.items():
        lines += [f"\n## {title}\n\n{_COLUMNS}", *rows]
    aliases = ", ".join(f"`{alias}` = `{name}`" for alias, name in TABLE.aliases.items())
    return "".join([*lines, f"\n## Aliases\n\n{aliases}\n"])


def _line(row: Row, form: X86Form) -> str:
    effects = implicit(form)
    features = row.features.replace("|", "or").replace("-", "")
    operands = f"`{row.operands}`" if row.operands else ""
    cells = (row.mnemonic, operands, features, form.access, _names(effects.reads), _names(effects.writes))
    return f"| {' | '.join(cells)} |\n"


def _names(names: Iterable[str]) -> str:
    return " ".join(sorted(names))


def main() -> None:
    """Print the page."""
    print(page(), end="")


if __name__ == "__main__":
    main()
