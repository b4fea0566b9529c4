"""Where the caller's registers are, before each instruction of emitted code: the information that an unwinder needs.

A frame holds what is known of the registers (numbers, and distances to the caller's frame), where the caller's
registers are saved, and which of them no longer hold the caller's values. Instructions change it by their effects,
which `x86.frames` and `a64.frames` define. Registers are identified by their DWARF numbers, and places by their
distance to the canonical frame address (CFA), which is the value of the stack pointer before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .code import Instruction
from .records import NamedTuple


class Untraceable(Exception):
    """The frames of some code are unknown. The message gives the reason, for a listing."""


class Value(NamedTuple):
    """A number or, if framed, the CFA plus that number."""

    framed: bool
    amount: int


def _sum(first: Value | None, second: Value | None, scale: int) -> Value | None:
    """first + second * scale, in 64 bits; None unless it is known and is a number or an address of the frame."""
    if first is None or second is None or second.framed and (first.framed or scale != 1):
        return None
    total = first.amount + second.amount * scale
    return Value(first.framed or second.framed, (total + (1 << 63)) % (1 << 64) - (1 << 63))


class Frame:
    """What is known before an instruction. An effect changes a copy."""

    __slots__ = ("values", "saved", "changed", "signed")

    def __init__(self, values: dict[int, Value], saved: dict[int, int], changed: Iterable[int] = ()) -> None:
        self.values = values  # of registers
        self.saved = saved  # register -> the place where it is saved, as a distance to the CFA
        self.changed = set(changed)  # caller's registers that have been changed
        self.signed = False  # whether the return address has an authentication code

    def copy(self) -> Frame:
        """Return an equal frame."""
        made = Frame(dict(self.values), dict(self.saved), self.changed)
        made.signed = self.signed
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def meet(self, other: Frame) -> Frame:
        """Return what holds on both of two paths that meet here.
        65_"""
        if self.signed != other.signed:
            raise Untraceable("the return address is signed on one way here, and not on another")
        values = {each: value for each, value in self.values.items() if other.values.get(each) == value}
        saved = {each: place for each, place in self.saved.items() if other.saved.get(each) == place}
        met = Frame(values, saved, self.changed | other.changed)
        met.signed = self.signed
        return met

    def write(self, register: int, value: Value | None, convention: FrameConvention) -> None:
        """Record that the register holds another value now, or an unknown one if None."""
        self.values.pop(register, None)
        if value is not None:
            self.values[register] = value
        if register in convention.kept:
            self.changed.add(register)
        if register == convention.stack and value is not None and value.framed:
            lowest = value.amount - convention.red_zone  # a signal may overwrite anything below at any time
            self.saved = {each: place for each, place in self.saved.items() if place >= lowest}

    def place(self, base: int, offset: int) -> int | None:
        """The distance of base + offset to the CFA, or None."""
        value = self.values.get(base)
        return value.amount + offset if value is not None and value.framed else None


class Assigned(NamedTuple):
    """register = base + other * scale + amount. Without a base, it counts as 0."""

    register: int
    base: int | None = None
    amount: int = 0
    other: int | None = None
    scale: int = 1

    def on(self, frame: Frame, convention: FrameConvention) -> None:
        """Set the register to the sum, which is known if both values are."""
        value = Value(False, 0) if self.base is None else frame.values.get(self.base)
        if self.other is not None:
            value = _sum(value, frame.values.get(self.other), self.scale)
        frame.write(self.register, _sum(value, Value(False, self.amount), 1), convention)


class Inserts(NamedTuple):
    """Replaces 16 bits of a register, from bit `shift` on."""

    register: int
    part: int
    shift: int

    def on(self, frame: Frame, convention: FrameConvention) -> None:
        """Update the number, if it was known."""
        before = frame.values.get(self.register)
        value = None
        if before is not None and not before.framed:
            number = before.amount & ~(0xFFFF << self.shift) | self.part << self.shift
            value = _sum(Value(False, 0), Value(False, number), 1)
        frame.write(self.register, value, convention)


class Writes(NamedTuple):
    """A register gets a value that the walk does not know."""

    register: int

    def on(self, frame: Frame, convention: FrameConvention) -> None:
        """Forget the register's value."""
        frame.write(self.register, None, convention)


