"""Pieces of code that were appended once, to be appended again: to the same code or to other code of the architecture.

    with recording(asm) as taken:
        ...                             instructions, labels, constants, notes
    piece = taken()                     None where what was appended depends on where it stands
    appended(asm, piece)                the same once more

Labels that are bound within a piece are made anew, constants of the pool are asked for again in the same order, so code
with a piece in it has the same bytes and the same listing as code whose instructions were all appended one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .asm import Assembler
from .code import PADDING, Recorded, Role
from .operands import Label
from .records import NamedTuple


class Piece(NamedTuple):
    """What was appended; offsets count from its first byte.

    record     of each instruction; named: which of them have labels among their operands
    labels     number and offset of the labels that are bound, in this order; made: how many labels were made
    constants  bytes and alignment of each request of a constant, in their order
    fixups     position, place, origin, label, addend: of labels within, or of constants
    """

    record: tuple[Recorded, ...]
    named: tuple[int, ...]
    data: bytes
    notes: tuple[tuple[int, str], ...]
    roles: tuple[Role, ...]
    labels: tuple[tuple[Label, int, int], ...]
    made: int
    constants: tuple[tuple[bytes, int, Label], ...]
    fixups: tuple[tuple[int, Any, int, Label, int], ...]


@contextmanager
def recording(asm: Assembler) -> Iterator[Callable[[], Piece | None]]:
    """A scope whose instructions may become a piece; behind it, the function yields that piece."""
    start, made = len(asm.buffer), asm._made
    counts = len(asm.record), len(asm.notes), len(asm.roles), len(asm.labels), len(asm._fixups)
    constants: list[tuple[bytes, int, Label]] = []
    const = asm.const
    placed: list[bool] = []  # whether something depends on where it stands

    def asked(data: bytes, align: int = 0) -> Label:
        label = const(data, align)
        constants.append((data, align, label))
        return label

    own: dict[str, Any] = vars(asm)
    own["const"] = asked
    for name in ("gap", "remove"):
        own[name] = _marking(getattr(asm, name), placed)
    try:
        yield lambda: None if placed else _piece(asm, start, made, counts, constants)
    finally:
        for name in ("const", "gap", "remove"):
            del own[name]


def _marking(function: Callable[..., Any], marks: list[bool]) -> Callable[..., Any]:
    def marked(*given: Any) -> Any:
        marks.append(True)
        return function(*given)

    return marked


def _piece(asm: Assembler, start: int, made: int, counts: tuple[int, ...],
           constants: list[tuple[bytes, int, Label]]) -> Piece | None:  # fmt: skip
    instructions, remarks, held, bound, distances = counts
    record, notes, roles = asm.record[instructions:], asm.notes[remarks:], asm.roles[held:]
    labels, fixups = asm.labels[bound:], asm._fixups[distances:]
    numbers = {label: number for label in labels if (number := _number(label.name, made, asm._made)) is not None}
    known = {*numbers, *(label for _, _, label in constants)}
    named = tuple(place for place, (_, operands, _) in enumerate(record) if any(map(_label_of, operands)))
    used = {fixup[3] for fixup in fixups}
    used |= {label for place in named for operand in record[place][1] if (label := _label_of(operand))}
    if len(numbers) < len(labels) or not used <= known or any(form is PADDING for form, _, _ in record):
        return None
    return Piece(
        tuple(record), named, bytes(asm.buffer[start:]), tuple((at - start, text) for at, text in notes),
        tuple(role._replace(start=role.start - start, end=role.end - start) for role in roles),
        tuple((label, numbers[label], label.offset - start) for label in labels if label.offset is not None),
        asm._made - made, tuple(constants),
        tuple((position - start, place, origin - start, label, addend)
              for position, place, origin, label, addend in fixups),
    )  # fmt: skip


def _number(name: str, first: int, last: int) -> int | None:
    """Which of the labels that were made meanwhile has this name; None for labels with names of their own."""
    digits = name.removeprefix(".L")
    number = int(digits) - first if digits.isdecimal() else 0
    return number if 1 <= number <= last - first else None


def _label_of(operand: Any) -> Label | None:
    found = operand if isinstance(operand, Label) else getattr(operand, "label", None)
    return found if isinstance(found, Label) else None


def appended(asm: Assembler, piece: Piece) -> None:
    """Append a piece."""
    start, first = len(asm.buffer), asm._made
    labels: dict[Label, Label] = {}
    for data, align, label in piece.constants:
        labels[label] = asm.const(data, align)
    asm._made += piece.made
    for label, number, offset in piece.labels:
        new = labels[label] = Label(f".L{first + number}")
        asm._names.add(new.name)
        new.offset = start + offset
        asm.labels.append(new)
    record = list(piece.record)
    for place in piece.named:
        form, operands, data = record[place]
        record[place] = form, tuple([_with(operand, labels) for operand in operands]), data
    asm.record += record
    asm.buffer += piece.data
    asm.notes += [(start + at, text) for at, text in piece.notes]
    asm.roles += [Role(role.name, role.numbers, start + role.start, start + role.end) for role in piece.roles]
    asm._fixups += [(start + position, place, start + origin, labels[label], addend)
                    for position, place, origin, label, addend in piece.fixups]  # fmt: skip


def _with(operand: Any, labels: dict[Label, Label]) -> Any:
    """The operand with the new label in place of the old one."""
    label = _label_of(operand)
    if label is None:
        return operand
    return labels[label] if label is operand else operand._with(label=labels[label])
