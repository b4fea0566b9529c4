"""The record of code that has been kept as bytes, decoded again for its listing.

    text = kept(code)                    labels, notes, constants, and instructions that the decoder reads differently
    again = restored(code.name, code.target, code.data, code.text_size, text)
    listing(again) == listing(code)      in both syntaxes

`kept` decodes every instruction, so the features that it finds are those that the bytes need, whatever the assembler
was told. It compares each line of the listing. A line that differs is kept as text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Any

from .code import PADDING, Code, PoolEntry, Recorded, Reference, Role
from .decode import Places, decode, labelled, rows_version
from .errors import EncodeError
from .features import Target
from .labels import Names
from .operands import Label
from .records import NamedTuple


class Kept(NamedTuple):
    """The information that is kept beside the bytes of some code."""

    features: frozenset[str]  # features that its instructions need
    text: bytes


class _Said:
    """A form whose text is known. It behaves as the decoded form otherwise."""

    def __init__(self, form: Any, text: str, gas: str) -> None:
        self._form, self._text, self._gas = form, text, gas

    def __getattr__(self, name: str) -> Any:
        return getattr(self._form, name)

    def text(self, operands: tuple[Any, ...], names: Any = str) -> str:
        """The original text."""
        return self._text

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Any = str) -> str:
        """The original text for GNU as."""
        return self._gas


def kept(code: Code) -> Kept:
    """Return the features that the bytes need, and the compressed record. Raises EncodeError if some bytes are not an
    instruction of the table, or not those of the record."""
    padded, said = [], []
    names, places, known = Names(code), _Places(code.labels, code.pool), _known(code.arch)
    features: set[frozenset[str]] = set()
    offset = 0
    for form, operands, recorded in code.record:
        end = offset + len(recorded)
        data = code.data[offset:end]
        if form is PADDING:
            padded.append([offset, len(data)])
            features.add(features_of(data, code.arch))
        else:
            found = known.read(form, operands, data, end, places)
            if found is None:
                found, text, anywhere = _read(code, offset, end, places, names)
                if text != (meant := form.text(operands, names)):
                    said.append((offset, meant, form.gas(operands, data, names)))
                elif anywhere or form.displacement(operands) is not None:
                    known.learn(form, operands, data, found)
            features.add(found.features)
        offset = end
    if offset != code.text_size:
        raise EncodeError(f"{code.name}: {code.text_size} bytes of instructions, of which {offset} are recorded")
    facts = {
        "labels": code.labels,
        "notes": code.notes,
        "padded": padded,
        "pool": [(entry.label, entry.offset, len(entry.data), entry.padding) for entry in code.pool],
        "references": code.references,
        "roles": code.roles,
        "said": said,
    }
    text_bytes = zlib.compress(json.dumps(facts, separators=(",", ":")).encode(), 1)
    return Kept(frozenset().union(*features), text_bytes)


def _read(code: Code, offset: int, end: int, places: _Places, names: Names) -> tuple[Any, str, bool]:
    """Decode one instruction. Return its form, its text, and whether its text is the same at any place, because it
    names no place by its distance."""
    found = decode(code.data, offset, code.arch)
    if found is None or offset + found.length > code.text_size:
        raise EncodeError(f"{code.data[offset : offset + 16].hex(' ')} at {offset:#x}: no instruction of the table")
    if offset + found.length != end:
        raise EncodeError(f"{code.name}: the decoder finds instructions elsewhere than the assembler put them")
    operands = labelled(found.form, found.operands, end, places, code.arch)
    anywhere = labelled(found.form, found.operands, end, _somewhere, code.arch) == found.operands
    return found.form, found.form.text(operands, names), anywhere


def _somewhere(offset: int) -> tuple[Label, int]:
    return Label("somewhere"), 0


_REMEMBERED = 1 << 14  # instructions
_SAME = attrgetter("base", "index", "scale", "size", "broadcast", "mask")  # parts of addresses that are compared


class _ReadInstructions:
    """Instructions that were decoded and read as intended.

    The bytes before a displacement determine its length and what follows it. So bytes that differ only in the
    displacement are read alike, and another displacement is compared as a number, or as the place that it leads to.
    """

    def __init__(self) -> None:
        self._found: dict[Any, tuple[Any, tuple[Any, ...], Any]] = {}  # (form and operands as recorded, form found)

    def read(self, form: Any, operands: tuple[Any, ...], data: bytes, end: int, places: Places) -> Any:
        """Return the form that the decoder finds in these bytes, which end at `end`, if it is known to give the same
        text; else None."""
        displacement = form.displacement(operands)
        if displacement is None:
            meant, others, found = self._found.get(data, _NOTHING)
            same = meant is form and all(map(_is, others, operands))
            return found if same else None
        place, size = displacement
        behind = len(data) - form.behind_displacement
        meant, others, found = self._found.get((data[: behind - size], size, data[behind:]), _NOTHING)
        if meant is not form:
            return None
        mem, other = operands[place], others[place]
        number = int.from_bytes(data[behind - size : behind], "little", signed=True)
        if mem.label is not None:
            label, rest = (other.label and places(end + number)) or (None, 0)
            same = label is not None and label.offset == mem.label.offset and rest == mem.disp
        else:
            same = other.label is None and mem.disp == number * (found.disp_unit if size == 1 else 1)
        if not same or _SAME(mem) != _SAME(other):
            return None
        return found if all(i == place or _is(*pair) for i, pair in enumerate(zip(others, operands))) else None

    def learn(self, form: Any, operands: tuple[Any, ...], data: bytes, found: Any) -> None:
        """Remember the form that `read` will return."""
        if len(self._found) >= _REMEMBERED:
            self._found.clear()
        key: Any = data
        displacement = form.displacement(operands)
        if displacement is not None:
            behind = len(data) - form.behind_displacement
            key = data[: behind - displacement[1]], displacement[1], data[behind:]
        self._found[key] = form, operands, found


_NOTHING = None, (), None


def _is(one: Any, other: Any) -> bool:
    """Whether two operands are the same register or the same number."""
    return one is other or (type(one) is type(other) is int and one == other)


@lru_cache(maxsize=8)
def _known_by(arch: str, version: int) -> _ReadInstructions:
    return _ReadInstructions()


def _known(arch: str) -> _ReadInstructions:
    return _known_by(arch, rows_version(arch))


def restored(name: str, target: Target, data: bytes, text_size: int, text: bytes) -> Code:
    """Return the code with its record."""
    facts = json.loads(zlib.decompress(text))
    made = again(name, target, data, text_size, facts)
    said = {offset: (intel, gas) for offset, intel, gas in facts["said"]}
    if not said:
        return made
    record = tuple(
        (_Said(form, *said[offset]) if offset in said else form, operands, data)
        for offset, data, form, operands in made.instructions
    )
    return Code(
        name,
        made.arch,
        target,
        data,
        text_size,
        record,
        made.pool,
        made.labels,
        made.notes,
        made.features,
        made.references,
        made.roles,
    )


def again(name: str, target: Target, data: bytes, text_size: int, facts: dict[str, Any]) -> Code:
    pool = tuple(
        PoolEntry(label, offset, data[offset : offset + size], padding)
        for label, offset, size, padding in facts["pool"]
    )
    labels: dict[str, int] = dict(facts["labels"])
    record = tuple(_record(data, text_size, target.arch, _Places(labels, pool), dict(facts["padded"])))
    features: frozenset[str] = frozenset().union(*(form.features for form, _, _ in record))
    roles = tuple(Role(title, tuple(numbers), start, end) for title, numbers, start, end in facts["roles"])
    return Code(
        name,
        target.arch,
        target,
        data,
        text_size,
        record,
        pool,
        labels,
        tuple((offset, text) for offset, text in facts["notes"]),
        features,
        tuple(Reference(*each) for each in facts["references"]),
        roles,
    )


class _Places:
    """Labels by their offsets, and constants by the offset of any of their bytes."""

    def __init__(self, labels: dict[str, int], pool: tuple[PoolEntry, ...]) -> None:
        self._labels: dict[int, Label] = {}
        for name, offset in [*labels.items(), *((entry.label, entry.offset) for entry in pool)]:
            label = self._labels.setdefault(offset, Label(name))
            label.offset = offset
        self._pool = pool

    def __call__(self, offset: int) -> tuple[Label, int] | None:
        """Return the label at an offset, or the label of the constant that contains it, and the bytes behind the
        label."""
        if offset in self._labels:
            return self._labels[offset], 0
        for entry in self._pool:
            if entry.offset <= offset < entry.offset + len(entry.data):
                return self._labels[entry.offset], offset - entry.offset
        return None


def _record(data: bytes, end: int, arch: str, places: _Places, padded: dict[int, int]) -> Iterator[Recorded]:
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
    """Return the features that consecutive instructions need, from the first byte to the last. Raises EncodeError if
    some bytes are not an instruction."""
    features: frozenset[str] = frozenset()
    offset = 0
    while offset < len(data):
        found = decode(data, offset, arch)
        if found is None or offset + found.length > len(data):
            raise EncodeError(f"{data[offset : offset + 16].hex(' ')} at {offset:#x}: no instruction of the table")
        features |= found.form.features
        offset += found.length
    return features
