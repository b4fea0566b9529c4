"""Rows of the instruction table, the interface of their forms on any architecture, and the table interface for
emitters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from .operands import Unique
from .records import NamedTuple

Names = Callable[[Any], str]
"""Returns the text of an operand that is not memory. A listing renames labels with it."""


UNCLASSED = "other"
"""The class of rows that are below no section line."""


class Row(NamedTuple):
    """One line of a table, split into its columns."""

    mnemonic: str
    operands: str
    encodings: str
    features: str
    effects: str = ""  # what the instruction reads and writes besides its operands
    class_: str = ""  # move, arithmetic, fma, shuffle...: the categories of instruction counts
    key: str = ""  # the key by which an emulator executes the instruction
    streaming: bool = True  # False: illegal in streaming mode with any operands


class Form(Protocol):
    """One way to write an instruction: the requirements of each operand, and the function that encodes it."""

    mnemonic: str
    features: frozenset[str]
    row: Row
    access: str  # the role of each operand: r, w or x

    @property
    def encode(self) -> Callable[[tuple[Any, ...]], bytes]:
        """The function from operands to bytes."""

    siblings: list[Any]  # every form of the mnemonic, in order of preference

    def relocates(self, operands: tuple[Any, ...]) -> bool:
        """Whether the bytes depend on the place of a label. The answer is the same for operands of equal kinds."""

    def relocate(self, asm: Any, operands: tuple[Any, ...]) -> bytes:
        """Return the bytes for the assembler's position, and register their fixups there."""

    def accepts(self, operands: tuple[Any, ...]) -> bool:
        """Whether every operand fits."""

    def sizes(self) -> tuple[int, ...]:
        """Bits of memory that each operand position accesses; 0 for others."""

    def syntax(self) -> str:
        """The form in the manual's notation."""

    def problems(self, operands: tuple[Any, ...]) -> Iterator[str]:
        """Why the operands do not fit: one problem, with a name, for each operand that does not."""

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        """The instruction in Intel or Arm syntax."""

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""


class Forms(Protocol):
    """The table, as emitters use it."""

    operand: type[Unique]

    @property
    def takes_numbers(self) -> Callable[[Any], bool]:
        """Whether an operand of a row may be a number."""

    def rows(self, mnemonic: str) -> list[Any]:
        """The rows of a mnemonic, in order of preference."""

    def match(self, mnemonic: str, operands: tuple[Any, ...], target: frozenset[str] | None = None) -> Form:
        """The first form that takes the operands."""

    def matching(self, mnemonic: str, operands: tuple[Any, ...]) -> list[Form]:
        """Every form that takes the operands, at least one."""
