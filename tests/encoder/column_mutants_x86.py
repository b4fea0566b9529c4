"""Mutants of the x86-64 rows with one access role, effect, feature, form or immediate changed, and their oracles."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tests.encoder import x86_access, x86_access_llvm, x86_completeness, x86_features, x86_immediates
from tests.encoder.column_mutant import Mutant
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import closure
from tilesmith.encoder.table import Row
from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.encoder.x86.effects import FLAGS, implicit
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.grammar import expand
from tilesmith.runtime.host import detect as host


class Change(NamedTuple):
    """A row, and the row that replaces it (None: it is removed)."""

    kind: str  # selects the oracles
    before: Row
    after: Row | None

    def __str__(self) -> str:
        return f"{_shown(self.before)}  ->  {_shown(self.after)}"


def _shown(row: Row | None) -> str:
    """Return the columns of a row that have a text."""
    return " ".join(column for column in row if column and isinstance(column, str)) if row else "(no such row)"


# The mutants that issue 18 planted and that no test found.
PLANTED = (
    ("access", ("cdqe", "", "effects", "x:rax", "w:rax")),
    ("access", ("cdqe", "", "effects", "x:rax", "r:rax")),
    ("access", ("pcmpestri", "r:X,X/m128,u8", "effects", "r:rax,rdx w:rcx,flags", "r:rax,rdx w:flags")),
    ("access", ("pcmpestri", "r:X,X/m128,u8", "effects", "r:rax,rdx w:rcx,flags", "r:rax w:rcx,flags")),
    ("forms", ("lock and", "x:Mv,iv", "", "", "")),
    ("forms", ("lock and", "x:Mv,Rv", "", "", "")),
    ("features", ("xsavec64", "m", "features", "XSAVEC", "XSAVE")),
    ("access", ("xsavec64", "m", "effects", "r:rax,rdx", "r:rax")),
    ("forms", ("vpdpbuuds", "x:V{kz},V,V/M/b32", "operands", "/b32", "")),
    ("immediates", ("vroundps", "V,V/M,u8", "operands", "u8", "i8")),
    ("features", ("vmovdqu8", "V{kz},V/M", "features", "AVX512BW", "AVX512F")),
    ("features", ("vmovdqu8", "M{k},V", "features", "AVX512BW", "AVX512F")),
)
_ROLES = "wxr"
_NAMES = (*FLAGS, "df", "rax", "rcx", "rdx", "rbx", "rsi", "rdi", "rsp", "rbp", "xmm0")
_IMMEDIATES = {"i8": "u8", "u8": "i8", "i16": "u16", "u16": "i16", "i32": "u32", "u32": "i32", "iv": "i8", "u64": "i64"}


def mutants(seed: int, count: int) -> Iterator[Mutant]:
    """Yield the planted mutants, then `count` drawn ones."""
    for kind, planted in PLANTED:
        yield _mutant(_planted(kind, *planted))
    rng = random.Random(seed)
    rows = [row for mnemonic in TABLE for row in TABLE.rows(mnemonic)]
    made: set[str] = set()
    while len(made) < count:
        change = rng.choice(_CHANGES)(rng.choice(rows), rng)
        if change is not None and str(change) not in made and not _is_equivalent(change):
            made.add(str(change))
            yield _mutant(change)


def _planted(kind: str, mnemonic: str, operands: str, column: str, before: str, after: str) -> Change:
    row = next(row for row in TABLE.rows(mnemonic) if row.operands == operands)
    if not column:
        return Change(kind, row, None)
    text = getattr(row, column)
    assert before in text, f"{mnemonic}: no {before!r} in {text!r}"
    return Change(kind, row, row._replace(**{column: text.replace(before, after)}))


# Changes that are drawn


def _access(row: Row, rng: random.Random) -> Change | None:
    """Change the role of an operand that is a register or memory."""
    specs = row.operands.split(",") if row.operands else []
    places = [i for i, spec in enumerate(specs) if not re.fullmatch(r"(r:)?([iu](\d+|v)|1|rel\d+)", spec)]
    if not places:
        return None
    at = rng.choice(places)
    role, name = (specs[at][0], specs[at][2:]) if specs[at][1:2] == ":" else ("r" if at else "w", specs[at])
    specs[at] = f"{rng.choice(_ROLES.replace(role, ''))}:{name}"
    return Change("access", row, row._replace(operands=",".join(specs)))


def _effects(row: Row, rng: random.Random) -> Change:
    """Add or remove an effect, or change its role."""
    listed = [(part[0], name) for part in row.effects.split() for name in part[2:].split(",")]
    found = [(role, each) for role, name in listed for each in (FLAGS if name == "flags" else (name,))]
    action = rng.choice(("add", "remove", "change") if found else ("add",))
    if action == "add":
        free = [name for name in _NAMES if name not in [other for _, other in found]]
        found.append((rng.choice(_ROLES), rng.choice(free)))
    elif action == "remove":
        found.pop(rng.randrange(len(found)))
    else:
        at = rng.randrange(len(found))
        found[at] = rng.choice(_ROLES.replace(found[at][0], "")), found[at][1]
    return Change("access", row, row._replace(effects=" ".join(f"{role}:{name}" for role, name in found)))


def _features(row: Row, rng: random.Random) -> Change:
    """Add, remove or replace a feature, in one encoding or at one vector length of it."""
    parts = re.split(r"( \| |/)", row.features)
    at = 2 * rng.randrange(len(parts) // 2 + 1)
    names = [name for name in parts[at].strip().split("+") if name != "-"]
    action = rng.choice(("add", "remove", "replace") if names else ("add",))
    if action != "add":
        names.pop(rng.randrange(len(names)))
    if action != "remove":
        names.append(rng.choice(sorted(_every_feature())))
    parts[at] = "+".join(dict.fromkeys(names)) or "-"
    return Change("features", row, row._replace(features="".join(parts)))


def _every_feature() -> set[str]:
    return {name for mnemonic in TABLE for row in TABLE.rows(mnemonic) for name in re.findall(r"\w+", row.features)}


def _row(row: Row, rng: random.Random) -> Change:
    """Remove the row."""
    return Change("forms", row, None)


def _alternative(row: Row, rng: random.Random) -> Change | None:
    """Remove one alternative of an operand, or a decoration."""
    found = re.findall(r"/\w+|\w+/|\{(?:kz|k|er|sae)\}", row.operands)
    if not found:
        return None
    return Change("forms", row, row._replace(operands=row.operands.replace(rng.choice(found), "", 1)))


def _encoding(row: Row, rng: random.Random) -> Change | None:
    """Remove one of two encodings, or one of several vector lengths."""
    encodings, features = row.encodings.split(" | "), row.features.split(" | ")
    if len(encodings) == 1:
        lengths = re.sub(r"\bEVEX\.(?=NP|66|F2|F3)", "EVEX.512.", row.encodings)
        lengths = re.sub(r"\bVEX\.(?=NP|66|F2|F3)", "VEX.256.", lengths)
        same = lengths == row.encodings or "/" in row.features
        return None if same else Change("forms", row, row._replace(encodings=lengths))
    at = rng.randrange(len(encodings))
    return Change("forms", row, row._replace(encodings=encodings[1 - at], features=features[1 - at]))


def _immediate(row: Row, rng: random.Random) -> Change | None:
    """Change the signedness of an immediate."""
    found = re.search(r"(?<=[,:])([iu](?:8|16|32|64|v))\b", f",{row.operands}")
    if found is None:
        return None
    changed = f",{row.operands}"
    changed = changed[: found.start()] + _IMMEDIATES.get(found[1], "u8") + changed[found.end() :]
    return Change("immediates", row, row._replace(operands=changed[1:]))


_CHANGES: tuple[Callable[[Row, random.Random], Change | None], ...] = (
    _access,
    _access,
    _effects,
    _effects,
    _features,
    _features,
    _row,
    _alternative,
    _encoding,
    _immediate,
)


def _is_equivalent(change: Change) -> bool:
    """Whether nothing changes: the forms have the same operands, bytes and columns, in another notation."""
    return change.after is not None and _meaning(change.before) == _meaning(change.after)


def _meaning(row: Row) -> list[tuple[object, ...]]:
    """Return the meaning of a row, form by form: features with all that they imply, effects by register and flag."""
    try:
        forms = list(expand(row))
    except (EncodeError, ValueError):
        return []
    return [(repr(form.classes), form.control, form.access, closure(form.features), implicit(form)) for form in forms]


# Judging


def _mutant(change: Change) -> Mutant:
    return Mutant(str(change), lambda: _killer(change))


def _killer(change: Change) -> str | None:
    try:
        forms = _forms(change)
    except (EncodeError, ValueError) as error:
        return f"the grammar: {error}"
    for name, oracle in _ORACLES[change.kind]:
        if oracle(change.before.mnemonic, forms):
            return name
    return None


def _forms(change: Change) -> list[X86Form]:
    """Return the forms that the mnemonic has with the change."""
    rows = [change.after if row == change.before else row for row in TABLE.rows(change.before.mnemonic)]
    forms = [form for row in rows if row is not None for form in expand(row)]
    for form in forms:
        form.siblings = forms
    return forms


def _of(mnemonic: str, forms: Sequence[X86Form]) -> x86_completeness.Forms:
    return lambda name: forms if name == mnemonic else x86_completeness.of_table(name)


Oracle = Callable[[str, Sequence[X86Form]], list[str]]


def _natively(mnemonic: str, forms: Sequence[X86Form]) -> list[str]:
    return x86_access.faults(x86_access_llvm.chosen(forms)) if host.arch() == "x86" else []


def _completeness(mnemonic: str, forms: Sequence[X86Form]) -> list[str]:
    missing = x86_access_llvm.forgotten(forms, mnemonic)
    return missing or x86_completeness.faults([mnemonic], _of(mnemonic, forms))


_ORACLES: dict[str, tuple[tuple[str, Oracle], ...]] = {
    "access": (
        ("the processor", _natively),
        ("LLVM's tables", lambda mnemonic, forms: x86_access_llvm.faults(forms)),
        ("the manual's flags", lambda mnemonic, forms: x86_access_llvm.flag_faults(forms)),
    ),
    "features": (("GNU as, .arch", lambda mnemonic, forms: x86_features.faults(forms)),),
    "forms": (("LLVM's forms", _completeness),),
    "immediates": (
        ("LLVM's ranges", lambda mnemonic, forms: x86_immediates.faults([mnemonic], _of(mnemonic, forms))),
        ("LLVM's forms", _completeness),
    ),
}
