"""An assembler of one function on virtual registers: what it recorded gets registers at the end.

Instructions are methods, as in every assembler, and their operands are checked when they are called. A virtual register
is created by the methods of the architecture's class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..code import Code
from ..errors import EncodeError, shown
from .control import Structured
from .program import NAMES, Act, Bound, Instruction, Load, Move, Step, Store, Value, caller
from .scan import Scan, slots
from .spilling import spilled

_FRAME = 1 << 14
"""The most bytes of values in a frame, which all instructions that address it reach."""


class Allocating(Structured):
    """The part that both architectures share."""

    _frame: tuple[Sequence[tuple[int, int]], int]

    # What an architecture adds

    def _move(self, value: Value, to: int, source: int) -> None:
        """Copy a register; `value` says of which bank and how much of it."""
        raise NotImplementedError

    def _load(self, value: Value, to: int, place: int) -> None:
        """Load a register from a place above the stack pointer."""
        raise NotImplementedError

    def _load_argument(self, value: Value, to: int, place: int) -> None:
        """Load a register from an argument of 64 bits."""
        raise NotImplementedError

    def _store(self, value: Value, source: int, place: int) -> None:
        """Store a register at a place above the stack pointer."""
        raise NotImplementedError

    def _enter(self, kept: Sequence[tuple[int, int]], frame: int) -> int:
        """Save registers and claim the frame; return the distance from the stack pointer to the caller's arguments."""
        raise NotImplementedError

    def _leave(self, kept: Sequence[tuple[int, int]], frame: int) -> None:
        """Undo `_enter`, and return."""
        raise NotImplementedError

    # Calls and returns

    def ret(self, *result: Any) -> None:
        """Return to the caller, with the virtual register of the result if the function returns a number."""
        if len(result) != bool(self.result_type):
            takes = f"one register, of the {self.result_type}" if self.result_type else "nothing"
            raise EncodeError(f"ret: {self.title} returns {takes}")
        self._flush()
        where, reads = caller(), []
        if result:
            bank = int(self.result_type[0] == "f")
            number = self.convention.arguments[1][0] if bank else self.convention.result
            reads = [self._passed(where, result[0], bank, number)]
        self._steps.append(Act(where, lambda: self._leave(*self._frame), reads, False))

    def _passed(self, where: str, register: Any, bank: int, number: int) -> Value:
        """Move a virtual register to one of the convention."""
        values = [*self.numbers(register)] if isinstance(register, self.table.operand) else []
        if len(values) != 1 or values[0] not in self._values or values[0].bank != bank:
            raise EncodeError(f"{shown(register)}: is not a virtual {NAMES[bank]} register of this function")
        fixed = self._of_processor(bank, number)
        self._steps.append(Move(where, fixed, values[0]))
        return fixed

    def call(self, function: Any, *arguments: Any, result: Any = None) -> None:
        """Call a function of C at the address in a virtual general register. Arguments are virtual registers: general
        ones for integers and pointers, vectors for f32 and f64. `result` is the one that gets what it returns."""
        self._flush()
        where = caller()
        counts, reads = [0, 0], []
        for register in arguments:
            values = [*self.numbers(register)] if isinstance(register, self.table.operand) else []
            bank = values[0].bank if values else 2
            places = self.convention.arguments[bank] if bank < 2 else ()
            if len(values) != 1 or counts[bank & 1] >= len(places):
                raise EncodeError(f"{shown(register)}: arguments are virtual registers, as many as registers pass")
            reads.append(self._passed(where, register, bank, places[counts[bank]]))
            counts[bank] += 1
        step = self._calling(where, function)
        step.reads = (*step.reads, *reads)
        step.spoils = self.convention.spoiled
        if result is not None:
            values = [*self.numbers(result)] if isinstance(result, self.table.operand) else []
            if len(values) != 1 or values[0] not in self._values or values[0].bank > 1:
                raise EncodeError(f"{shown(result)}: is not a virtual general or vector register of this function")
            bank = values[0].bank
            fixed = self._of_processor(bank, self.convention.arguments[1][0] if bank else self.convention.result)
            step.writes = (fixed,)
        self._steps.append(step)
        if result is not None:
            self._steps.append(Move(where, values[0], fixed))
        self._calls = True

    def _calling(self, where: str, function: Any) -> Instruction:
        """Return the instruction that calls a function at the address in a virtual register."""
        raise NotImplementedError

    # Finishing

    def finish(self, name: str = "") -> Code:
        """Give registers to the virtual ones, append the instructions and what keeps the caller's registers, and return
        the code. EncodeError names the line where more registers are needed than there are, or where one is read that
        nothing wrote."""
        self._flush()
        steps, numbers, used = self._allocated()
        taken = {(value.bank, number) for value, number in numbers.items() if value.fixed is None}
        taken |= {(bank, number) for bank, those in enumerate(self._reserved) for number in those}
        preserved = self.convention.preserved
        kept = sorted(each for each in taken if each[1] in preserved[each[0]])
        self._frame = kept, used
        self._placing = True
        arguments = self._enter(kept, used)
        for step in steps:
            try:
                self._place(step, numbers, arguments)
            except EncodeError as error:
                raise EncodeError(f"{step.where}: {error}") from None
        return super().finish(name or self.title)

    def _allocated(self) -> tuple[list[Step], dict[Value, int], int]:
        """Return the program with values in the frame where they must be, the numbers of the registers, and the bytes
        of the frame."""
        read = {value for step in self._steps[self._entry :] for value in (*step.reads, *step.keeps)}
        led = {step.target for step in self._steps}
        steps = [
            step
            for at, step in enumerate(self._steps)
            if (at >= self._entry or not read.isdisjoint(step.writes))
            and not (isinstance(step, Bound) and not step.given and step.label not in led)
        ]
        orders = [[each for each in order if each not in taken] for order, taken in zip(self.orders, self._reserved)]
        used = self._locals
        while True:
            numbers, left = Scan(steps, orders).allocation()
            if not left:
                return steps, numbers, used
            places = slots(left, used)
            used = max(place + value.width for value, place in places.items())
            if used > _FRAME:
                raise EncodeError(f"{self.title}: the frame needs {used} bytes, more than {_FRAME}")
            steps = spilled(steps, places)

    def _place(self, step: Step, numbers: Mapping[Value, int], arguments: int) -> None:
        """Append the instructions of a step."""
        if isinstance(step, Instruction):
            held = _Held(step.stands, numbers)
            step.emit(*[self.carried(operand, held) for operand in step.operands])
        elif isinstance(step, Move):
            if numbers[step.to] != numbers[step.source]:
                self._move(_wider(step.to, step.source), numbers[step.to], numbers[step.source])
        elif isinstance(step, Load) and step.argument:
            self._load_argument(step.value, numbers[step.value], step.slot + arguments)
        elif isinstance(step, Load):
            self._load(step.value, numbers[step.value], step.slot)
        elif isinstance(step, Store):
            self._store(step.value, numbers[step.value], step.slot)
        elif isinstance(step, Bound):
            super().bind(step.label)
        elif isinstance(step, Act):
            step.act()


class _Held(dict[Value, int]):
    """The numbers of the registers that stand for the values of one instruction."""

    def __init__(self, stands: Mapping[Value, Value], numbers: Mapping[Value, int]) -> None:
        super().__init__()
        self._stands, self._numbers = stands, numbers

    def __missing__(self, value: Value) -> int:
        return self._numbers[self._stands.get(value, value)]


def _wider(first: Value, second: Value) -> Value:
    """Return the value of which a move between two keeps more: one of unknown length, or the wider one."""
    return min(first, second, key=lambda value: -value.width if value.width else -1 << 20)
