"""An assembler of one function on virtual registers: what it recorded gets registers at the end.

Instructions are methods, as in every assembler, and their operands are checked when they are called. A virtual register
is created by the methods of the architecture's class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ..code import Code, Role
from ..errors import EncodeError, shown
from ..operands import Unique
from .control import Structured
from .program import (
    GENERAL,
    NAMES,
    VECTOR,
    Act,
    BoundLabel,
    Move,
    RecordedStep,
    Reload,
    Spill,
    Variable,
    Written,
    caller,
)
from .scan import Scan, slots
from .spilling import spilled

_FRAME = 1 << 14
"""The most bytes of values in a frame, which all instructions that address it reach."""


class Allocating(Structured):
    """The part that both architectures share."""

    stack_pointer: ClassVar[str]
    _frame: tuple[Sequence[tuple[int, int]], int]

    # What an architecture adds

    def _move(self, value: Variable, to: int, source: int) -> None:
        """Copy a register; `value` says of which bank and how much of it."""
        raise NotImplementedError

    def _load(self, value: Variable, to: int, place: int) -> None:
        """Load a register from a place above the stack pointer."""
        raise NotImplementedError

    def _load_argument(self, value: Variable, to: int, place: int) -> None:
        """Load a register from an argument of 64 bits."""
        raise NotImplementedError

    def _store(self, value: Variable, source: int, place: int) -> None:
        """Store a register at a place above the stack pointer."""
        raise NotImplementedError

    def _accessed(self, step: Written, value: Variable) -> bool:
        """Whether an instruction can access a value in the frame in place of a register."""
        return False

    def _framed(self, operand: object, places: Mapping[Variable, int]) -> Unique | None:
        """Return the memory operand for a value that an instruction accesses in the frame; None for other operands."""
        return None

    def _enter(self, kept: Sequence[tuple[int, int]], frame: int) -> int:
        """Save registers and claim the frame; return the distance from the stack pointer to the caller's arguments."""
        raise NotImplementedError

    def _leave(self, kept: Sequence[tuple[int, int]], frame: int) -> None:
        """Undo `_enter`, and return."""
        raise NotImplementedError

    # Calls and returns

    def ret(self, *result: object) -> None:
        """Return to the caller, with the virtual register of the result if the function returns a number."""
        if len(result) != bool(self.result_type):
            takes = f"one {self.result_type}, in a virtual register" if self.result_type else "nothing"
            raise EncodeError(f"ret: {self.title} returns {takes}")
        where, reads = caller(), []
        values = [self._value(each, (int(self.result_type[0] == "f"),)) for each in result]
        self._flush()
        for value in values:
            reads.append(self._returning(value.bank))
            self._steps.append(Move(where, reads[0], value))
        self._steps.append(Act(where, lambda: self._leave(*self._frame), reads, False))

    def _value(self, register: object, banks: Sequence[int]) -> Variable:
        """Return the value of a virtual register. EncodeError unless it is one of this function and of these banks."""
        values = [*self.numbers(register)] if isinstance(register, self.table.operand) else []
        if len(values) != 1 or values[0] not in self._values or values[0].bank not in banks:
            wanted = " or ".join(NAMES[bank] for bank in banks)
            raise EncodeError(
                f"{shown(register)}: is not a virtual {wanted} register of this function; move the value of a register "
                "of the processor, or a number, into one first"
            )
        return values[0]

    def _returning(self, bank: int) -> Variable:
        """Return the register of the processor in which functions return numbers of a bank."""
        return self._of_processor(bank, self.convention.arguments[1][0] if bank else self.convention.result)

    def call(self, function: object, *arguments: object, result: object = None) -> None:
        """Call a function of C, at the address in a virtual general register or at an address. Arguments are virtual
        registers: general ones for integers and pointers, vectors for f32 and f64. `result` is the one that gets what
        the function returns."""
        where = caller()
        given = [self._value(register, (GENERAL, VECTOR)) for register in arguments]
        found = None if result is None else self._value(result, (GENERAL, VECTOR))
        places = [iter(those) for those in self.convention.arguments]
        passed = [(value, next(places[value.bank], None)) for value in given]
        if any(number is None for _, number in passed):
            raise EncodeError(f"call: {len(given)} arguments are more than registers pass")
        if type(function) is not int:
            self._value(function, (GENERAL,))
        self._flush()
        step = self._calling(where, self._address(function))
        moves = [
            Move(where, self._of_processor(value.bank, number), value) for value, number in passed if number is not None
        ]
        step.reads = (*step.reads, *(move.to for move in moves))
        step.spoils = self.convention.spoiled
        self._steps += [*moves, step]
        if found is not None:
            step.writes = (self._returning(found.bank),)
            self._steps.append(Move(where, found, step.writes[0]))
        self._calls = True

    def _address(self, function: object) -> Unique:
        """Return a virtual register with the address of a function."""
        raise NotImplementedError

    def _calling(self, where: str, function: Unique) -> Written:
        """Return the instruction that calls a function at the address in a virtual register."""
        raise NotImplementedError

    # Finishing

    def finish(self, name: str = "") -> Code:
        """Give registers to the virtual ones, append the instructions and what keeps the caller's registers, and return
        the code. EncodeError names the line where more registers are needed than there are, or where one is read that
        nothing wrote."""
        self._flush()
        steps, numbers, places, used = self._allocated()
        if used > _FRAME:
            raise EncodeError(
                f"{self.title}: the frame needs {used} bytes, and instructions reach {_FRAME}; pass the address of "
                "more memory as an argument"
            )
        taken = {(value.bank, number) for value, number in numbers.items() if value.fixed is None}
        taken |= {(bank, number) for bank, those in enumerate(self._reserved) for number in those}
        preserved = self.convention.preserved
        kept = sorted(each for each in taken if each[1] in preserved[each[0]])
        self._frame = kept, used
        self._placing = True
        arguments = self._enter(kept, used)
        spans: dict[Variable, tuple[int, int]] = {}
        for step in steps:
            start = len(self.buffer)
            try:
                self._place(step, numbers, arguments)
            except EncodeError as error:
                raise EncodeError(f"{step.where}: {error}") from None
            for value in (*step.reads, *step.keeps, *step.writes):
                spans[value.origin] = spans.get(value.origin, (start, 0))[0], len(self.buffer)
        self.roles += [
            Role(value.name, (self._home(value, numbers, places),), *span)
            for value, span in spans.items()
            if value.fixed is None
        ]
        return super().finish(name or self.title)

    def _home(self, value: Variable, numbers: Mapping[Variable, int], places: Mapping[Variable, int]) -> int | str:
        """Return where a value is: the number of a vector register, the name of another one, or a place in the
        frame."""
        if value in places:
            return f"[{self.stack_pointer} + {places[value]}]"
        number = numbers[value]
        return number if value.bank == VECTOR else str(self.carried(self._operand(value), {value: number}))

    def _allocated(self) -> tuple[list[RecordedStep], dict[Variable, int], dict[Variable, int], int]:
        """Return the program with values in the frame where they must be, the numbers of the registers, the places in
        the frame, and its bytes."""
        read = {value for step in self._steps[self._entry :] for value in (*step.reads, *step.keeps)}
        led = {step.target for step in self._steps}
        steps = [
            step
            for at, step in enumerate(self._steps)
            if (at >= self._entry or not read.isdisjoint(step.writes))
            and not (isinstance(step, BoundLabel) and not step.given and step.label not in led)
        ]
        orders = [[each for each in order if each not in taken] for order, taken in zip(self.orders, self._reserved)]
        used, everywhere = self._locals, dict[Variable, int]()
        while True:
            numbers, left = Scan(steps, orders).allocation()
            if not left:
                return steps, numbers, everywhere, used
            places = slots(left, used)
            used = max(place + value.width for value, place in places.items())
            steps = spilled(steps, places, self._accessed)
            everywhere.update(places)

    def _place(self, step: RecordedStep, numbers: Mapping[Variable, int], arguments: int) -> None:
        """Append the instructions of a step."""
        if isinstance(step, Written):
            held = _Standing(step.stands, numbers)
            real = [self._framed(operand, step.framed) or self.carried(operand, held) for operand in step.operands]
            step.emit(*real)
        elif isinstance(step, Move):
            if numbers[step.to] != numbers[step.source]:
                self._move(_wider(step.to, step.source), numbers[step.to], numbers[step.source])
        elif isinstance(step, Reload) and step.argument:
            self._load_argument(step.value, numbers[step.value], step.slot + arguments)
        elif isinstance(step, Reload):
            self._load(step.value, numbers[step.value], step.slot)
        elif isinstance(step, Spill):
            self._store(step.value, numbers[step.value], step.slot)
        elif isinstance(step, BoundLabel):
            super().bind(step.label)
        elif isinstance(step, Act):
            step.act()


class _Standing(dict[Variable, int]):
    """The numbers of the registers that stand for the values of one instruction."""

    def __init__(self, stands: Mapping[Variable, Variable], numbers: Mapping[Variable, int]) -> None:
        super().__init__()
        self._stands, self._numbers = stands, numbers

    def __missing__(self, value: Variable) -> int:
        return self._numbers[self._stands.get(value, value)]


def _wider(first: Variable, second: Variable) -> Variable:
    """Return the value of which a move between two keeps more: one of unknown length, or the wider one."""
    return min(first, second, key=lambda value: -value.width if value.width else -1 << 20)
