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
    """Stands in the record for bytes that only align what follows."""

    mnemonic = "nop"
    features: frozenset[str] = frozenset()

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        return "nop"

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        return ".byte " + ", ".join(f"{byte:#04x}" for byte in data)


PADDING = _Padding()


Recorded = tuple[Any, tuple[Any, ...], bytes]
"""Form, operands and bytes of an instruction, in which distances to labels are not filled in yet. Or a `Repeated` in
place of the form, no operands, and the bytes of all its instructions."""


class Repeated:
    """Stands in the record for instructions that were appended again with other displacements. Kernels need their bytes
    alone, so forms and operands are made when somebody reads the record."""

    __slots__ = ()
    mnemonic = ""
    features: frozenset[str] = frozenset()  # those of the instructions that are repeated

    def instructions(self) -> list[Recorded]:
        """The instructions, each as it would have been recorded on its own."""
        raise NotImplementedError


def each_recorded(recorded: Iterable[Recorded]) -> Iterator[Recorded]:
    """A record with all instructions in it."""
    for each in recorded:
        if isinstance(each[0], Repeated):
            yield from each[0].instructions()
        else:
            yield each


class Instruction(NamedTuple):
    """One emitted instruction."""

    offset: int
    data: bytes
    form: Form | _Padding
    operands: tuple[Any, ...]

    @property
    def text(self) -> str:
        """The instruction as its architecture's manual writes it."""
        return self.form.text(self.operands)


class PoolEntry(NamedTuple):
    """A constant behind the code, and how many bytes of padding stand before it."""

    label: str
    offset: int
    data: bytes
    padding: int


class Reference(NamedTuple):
    """Bytes of the code that hold a distance to a constant: what an object file relocates."""

    position: int
    size: int
    target: int  # offset of the constant, with what the operand adds to it
    origin: int  # where the distance counts from


class Role(NamedTuple):
    """What vector registers hold in a part of the code."""

    name: str  # "accumulators"
    numbers: tuple[int, ...]  # of the registers
    start: int  # offset of the first instruction
    end: int  # behind the last


@dataclass(frozen=True)
class Code:
    """Position-independent machine code, its constant pool behind it, and the record a listing needs."""

    name: str
    arch: str
    target: Target
    data: bytes
    text_size: int  # bytes of instructions; the pool follows
    recorded: tuple[Recorded, ...] = field(compare=False)  # perhaps with repeated instructions; the bytes tell the same
    pool: tuple[PoolEntry, ...]
    labels: dict[str, int]
    notes: tuple[tuple[int, str], ...]
    features: frozenset[str]
    references: tuple[Reference, ...] = ()  # to the pool, where they are whole bytes
    roles: tuple[Role, ...] = field(default=(), compare=False)  # as kernels name them

    def __repr__(self) -> str:
        return f"<Code {self.name} for {self.target.name}: {len(self.record)} instructions, {len(self.data)} bytes>"

    @property
    def symbol(self) -> str:
        """The name as a C identifier."""
        return re.sub(r"\W|^(?=\d)|^$", "_", self.name, flags=re.ASCII)

    @cached_property
    def record(self) -> tuple[Recorded, ...]:
        """Every instruction."""
        return tuple(each_recorded(self.recorded))

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """The instructions in order, each with its bytes."""
        places = pairwise(accumulate((len(data) for _, _, data in self.record), initial=0))
        return tuple(
            Instruction(start, self.data[start:end], form, operands)
            for (form, operands, _), (start, end) in zip(self.record, places)
        )
