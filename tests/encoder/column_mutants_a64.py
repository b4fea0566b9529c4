"""Mutants of the columns of AArch64 rows: roles, effects, features, forms, sizes, classes of operands.

    for mutant in mutants(seed=1, count=100):
        print(mutant.name, mutant.killed_by() or "survived")

A mutant replaces a row, in this process only. The oracles of the tests judge it, each for the mnemonic concerned. What
the instruction does is observed beforehand with the unchanged row, once for all mutants.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests.arm import emulator
from tests.encoder import a64_features
from tests.encoder.a64_columns import unexecuted, wrong
from tests.encoder.a64_completeness import missing
from tests.encoder.a64_draws import draws
from tests.encoder.a64_observed import Seen, observe
from tests.encoder.column_mutant import Mutant
from tests.oracles import accepted_a64, llvm_a64
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64 import notation
from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.a64.forms import A64Form
from tilesmith.encoder.a64.targets import IMPLIES
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.table import Row

_IMPLIED = {name for implied in IMPLIES.values() for name in implied}
_FEATURES = sorted({*IMPLIES, *_IMPLIED, "LSE", "CRC", "CSSC", "FLAGM"})
_EFFECTS = ("r:nzcv", "w:nzcv", "x:nzcv", "r:ffr", "w:ffr", "w:x30", "r:sp")


class _Change(NamedTuple):
    """A row, the row that replaces it (None: it is removed), and a description of the change."""

    row: Row
    changed: Row | None
    what: str

    def __str__(self) -> str:
        return f"{self.row.mnemonic} {self.row.operands} [{self.row.features}]: {self.what}"


def mutants(seed: int, count: int) -> Iterator[Mutant]:
    """Yield the mutants that the tests once missed, then `count` random ones."""
    rng = random.Random(seed)
    rows = [row for mnemonic in TABLE for row in TABLE.rows(mnemonic)]
    changes = list(_planted())
    kinds: tuple[Callable[[Row, random.Random], _Change | None], ...] = (
        _role,
        _effect,
        _effect_role,
        _feature,
        _removed,
        _size,
        _class,
    )
    while len(changes) < len(_PLANTED) + count:
        change = kinds[len(changes) % len(kinds)](rng.choice(rows), rng)
        if change is not None and change.changed != change.row and change not in changes:
            changes.append(change)
    observed = _Observed([change.row for change in changes])
    for change in changes:
        yield Mutant(str(change), lambda change=change: _killer(change, observed))  # type: ignore[misc]


# What is changed

# Mnemonic, pattern of its operands, column, pattern in the column, replacement.
_PLANTED = (
    ("adcs", ".*", "effects", "x:", "w:"),
    ("clastb", "x:Wdn.*", "operands", "x:", "w:"),
    ("clastb", "x:Zdn.*", "operands", "x:", "r:"),
    ("whilehi", r"Pd\.T.*", "effects", "w:nzcv", ""),
    ("cmpeq", r".*Zm\.T", "effects", "w:nzcv", ""),
    ("whilelt", r"\{Pd\.T\*2\}.*", "encodings", "T=bhsd", "T=bhs"),
    ("stadd", ".*", "operands", "x:", ""),
    ("setf8", ".*", "effects", "x:", "w:"),
    ("fjcvtzs", ".*", "effects", "w:nzcv", ""),
    ("ldapur", ".*", "features", "RCPC2", "RCPC"),
    ("psel", ".*", "features", "SME_OR_SVE2p1", "SVE2p1"),
    ("sha256h", ".*", "features", "NEON_SHA256", "NEON_SHA1"),
)


def _planted() -> Iterator[_Change]:
    for mnemonic, operands, column, pattern, new in _PLANTED:
        row = next(row for row in TABLE.rows(mnemonic) if re.fullmatch(operands, row.operands))
        old = getattr(row, column)
        changed = re.sub(pattern, new, old, count=1)
        assert changed != old, f"{row}: no {pattern}"
        yield _Change(row, row._replace(**{column: changed}), f"{column} {changed or 'nothing'}")


def _operands(row: Row) -> list[str]:
    return notation.split_operands(row.operands) if row.operands else []


def _role(row: Row, rng: random.Random) -> _Change | None:
    texts = _operands(row)
    form = next(form for form in TABLE.forms(row.mnemonic) if isinstance(form, A64Form) and form.row == row)
    if not texts:
        return None
    at = rng.randrange(len(texts))
    role = rng.choice([role for role in "rwx" if role != form.access[at]])
    texts[at] = f"{role}:{re.sub('^[rwx]:', '', texts[at])}"
    return _Change(row, row._replace(operands=",".join(texts)), f"operand {at} {role} instead of {form.access[at]}")


def _effect(row: Row, rng: random.Random) -> _Change | None:
    """Add an effect, or remove all effects."""
    if row.effects and rng.random() < 0.5:
        return _Change(row, row._replace(effects=""), f"without {row.effects}")
    name = rng.choice(_EFFECTS)
    if name[2:] in row.effects:
        return None
    return _Change(row, row._replace(effects=f"{row.effects} {name}".strip()), f"also {name}")


def _effect_role(row: Row, rng: random.Random) -> _Change | None:
    if not row.effects:
        return None
    role = rng.choice([role for role in "rwx" if role != row.effects[0]])
    effects = role + row.effects[1:]
    return _Change(row, row._replace(effects=effects), f"{effects} instead of {row.effects}")


def _feature(row: Row, rng: random.Random) -> _Change | None:
    """Add, remove or replace a feature."""
    names = [name for name in row.features.split("+") if name != "-"]
    new = rng.choice([name for name in _FEATURES if name not in names])
    how = rng.randrange(3) if names else 0
    at = rng.randrange(len(names)) if names else 0
    made = {0: [*names, new], 1: names[:at] + names[at + 1 :], 2: [*names[:at], new, *names[at + 1 :]]}[how]
    return _Change(row, row._replace(features="+".join(made) or "-"), f"features {'+'.join(made) or 'none'}")


def _removed(row: Row, rng: random.Random) -> _Change | None:
    return _Change(row, None, "removed")


def _size(row: Row, rng: random.Random) -> _Change | None:
    """Remove one alternative of a variable."""
    found = re.match(r"[\w,]+=(\S+)", row.encodings)
    if found is None:
        return None
    values = found[1].split("/") if re.search("[/,]", found[1]) else list(found[1])
    if len(values) < 2:
        return None
    lost = values.pop(rng.randrange(len(values)))
    joint = "/" if re.search("[/,]", found[1]) else ""
    start, end = found.span(1)
    left = row.encodings[:start] + joint.join(values) + row.encodings[end:]
    return _Change(row, row._replace(encodings=left), f"without {lost}")


_OUTSIDE = r"\b(?![^\[]*\])"  # of an address
_CLASSES = (
    (r"(?<!mul)#imm\b(?!:)", "#simm"),
    (r"(?<!mul)#simm\b(?!:)", "#imm"),
    (r"#-sh\b", "#sh"),
    (r"#sh\b", "#-sh"),
    (r"\{ror\}", "{lsl}"),
    (r"\{lsl\}", ""),
    (r"\{ext\}", ""),
    (r"\|sp", ""),
    (r"/M\b", "/Z"),
    (r"/Z\b", "/M"),
    (r"\*4\b", "*2"),
    (r"\*8\b", "*16"),
    (r"\*2\b", "*4"),
    (r"lsl#2", "lsl#3"),
    (r"lsl#1", "lsl#2"),
    (r"xtw#3", "xtw#2"),
    (r"ext#2", "ext#3"),
    (rf"\bX([nmd]){_OUTSIDE}", r"W\1"),
    (rf"\bW([nmd]){_OUTSIDE}", r"X\1"),
    (r"!cond", "cond"),
    (r"(?<!!)cond", "!cond"),
    (r"Wv\+8", "Wv+12"),
    (r"Ws\+12", "Ws+8"),
    (r"%8", "%4"),
    (r"swide", "wide"),
    (r"\bwide\.", "swide."),
    (r"vgx2", "vgx4"),
    (r"Xm\|zr", "Xm"),
)


def _class(row: Row, rng: random.Random) -> _Change | None:
    """Change the class of an operand: an immediate's sign or scale, a shift, an extension, a range of registers."""
    fitting = [(pattern, new) for pattern, new in _CLASSES if re.search(pattern, row.operands)]
    if not fitting:
        return None
    pattern, new = rng.choice(fitting)
    changed = re.sub(pattern, new, row.operands, count=1)
    encodings = row.encodings
    if new in ("#imm", "#simm"):  # the name of the field determines the sign
        encodings = re.sub(rf"\b{'imm' if new == '#simm' else 'simm'}\b", new[1:], encodings)
    return _Change(row, row._replace(operands=changed, encodings=encodings), f"operands {changed}")


