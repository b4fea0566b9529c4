"""Operand slots: which operands one place of a form accepts, and their bits in the instruction word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..errors import EncodeError
from ..fields import Split
from ..form import Names
from ..operands import Label
from .names import READ_ONLY, SYSTEM_REGISTERS, Named, named_hint, system_register
from .registers import EXTENDS, SHIFTS, Operand, RegList, Shifted, parts


def width(split: Split) -> int:
    """The number of bits of the number that a field holds."""
    return max(low + bits for low, bits, _ in split.parts)


def joined(low: Split, high: Split) -> Split:
    """One field made of two: `high` holds the high bits."""
    up = width(low)
    return Split(*low.parts, *((start + up, bits, at) for start, bits, at in high.parts))


class FormSlot:
    """The operands that one place accepts. `encode` returns an operand's bits or says why it does not fit; `decode`
    undoes it."""

    size = 0  # no operand's size is ambiguous

    def __init__(self, text: str) -> None:
        self.text = text  # in the manual's notation, for messages

    def encode(self, operand: Any) -> int:
        """Return the operand's bits of the word. EncodeError says why it does not fit."""
        raise NotImplementedError

    def decode(self, word: int) -> Any:
        """Return the operand that a word holds; None if it holds none."""
        raise NotImplementedError

    def show(self, operand: Any, names: Names) -> str:
        """Return the operand in assembly syntax."""
        return names(operand)

    def problem(self, operand: Any) -> str:
        """Why the operand does not fit; empty if it does."""
        try:
            self.encode(operand)
        except EncodeError as error:
            return str(error)
        return ""


@cache
def _codes(choices: tuple[Any, ...], parts: tuple[tuple[int, int, int], ...]) -> dict[Any, int]:
    """The contribution of each choice to the word, which encodes its position among the choices."""
    split = Split(*parts)
    return {choice: split.insert(raw) for raw, choice in enumerate(choices) if choice is not None}


class Choice(FormSlot):
    """One of a sequence of operands. Its position in the sequence goes into the field; None marks reserved
    positions."""

    def __init__(self, text: str, choices: tuple[Any, ...], field: Split) -> None:
        super().__init__(text)
        self.choices, self.field = choices, field
        self.codes = _codes(choices, field.parts)

    def encode(self, operand: Any) -> int:
        try:
            return self.codes[operand]
        except Exception:  # it is not one of them, or cannot be a key
            raise EncodeError(f"is not {self.wanted}{self._hint(operand)}") from None

    def decode(self, word: int) -> Any:
        raw = self.field.extract(word)
        return self.choices[raw] if raw < len(self.choices) else None

    def show(self, operand: Any, names: Names) -> str:
        return names(operand)

    def _hint(self, operand: Any) -> str:
        """Return what a program writes for a name that it gave as a string, or for registers without `listed`."""
        if type(operand) is str:
            return named_hint((choice for choice in self.choices if isinstance(choice, Named)), operand)
        if not isinstance(self.choices[0], RegList):
            return ""
        given = tuple(operand) if type(operand) in (list, tuple) else (operand,)
        fits = any(choice.regs == given for choice in self.choices)
        return f"; write listed({', '.join(map(repr, given))})" if fits else ""

    @property
    def wanted(self) -> str:
        """The choices, for messages."""
        known = [choice for choice in self.choices if choice is not None]
        return f"{known[0]!r}" if len(known) == 1 else f"one of {known[0]!r} to {known[-1]!r}"


class NumberChoice(Choice):
    """One of a sequence of numbers. An integer may stand for a float: 1 for 1.0."""

    def encode(self, operand: Any) -> int:
        if not _is_number(operand, isinstance(self.choices[0], float)):
            raise EncodeError(f"is not {self.wanted}")
        return super().encode(operand)

    def show(self, operand: Any, names: Names) -> str:
        return f"#{self.choices[self.field.extract(self.codes[operand])]}"


