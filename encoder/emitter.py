"""Emitters: the function behind a mnemonic, with its caches.

Kernels repeat few distinct instructions, so the bytes are cached by the operands, and a repeat costs one look-up. The
form that takes operands of certain kinds is cached too. Earlier instructions never influence what is accepted: in a
Python dict, the key 1 also matches 1.0 and True. Therefore a number must have the type of the cached one, and an
operand that is neither a number nor the architecture's own is not looked up at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import EncodeError, shown
from .features import closure
from .form import Form, Forms
from .operands import kind_of, number
from .records import NamedTuple

Emitter = Callable[..., None]
Operands = tuple[Any, ...]
Kinds = tuple[str, ...]
Encoding = Callable[[Any, Operands], tuple[Form, bytes]]  # takes an assembler at its position, and operands

_REMEMBERED = 4096  # encoded instructions cached per mnemonic
_NUMBERS = (int, float)


class _Choice(NamedTuple):
    """The encoding of operands of certain kinds."""

    form: Form
    encode: Callable[[Operands], bytes]
    place: int | None  # position of the only number among the operands
    type: type | None  # type of that number
    # set if the operands alone do not determine the bytes, or if their kinds must determine their types
    other: Encoding | None


def emitter(table: Forms, mnemonic: str) -> Emitter:
    """Return a function (assembler, *operands) that checks the operands and appends the instruction."""
    numbered = any(map(table.takes_numbers, table.rows(mnemonic)))
    own = table.operand
    chosen: dict[Kinds, _Choice] = {}
    remembered: dict[Operands, Any] = {}  # the record; if there may be a number, with its position and type

    def add(asm: Any, operands: Operands) -> None:
        """Append an instruction that is not cached."""
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
            except EncodeError:
                form, data = _encoded(table, mnemonic, operands)
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            recorded = form, operands, data
            remembered[operands] = (recorded, place, kind) if numbered else recorded
        record, buffer = asm.output
        record.append(recorded)
        buffer += data

    emit = (_with_numbers if numbered else _without_numbers)(remembered, add)
    emit.__name__ = mnemonic
    return emit


def _without_numbers(remembered: dict[Operands, tuple[Any, ...]], add: Callable[[Any, Operands], None]) -> Emitter:
    """Append cached instructions without number operands: a match in the cache is exact."""

    def emit(asm: Any, *operands: Any) -> None:
        try:
            found = remembered.get(operands)
        except Exception:  # an argument that cannot be looked up is not an operand
            found = None
        if found is None:
            add(asm, operands)
            return
        record, buffer = asm.output
        record.append(found)
        buffer += found[2]

    return emit


def _with_numbers(remembered: dict[Operands, tuple[Any, ...]], add: Callable[[Any, Operands], None]) -> Emitter:
    """Append cached instructions, if the number among the operands has the cached type."""

    def emit(asm: Any, *operands: Any) -> None:
        try:
            found = remembered.get(operands)
        except Exception:  # an argument that cannot be looked up is not an operand, or a number of an unusual type
            found = None
        if found is not None:
            recorded, place, kind = found
            if place is None or type(operands[place]) is kind:
                record, buffer = asm.output
                record.append(recorded)
                buffer += recorded[2]
                return
        add(asm, operands)

    return emit


def _plain(table: Forms, mnemonic: str, operands: Operands) -> Operands:
    """Return the operands with numbers as Python's types. Raises EncodeError for an operand that nothing takes."""
    plain = tuple(map(number, operands))
    if all(kind_of(operand, table.operand) for operand in plain):
        return plain
    table.matching(mnemonic, plain)
    raise EncodeError(f"{mnemonic} {', '.join(map(shown, operands))}: no such operands")


def _choose(table: Forms, mnemonic: str, operands: Operands, numbered: bool) -> _Choice:
    """Choose the encoding of operands of these kinds: the first form that takes them."""
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
    """Encode operands whose kinds do not determine the form. EncodeError shows the accepted forms."""
    form = table.match(mnemonic, operands)
    return form, form.encode(operands)


def _depends_on_target(forms: list[Form]) -> bool:
    """Whether a processor may have a later form without the first: AVX512-VNNI does not imply AVX-VNNI."""
    first = forms[0].features
    return any(not first <= form.features and not first <= closure(form.features) for form in forms[1:])


def _by_target(table: Forms, mnemonic: str) -> Encoding:
    """Encode operands whose form depends on the target's features."""
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
    """Encode operands whose bytes depend on the place of a label."""

    def encode(asm: Any, operands: Operands) -> tuple[Form, bytes]:
        try:
            return form, form.relocate(asm, operands)
        except EncodeError:
            other = table.match(mnemonic, operands)
            return other, other.relocate(asm, operands)

    return encode


def _by_kinds(table: Forms, mnemonic: str, form: Form) -> Encoding:
    """Encode operands with more numbers than an emitter checks. Their types are determined by their kinds."""
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
