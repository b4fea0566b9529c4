"""The instruction table: rows of text, compiled on first use to emitters.

A row is one line of columns that are separated by two or more spaces: mnemonic, operands, encodings, features and,
optionally, the effects behind `;`. The architecture defines the meaning of the columns (`x86/grammar.py`). A Table
finds the rows of a mnemonic, expands them to forms, and picks the form that takes the given operands. The choice is
made once for each combination of operand kinds. A row `mnemonic = other` makes an alias.

A line `[class]`, `[class domain]` or `[class =key]` states the class of the rows below it, and their semantics keys. A
key names what an instruction does. It is the mnemonic, prefixed by the domain (`vector.add`) if the meaning of a
mnemonic depends on the registers. A row that does the same as another instruction states that instruction's key:
`key:vpand` behind its effects. `!streaming` between effects and key marks an AArch64 instruction that is illegal in
streaming mode for another reason than a NEON operand or a gather (Arm ARM DDI 0487: Illegal in Streaming SVE mode).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .emitter import Emitter as Emitter
from .emitter import emitter
from .errors import EncodeError, shown
from .form import UNCLASSED as UNCLASSED
from .form import Form as Form
from .form import Names as Names
from .form import Row as Row
from .operands import Unique
from .records import NamedTuple

_NOT_STREAMING = "!streaming"


def titled_rows(texts: Iterable[str]) -> Iterator[tuple[str, Row]]:
    """Yield all rows of some texts in order, each with the title (a line that begins with `# `) that it is below."""
    title = ""
    for text in texts:
        section = ""
        for line in text.splitlines():
            if line.startswith("# "):
                title = line[2:]
            elif line.startswith("["):
                section = line
            elif line and line[0] != "#" and not _aliased(line):
                yield title, _row(line, section)


def _aliased(line: str) -> str:
    """The mnemonic that a row `mnemonic = other` is an alias of; empty for other rows."""
    rest = line.partition("  ")[2].lstrip()
    return rest[2:] if rest.startswith("= ") else ""


def _row(line: str, section: str) -> Row:
    """Parse one row below a section line."""
    columns = [column for column in map(str.strip, line.split("  ")) if column]
    effects = columns.pop()[1:].split() if columns[-1].startswith(";") else []
    if len(columns) == 3:  # no operands
        columns.insert(1, "")
    mnemonic, operands, encodings, features = columns
    class_, _, domain = section.strip("[]").partition(" ")
    key = domain[1:] if domain.startswith("=") else f"{domain}.{mnemonic}" if domain else mnemonic
    if effects and effects[-1].startswith("key:"):
        key = effects.pop()[4:]
    streaming = _NOT_STREAMING not in effects
    if not streaming:
        effects.remove(_NOT_STREAMING)
    return Row(mnemonic, operands, encodings, features, " ".join(effects), class_ or UNCLASSED, key, streaming)


def _nearest(forms: list[Form], operands: tuple[Any, ...]) -> str:
    """The forms with the fewest problems, and these problems: one line for each form, at most eight."""
    reasons = {form.syntax(): list(form.problems(operands)) for form in forms}
    fewest = min(map(len, reasons.values()))
    lines = [f"  {syntax}: {'; '.join(found)}" for syntax, found in reasons.items() if len(found) == fewest]
    return "\n".join(lines[:8])


def _written(mnemonic: str, operands: tuple[Any, ...]) -> str:
    return f"{mnemonic} {', '.join(map(shown, operands))}"


class _ParsedTexts(NamedTuple):
    """The contents of the first `texts` texts, and everything derived from them."""

    texts: int
    lines: dict[str, str]  # keyed by mnemonic: section lines and rows alternate; parsed on first use
    aliases: dict[str, str]
    rows: dict[str, list[Row]]
    forms: dict[str, list[Form]]

    def and_also(self, texts: Sequence[str]) -> _ParsedTexts:
        """Return the contents with more texts. Anything derived from fewer lines of a mnemonic is dropped."""
        lines, aliases = dict(self.lines), dict(self.aliases)
        for text in texts:
            section = "[]\n"
            for line in text.splitlines():
                end = line.find("  ")
                if end <= 0 or line[0] == "#":
                    section = line + "\n" if line[:1] == "[" else section
                    continue
                mnemonic = line[:end]
                if "= " in line and _aliased(line):
                    aliases[mnemonic] = _aliased(line)
                elif mnemonic in lines:
                    lines[mnemonic] += "\n" + section + line
                else:
                    lines[mnemonic] = section + line
        rows = {name: found for name, found in self.rows.items() if lines[name] is self.lines[name]}
        forms = {name: found for name, found in self.forms.items() if lines[name] is self.lines[name]}
        return _ParsedTexts(self.texts + len(texts), lines, aliases, rows, forms)


class InstructionTable:
    """All instructions of an architecture.

    Threads may use it at the same time, and a fork may happen at any time: nothing is visible before it is complete.
    """

    def __init__(
        self,
        texts: Iterable[str],
        expand: Callable[[Row], Iterator[Form]],
        operand: type[Unique] = Unique,
        takes_numbers: Callable[[Row], bool] = lambda row: True,
        instead: Mapping[str, str] | None = None,
    ) -> None:
        self._expand = expand
        self._instead = instead or {}  # other mnemonics for operands that a mnemonic does not accept, for messages
        self.operand = operand  # the class of the architecture's own operands
        self.takes_numbers = takes_numbers  # whether an operand of a row may be a number
        self.version = 0  # counts additions; data derived from the table is then made again
        self._texts = list(texts)  # split into lines when the first mnemonic is requested
        self._latest = _ParsedTexts(0, {}, {}, {}, {})

    def add(self, text: str) -> None:
        """Add rows, one per line. Empty lines and lines that begin with # are ignored.

        Raises EncodeError for a row that cannot be read, and then adds none.
        """
        if not isinstance(text, str):
            raise TypeError(f"rows: must be a text with one row per line, not {type(text).__name__}")
        for line in map(str.strip, text.splitlines()):
            if line and line[0] not in "#[" and "  " not in line:
                raise EncodeError(f"{line}: columns are separated by two or more spaces")
        for lines in _ParsedTexts(0, {}, {}, {}, {}).and_also([text]).lines.values():
            parts = lines.split("\n")
            for section, line in zip(parts[::2], parts[1::2]):
                self._check(line, section)
        self._texts.append(text)
        self.version += 1

    def _check(self, line: str, section: str) -> None:
        """Raise EncodeError if a row has other columns than the rows of the table."""
        try:
            list(self._expand(_row(line, section)))
        except Exception as error:  # which one depends on the column that is wrong
            raise EncodeError(f"{line}: not a row of this table; {type(error).__name__}: {error}") from error

    def _known(self) -> _ParsedTexts:
        """The contents of all texts."""
        known = self._latest
        if known.texts != len(self._texts):
            known = self._latest = known.and_also(self._texts[known.texts :])
        return known

    def __contains__(self, mnemonic: str) -> bool:
        known = self._known()
        return mnemonic in known.lines or mnemonic in known.aliases

    @property
    def aliases(self) -> dict[str, str]:
        """Aliases, mapped to mnemonics."""
        return dict(self._known().aliases)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known().lines)

    def __len__(self) -> int:
        return len(self._known().lines)

    def rows(self, mnemonic: str) -> list[Row]:
        """The rows of a mnemonic, in order of preference."""
        known = self._known()
        name = known.aliases.get(mnemonic, mnemonic)
        if name not in known.lines:
            raise EncodeError(f"unknown instruction {mnemonic!r}")
        rows = known.rows.get(name)
        if rows is None:
            lines = known.lines[name].split("\n")
            rows = known.rows.setdefault(name, [*map(_row, lines[1::2], lines[::2])])
        return rows

    def forms(self, mnemonic: str) -> list[Form]:
        """Every form of a mnemonic, in order of preference."""
        known = self._known()
        name = known.aliases.get(mnemonic, mnemonic)
        forms = known.forms.get(name)
        if forms is None:
            forms = [form for row in self.rows(mnemonic) for form in self._expand(row)]
            for form in forms:
                form.siblings = forms
            forms = known.forms.setdefault(name, forms)
        return forms

    def match(self, mnemonic: str, operands: tuple[Any, ...], target: frozenset[str] | None = None) -> Form:
        """Return the first form that takes the operands, preferably one that a target with these features has.

        EncodeError shows the accepted forms.
        """
        found = self.matching(mnemonic, operands)
        return next((form for form in found if target is None or form.features <= target), found[0])

    def matching(self, mnemonic: str, operands: tuple[Any, ...]) -> list[Form]:
        """Return every form that takes the operands, at least one."""
        forms = self.forms(mnemonic)
        found = [form for form in forms if form.accepts(operands)]
        if not found:
            other = self._instead.get(mnemonic, "")
            hint = f" {other} accepts them." if other and any(f.accepts(operands) for f in self.forms(other)) else ""
            written = _written(mnemonic, operands)
            raise EncodeError(f"{written}: no such form.{hint} Nearest:\n{_nearest(forms, operands)}")
        for position, operand in enumerate(operands):
            vague = getattr(operand, "vague", "")
            if not vague:
                continue
            sizes = {form.sizes()[position] for form in found if form.features == found[0].features}
            if len(sizes) > 1:
                listed = ", ".join(map(str, sorted(sizes)))
                written = _written(mnemonic, operands)
                raise EncodeError(f"{written}: state the size of {operand!r}: {listed} bits all fit ({vague})")
        return found

    def emitter(self, mnemonic: str) -> Emitter:
        """Return a function (assembler, *operands) that checks the operands and appends the instruction."""
        return emitter(self, mnemonic)
