"""The contract of a scalar machine: the few verbs that call paths are made of, on general registers and memory.

What checks a call and makes it is described once over these verbs (guards_code, entry_code, dispatch_code,
exchange_code); `scalar_x86` and `scalar_a64` supply the instructions. Operands are registers, ints and Memory; an int
may be a Symbol, an address that is filled in when the code is placed (cache/stubs.py).
Conditions are "==", "!=", and of signed numbers "<", "<=", ">", ">=", of unsigned ones "u<", "u>=". Verbs keep no
flags for one another.

Registers by role. `arguments` are where a function finds its own; `result` is where a call leaves its value.

    x, y, z      free: they overlap with no argument of an entry but nargsf and kwnames, which are read first
    values       of the kernel's first parameters, while guards run
    constants    points to the constants of the kernel that is called
    more         four more free ones, once `open` has been told of them
    kept         five that calls preserve, once `open` has been told of them
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ...encoder.operands import Label
from ..cache.stubs import Symbol

if TYPE_CHECKING:
    from ...encoder.asm import Assembler

Register = Any


class Memory(NamedTuple):
    """Bytes at a register's address + offset: eight, or four or one, which are read without their sign."""

    base: Register
    offset: int = 0
    size: int = 8


Operand = Register | int | Memory


class Scalar(ABC):
    """Emits into an assembler of its own."""

    asm: Any
    """The assembler; `label`, `bind`, `here` and `note` are the same for all."""
    arguments: Sequence[Register]
    result: Register
    stack: Register
    x: Register
    y: Register
    z: Register
    values: tuple[Register, Register, Register]
    constants: Register
    more: tuple[Register, ...]
    kept: tuple[Register, ...]

    def __init__(self, assembler: Assembler) -> None:
        self.asm = assembler
        self.relocations: list[tuple[int, str]] = []
        """Where the code holds an address that it knows by name only."""

    def noted(self, value: object, size: int) -> None:
        """Remember that the last bytes hold the address of a symbol, if that is what was moved."""
        if isinstance(value, Symbol):
            self.relocations.append((len(self.asm.buffer) - size, value.name))

    # Frames

    @abstractmethod
    def begin(self, name: str) -> Label:
        """Where a function is called: a label and a landing pad."""

    @abstractmethod
    def open(self, slots: int, used: Sequence[Register] = (), calls: bool = True) -> None:
        """A frame of so many slots of 8 bytes; those of `used` that belong to the caller are saved."""

    @abstractmethod
    def close(self) -> None:
        """Undo the last `open`, which stays known: a function may end in several places."""

    @abstractmethod
    def ret(self) -> None:
        """Return to the caller."""

    def slot(self, number: int) -> Memory:
        """Eight bytes of the frame. Those with low numbers are where calls expect what has no register."""
        return Memory(self.stack, 8 * number)

    def argument(self, number: int) -> Register | Memory:
        """Where a function that is called expects its argument."""
        count = len(self.arguments)
        return self.arguments[number] if number < count else self.slot(number - count)

    # Values

    @abstractmethod
    def move(self, dst: Register | Memory, src: Operand) -> None:
        """dst = src. Memory is only written from a register, or a number of 31 bits."""

    @abstractmethod
    def add(self, dst: Register, src: Operand) -> None:
        """dst += src."""

    @abstractmethod
    def subtract(self, dst: Register, src: Operand) -> None:
        """dst -= src."""

    @abstractmethod
    def multiply(self, dst: Register, src: Operand) -> None:
        """dst *= src."""

    @abstractmethod
    def bits_and(self, dst: Register, src: Operand) -> None:
        """dst &= src."""

    @abstractmethod
    def bits_or(self, dst: Register, src: Operand) -> None:
        """dst |= src."""

    @abstractmethod
    def shift_right(self, dst: Register, bits: int) -> None:
        """dst >>= bits, zeros coming in."""

    @abstractmethod
    def negate(self, dst: Register) -> None:
        """dst = -dst."""

    @abstractmethod
    def address(self, dst: Register, base: Register, index: Register | None = None, scale: int = 1,
                offset: int = 0) -> None:  # fmt: skip
        """dst = base + scale * index + offset; scale 1 or 8."""

    @abstractmethod
    def element(self, dst: Register, base: Register, number: Register) -> None:
        """dst = the word at base + 8 * number - 8: the last of so many."""

    @abstractmethod
    def copy_words(self, target: Register, source: Register, count: Register, found: Sequence[Register]) -> None:
        """Copy `count` words, at least 1; `found` := the least and the greatest, as signed numbers, and the bits that
        any of them has. That is of the copy, whatever another thread writes meanwhile. The other operands, x and what
        was noted are lost."""

    @abstractmethod
    def multiply_checked(self, dst: Register, src: Operand, overflow: Label) -> None:
        """dst *= src, signed; a product that does not fit goes to the label."""

    @abstractmethod
    def add_checked(self, dst: Register, src: Register, overflow: Label) -> None:
        """dst += src, signed; a sum that does not fit goes to the label."""

    @abstractmethod
    def take_if(self, dst: Register, src: Register, condition: str) -> None:
        """dst = src if src <condition> dst: the lesser, the greater."""

    @abstractmethod
    def increment(self, place: Memory) -> None:
        """One more in memory."""

    # Control

    @abstractmethod
    def branch(self, a: Register | Memory, condition: str, b: Operand, label: Label) -> None:
        """Go to the label if a <condition> b. At most one of them lies in memory; b is a number of 31 bits at most."""

    @abstractmethod
    def branch_if_bits(self, a: Register | Memory, bits: int, present: bool, label: Label) -> None:
        """Go to the label if a & bits is not 0, or with `present` False if it is."""

    @abstractmethod
    def differ(self, base: Register, offset: int, constant: int, first: bool) -> None:
        """Note whether two words in memory differ from two constants; `first` forgets what was noted before."""

    @abstractmethod
    def branch_if_different(self, label: Label) -> None:
        """Go to the label if a difference was noted."""

    @abstractmethod
    def jump(self, target: Label | int | Register) -> None:
        """Go to a label, or on in another function: at an address, or one in a register."""

    @abstractmethod
    def call(self, target: int | Register | Memory) -> None:
        """Call the function at an address."""

    @contextmanager
    def loop(self, counter: Register) -> Iterator[None]:
        """Count down to 0 from what is at least 1."""
        with self.asm.loop(counter):
            yield
