"""Where the caller's registers are, before an instruction of emitted code: what an unwinder has to be told.

A frame is what is known of the registers (numbers, and distances to the caller's frame), where the caller's registers
have been saved, and which of them hold something else by now. Instructions change it by their effects, which
`x86.frames` and `a64.frames` tell. Registers go by their numbers in DWARF, places by their distance to the canonical
frame address (CFA): what the stack pointer was before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .code import Instruction
from .records import NamedTuple


class Untraceable(Exception):
    """Why the frames of some code are not known; the message is for a listing."""


class Value(NamedTuple):
    """A number, or (framed) the CFA plus that number."""

    framed: bool
    amount: int


def _sum(first: Value | None, second: Value | None, scale: int) -> Value | None:
    """first + second * scale, in 64 bits, if it is known and is a number or an address of the frame."""
    if first is None or second is None or second.framed and (first.framed or scale != 1):
        return None
    total = first.amount + second.amount * scale
    return Value(first.framed or second.framed, (total + (1 << 63)) % (1 << 64) - (1 << 63))


class Frame:
    """What is known before an instruction; an effect changes a copy."""

    __slots__ = ("values", "saved", "changed", "signed")

    def __init__(self, values: dict[int, Value], saved: dict[int, int], changed: Iterable[int] = ()) -> None:
        self.values = values  # of registers
        self.saved = saved  # register: where, from the CFA
        self.changed = set(changed)  # registers of the caller that hold something else
        self.signed = False  # the return address carries an authentication code

    def copy(self) -> Frame:
        """Another one that is equal."""
        made = Frame(dict(self.values), dict(self.saved), self.changed)
        made.signed = self.signed
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def meet(self, other: Frame) -> Frame:
        """What holds whichever of two ways led here."""
        if self.signed != other.signed:
            raise Untraceable("the return address is signed on one way here, and not on another")
        values = {each: value for each, value in self.values.items() if other.values.get(each) == value}
        saved = {each: place for each, place in self.saved.items() if other.saved.get(each) == place}
        met = Frame(values, saved, self.changed | other.changed)
        met.signed = self.signed
        return met

    def write(self, register: int, value: Value | None, convention: Convention) -> None:
        """The register holds something else now."""
        self.values.pop(register, None)
        if value is not None:
            self.values[register] = value
        if register in convention.kept:
            self.changed.add(register)
        if register == convention.stack and value is not None and value.framed:
            lowest = value.amount - convention.red_zone  # what is below may be overwritten by a signal at any time
            self.saved = {each: place for each, place in self.saved.items() if place >= lowest}

    def place(self, base: int, offset: int) -> int | None:
        """The distance of base + offset to the CFA."""
        value = self.values.get(base)
        return value.amount + offset if value is not None and value.framed else None


class Sets(NamedTuple):
    """register = base + other * scale + amount; without a base 0."""

    register: int
    base: int | None = None
    amount: int = 0
    other: int | None = None
    scale: int = 1

    def on(self, frame: Frame, convention: Convention) -> None:
        """Known if both are."""
        value = Value(False, 0) if self.base is None else frame.values.get(self.base)
        if self.other is not None:
            value = _sum(value, frame.values.get(self.other), self.scale)
        frame.write(self.register, _sum(value, Value(False, self.amount), 1), convention)


class Inserts(NamedTuple):
    """16 bits of a register from `shift` on."""

    register: int
    part: int
    shift: int

    def on(self, frame: Frame, convention: Convention) -> None:
        """The number is known if it was."""
        before = frame.values.get(self.register)
        value = None
        if before is not None and not before.framed:
            number = before.amount & ~(0xFFFF << self.shift) | self.part << self.shift
            value = _sum(Value(False, 0), Value(False, number), 1)
        frame.write(self.register, value, convention)


class Writes(NamedTuple):
    """A register gets a value that the walk does not know."""

    register: int

    def on(self, frame: Frame, convention: Convention) -> None:
        """Whatever was known is over."""
        frame.write(self.register, None, convention)


class Stores(NamedTuple):
    """Bytes from base + offset on; if they are a whole register, its number."""

    base: int
    offset: int
    size: int
    register: int | None = None

    def on(self, frame: Frame, convention: Convention) -> None:
        """A register of the caller is saved; what was saved in these bytes is there no more."""
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
    """A whole register from base + offset."""

    register: int
    base: int
    offset: int

    def on(self, frame: Frame, convention: Convention) -> None:
        """From where it was saved, the register is the caller's again."""
        place = frame.place(self.base, self.offset)
        restored = place is not None and frame.saved.get(self.register) == place
        frame.write(self.register, None, convention)
        if restored:
            frame.changed.discard(self.register)
            del frame.saved[self.register]


class Calls(NamedTuple):
    """A function has been called: what it need not hand back is not known."""

    def on(self, frame: Frame, convention: Convention) -> None:
        """The stack pointer comes back as it was."""
        for register in set(frame.values) - convention.kept - {convention.stack}:
            frame.write(register, None, convention)


class Signs(NamedTuple):
    """The return address gets an authentication code, or loses it."""

    def on(self, frame: Frame, convention: Convention) -> None:
        """One becomes the other."""
        frame.signed = not frame.signed


Effect = Sets | Inserts | Writes | Stores | Loads | Calls | Signs


class Step(NamedTuple):
    """Where control goes from an instruction; offsets of code."""

    falls: bool = True  # to the next instruction
    target: int | None = None  # by a direct branch
    called: int | None = None  # by a direct call
    taken: int | None = None  # the address of code becomes a value
    leaves: bool = False  # out of the function: a return, a jump to an address


class Convention(NamedTuple):
    """How functions of an architecture begin and end, and what its instructions do."""

    stack: int  # the stack pointer
    pointer: int  # the frame pointer: what the CFA is told by where the stack pointer does not tell it
    link: int  # the column of the return address
    kept: frozenset[int]  # registers that a function hands back as they were
    unit: int  # bytes of a saved register
    red_zone: int  # bytes below the stack pointer that signals leave alone
    start: Callable[[], Frame]
    effects: Callable[[Any, tuple[Any, ...]], tuple[Effect, ...]]  # of a form and its operands
    step: Callable[[Instruction], Step]
    lands: Callable[[Instruction, bool], bool]  # whether checked indirect branches, or (True) calls, may lead there
    guarded: Callable[[Sequence[Instruction], Sequence[Frame | None]], bool]  # whether return addresses are


def cfa(frame: Frame, convention: Convention, here: str = "") -> tuple[int, int]:
    """A register, and the number that makes it the CFA: the stack pointer, else the frame pointer, else any."""
    order = [convention.stack, convention.pointer, *sorted(frame.values)]
    for register in order:
        value = frame.values.get(register)
        if value is not None and value.framed and value.amount <= 0:
            return register, -value.amount
    raise Untraceable(f"{here} no register is known to point into the frame")
