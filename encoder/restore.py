"""The record of code that has been kept as bytes: what its listing needs, decoded again.

    text = kept(code)                    labels, notes, constants, and where the decoder reads an instruction otherwise
    again = restored(code.name, code.target, code.data, code.text_size, text)
    listing(again) == listing(code)      in both syntaxes

`kept` decodes every instruction, so the features that it finds are those that the bytes need, whatever the assembler
was told. It compares each line of the listing; a line that comes out otherwise is kept as text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any

from .code import PADDING, Code, PoolEntry, Recorded, Reference, Role
from .decode import decode, labelled
from .errors import EncodeError
from .features import Target
from .labels import Names
from .operands import Label
from .records import NamedTuple


class Kept(NamedTuple):
    """What stands beside the bytes of some code."""

    features: frozenset[str]  # that its instructions need
    text: bytes


class _Said:
    """A form whose text is known; it is the decoded one in all else."""

    def __init__(self, form: Any, text: str, gas: str) -> None:
        self._form, self._text, self._gas = form, text, gas

    def __getattr__(self, name: str) -> Any:
        return getattr(self._form, name)

    def text(self, operands: tuple[Any, ...], names: Any = str) -> str:
        """As it was."""
        return self._text

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Any = str) -> str:
        """As it was."""
        return self._gas


def kept(code: Code) -> Kept:
    """The features that the bytes need, and the record in short; EncodeError if some bytes are no instruction of the
    table, or not those of the record."""
    padded = [[each.offset, len(each.data)] for each in code.instructions if each.form is PADDING]
    facts: dict[str, Any] = {
        "labels": code.labels, "notes": code.notes, "padded": padded,
        "pool": [(entry.label, entry.offset, len(entry.data), entry.padding) for entry in code.pool],
        "references": code.references, "roles": code.roles,
    }  # fmt: skip
    features: frozenset[str] = frozenset()
    found_again = again(code.name, code.target, code.data, code.text_size, facts)
    for offset, size in padded:
        features |= features_of(code.data[offset : offset + size], code.arch)
    said = []
    names, others = Names(code), Names(found_again)
    if [len(data) for _, _, data in found_again.record] != [len(data) for _, _, data in code.record]:
        raise EncodeError(f"{code.name}: the decoder finds instructions elsewhere than the assembler put them")
    for meant, found in zip(code.instructions, found_again.instructions):
        features |= found.form.features
        text = meant.form.text(meant.operands, names)
        if found.form.text(found.operands, others) != text:
            said.append((meant.offset, text, meant.form.gas(meant.operands, meant.data, names)))
    text_bytes = zlib.compress(json.dumps({**facts, "said": said}, separators=(",", ":")).encode(), 1)
    return Kept(features, text_bytes)


def restored(name: str, target: Target, data: bytes, text_size: int, text: bytes) -> Code:
    """The code with its record."""
    facts = json.loads(zlib.decompress(text))
    made = again(name, target, data, text_size, facts)
    said = {offset: (intel, gas) for offset, intel, gas in facts["said"]}
    if not said:
        return made
    record = tuple((_Said(form, *said[offset]) if offset in said else form, operands, data)
                   for offset, data, form, operands in made.instructions)  # fmt: skip
    return Code(name, made.arch, target, data, text_size, record, made.pool, made.labels, made.notes, made.features,
                made.references, made.roles)  # fmt: skip


def again(name: str, target: Target, data: bytes, text_size: int, facts: dict[str, Any]) -> Code:
    pool = tuple(PoolEntry(label, offset, data[offset : offset + size], padding)
                 for label, offset, size, padding in facts["pool"])  # fmt: skip
    labels: dict[str, int] = dict(facts["labels"])
    record = tuple(_record(data, text_size, target.arch, _Places(labels, pool), dict(facts["padded"])))
    features: frozenset[str] = frozenset().union(*(form.features for form, _, _ in record))
    roles = tuple(Role(title, tuple(numbers), start, end) for title, numbers, start, end in facts["roles"])
    return Code(name, target.arch, target, data, text_size, record, pool, labels,
                tuple((offset, text) for offset, text in facts["notes"]), features,
                tuple(Reference(*each) for each in facts["references"]), roles)  # fmt: skip


class _Places:
    """Labels by where they are, and constants by any of their bytes."""

    def __init__(self, labels: dict[str, int], pool: tuple[PoolEntry, ...]) -> None:
        self._labels: dict[int, Label] = {}
        for name, offset in [*labels.items(), *((entry.label, entry.offset) for entry in pool)]:
            label = self._labels.setdefault(offset, Label(name))
            label.offset = offset
        self._pool = pool

    def __call__(self, offset: int) -> tuple[Label, int] | None:
        """The label there, or that of the constant whose byte it is, and how many bytes behind it."""
        if offset in self._labels:
            return self._labels[offset], 0
        for entry in self._pool:
            if entry.offset <= offset < entry.offset + len(entry.data):
                return self._labels[entry.offset], offset - entry.offset
        return None


def _record(data: bytes, end: int, arch: str, places: _Places, padded: dict[int, int]
            ) -> Iterator[Recorded]:  # fmt: skip
    offset = 0
    while offset < end:
        if offset in padded:
            behind = offset + padded[offset]
            yield PADDING, (), data[offset:behind]
            offset = behind
            continue
        found = decode(data, offset, arch)
        if found is None or offset + found.length > end:
            raise EncodeError(f"{data[offset : offset + 16].hex(' ')} at {offset:#x}: no instruction of the table")
        behind = offset + found.length
        yield found.form, labelled(found.form, found.operands, behind, places, arch), data[offset:behind]
        offset = behind


def features_of(data: bytes, arch: str) -> frozenset[str]:
    """The features that instructions need, one after the other from the first byte to the last; EncodeError where some
    bytes are none."""
    features: frozenset[str] = frozenset()
    offset = 0
    while offset < len(data):
        found = decode(data, offset, arch)
        if found is None or offset + found.length > len(data):
            raise EncodeError(f"{data[offset : offset + 16].hex(' ')} at {offset:#x}: no instruction of the table")
        features |= found.form.features
        offset += found.length
    return features