def _is_number(operand: Any, real: bool) -> bool:
    """Whether the operand is an integer, or, if `real`, a float."""
    return type(operand) is int or (real and type(operand) is float)


class Fixed(FormSlot):
    """A number that the instruction implies: #0.0."""

    def __init__(self, text: str, value: float) -> None:
        super().__init__(text)
        self.value = value

    def encode(self, operand: Any) -> int:
        if not _is_number(operand, isinstance(self.value, float)) or operand != self.value:
            raise EncodeError(f"must be {self.value}")
        return 0

    def decode(self, word: int) -> Any:
        return self.value

    def show(self, operand: Any, names: Names) -> str:
        return f"#{self.value}"


class Immediate(FormSlot):
    """(value - bias) / scale in a field. With `down`, it is counted down from 2^width."""

    def __init__(self, text: str, field: Split, signed: bool, scale: int, bias: int, down: bool) -> None:
        super().__init__(text)
        self.field, self.scale, self.bias, self.down = field, scale, bias, down
        self.span = 1 << width(field)
        self.first = -self.span // 2 if signed else 0  # the smallest raw value

    def encode(self, operand: Any) -> int:
        if type(operand) is not int:
            raise EncodeError("is not a Python integer")
        raw, rest = divmod(operand - self.bias, self.scale)
        if self.down:
            raw = self.span - raw
        if rest or not self.first <= raw < self.first + self.span:
            raise EncodeError(self._range())
        return self.field.insert(raw)

    def _range(self) -> str:
        low, high = self._value(self.first), self._value(self.first + self.span - 1)
        low, high = min(low, high), max(low, high)
        return f"must be from {low} to {high}" + (f" in steps of {self.scale}" if self.scale > 1 else "")

    def _value(self, raw: int) -> int:
        return (self.span - raw if self.down else raw) * self.scale + self.bias

    def decode(self, word: int) -> Any:
        raw = self.field.extract(word)
        return self._value(raw - self.span if self.first < 0 and raw >= self.span // 2 else raw)

    def show(self, operand: Any, names: Names) -> str:
        return f"#{operand}"


class Packed(FormSlot):
    """An immediate that a pair of functions packs and unpacks: an integer, or a `real` number."""

    def __init__(
        self, text: str, field: Split, pack: Callable[[Any], int], unpack: Callable[[int], Any], real: bool
    ) -> None:
        super().__init__(text)
        self.field, self.pack, self.unpack, self.real = field, pack, unpack, real

    def encode(self, operand: Any) -> int:
        if not _is_number(operand, self.real):
            raise EncodeError("is not a number" if self.real else "is not a Python integer")
        return self.field.insert(self.pack(operand))

    def decode(self, word: int) -> Any:
        return self.unpack(self.field.extract(word))

    def show(self, operand: Any, names: Names) -> str:
        if isinstance(operand, float):
            return f"#{operand:.8f}"
        return f"#{operand:#x}" if operand > 4096 else f"#{operand}"


class BranchTarget(FormSlot):
    """A label, or the distance to it from the instruction."""

    def __init__(self, text: str, field: Split, scale: int) -> None:
        super().__init__(text)
        self.field, self.scale, self.limit = field, scale, scale << width(field) - 1

    def encode(self, operand: Any) -> int:
        if isinstance(operand, Label):
            return 0
        if type(operand) is not int:
            raise EncodeError("is not a label")
        return self.insert(operand)

    def insert(self, distance: int) -> int:
        """Return the bits of a distance in bytes."""
        if distance % self.scale or not -self.limit <= distance < self.limit:
            step = f" in steps of {self.scale}" if self.scale > 1 else ""
            raise EncodeError(f"is a distance that does not fit: {-self.limit} to {self.limit - 1}{step}")
        return self.field.insert(distance // self.scale)

    def decode(self, word: int) -> Any:
        raw = self.field.extract(word) * self.scale
        return raw - 2 * self.limit if raw >= self.limit else raw

    def show(self, operand: Any, names: Names) -> str:
        return f"#{operand}" if isinstance(operand, int) else names(operand)


class ShiftedRegister(FormSlot):
    """A register, plain or shifted by an amount. It uses the fields shift and imm6."""

    def __init__(self, text: str, plain: Choice, shift: Split, amount: Split, ops: Sequence[str], bits: int) -> None:
        super().__init__(text)
        self.plain, self.shift, self.amount, self.ops, self.bits = plain, shift, amount, ops, bits

    def encode(self, operand: Any) -> int:
        if not isinstance(operand, Shifted):
            return self.plain.encode(operand)
        if operand.op not in self.ops or not 0 <= operand.amount < self.bits:
            raise EncodeError(f"must be shifted by {', '.join(self.ops)} #0 to #{self.bits - 1}")
        op = self.shift.insert(SHIFTS.index(operand.op))
        return self.plain.encode(operand.reg) | op | self.amount.insert(operand.amount)

    def decode(self, word: int) -> Any:
        reg, op, amount = self.plain.decode(word), SHIFTS[self.shift.extract(word)], self.amount.extract(word)
        if op not in self.ops or amount >= self.bits:
            return None
        return reg if (op, amount) == ("lsl", 0) else reg._shifted(op, amount)


class ExtendedRegister(FormSlot):
    """A register, extended and shifted left by up to 4. It uses the fields option and imm3."""

    def __init__(self, text: str, plain: dict[bool, Choice], option: Split, amount: Split) -> None:
        super().__init__(text)
        self.plain, self.option, self.amount = plain, option, amount  # plain: keyed by whether the register has 64 bits

    def encode(self, operand: Any) -> int:
        reg, op, amount = parts(operand, "")
        wide = isinstance(reg, Operand) and reg.kind in ("x", "xzr")
        natural = "uxtx" if True in self.plain else "uxtw"
        op = natural if op in ("", "lsl") else op
        if wide != op.endswith("x") and True in self.plain or op not in EXTENDS or not 0 <= amount <= 4:
            raise EncodeError("must be a w register under uxtb .. sxtw, or an x register under uxtx, sxtx; #0 to #4")
        code = self.plain[wide and True in self.plain].encode(reg)
        return code | self.option.insert(EXTENDS.index(op)) | self.amount.insert(amount)

    def decode(self, word: int) -> Any:
        op, amount = EXTENDS[self.option.extract(word)], self.amount.extract(word)
        wide = True in self.plain and op.endswith("x")
        return self.plain[wide].decode(word)._shifted(op, amount) if amount <= 4 else None


class Repeat(FormSlot):
    """An operand whose bits, or those in `mask`, come from an earlier operand. A form checks that both agree."""

    def __init__(self, slot: FormSlot, mask: int) -> None:
        super().__init__(slot.text)
        self.slot, self.mask = slot, mask

    def encode(self, operand: Any) -> int:
        return self.slot.encode(operand) & ~self.mask

    def decode(self, word: int) -> Any:
        return self.slot.decode(word)

    def show(self, operand: Any, names: Names) -> str:
        return self.slot.show(operand, names)


class SystemRegister(FormSlot):
    """A system register. Some cannot be written."""

    def __init__(self, text: str, field: Split, written: bool) -> None:
        super().__init__(text)
        self.field, self.written = field, written

    def encode(self, operand: Any) -> int:
        if not isinstance(operand, Named) or operand.kind != "sysreg":
            hint = named_hint(SYSTEM_REGISTERS.values(), operand) if type(operand) is str else ""
            raise EncodeError(f"is not a system register{hint}")
        if self.written and operand in READ_ONLY:
            raise EncodeError("is a system register that cannot be written")
        return self.field.insert(operand.num)

    def decode(self, word: int) -> Any:
        num = self.field.extract(word)
        operand = system_register(2 + (num >> 14), num >> 11 & 7, num >> 7 & 15, num >> 3 & 15, num & 7)
        return None if self.written and operand in READ_ONLY else operand
