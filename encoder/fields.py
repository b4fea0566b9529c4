"""Where the bits of a number are in an instruction word: one description for encoder and decoder."""

from __future__ import annotations

from .errors import EncodeError
from .records import NamedTuple


class Field(NamedTuple):
    """`width` bits of a word from bit `lo` up. The field holds value / scale, optionally signed."""

    lo: int
    width: int
    signed: bool = False
    scale: int = 1

    @property
    def range(self) -> tuple[int, int]:
        """The smallest and the largest value that the field can hold."""
        if self.signed:
            return -(1 << self.width - 1) * self.scale, ((1 << self.width - 1) - 1) * self.scale
        return 0, ((1 << self.width) - 1) * self.scale

    def insert(self, value: int) -> int:
        """Return a word with only this field set."""
        low, high = self.range
        if not low <= value <= high or value % self.scale:
            step = f" in steps of {self.scale}" if self.scale > 1 else ""
            raise EncodeError(f"{value} does not fit: {low} to {high}{step}")
        return (value // self.scale & (1 << self.width) - 1) << self.lo

    def extract(self, word: int) -> int:
        """Return the value of this field in `word`."""
        raw = word >> self.lo & (1 << self.width) - 1
        if self.signed and raw >> self.width - 1:
            raw -= 1 << self.width
        return raw * self.scale


class Split:
    """A number whose bits are scattered over a word: parts (lowest bit in the number, width, lowest bit in the word).

    Words that store a part inverted (VEX, EVEX) start with all ones there, so `insert` is always an XOR contribution.
    """

    def __init__(self, *parts: tuple[int, int, int]) -> None:
        self.parts = parts

    def insert(self, value: int) -> int:
        """Return the bits to XOR into a word that encodes 0."""
        word = 0
        for low, width, position in self.parts:
            word |= (value >> low & (1 << width) - 1) << position
        return word

    def extract(self, word: int, zero: int = 0) -> int:
        """Return the number in `word`, where `zero` is the word that encodes 0 (its inverted bits set)."""
        word ^= zero
        value = 0
        for low, width, position in self.parts:
            value |= (word >> position & (1 << width) - 1) << low
        return value

    @property
    def mask(self) -> int:
        """All bits of the word that belong to the number."""
        return self.insert(-1)
