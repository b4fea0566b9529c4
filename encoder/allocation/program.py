"""The recorded program of a function: values that need registers, and steps that read and write them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable
from types import FrameType

from ..form import Form
from ..operands import Label

GENERAL, VECTOR, MASK = 0, 1, 2
"""The banks: registers of one bank are alternatives to each other."""
NAMES = ("general", "vector", "mask")
"""The names of the banks."""
_PACKAGE = __name__.split("encoder.")[0]


def caller() -> str:
    """Return the line of the program that called the package: `dot.py:12`."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}"


def _is_inside(frame: FrameType) -> bool:
    """Whether a frame is one of the package, or between one and the scope that it provides."""
    name = frame.f_globals.get("__name__")
    return f"{name}.".startswith(_PACKAGE) or name == contextlib.__name__


class Variable:
    """The contents of a virtual register, which one register of the processor holds wherever they are needed.

    bank        GENERAL, VECTOR or MASK
    width       the bytes that a move must keep; 0 if no move to memory does, as for vectors of unknown length
    allowed     the numbers of the registers that its instructions take
    fixed       the number of a register of the processor that this value is, not an alternative: of the convention
    short       whether it lives around one instruction only, and so is never moved to memory
    origin      the value that it stands for there, or this one
    """

    __slots__ = ("name", "bank", "width", "allowed", "fixed", "short", "origin")

    def __init__(self, name: str, bank: int, width: int, allowed: frozenset[int]) -> None:
        self.name, self.bank, self.width, self.allowed = name, bank, width, allowed
        self.fixed: int | None = None
        self.short, self.origin = False, self

    def __repr__(self) -> str:
        return self.name

    def brief(self, allowed: frozenset[int] | None = None) -> Variable:
        """Return a value for one instruction, which stands for this one."""
        made = Variable(self.name, self.bank, self.width, self.allowed if allowed is None else allowed)
        made.short, made.origin = True, self.origin
        return made


class RecordedStep:
    """One step of a program, without effects of its own. `where` is the line that asked for it.

    reads       values that it needs
    keeps       values of which it replaces a part, so that the rest must be there
    writes      values that it sets, or sets a part of
    spoils      numbers of registers, by bank, that hold nothing known afterwards
    apart       whether what it reads must not share a register with what it writes
    target      the label that it may jump to
    falls       whether the next step may follow
    """

    __slots__ = ("where",)
    reads: Iterable[Variable] = ()
    keeps: Iterable[Variable] = ()
    writes: Iterable[Variable] = ()
    spoils: tuple[frozenset[int], ...] = ()
    apart = False
    target: Label | None = None
    falls = True

    def __init__(self, where: str) -> None:
        self.where = where

    def replaced(self, names: dict[Variable, Variable]) -> RecordedStep:
        """Return the step on other values."""
        return self


class Act(RecordedStep):
    """Something that the assembler does at this place, such as aligning the code, or returning with these values."""

    __slots__ = ("act", "reads", "falls")

    def __init__(self, where: str, act: Callable[[], None], reads: Iterable[Variable] = (), falls: bool = True) -> None:
        super().__init__(where)
        self.act, self.reads, self.falls = act, reads, falls


class BoundLabel(RecordedStep):
    """A label is here. `given` says that the program made it, so that others may lead to it."""

    __slots__ = ("label", "given")

    def __init__(self, where: str, label: Label, given: bool) -> None:
        super().__init__(where)
        self.label, self.given = label, given


class Move(RecordedStep):
    """One value becomes another. Nothing is left to do if both have the same register."""

    __slots__ = ("to", "source")

    def __init__(self, where: str, to: Variable, source: Variable) -> None:
        super().__init__(where)
        self.to, self.source = to, source

    @property
    def reads(self) -> Iterable[Variable]:  # type: ignore[override]
        """The source."""
        return (self.source,)

    @property
    def writes(self) -> Iterable[Variable]:  # type: ignore[override]
        """The value that is set."""
        return (self.to,)

    def replaced(self, names: dict[Variable, Variable]) -> Move:
        """Return the move of other values."""
        return Move(self.where, names.get(self.to, self.to), names.get(self.source, self.source))


class Reload(RecordedStep):
    """A value comes from a place of the frame: its own slot, or where the caller put an argument."""

    __slots__ = ("value", "slot", "argument", "writes")

    def __init__(self, where: str, value: Variable, slot: int, argument: bool = False) -> None:
        super().__init__(where)
        self.value, self.slot, self.argument = value, slot, argument
        self.writes = (value,)

    def replaced(self, names: dict[Variable, Variable]) -> Reload:
        """Return the load of another value."""
        return Reload(self.where, names.get(self.value, self.value), self.slot, self.argument)


class Spill(RecordedStep):
    """A value goes to its slot in the frame."""

    __slots__ = ("value", "slot", "reads")

    def __init__(self, where: str, value: Variable, slot: int) -> None:
        super().__init__(where)
        self.value, self.slot = value, slot
        self.reads = (value,)


class Written(RecordedStep):
    """An instruction, with operands of which some name virtual registers.

    emit        appends it, given the operands
    form        the form that takes its operands, whatever the registers
    stands      values of one instruction only, in place of those that the operands name
    framed      values that the instruction accesses in the frame, at these places
    """

    __slots__ = (
        *("emit", "form", "operands", "reads", "keeps", "writes", "spoils", "apart", "target", "falls"),
        *("stands", "framed"),
    )

    def __init__(self, where: str, emit: Callable[..., None], form: Form, operands: tuple[object, ...]) -> None:
        super().__init__(where)
        self.emit, self.form, self.operands = emit, form, operands
        self.stands: dict[Variable, Variable] = {}
        self.framed: dict[Variable, int] = {}
        self.reads, self.keeps, self.writes, self.spoils = (), (), (), ()
        self.apart, self.falls = False, True
        self.target: Label | None = None

    def replaced(self, names: dict[Variable, Variable]) -> Written:
        """Return the instruction on other values."""
        made = Written(self.where, self.emit, self.form, self.operands)
        made.target, made.falls, made.spoils, made.apart = self.target, self.falls, self.spoils, self.apart
        made.framed = dict(self.framed)
        made.stands = {**names, **{value: names.get(now, now) for value, now in self.stands.items()}}
        made.reads, made.keeps, made.writes = (
            tuple(names.get(value, value) for value in those) for those in (self.reads, self.keeps, self.writes)
        )
        return made

    def accessing(self, value: Variable, place: int) -> Written:
        """Return the instruction with a value in the frame, which it accesses there."""
        made = self.replaced({})
        made.framed[value] = place
        made.reads, made.keeps, made.writes = (
            tuple(each for each in those if each is not value) for those in (self.reads, self.keeps, self.writes)
        )
        return made

    @property
    def text(self) -> str:
        """The instruction as it was written."""
        return f"{self.form.mnemonic} {', '.join(map(str, self.operands))}".strip()