class Stores(NamedTuple):
    """Stores bytes from base + offset on. If they are a whole register, `register` is its number."""

    base: int
    offset: int
    size: int
    register: int | None = None

    def on(self, frame: Frame, convention: FrameConvention) -> None:
        """Record a saved register of the caller, and forget saved registers that the bytes overwrite."""
        place = frame.place(self.base, self.offset)
        if place is None:
            return
        mine = self.register if self.register in convention.kept - frame.changed else None
        for register, known in list(frame.saved.items()):
            touched = known < place + self.size and place < known + convention.unit
            if touched and (register != mine or known != place):
                del frame.saved[register]
        stack = frame.values.get(convention.stack)
        safe = stack is None or not stack.framed or place >= stack.amount - convention.red_zone
        if mine is not None and mine not in frame.saved and safe and place < 0 and place % convention.unit == 0:
            frame.saved[mine] = place


class Loads(NamedTuple):
    """Loads a whole register from base + offset."""

    register: int
    base: int
    offset: int

    def on(self, frame: Frame, convention: FrameConvention) -> None:
        """Restore a caller's register, if this is the place where it was saved."""
        place = frame.place(self.base, self.offset)
        restored = place is not None and frame.saved.get(self.register) == place
        frame.write(self.register, None, convention)
        if restored:
            frame.changed.discard(self.register)
            del frame.saved[self.register]


class Calls(NamedTuple):
    """Calls a function. Registers that the function need not preserve become unknown."""

    def on(self, frame: Frame, convention: FrameConvention) -> None:
        """Forget all registers that are not preserved. The stack pointer is unchanged."""
        for register in set(frame.values) - convention.kept - {convention.stack}:
            frame.write(register, None, convention)


class Signs(NamedTuple):
    """Adds or removes the authentication code of the return address."""

    def on(self, frame: Frame, convention: FrameConvention) -> None:
        """Toggle the state."""
        frame.signed = not frame.signed


Effect = Assigned | Inserts | Writes | Stores | Loads | Calls | Signs


class ControlFlow(NamedTuple):
    """Where control goes from an instruction, as offsets in the code."""

    falls: bool = True  # whether it goes on to the next instruction
    target: int | None = None  # target of a direct branch
    called: int | None = None  # target of a direct call
    taken: int | None = None  # an address in the code that becomes a value
    leaves: bool = False  # whether it leaves the function: a return, or a jump to an address


class FrameConvention(NamedTuple):
    """How an architecture's functions begin and end, and what its instructions do."""

    stack: int  # the stack pointer
    pointer: int  # the frame pointer, which defines the CFA where the stack pointer does not
    link: int  # the DWARF column of the return address
    kept: frozenset[int]  # registers that a function preserves
    unit: int  # bytes of a saved register
    red_zone: int  # bytes below the stack pointer that signals preserve
    start: Callable[[], Frame]
    effects: Callable[[Any, tuple[Any, ...]], tuple[Effect, ...]]  # takes a form and its operands
    step: Callable[[Instruction], ControlFlow]
    lands: Callable[[Instruction, bool], bool]  # whether checked indirect branches, or (True) calls, may lead there
    guarded: Callable[[Sequence[Instruction], Sequence[Frame | None]], bool]  # whether return addresses are protected


def cfa(frame: Frame, convention: FrameConvention, here: str = "") -> tuple[int, int]:
    """Return a register and the number that added to it gives the CFA: the stack pointer, else the frame pointer, else
    any."""
    order = [convention.stack, convention.pointer, *sorted(frame.values)]
    for register in order:
        value = frame.values.get(register)
        if value is not None and value.framed and value.amount <= 0:
            return register, -value.amount
    raise Untraceable(f"{here} no register is known to point into the frame")
