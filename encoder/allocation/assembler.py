"""An assembler of one function on virtual registers: it records instructions, and gives registers at the end.

Instructions are methods, as in every assembler, and their operands are checked when they are called. A virtual register
is created by the methods of the architecture's class, and may be used by any instruction, wherever its bank has a
register that the instruction takes. A register of the processor that an instruction names, or implies, holds no virtual
one in the whole function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

from ..asm import Intercepting
from ..code import Code
from ..code import Instruction as Emitted
from ..conventions import convention_of
from ..errors import EncodeError, shown
from ..features import Target
from ..operands import Label, integer, kind_of, number
from ..records import NamedTuple
from .program import NAMES, Act, Bound, Instruction, Load, Move, Step, Store, Value, caller
from .scan import Scan, slots
from .spilling import spilled

_FEW = 8
"""An instruction that takes fewer registers than these gets a copy, so that the value may be elsewhere before and
after."""
_CALLS = ("call", "bl")
_FRAME = 1 << 14
"""The most bytes of a frame, which all instructions that address it reach."""


class Passed(NamedTuple):
    """An argument of a function, or its result: its name, and its type, such as i32; a pointer is a u64."""

    name: str
    type: str


class Touched(NamedTuple):
    """What an instruction does with virtual registers, and the registers of the processor that it names or implies, as
    (bank, number)."""

    reads: tuple[Value, ...]
    keeps: tuple[Value, ...]
    writes: tuple[Value, ...]
    named: tuple[tuple[int, int], ...]


class Convention(NamedTuple):
    """How functions pass values: numbers of registers, by bank.

    arguments   in their order, of the general and of the vector bank; the first of each returns the result
    result      of the general bank
    preserved   those that a function leaves as they were
    spoiled     those that a call may change
    """

    arguments: tuple[tuple[int, ...], tuple[int, ...]]
    result: int
    preserved: tuple[frozenset[int], ...]
    spoiled: tuple[frozenset[int], ...]


class Loop(NamedTuple):
    """The labels of a loop: `next` begins the next turn, behind `end` the code goes on."""

    next: Label
    end: Label


class Allocating(Intercepting):
    """The part that both architectures share.

    arguments   the virtual registers of the parameters in their order; a narrow integer is extended to 64 bits
    """

    convention: ClassVar[Convention]
    numbers: Any
    carried: Any

    def __init__(self, target: Target, name: str, parameters: Sequence[Passed], result: str) -> None:
        super().__init__(target)
        self.title, self.result_type = name, result
        self._steps: list[Step] = []
        self._values: set[Value] = set()
        self._fixed: dict[tuple[int, int], Value] = {}
        self._reserved: tuple[set[int], ...] = (set(), set(), set())
        self._allowed: dict[Any, dict[int, frozenset[int]]] = {}
        self._else: Label | None = None  # bound before the next step, unless that is an else
        self._made_labels: set[Label] = set()
        self._locals = 0
        self._calls = False
        self._placing = False
        self.orders = self._orders()
        self.arguments: tuple[Any, ...] = tuple(self._received(parameters))
        self._entry = len(self._steps)

    # What an architecture adds

    def _orders(self) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of the registers that values may have, by bank, those that a call may change first."""
        raise NotImplementedError

    def _operand(self, value: Value) -> Any:
        """Return the operand for a value: a general register of 64 bits, a whole vector or a mask."""
        raise NotImplementedError

    def _touched(self, form: Any, operands: tuple[Any, ...]) -> Touched:
        """Return what an instruction does with registers. EncodeError if it may not stand in a function."""
        raise NotImplementedError

    def _extend(self, register: Any, type: str) -> None:
        """Append an instruction that extends an integer of a type to 64 bits."""
        raise NotImplementedError

    def _jump(self, label: Label, condition: Any = None) -> None:
        """Append a jump, if a condition holds."""
        raise NotImplementedError

    def _opposite(self, condition: Any) -> Any:
        """Return the condition that holds where this one does not. EncodeError if it is none."""
        raise NotImplementedError

    def _move(self, value: Value, to: int, source: int) -> None:
        raise NotImplementedError

    def _load(self, value: Value, to: int, place: int) -> None:
        """Load a register from a place above the stack pointer."""
        raise NotImplementedError

    def _store(self, value: Value, source: int, place: int) -> None:
        raise NotImplementedError

    def _enter(self, kept: Sequence[tuple[int, int]], frame: int) -> int:
        """Save registers and claim the frame; return the distance from the stack pointer to the caller's arguments."""
        raise NotImplementedError

    def _leave(self, kept: Sequence[tuple[int, int]], frame: int) -> None:
        """Undo `_enter`, and return."""
        raise NotImplementedError

    # Registers

    def _new(self, bank: int, width: int, name: str) -> Any:
        if not isinstance(name, str):
            raise EncodeError(f"register {shown(name)}: a name is a string")
        every = frozenset(self.orders[bank])
        if not every:
            raise EncodeError(f"target {self.target.name} has no {NAMES[bank]} registers")
        value = Value(name or f"{NAMES[bank]}{len(self._values)}", bank, width, every, caller())
        self._values.add(value)
        return self._operand(value)

    def _of_processor(self, bank: int, number: int) -> Value:
        """Return the value that is a register of the processor, where the convention says what it holds."""
        found = self._fixed.get((bank, number))
        if found is None:
            found = self._fixed[bank, number] = Value("", bank, 16 if bank else 8, frozenset((number,)))
            found.fixed = number
        return found

    def _received(self, parameters: Sequence[Passed]) -> Iterator[Any]:
        """Yield the registers of the parameters."""
        counts, placed = [0, 0], 0
        narrow: list[tuple[Any, str]] = []
        for name, type in parameters:
            bank = int(type[0] == "f")
            register = self._new(bank, 16 if bank else 8, name)
            (value,) = self.numbers(register)
            registers = self.convention.arguments[bank]
            if counts[bank] < len(registers):
                self._steps.append(Move("", value, self._of_processor(bank, registers[counts[bank]])))
            else:
                self._steps.append(Load("", value, 8 * placed, True))
                placed += 1
            counts[bank] += 1
            if type[0] in "iu" and type[1:] != "64":
                narrow.append((register, type))
            yield register
        for register, type in narrow:
            self._extend(register, type)

    def local(self, size: int, align: int = 8) -> int:
        """Return where memory of the function begins, in bytes above the stack pointer: `ptr[rsp + at]`,
        `mem[sp, at]`. It is aligned to 1, 2, 4, 8 or 16 bytes."""
        exact, boundary = integer(size, "size"), integer(align, "alignment")
        if exact < 1 or boundary not in (1, 2, 4, 8, 16):
            raise EncodeError(
                f"{shown(size)} bytes, aligned to {shown(align)}: at least 1, aligned to 1, 2, 4, 8 or 16"
            )
        at = self._locals + -self._locals % boundary
        self._locals = at + exact
        return at

    # Instructions

    def _emit(self, emit: Callable[..., None], *operands: Any) -> None:
        if self._placing:
            emit(*operands)
            return
        where = caller()
        plain = tuple(map(number, operands))
        values = [*dict.fromkeys(each for operand in plain for each in self.numbers(operand))]
        foreign = [value for value in values if value not in self._values]
        if foreign:
            raise EncodeError(f"{foreign[0]}: is a virtual register of another function")
        form, allowed = self._fitted(emit.__name__, plain, values)
        step = Instruction(where, emit, form, plain)
        step.reads, step.keeps, step.writes, named = self._touched(form, plain)
        step.apart = self._apart(form)
        for bank, each in named:
            self._reserved[bank].add(each)
        self._directed(step)
        self._append(step, values, allowed)

    def _apart(self, form: Any) -> bool:
        """Whether an instruction may not write a register that it reads as another operand."""
        raise NotImplementedError

    def _directed(self, step: Instruction) -> None:
        """Note where control goes. EncodeError if that is not known."""
        form: Any = step.form
        if form.row.class_ != "branch":
            return
        flow = convention_of(self.arch).step(Emitted(0, b"", form, step.operands))
        labels = [operand for operand in step.operands if isinstance(operand, Label)]
        if not labels or form.mnemonic in _CALLS:
            raise EncodeError(f"{step.text}: in a function on virtual registers, control goes to labels, call and ret")
        step.falls, step.target = flow.falls, labels[0]

    def _append(self, step: Instruction, values: Iterable[Value], allowed: Mapping[Value, frozenset[int]]) -> None:
        """Append an instruction, with copies of values for which few registers may stand in it."""
        copies: dict[Value, Value] = {}
        for value in values:
            if len(allowed[value]) < min(_FEW, len(self.orders[value.bank])):
                copies[value] = value.brief(allowed[value])
            else:
                value.allowed &= allowed[value]
        self._flush()
        self._steps += [
            Move(step.where, copy, value) for value, copy in copies.items() if value in {*step.reads, *step.keeps}
        ]
        self._steps.append(step.replaced(copies) if copies else step)
        self._steps += [Move(step.where, value, copy) for value, copy in copies.items() if value in step.writes]

    def _fitted(
        self, mnemonic: str, operands: tuple[Any, ...], values: Sequence[Value]
    ) -> tuple[Any, dict[Value, frozenset[int]]]:
        """Return the form that takes operands, and the numbers of the registers that may stand for each value."""
        held = self._trial(values)
        real = tuple(self.carried(operand, held) for operand in operands)
        try:
            form: Any = self.table.match(mnemonic, real, self.target.features)
        except EncodeError as error:
            form = self._rarer(mnemonic, operands, values, held)
            if form is None:
                meant = ", ".join(f"{value} = {self.carried(self._operand(value), held)}" for value in values)
                raise EncodeError(f"{error}" + f"\nwith {meant}" * bool(values)) from None
        self._check_features(form)
        kinds = tuple(kind_of(each, self.table.operand) for each in real)
        places = tuple(tuple(values.index(each) for each in self.numbers(operand)) for operand in operands)
        known = self._allowed.setdefault((mnemonic, kinds, places), {})
        for at, value in enumerate(values):
            if at not in known:
                known[at] = frozenset(self._standing(mnemonic, operands, values, value))
        return form, {value: known[at] for at, value in enumerate(values)}

    def _check_features(self, form: Any) -> None:
        """Raise EncodeError if the target lacks an instruction."""

    def _trial(self, values: Sequence[Value], chosen: Mapping[Value, int] | None = None) -> dict[Value, int]:
        """Return a number for each value, different ones for those of a bank, none that an instruction implies."""
        held = dict(chosen or {})
        for value in values:
            if value not in held:
                taken = {each for other, each in held.items() if other.bank == value.bank}
                order = sorted(self.orders[value.bank])
                held[value] = next(each for each in [*order[3:], *order] if each not in taken)
        return held

    def _standing(
        self, mnemonic: str, operands: tuple[Any, ...], values: Sequence[Value], value: Value
    ) -> Iterable[int]:
        """Return the numbers of the registers that may stand for one of the values."""
        order = sorted(self.orders[value.bank])

        def fits(each: int) -> bool:
            held = self._trial(values, {value: each})
            try:
                form = self.table.match(
                    mnemonic, tuple(self.carried(operand, held) for operand in operands), self.target.features
                )
            except EncodeError:
                return False
            return not self.target.missing(form.features)

        return order if fits(order[0]) and fits(order[-1]) else filter(fits, order)

    def _rarer(self, mnemonic: str, operands: tuple[Any, ...], values: Sequence[Value], held: dict[Value, int]) -> Any:
        """Return the form that takes operands of which one needs certain registers, which go to `held`; None if there
        is none."""
        for value in values:
            for each in self._standing(mnemonic, operands, values, value):
                held.update(self._trial(values, {value: each}))
                real = tuple(self.carried(operand, held) for operand in operands)
                return self.table.match(mnemonic, real, self.target.features)
        return None

    # Steps that are no instructions

    def _flush(self) -> None:
        """Bind the label behind the last if, which no else follows."""
        label, self._else = self._else, None
        if label is not None:
            self._steps.append(Bound(caller(), label, False))

    def _do(self, act: Callable[[], None]) -> None:
        self._flush()
        self._steps.append(Act(caller(), act))

    def bind(self, label: Label) -> Label:
        """Bind the label here."""
        if self._placing:
            return super().bind(label)
        if not isinstance(label, Label):
            raise EncodeError(f"{shown(label)}: is not a label")
        if any(isinstance(step, Bound) and step.label is label for step in self._steps):
            raise EncodeError(f"label {label} is bound twice")
        self._flush()
        self._steps.append(Bound(caller(), label, label not in self._made_labels))
        return label

    def here(self, name: str = "") -> Label:
        """Return a new label bound here."""
        return self.bind(self.label(name) if name else self._label())

    def align(self, boundary: int) -> None:
        """Pad with instructions that do nothing, up to a multiple of `boundary` bytes."""
        if self._placing:
            super().align(boundary)
        else:
            self._do(partial(super().align, boundary))

    def note(self, text: Any) -> None:
        """Add a remark to the listing, beside the next instruction."""
        if self._placing:
            super().note(text)
        else:
            self._do(partial(super().note, text))

    def _label(self) -> Label:
        """Return a label that need not stay, if nothing leads to it."""
        made = self.label()
        self._made_labels.add(made)
        return made

    # Control

    @contextmanager
    def if_(self, condition: Any, *compared: Any) -> Iterator[None]:
        """Execute the body if a condition holds: of the flags, or of two operands, which are compared first.

        with f.if_("b", i, n):          # x86-64: unsigned i < n
        with f.if_(LO, i, n):           # AArch64
        """
        behind = self._label()
        opposite = self._opposite(condition)
        self._compare(compared)
        self._jump(behind, opposite)
        yield
        self._flush()
        self._else = behind

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Execute the body where the one of the `if_` before, which ends here, is not executed."""
        before, self._else = self._else, None
        if before is None:
            raise EncodeError("else_: stands directly behind the body of an if_")
        behind = self._label()
        self._jump(behind)
        self.bind(before)
        yield
        self.bind(behind)

    @contextmanager
    def while_(self, condition: Any = None, *compared: Any) -> Iterator[Loop]:
        """Execute the body again and again while a condition of two operands holds, which are compared before each
        turn; without a condition, until a jump leaves it. A jump to `loop.next` ends a turn, one to `loop.end` the
        loop.

            with f.while_("b", i, n) as loop:
        """
        if condition is not None and len(compared) != 2:
            raise EncodeError("while_: takes a condition and the two operands that are compared before each turn")
        loop = Loop(self._label(), self._label())
        if condition is not None:
            opposite = self._opposite(condition)
            self._compare(compared)
            self._jump(loop.end, opposite)
        top = self.here()
        yield loop
        self.bind(loop.next)
        if condition is not None:
            self._compare(compared)
        self._jump(top, condition)
        self.bind(loop.end)

    def _compare(self, compared: Sequence[Any]) -> None:
        if len(compared) not in (0, 2):
            raise EncodeError(f"{len(compared)} operands: a condition compares two, or takes the flags as they are")
        if compared:
            self.cmp(*compared)

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
        elif isinstance(step, Load):
            self._load(step.value, numbers[step.value], step.slot + (arguments if step.argument else 0))
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
