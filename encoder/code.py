"""Code: the frozen result of an assembler."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from itertools import accumulate, pairwise
from typing import Any

from .features import Target
from .form import Form, Names
from .records import NamedTuple, cached_property, dataclass

CODE_ALIGNMENT = 64
"""Code is placed at multiples of this many bytes."""


class _Padding:
    """Marks bytes in the record that only align the code behind them."""

    mnemonic = "nop"
    features: frozenset[str] = frozenset()

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        return "nop"

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        return ".byte " + ", ".join(f"{byte:#04x}" for byte in data)


PADDING = _Padding()


Recorded = tuple[Any, tuple[Any, ...], bytes]
"""Form, operands and bytes of an instruction, in which distances to labels are not filled in yet. Or a `Repeated`
instead of the form, no operands, and the bytes of all its instructions."""


class Repeated:
    """Represents, in the record, instructions that were appended again with other displacements. Kernels need only
    their bytes, so forms and operands are made when the record is read."""

    __slots__ = ()
    mnemonic = ""
    features: frozenset[str] = frozenset()  # features of the repeated instructions

    def instructions(self) -> list[Recorded]:
        """Return the instructions, each as it would have been recorded on its own."""
        raise NotImplementedError


def each_recorded(recorded: Iterable[Recorded]) -> Iterator[Recorded]:
    """Yield every instruction of a record, including repeated ones."""
    for each in recorded:
        if isinstance(each[0], Repeated):
            yield from each[0].instructions()
        else:
            yield each


class Remark:
    """The text of a note that is made when the listing is read. Kernels need only their bytes, and most listings are
    never read. A remark equals its text."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the text."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (str, Remark)) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class Instruction(NamedTuple):
    """One emitted instruction."""

    offset: int
    data: bytes
    form: Form | _Padding
    operands: tuple[Any, ...]

    @property
    def text(self) -> str:
        """The instruction in the notation of its architecture's manual."""
        return self.form.text(self.operands)


class PoolEntry(NamedTuple):
    """A constant behind the code, and the number of padding bytes before it."""

    label: str
    offset: int
    data: bytes
    padding: int


class Reference(NamedTuple):
    """Bytes of the code that hold a distance to a constant, which an object file must relocate."""

    position: int
    size: int
    target: int  # offset of the constant plus the operand's addend
    origin: int  # offset from which the distance counts


class Role(NamedTuple):
    """What registers hold in a part of the code."""

    name: str  # "accumulators"
    numbers: tuple[int | str, ...]  # numbers of vector registers, and what other places are called
    start: int  # offset of the first instruction
    end: int  # offset behind the last instruction


@dataclass(frozen=True)
class Code:
    """Position-independent machine code with its constant pool, and the record that a listing needs."""

    name: str
    arch: str
    target: Target
    data: bytes
    text_size: int  # bytes of instructions; the pool follows
    # may contain repeated instructions; not compared, because the bytes determine it
    recorded: tuple[Recorded, ...] = field(compare=False)
    pool: tuple[PoolEntry, ...]
    labels: dict[str, int]
    noted: tuple[tuple[int, str | Remark], ...]  # the notes, some of whose texts are not made yet
    features: frozenset[str]
    references: tuple[Reference, ...] = ()  # references to the pool, if they are whole bytes
    roles: tuple[Role, ...] = field(default=(), compare=False)  # names of register roles, given by kernels

    def __repr__(self) -> str:
        return f"<Code {self.name} for {self.target.name}: {len(self.record)} instructions, {len(self.data)} bytes>"

    @property
    def symbol(self) -> str:
        """The name as a C identifier."""
        return re.sub(r"\W|^(?=\d)|^$", "_", self.name, flags=re.ASCII)

    @cached_property
    def notes(self) -> tuple[tuple[int, str], ...]:
        """The remarks of the listing: the offset of an instruction and a text beside it."""
        return tuple([(offset, str(text)) for offset, text in self.noted])

    @cached_property
    def record(self) -> tuple[Recorded, ...]:
        """All instructions as they were recorded."""
        return tuple(each_recorded(self.recorded))

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """The instructions in order, each with its bytes."""
        places = pairwise(accumulate((len(data) for _, _, data in self.record), initial=0))
        return tuple(
            Instruction(start, self.data[start:end], form, operands)
            for (form, operands, _), (start, end) in zip(self.record, places)
        )
