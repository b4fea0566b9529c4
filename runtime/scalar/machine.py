"""The contract of a scalar machine: the verbs on general registers and memory that emit call paths.

Guards, entries and dispatchers are written once over these verbs (guards_code, entry_code, dlpack_code and
dispatch_code of runtime/fastcall). The modules `x86` and `a64` supply the instructions. Operands are registers, ints
and Memory; an int may be a Symbol, an address that is filled in when the code is placed (cache/stubs.py).
Conditions are "==" and "!=", for signed numbers "<", "<=", ">" and ">=", for unsigned ones "u<" and "u>=". No verb
relies on the flags of another.

Registers by role. `arguments` hold a function's own arguments; `result` holds the value of a call.

    x, y, z      free; of an entry's arguments they overlap only nargsf and kwnames, which are read first
    values       the kernel's first parameters, while guards run
    constants    points to the constants of the kernel
    more         four more free registers, if they are given to `open`
    kept         five registers that calls preserve, if they are given to `open`
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...encoder.operands import Label
from ...encoder.records import NamedTuple
from ..cache.stubs import Symbol

if TYPE_CHECKING:
    from ...encoder.asm import Assembler

Register = Any


class ScalarMemory(NamedTuple):
    """Eight, four or one bytes at a register's address + offset; four and one are zero-extended."""

    base: Register
    offset: int = 0
    size: int = 8


Operand = Register | int | ScalarMemory


class Scalar(ABC):
    """The verbs of a scalar machine, which emit into its own assembler."""

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
        """Offsets in the code of addresses that are known only by name, and these names."""

    def noted(self, value: object, size: int) -> None:
        """Record that the last bytes hold the address of a symbol, if `value` is one."""
        if isinstance(value, Symbol):
            self.relocations.append((len(self.asm.buffer) - size, value.name))

    # Frames

    @abstractmethod
    def begin(self, name: str) -> Label:
        """Begin a function: return its label, and emit a landing pad."""

    @abstractmethod
    def open(self, slots: int, used: Sequence[Register] = (), calls: bool = True) -> None:
        """Open a frame of `slots` slots of 8 bytes, and save the callee-saved registers among `used`."""

    @abstractmethod
    def close(self) -> None:
        """Close the frame. The machine remembers it, because a function may return at several points."""

    @abstractmethod
    def ret(self) -> None:
        """Return to the caller."""

    def slot(self, number: int) -> ScalarMemory:
        """Return eight bytes of the frame. Calls read their stack arguments from the lowest slots."""
        return ScalarMemory(self.stack, 8 * number)

    def argument(self, number: int) -> Register | ScalarMemory:
        """Return where a called function expects an argument."""
        count = len(self.arguments)
        return self.arguments[number] if number < count else self.slot(number - count)

    @abstractmethod
    def given(self, number: int) -> Operand:
        """Return where this function finds its own argument, while its frame is open and no register has changed."""

    # Values

    @abstractmethod
    def move(self, dst: Register | ScalarMemory, src: Operand) -> None:
        """dst = src. Memory is written only from a register or a number of 31 bits."""

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
    def divide(self, by: Register) -> None:
        """x, z = x // by, x % by, unsigned; `by` is neither of them and not 0."""

    @abstractmethod
    def bits_and(self, dst: Register, src: Operand) -> None:
        """dst &= src."""

    @abstractmethod
    def bits_or(self, dst: Register, src: Operand) -> None:
        """dst |= src."""

    @abstractmethod
    def shift_right(self, dst: Register, bits: int) -> None:
        """dst >>= bits, logical."""

    @abstractmethod
    def negate(self, dst: Register) -> None:
        """dst = -dst."""

    @abstractmethod
    def address(
        self, dst: Register, base: Register, index: Register | None = None, scale: int = 1, offset: int = 0
    ) -> None:
        """dst = base + scale * index + offset; scale 1 or 8."""

    @abstractmethod
    def constant(self, dst: Register, data: bytes) -> None:
        """dst = the address of these bytes, which follow the code, aligned to 8."""

    @abstractmethod
    def element(self, dst: Register, base: Register, number: Register) -> None:
        """dst = the word at base + 8 * number - 8, the last of `number` words."""

    @abstractmethod
    def copy_words(self, target: Register, source: Register, count: Register, found: Sequence[Register]) -> None:
        """Copy `count` words, at least 1, and set `found` to their signed minimum, signed maximum and bitwise OR.

        All three are of the copied values, even if another thread writes to the source meanwhile. The other operands,
        x and the state of `differ` are lost.
        """

    @abstractmethod
    def multiply_checked(self, dst: Register, src: Operand, overflow: Label) -> None:
        """dst *= src, signed; jump to the label if the product does not fit."""

    @abstractmethod
    def add_checked(self, dst: Register, src: Register, overflow: Label) -> None:
        """dst += src, signed; jump to the label if the sum does not fit."""

    @abstractmethod
    def take_if(self, dst: Register, src: Register, condition: str) -> None:
        """dst = src if src <condition> dst, which gives a minimum or maximum."""

    @abstractmethod
    def increment(self, word: ScalarMemory) -> None:
        """Add 1 to a word in memory."""

    # Control

    @abstractmethod
    def branch(self, a: Register | ScalarMemory, condition: str, b: Operand, label: Label) -> None:
        """Branch if a <condition> b. At most one of them is in memory; a constant b has at most 31 bits."""

    @abstractmethod
    def branch_if_bits(self, a: Register | ScalarMemory, bits: int, present: bool, label: Label) -> None:
        """Branch if a & bits is nonzero, or with `present` False if it is zero."""

    @abstractmethod
    def differ(self, base: Register, offset: int, constant: int, first: bool) -> None:
        """Record whether two words in memory differ from two constants; `first` discards the earlier record."""

    @abstractmethod
    def branch_if_different(self, label: Label) -> None:
        """Branch if a difference was recorded."""

    @abstractmethod
    def jump(self, target: Label | int | Register) -> None:
        """Jump to a label, or tail-call a function at an address or in a register."""

    @abstractmethod
    def call(self, target: Label | int | Register | ScalarMemory) -> None:
        """Call the function at a label or an address."""

    @contextmanager
    def loop(self, counter: Register) -> Iterator[None]:
        """Loop until the counter, which must be at least 1, reaches 0."""
        with self.asm.loop(counter):
            yield
