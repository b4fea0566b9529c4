"""Emitters: the function behind a mnemonic, and what it remembers.

Kernels repeat few distinct instructions, so bytes are remembered by operands, and a repeat costs one look-up; which
form takes operands of which kinds is remembered too. What was emitted before never decides what is accepted: Python
finds 1.0 and True under 1, so a number must have the type that it was remembered with, and an operand that is neither
a number nor the architecture's own is not looked up at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import EncodeError
from .features import closure
from .operands import kind_of, number, shown

if TYPE_CHECKING:
    from .table import Form, Table

Emitter = Callable[..., None]
Operands = tuple[Any, ...]
Kinds = tuple[str, ...]

_REMEMBERED = 4096  # encoded instructions kept per mnemonic
_NUMBERS = (int, float)


class _Choice(NamedTuple):
    """What operands of some kinds come to."""

    form: Form
    encode: Callable[[Operands], bytes] | None  # None: the operands alone do not tell the bytes
    place: int | None  # of the one number among the operands
    type: type | None  # of that number
    by_target: bool = False  # the form depends on what the target has
    relocates: bool = False  # the bytes depend on where a label is


def emitter(table: Table, mnemonic: str) -> Emitter:
    """A function (assembler, *operands) that checks the operands and appends the instruction."""
    table.rows(mnemonic)
    own = table.operand
    chosen: dict[Kinds, _Choice] = {}
    remembered: dict[Operands, tuple[Form, bytes, int | None, type | None]] = {}
    rest = _Rest(table, mnemonic)

    def add(asm: Any, operands: Operands) -> None:
        """Append what is not remembered."""
        kinds = tuple([operand.kind if isinstance(operand, own) else kind_of(operand, own) for operand in operands])
        choice = chosen.get(kinds)
        if choice is None:
            if "" in kinds:
                emit(asm, *_plain(table, mnemonic, operands))
                return
            choice = chosen[kinds] = _choose(table.matching(mnemonic, operands), operands)
        form, encode, place, kind, _, _ = choice
        if encode is None:
            form, data = rest.encode(asm, operands, choice)
        else:
            try:
                data = encode(operands)
            except EncodeError:  # kinds do not tell all: another form takes these operands, or the message shows which
                form = table.match(mnemonic, operands)
                data = form.encode(operands)
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            remembered[operands] = form, data, place, kind
        record, buffer = asm.output
        record.append((len(buffer), form, operands))
        buffer += data

    def emit(asm: Any, *operands: Any) -> None:
        try:
            found = remembered.get(operands)
        except Exception:  # an operand that cannot be looked up is none, or a number of an unusual type
            found = None
        if found is not None:
            form, data, place, kind = found
            if place is None or type(operands[place]) is kind:
                record, buffer = asm.output
                record.append((len(buffer), form, operands))
                buffer += data
                return
        add(asm, operands)

    emit.__name__ = mnemonic
    return emit


class _Rest:
    """What the operands alone do not tell: forms that depend on the target, places of labels, several numbers."""

    def __init__(self, table: Table, mnemonic: str) -> None:
        self.table, self.mnemonic = table, mnemonic
        self.remembered: dict[tuple[frozenset[str] | None, Operands], tuple[Form, bytes]] = {}

    def encode(self, asm: Any, operands: Operands, choice: _Choice) -> tuple[Form, bytes]:
        """The form and its bytes, for appending at the assembler's position.

        The choice was made for operands of these kinds, so numbers of other types than it takes do not come here.
        """
        form, features = choice.form, asm.target.features if choice.by_target else None
        if choice.relocates:
            if choice.by_target:
                form = self.table.match(self.mnemonic, operands, features)
            return self._tried(form, operands, features, lambda form: form.relocate(asm, operands))
        key = features, operands
        found = self.remembered.get(key)
        if found is None:
            if choice.by_target:
                form = self.table.match(self.mnemonic, operands, features)
            if len(self.remembered) >= _REMEMBERED:
                self.remembered.clear()
            found = self._tried(form, operands, features, lambda form: form.encode(operands))
            self.remembered[key] = found
        return found

    def _tried(self, form: Form, operands: Operands, features: frozenset[str] | None,
               encode: Callable[[Form], bytes]) -> tuple[Form, bytes]:  # fmt: skip
        """The form and its bytes; where it does not take the operands after all, those of the form that does."""
        try:
            return form, encode(form)
        except EncodeError:
            form = self.table.match(self.mnemonic, operands, features)
            return form, encode(form)


def _plain(table: Table, mnemonic: str, operands: Operands) -> Operands:
    """The operands with numbers as Python has them; EncodeError if there is one that nothing takes."""
    plain = tuple(map(number, operands))
    if all(kind_of(operand, table.operand) for operand in plain):
        return plain
    table.matching(mnemonic, plain)
    raise EncodeError(f"{mnemonic} {', '.join(map(shown, operands))}: no such operands")


def _choose(forms: list[Form], operands: Operands) -> _Choice:
    """The first of the forms that take the operands."""
    form = forms[0]
    numbers = [at for at, operand in enumerate(operands) if type(operand) in _NUMBERS]
    by_target, relocates = _depends_on_target(forms), form.relocates(operands)
    if by_target or relocates or len(numbers) > 1:
        return _Choice(form, None, None, None, by_target, relocates)
    place = numbers[0] if numbers else None
    return _Choice(form, form.encode, place, None if place is None else type(operands[place]))


def _depends_on_target(forms: list[Form]) -> bool:
    """Whether a processor may have a later form without the first: AVX512-VNNI does not imply AVX-VNNI."""
    return any(not forms[0].features <= closure(form.features) for form in forms[1:])
