"""Recording a function on virtual registers: every instruction is checked when its method is called, and kept.

A virtual register may be used by any instruction, wherever its bank has a register that the instruction takes. A
register of the processor that an instruction names, or implies, holds no virtual one in the whole function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NoReturn

from ..asm import Intercepting
from ..code import Instruction, Remark
from ..conventions import convention_of
from ..errors import EncodeError, shown
from ..features import Target
from ..form import Form
from ..operands import Label, Unique, integer, kind_of, number
from ..records import NamedTuple
from .program import NAMES, Act, BoundLabel, Move, RecordedStep, Reload, Variable, Written, caller

_CALLS = ("call", "bl")
_FEW = 8
"""An instruction that takes fewer registers than these gets a copy, so that the value may be elsewhere before and
after."""


class Passed(NamedTuple):
    """An argument of a function, or its result: its name, and its type, such as i32; a pointer is a u64."""

    name: str
    type: str


class RegisterUse(NamedTuple):
    """What an instruction does with virtual registers, and the registers of the processor that it names or implies, as
    (bank, number)."""

    reads: tuple[Variable, ...]
    keeps: tuple[Variable, ...]
    writes: tuple[Variable, ...]
    named: tuple[tuple[int, int], ...]
    apart: bool  # whether the instruction may not write a register that it reads as another operand


class Passing(NamedTuple):
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


class Recording(Intercepting):
    """The part of an assembler of a function that records its instructions.

    arguments   the virtual registers of the parameters in their order; a narrow integer is extended to 64 bits
    """

    convention: ClassVar[Passing]
    _allowed: ClassVar[dict[tuple[object, ...], dict[int, frozenset[int]]]] = {}
    """The numbers of registers that may stand in instructions with operands of certain kinds. Each entry is correct
    whenever it is read, so that threads need no lock."""

    def __init__(self, target: Target, name: str, parameters: Sequence[Passed], result: str) -> None:
        super().__init__(target)
        self.title, self.result_type = name, result
        self._steps: list[RecordedStep] = []
        self._values: set[Variable] = set()
        self._fixed: dict[tuple[int, int], Variable] = {}
        self._reserved: tuple[set[int], ...] = (set(), set(), set())
        self._else: Label | None = None  # bound before the next step, unless that is an else
        self._made_labels: set[Label] = set()
        self._bound: set[Label] = set()
        self._locals = 0
        self._calls = False
        self._placing = False
        self.orders = self._orders()
        self.arguments: tuple[Any, ...] = tuple(self._received(parameters))
        self._entry = len(self._steps)

    # What an architecture adds

    @staticmethod
    def numbers(operand: object) -> Iterator[Variable]:
        """Yield the values of the virtual registers that an operand names."""
        raise NotImplementedError

    @staticmethod
    def carried(operand: object, held: Mapping[Variable, int]) -> object:
        """Return the operand with registers of the processor, by their numbers, in place of virtual ones."""
        raise NotImplementedError

    def _orders(self) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of the registers that values may have, by bank, those that a call may change first."""
        raise NotImplementedError

    def _operand(self, value: Variable) -> Unique:
        """Return the operand for a value: a general register of 64 bits, a whole vector or a mask."""
        raise NotImplementedError

    def _touched(self, form: Form, operands: tuple[object, ...]) -> RegisterUse:
        """Return what an instruction does with registers. EncodeError if it may not stand in a function."""
        raise NotImplementedError

    def _extend(self, register: Unique, type: str) -> None:
        """Append an instruction that extends an integer of a type to 64 bits."""
        raise NotImplementedError

    # Registers

    def _new(self, bank: int, width: int, name: str) -> Unique:
        if not isinstance(name, str):
            raise EncodeError(f"register {shown(name)}: a name is a string")
        every = frozenset(self.orders[bank])
        if not every:
            raise EncodeError(f"target {self.target.name} has no {NAMES[bank]} registers")
        value = Variable(name or f"{NAMES[bank]}{len(self._values)}", bank, width, every)
        self._values.add(value)
        return self._operand(value)

    def _of_processor(self, bank: int, number: int) -> Variable:
        """Return the value that is a register of the processor, where the convention says what it holds."""
        found = self._fixed.get((bank, number))
        if found is None:
            found = self._fixed[bank, number] = Variable("", bank, 16 if bank else 8, frozenset((number,)))
            found.fixed = number
        return found

    def _received(self, parameters: Sequence[Passed]) -> Iterator[Unique]:
        """Yield the registers of the parameters."""
        counts, placed = [0, 0], 0
        narrow: list[tuple[Unique, str]] = []
        for name, type in parameters:
            bank = int(type[0] == "f")
            register = self._new(bank, 16 if bank else 8, name)
            (value,) = self.numbers(register)
            registers = self.convention.arguments[bank]
            if counts[bank] < len(registers):
                self._steps.append(Move("", value, self._of_processor(bank, registers[counts[bank]])))
            else:
                self._steps.append(Reload("", value, 8 * placed, True))
                placed += 1
            counts[bank] += 1
            if type[0] in "iu" and type[1:] != "64":
                narrow.append((register, type))
            yield register
        for register, type in narrow:
            self._extend(register, type)

    def local(self, size: int, align: int = 8) -> int:
        """Return where memory of the function begins, in bytes above the stack pointer: `ptr[rsp + at]`,
        `mem[sp, at]`. It is aligned to 1, 2, 4, 8 or 16 bytes; all that a function keeps there is at most 16 KiB."""
        exact, boundary = integer(size, "size"), integer(align, "alignment")
        if exact < 1 or boundary not in (1, 2, 4, 8, 16):
            raise EncodeError(
                f"local: at least 1 byte, aligned to 1, 2, 4, 8 or 16 as the stack pointer is, not {shown(size)} "
                f"aligned to {shown(align)}; for more, claim as many bytes in addition and round the address up"
            )
        at = self._locals + -self._locals % boundary
        self._locals = at + exact
        return at

    # Instructions

    def _emit(self, emit: Callable[..., None], *operands: object) -> None:
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
        step = Written(where, emit, form, plain)
        step.reads, step.keeps, step.writes, named, step.apart = self._touched(form, plain)
        for bank, each in named:
            self._reserved[bank].add(each)
        self._directed(step)
        self._append(step, values, allowed)

    def _directed(self, step: Written) -> None:
        """Note where control goes. EncodeError if that is not known."""
        form = step.form
        if form.row.class_ != "branch":
            return
        flow = convention_of(self.arch).step(Instruction(0, b"", form, step.operands))
        labels = [operand for operand in step.operands if isinstance(operand, Label)]
        if not labels or form.mnemonic in _CALLS:
            raise EncodeError(f"{step.text}: in a function on virtual registers, control goes to labels, call and ret")
        step.falls, step.target = flow.falls, labels[0]

    def _append(self, step: Written, values: Iterable[Variable], allowed: Mapping[Variable, frozenset[int]]) -> None:
        """Append an instruction, with copies of values for which few registers may stand in it."""
        copies: dict[Variable, Variable] = {}
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
        self, mnemonic: str, operands: tuple[object, ...], values: Sequence[Variable]
    ) -> tuple[Form, dict[Variable, frozenset[int]]]:
        """Return the form that takes operands, and the numbers of the registers that may stand for each value."""
        held = self._trial(values)
        form = self._matched(mnemonic, operands, held)
        if form is None:
            held = self._rarer(mnemonic, operands, held) or held
            form = self._matched(mnemonic, operands, held)
        if form is None:
            self._refused(mnemonic, operands, held)
        real = tuple(self.carried(operand, held) for operand in operands)
        kinds = tuple(kind_of(each, self.table.operand) for each in real)
        places = tuple(tuple(values.index(each) for each in self.numbers(operand)) for operand in operands)
        known = self._allowed.setdefault((self.target.features, mnemonic, kinds, places), {})
        for at, value in enumerate(values):
            if at not in known:
                known[at] = frozenset(self._standing(mnemonic, operands, held, value))
        return form, {value: known[at] for at, value in enumerate(values)}

    def _refused(self, mnemonic: str, operands: tuple[object, ...], held: Mapping[Variable, int]) -> NoReturn:
        """Raise EncodeError for an instruction that takes no such operands, or that the target lacks."""
        real = tuple(self.carried(operand, held) for operand in operands)
        try:
            form = self.table.match(mnemonic, real, self.target.features)
        except EncodeError as error:
            meant = ", ".join(f"{value} = {self.carried(self._operand(value), held)}" for value in held)
            raise EncodeError(f"{error}" + f"\nwith {meant}" * bool(held)) from None
        missing = self.target.missing(form.features)
        raise EncodeError(
            f"{form.syntax()}: target {self.target.name} has no {', '.join(missing)}{self._advice(missing)}"
        )

    def _advice(self, missing: Sequence[str]) -> str:
        """Return what works for an instruction that needs these features, as the end of a message."""
        return ""

    def _trial(self, values: Sequence[Variable]) -> dict[Variable, int]:
        """Return a number for each value, different ones for those of a bank, preferably none that an instruction
        implies."""
        held: dict[Variable, int] = {}
        for value in values:
            order = sorted(self.orders[value.bank])
            taken = {each for other, each in held.items() if other.bank == value.bank}
            held[value] = next(each for each in [*order[3:], *order] if each not in taken)
        return held

    def _with(self, held: Mapping[Variable, int], value: Variable, number: int) -> dict[Variable, int]:
        """Return the numbers with another one for a value. A value that has that number gets the one that is left."""
        return {
            other: number if other is value else held[value] if other.bank == value.bank and each == number else each
            for other, each in held.items()
        }

    def _matched(self, mnemonic: str, operands: tuple[object, ...], held: Mapping[Variable, int]) -> Form | None:
        """Return the form that takes operands with these numbers; None if none does that the target has."""
        return self._form_of(mnemonic, tuple(self.carried(operand, held) for operand in operands))

    def _form_of(self, mnemonic: str, real: tuple[object, ...]) -> Form | None:
        """Return the form that takes operands without virtual registers; None if none does that the target has."""
        try:
            form = self.table.match(mnemonic, real, self.target.features)
        except EncodeError:
            return None
        return None if self.target.missing(form.features) else form

    def _standing(
        self, mnemonic: str, operands: tuple[object, ...], held: Mapping[Variable, int], value: Variable
    ) -> Iterable[int]:
        """Return the numbers of the registers that may stand for one of the values."""
        order = sorted(self.orders[value.bank])

        def fits(each: int) -> bool:
            return self._matched(mnemonic, operands, self._with(held, value, each)) is not None

        return order if fits(order[0]) and fits(order[-1]) else filter(fits, order)

    def _rarer(
        self, mnemonic: str, operands: tuple[object, ...], held: Mapping[Variable, int]
    ) -> dict[Variable, int] | None:
        """Return numbers with which a form takes operands, one of which needs certain registers; None if there are
        none."""
        for value in held:
            for each in self._standing(mnemonic, operands, held, value):
                return self._with(held, value, each)
        return None

    # Steps that are no instructions

    def _flush(self) -> None:
        """Bind the label behind the last if, which no else follows."""
        label, self._else = self._else, None
        if label is not None:
            self._steps.append(BoundLabel(caller(), label, False))

    def _do(self, act: Callable[[], None]) -> None:
        self._flush()
        self._steps.append(Act(caller(), act))

    def bind(self, label: Label) -> Label:
        """Bind the label here."""
        if self._placing:
            return super().bind(label)
        if not isinstance(label, Label):
            raise EncodeError(f"{shown(label)}: is not a label")
        if label in self._bound:
            raise EncodeError(f"label {label} is bound twice")
        self._bound.add(label)
        self._flush()
        self._steps.append(BoundLabel(caller(), label, label not in self._made_labels))
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

    def note(self, text: str | Remark) -> None:
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