# What sees it


class _Observed:
    """What the instructions of rows do; it is observed on first use."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = {
            row: [form for form in TABLE.forms(row.mnemonic) if isinstance(form, A64Form) and form.row == row]
            for row in rows
            if unexecuted(row) is None
        }
        self._seen: dict[Row, Seen] = {}

    def __getitem__(self, row: Row) -> Seen | None:
        if not self._seen:
            emulator.choose()
            with Server() as server:
                self._seen = observe(server, self._rows, lambda seen: not wrong(seen.instance.form, seen))
        return self._seen.get(row)


@contextmanager
def _replaced(change: _Change) -> Iterator[None]:
    """Replace the row in the table by the mutant."""
    mnemonic = change.row.mnemonic
    rows = TABLE.rows(mnemonic)
    at = rows.index(change.row)
    known = TABLE._known()
    known.rows[mnemonic] = rows[:at] + ([change.changed] if change.changed else []) + rows[at + 1 :]
    forms = known.forms.pop(mnemonic, None)
    TABLE.version += 1
    try:
        yield
    finally:
        known.rows[mnemonic] = rows
        known.forms.pop(mnemonic, None)
        if forms is not None:
            known.forms[mnemonic] = forms
        TABLE.version += 1


def _killer(change: _Change, observed: _Observed) -> str | None:
    """Return the first test that fails with the mutant, or None."""
    seen = observed[change.row]  # with the table as it is
    with _replaced(change):
        try:
            every = [form for form in TABLE.forms(change.row.mnemonic) if isinstance(form, A64Form)]
        except (EncodeError, KeyError, StopIteration, ValueError) as error:
            return f"every test: {error}"
        mine = [form for form in every if form.row == change.changed]
        return next((name for name, test in _TESTS.items() if test(mine, seen, change.row.mnemonic)), None)


def _columns(forms: list[A64Form], seen: Seen | None, mnemonic: str) -> bool:
    return any(wrong(form, seen) for form in forms)


def _features(forms: list[A64Form], seen: Seen | None, mnemonic: str) -> bool:
    return bool(a64_features.wrong(forms))


def _completeness(forms: list[A64Form], seen: Seen | None, mnemonic: str) -> bool:
    return bool(missing(line for line in accepted_a64.known() if line.split()[0] == mnemonic))


def _drawn(forms: list[A64Form], seen: Seen | None, mnemonic: str) -> bool:
    return any(not draws(form, 20) for form in forms)


def _words(forms: list[A64Form], seen: Seen | None, mnemonic: str) -> bool:
    drawn = [(word, form.text(operands)) for form in forms for word, operands in draws(form, 20).items()]
    drawn = [pair for pair in drawn if not pair[1].startswith("movprfx")]
    return llvm_a64.assemble([text for _, text in drawn]) != [word for word, _ in drawn]


_TESTS: dict[str, Callable[[list[A64Form], Seen | None, str], bool]] = {
    "test_a64_columns: test_accesses_agree_with_the_rows": _columns,
    "test_a64_columns: test_every_form_that_llvm_accepts_is_there": _completeness,
    "test_a64_agreement: test_every_form_is_drawn": _drawn,
    "test_a64_agreement: test_same_word_as_llvm": _words,
    "test_a64_columns: test_features_are_those_that_llvm_asks_for": _features,
}
