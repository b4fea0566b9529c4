"""Rows of the instruction table, what their forms offer whatever the architecture, and what emitters ask of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from .operands import Unique
from .records import NamedTuple

Names = Callable[[Any], str]
"""The text of an operand that is not memory; a listing renames labels with it."""


UNCLASSED = "other"
"""The class of rows that stand below no section line."""


class Row(NamedTuple):
    """One line of a table, split into its columns."""

    mnemonic: str
    operands: str
    encodings: str
    features: str
    effects: str = ""  # what the instruction reads and writes besides its operands
    class_: str = ""  # move, arithmetic, fma, shuffle...: what counts of instructions tell apart
    key: str = ""  # what an emulator executes the instruction by
    streaming: bool = True  # False: illegal in streaming mode, whatever its operands are


class Form(Protocol):
    """One way to write an instruction: what each operand must be, and the closure that makes its bytes."""

    mnemonic: str
    features: frozenset[str]

    @property
    def encode(self) -> Callable[[tuple[Any, ...]], bytes]:
        """The function from operands to bytes."""

    siblings: list[Any]  # every form of the mnemonic, in order of preference

    def relocates(self, operands: tuple[Any, ...]) -> bool:
        """Whether the bytes depend on where a label is; the same for operands of equal kinds."""

    def relocate(self, asm: Any, operands: tuple[Any, ...]) -> bytes:
        """The bytes for appending at the assembler's position, with the fixups registered there."""

    def accepts(self, operands: tuple[Any, ...]) -> bool:
        """Whether every operand fits."""

    def sizes(self) -> tuple[int, ...]:
        """Bits of memory that each operand position touches, 0 for others."""

    def syntax(self) -> str:
        """The form as the manual writes it."""

    def problems(self, operands: tuple[Any, ...]) -> Iterator[str]:
        """Why the operands do not fit: every one that does not, by name."""

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        """The instruction in Intel or Arm syntax."""

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""


class Forms(Protocol):
    """The table, as emitters see it."""

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
