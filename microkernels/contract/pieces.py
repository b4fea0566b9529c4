"""Pieces of code that were emitted once and can be appended again, to the same code or to other code of the
architecture.

    with recording(asm) as taken:
        ...                             instructions, labels, constants, notes
    piece = taken()                     None if the code depends on its position
    ready = reusable(piece)             None if it cannot stand elsewhere
    appended(asm, ready)                append the same code once more

Labels that are bound within a piece are created anew, and constants are requested from the pool in the same order. Code
with a piece in it therefore has the same bytes and the same listing as code whose instructions were appended one by
one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from operator import itemgetter
from typing import Any

from ...encoder.asm import Assembler
from ...encoder.code import PADDING, Recorded, Remark, Role
from ...encoder.operands import Label
from ...encoder.records import NamedTuple, new


class RecordedCode(NamedTuple):
    """Recorded code; offsets count from its first byte.

    labels     the labels that are bound in the piece, with their offsets, in order
    made       the number of labels that were created in the piece
    first      the number of labels that were created before it
    constants  the bytes and alignment of each requested constant, in order, with its label
    fixups     position, place, origin, label, addend
    """

    record: list[Recorded]
    data: bytes
    notes: list[tuple[int, str | Remark]]
    roles: list[Role]
    labels: list[tuple[Label, int]]
    first: int
    made: int
    constants: list[tuple[bytes, int, Label]]
    fixups: list[tuple[int, Any, int, Label, int]]


@contextmanager
def recording(asm: Assembler) -> Iterator[Callable[[], RecordedCode | None]]:
    """A scope whose instructions may become a piece. After the scope, call the yielded function to get the piece."""
    start, made = len(asm.buffer), asm._made
    instructions, notes, roles = len(asm.record), len(asm.notes), len(asm.roles)
    labels, fixups = len(asm.labels), len(asm._fixups)
    constants: list[tuple[bytes, int, Label]] = []
    const = asm.const
    placed: list[bool] = []  # not empty if something depends on its position

    def asked(data: bytes, align: int = 0) -> Label:
        label = const(data, align)
        constants.append((data, align, label))
        return label

    def taken() -> RecordedCode | None:
        if placed:
            return None
        return RecordedCode(
            asm.record[instructions:],
            bytes(asm.buffer[start:]),
            [(at - start, text) for at, text in asm.notes[notes:]],
            [new(Role, (name, numbers, first - start, end - start)) for name, numbers, first, end in asm.roles[roles:]],
            [(label, (label.offset or 0) - start) for label in asm.labels[labels:]],
            made,
            asm._made - made,
            constants,
            [
                (position - start, place, origin - start, label, addend)
                for position, place, origin, label, addend in asm._fixups[fixups:]
            ],
        )

    own: dict[str, Any] = vars(asm)
    own["const"] = asked
    for name in ("gap", "remove"):
        own[name] = _marking(getattr(asm, name), placed)
    try:
        yield taken
    finally:
        for name in ("const", "gap", "remove"):
            del own[name]


def _marking(function: Callable[..., Any], marks: list[bool]) -> Callable[..., Any]:
    def marked(*given: Any) -> Any:
        marks.append(True)
        return function(*given)

    return marked


class Reusable(NamedTuple):
    """A piece, with the places that change wherever it is appended.

    named    indices of the instructions that have labels among their operands
    numbers  the number of each bound label among the labels that were created in the piece
    """

    piece: RecordedCode
    named: tuple[int, ...]
    numbers: tuple[int, ...]


def reusable(piece: RecordedCode) -> Reusable | None:
    """Prepare a piece for appending. None if it uses labels that are not bound within it, or contains padding."""
    numbers = tuple([_number(label.name, piece.first, piece.made) for label, _ in piece.labels])
    ends = [*accumulate(map(len, map(itemgetter(2), piece.record)))]
    named = tuple(sorted({bisect_right(ends, fixup[0]) for fixup in piece.fixups}))  # what has a label has a fixup
    used = {label for _, _, _, label, _ in piece.fixups}
    known = {label for label, _ in piece.labels} | {label for _, _, label in piece.constants}
    if 0 in numbers or not used <= known or PADDING in map(itemgetter(0), piece.record):
        return None
    return Reusable(piece, named, numbers)


def _number(name: str, first: int, made: int) -> int:
    """The number, from 1 on, of a label among those created in the piece; 0 for labels with names of their own."""
    digits = name.removeprefix(".L")
    number = int(digits) - first if digits.isdecimal() else 0
    return number if 1 <= number <= made else 0


def appended(asm: Assembler, ready: Reusable) -> None:
    """Append a piece to the assembler's code."""
    piece, start, first = ready.piece, len(asm.buffer), asm._made
    labels = {label: asm.const(data, align) for data, align, label in piece.constants}
    asm._made += piece.made
    for (label, offset), number in zip(piece.labels, ready.numbers):
        own = labels[label] = Label(f".L{first + number}")
        asm._names.add(own.name)
        own.offset = start + offset
        asm.labels.append(own)
    record = list(piece.record)
    for place in ready.named:
        form, operands, data = record[place]
        record[place] = form, tuple([_with(operand, labels) for operand in operands]), data
    asm.record += record
    asm.buffer += piece.data
    asm.notes += [(start + at, text) for at, text in piece.notes]
    asm.roles += [new(Role, (name, numbers, start + begin, start + end)) for name, numbers, begin, end in piece.roles]
    asm._fixups += [
        (start + position, place, start + origin, labels[label], addend)
        for position, place, origin, label, addend in piece.fixups
    ]


def _with(operand: Any, labels: dict[Label, Label]) -> Any:
    """Return the operand with the new label in place of the old one."""
    if isinstance(operand, Label):
        return labels[operand]
    label = getattr(operand, "label", None)
    return operand if label is None else operand.at(operand.disp, labels[label])
