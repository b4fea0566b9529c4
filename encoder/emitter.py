"""Emitters: the function behind a mnemonic, and what it remembers.

Kernels repeat few distinct instructions, so bytes are remembered by operands, and a repeat costs one look-up; which
form takes operands of which kinds is remembered too. What was emitted before never decides what is accepted: Python
finds 1.0 and True under 1, so a number must have the type that it was remembered with, and an operand that is neither
a number nor the architecture's own is not looked up at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import EncodeError
from .features import closure
from .form import Form, Forms
from .operands import kind_of, number, shown
from .records import NamedTuple

Emitter = Callable[..., None]
Operands = tuple[Any, ...]
Kinds = tuple[str, ...]
Encoding = Callable[[Any, Operands], tuple[Form, bytes]]  # of an assembler at its position

_REMEMBERED = 4096  # encoded instructions kept per mnemonic
_NUMBERS = (int, float)


class _Choice(NamedTuple):
    """What operands of some kinds come to."""

    form: Form
    encode: Callable[[Operands], bytes]
    place: int | None  # of the one number among the operands
    type: type | None  # of that number
    other: Encoding | None  # where the operands alone do not tell the bytes, or their kinds must tell their types


class _Remembered(NamedTuple):
    """What an emitter has encoded. Where there may be a number among the operands, what is found is valid for one of
    the type that it was remembered with."""

    recorded: dict[Operands, tuple[Any, int | None, type | None]]  # what is recorded; the place and type of the number
    displaced: list[tuple[int, dict[Operands, _Displaced | None]]]  # by the place of the memory operand, then by operands with
    # its addressing in that place: forms, and functions from the displacement to the bytes


_Displaced = tuple[Form, Callable[[int], bytes], int | None, type | None]


def emitter(table: Forms, mnemonic: str) -> Emitter:
    """A function (assembler, *operands) that checks the operands and appends the instruction."""
    remembered: dict[Operands, tuple[Any, int | None, type | None]] = {}
    displaced: list[tuple[int, dict[Operands, _Displaced | None]]] = []
    add = _adding(table, mnemonic, remembered, displaced)
    memory = table.memory

    def emit(asm: Any, *operands: Any) -> None:
        try:
            found = remembered.get(operands)
        except Exception:  # what cannot be looked up is no operand, or a number of an unusual type
            add(asm, operands)
            return
        if found is not None:
            recorded, place, kind = found
            if place is None or type(operands[place]) is kind:
                record, buffer = asm.output
                record.append(recorded)
                buffer += recorded[2]
                return
        for at, known in displaced:
            if len(operands) > at and type(operands[at]) is memory:
                key = list(operands)
                address = key[at]
                key[at] = address.addressing
                form_of = known.get(tuple(key))
                if form_of is not None:
                    form, encode, place, kind = form_of
                    if place is None or type(operands[place]) is kind:
                        data = encode(address.disp)
                        recorded = form, operands, data
                        if len(remembered) >= _REMEMBERED:
                            remembered.clear()
                        remembered[operands] = recorded, place, kind
                        record, buffer = asm.output
                        record.append(recorded)
                        buffer += data
                        return
        add(asm, operands)

    emit.__name__ = mnemonic
    return emit


def _adding(table: Forms, mnemonic: str, remembered: dict[Operands, Any], displaced: list[Any]) -> Callable[..., None]:
    """What appends an instruction that is not remembered."""
    numbered = any(map(table.takes_numbers, table.rows(mnemonic)))
    own, memory = table.operand, table.memory
    chosen: dict[Kinds, _Choice] = {}

    def add(asm: Any, operands: Operands) -> None:
        kinds = tuple([operand.kind if isinstance(operand, own) else kind_of(operand, own) for operand in operands])
        choice = chosen.get(kinds)
        if choice is None:
            if "" in kinds:
                add(asm, _plain(table, mnemonic, operands))
                return
            choice = chosen[kinds] = _choose(table, mnemonic, operands, numbered)
        form, encode, place, kind, other = choice
        if other is not None:
            form, data = other(asm, operands)
            recorded = form, operands, data
        else:
            try:
                data = encode(operands)
                learn(form, operands, place, kind)
            except EncodeError:
                form, data = _encoded(table, mnemonic, operands)
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            recorded = form, operands, data
            remembered[operands] = recorded, place, kind
        record, buffer = asm.output
        record.append(recorded)
        buffer += data

    def learn(form: Form, operands: Operands, place: int | None, kind: type | None) -> None:
        """Note how operands are encoded that differ from these in a displacement, when the second such come: that takes
        as long as encoding them three times."""
        at = next((at for at, operand in enumerate(operands) if type(operand) is memory), None)
        if at is None:
            return
        if all(at != each for each, _ in displaced):
            displaced.append((at, {}))
        known = next(known for each, known in displaced if at == each)
        if len(known) >= _REMEMBERED:
            known.clear()
        key = (*operands[:at], operands[at].addressing, *operands[at + 1 :])
        encode = form.displaced(operands, at) if key in known else None
        known[key] = encode and (form, encode, place, kind)

    return add


def _plain(table: Forms, mnemonic: str, operands: Operands) -> Operands:
    """The operands with numbers as Python has them; EncodeError if there is one that nothing takes."""
    plain = tuple(map(number, operands))
    if all(kind_of(operand, table.operand) for operand in plain):
        return plain
    table.matching(mnemonic, plain)
    raise EncodeError(f"{mnemonic} {', '.join(map(shown, operands))}: no such operands")


def _choose(table: Forms, mnemonic: str, operands: Operands, numbered: bool) -> _Choice:
    """What operands of these kinds come to: the first form that takes them."""
    forms = table.matching(mnemonic, operands)
    form = forms[0]
    numbers = [at for at, operand in enumerate(operands) if type(operand) in _NUMBERS]
    other: Encoding | None = None
    if _depends_on_target(forms):
        other = _by_target(table, mnemonic)
    elif form.relocates(operands):
        other = _relocating(table, mnemonic, form)
    elif len(numbers) > numbered:
        other = _by_kinds(table, mnemonic, form)
    place = numbers[0] if numbers else None
    return _Choice(form, form.encode, place, None if place is None else type(operands[place]), other)


def _encoded(table: Forms, mnemonic: str, operands: Operands) -> tuple[Form, bytes]:
    """Where kinds do not tell all: the form that takes the operands and its bytes; EncodeError shows what would do."""
    form = table.match(mnemonic, operands)
    return form, form.encode(operands)


def _depends_on_target(forms: list[Form]) -> bool:
    """Whether a processor may have a later form without the first: AVX512-VNNI does not imply AVX-VNNI."""
    return any(not forms[0].features <= closure(form.features) for form in forms[1:])


def _by_target(table: Forms, mnemonic: str) -> Encoding:
    """Operands of these kinds have a form that depends on what the target has."""
    remembered: dict[tuple[frozenset[str], Operands], tuple[Form, bytes]] = {}

    def encode(asm: Any, operands: Operands) -> tuple[Form, bytes]:
        key = asm.target.features, operands
        found = remembered.get(key)
        if found is None:
            form = table.match(mnemonic, operands, asm.target.features)
            if form.relocates(operands):
                return form, form.relocate(asm, operands)
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            found = remembered[key] = form, form.encode(operands)
        return found

    return encode


def _relocating(table: Forms, mnemonic: str, form: Form) -> Encoding:
    """Operands of these kinds have bytes that depend on where a label is."""

    def encode(asm: Any, operands: Operands) -> tuple[Form, bytes]:
        try:
            return form, form.relocate(asm, operands)
        except EncodeError:
            other = table.match(mnemonic, operands)
            return other, other.relocate(asm, operands)

    return encode


def _by_kinds(table: Forms, mnemonic: str, form: Form) -> Encoding:
    """Operands of these kinds have more numbers than an emitter looks at: their types are known by the kinds."""
    remembered: dict[Operands, tuple[Form, bytes]] = {}

    def encode(asm: Any, operands: Operands) -> tuple[Form, bytes]:
        found = remembered.get(operands)
        if found is None:
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            try:
                found = form, form.encode(operands)
            except EncodeError:
                found = _encoded(table, mnemonic, operands)
            remembered[operands] = found
        return found

    return encode
