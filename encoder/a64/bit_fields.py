"""Slots of bit-field instructions. Their operands are bit numbers and widths; their fields are immr and imms."""

from __future__ import annotations

from typing import Any

from ..errors import EncodeError
from ..fields import Split
from ..form import Names
from .slots import FormSlot


class BitNumber(FormSlot):
    """A number of bits in a register of `bits` bits, stored in one or both of the two fields."""

    def __init__(self, text: str, immr: Split, imms: Split, bits: int) -> None:
        super().__init__(text)
        self.immr, self.imms, self.bits = immr, imms, bits

    def require(self, operand: Any, first: int, last: int) -> None:
        """Raise EncodeError unless the operand is a number from `first` to `last`."""
        if type(operand) is not int or not first <= operand <= last:
            raise EncodeError(f"must be from {first} to {last}")

    def show(self, operand: Any, names: Names) -> str:
        return f"#{operand}"


class BitStart(BitNumber):
    """The lowest bit of a bit field. It is stored in immr, and added to imms, which holds the highest bit."""

    def encode(self, operand: Any) -> int:
        self.require(operand, 0, self.bits - 1)
        return self.immr.insert(operand) + self.imms.insert(operand)

    def decode(self, word: int) -> Any:
        start = self.immr.extract(word)
        return start if start < self.bits else None


class Negated(BitStart):
    """A bit number whose negative, modulo the register size, is in immr."""

    def encode(self, operand: Any) -> int:
        self.require(operand, 0, self.bits - 1)
        return self.immr.insert(-operand % self.bits)

    def decode(self, word: int) -> Any:
        start = self.immr.extract(word)
        return -start % self.bits if start < self.bits else None


class BitWidth(BitNumber):
    """The width of a bit field: imms holds lsb + width - 1, and immr holds lsb."""

    def encode(self, operand: Any) -> int:
        self.require(operand, 1, self.bits)
        return self.imms.insert(operand - 1)

    def decode(self, word: int) -> Any:
        last = self.imms.extract(word)
        bits = last - self.immr.extract(word) + 1
        return bits if bits > 0 and last < self.bits else None


class Length(BitWidth):
    """The width of a bit field that is inserted at lsb: imms = width - 1, and immr = -lsb modulo the register size."""

    def decode(self, word: int) -> Any:
        bits, start = self.imms.extract(word) + 1, -self.immr.extract(word) % self.bits
        return bits if bits + start <= self.bits else None


class LeftShift(BitNumber):
    """lsl as a bit-field move: immr = -shift modulo the size, imms = size - 1 - shift."""

    def encode(self, operand: Any) -> int:
        self.require(operand, 0, self.bits - 1)
        return self.immr.insert(-operand % self.bits) | self.imms.insert(self.bits - 1 - operand)

    def decode(self, word: int) -> Any:
        shift = self.bits - 1 - self.imms.extract(word)
        return shift if shift >= 0 and self.immr.extract(word) == -shift % self.bits else None
