"""Dot products of AArch64 that are one instruction: BFDOT, SDOT and USDOT on NEON and SVE.

BFDOT is unfused, with every step rounded to odd and denormals flushed (FPCR.EBF = 0): docs/mixed-precision.md. Integer
sums are exact and wrap. Source: Arm ARM DDI 0487, C7 and C8.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from ....encoder.a64.registers import V, Z, listed, mem
from ...contract.dot_and_tile import UnitFacts, UnitOf
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .core import A64Address, A64Factor, A64Machine
from .lanes import A64Lanes

LETTERS = {1: "b", 2: "h"}
_INSTRUCTIONS = {"BFDOT": "bfdot", "SDOT": "sdot", "UDOT": "udot", "USDOT": "usdot"}


class A64Unit(UnitOf[A64Address, A64Lanes, A64Factor]):
    """Code that the units of NEON and SVE share."""

    def __init__(self, m: A64Machine, facts: UnitFacts, row_vector: str, group: str) -> None:
        self.m, self.asm, self.facts = m, m.asm, facts
        self.row_vector, self.group = row_vector, group
        self.size = ELEMENT_BYTES[row_vector]

    def prepare(self, lanes: A64Lanes) -> None:
        """Set up lanes: groups are loaded as f32, single elements in their own type."""
        self.m.lanes("f32", lanes.count)


class A64Dot(A64Unit):
    """Dot products of 32-bit groups; NEON and SVE differ only in the names of registers."""

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load the row vector as it is stored, and shift out the elements that are not used."""
        self.m.load(x, address, self.m.lanes("f32", lanes.count))
        if elements < self.facts.depth:
            words, bits = self.words(x), 32 - 8 * self.size * elements
            self.shift_left(words, bits)
            self.shift_right(words, bits)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Widen the rows, shift each to its position in the groups, and join them."""
        self.widen(x, places[0], lanes)
        for row, address in enumerate(places[1:], 1):
            self.widen(spare[0], address, lanes)
            self.shift_left(self.words(spare[0]), 8 * self.size * row)
            self.join(x, spare[0])

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Load the group and replicate it."""
        self.m.broadcast(y, address, self.m.lanes("f32", lanes.count))
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
        """Insert the elements one by one, then replicate the group."""
        self.asm.movi(V[y].d2, 0)
        for number, address in enumerate(places):
            self.asm.ld1(listed(getattr(V[y], LETTERS[self.size]))[number], mem[self.m.place(address)])
        self.replicate(y)
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Emit the product with the unsigned factor of a mixed product first."""
        first, second = (y, x) if (self.row_vector, self.group) == ("i8", "u8") else (x, y)
        self.multiply(acc, first, second, lanes)

    def dot(self, *operands: Any) -> None:
        """Emit the dot-product instruction of these types."""
        getattr(self.asm, _INSTRUCTIONS[self.facts.name])(*operands)

    @abstractmethod
    def words(self, register: Vector) -> Any:
        """Return the register's view as 32-bit elements."""

    @abstractmethod
    def shift_left(self, words: Any, bits: int) -> None:
        """Shift each 32-bit element left."""

    @abstractmethod
    def shift_right(self, words: Any, bits: int) -> None:
        """Shift each 32-bit element right, shifting in zeros."""

    @abstractmethod
    def join(self, dst: Vector, other: Vector) -> None:
        """Compute dst |= other."""

    @abstractmethod
    def widen(self, dst: Vector, address: A64Address, lanes: A64Lanes) -> None:
        """Load single elements and zero-extend each to 32 bits."""

    @abstractmethod
    def replicate(self, register: Vector) -> None:
        """Replicate the lowest 32 bits."""

    @abstractmethod
    def multiply(self, acc: Vector, first: Vector, second: Vector, lanes: A64Lanes) -> None:
        """Emit the instruction."""


class NeonDot(A64Dot):
    """Dot products on v registers."""

    def prepare(self, lanes: A64Lanes) -> None:
        """Set up the lanes of rows of single elements too."""
        super().prepare(lanes)
        self.m.lanes(self.row_vector, lanes.count)

    def words(self, register: Vector) -> Any:
        """Return the four 32-bit elements."""
        return V[register].s4

    def shift_left(self, words: Any, bits: int) -> None:
        """Emit shl."""
        self.asm.shl(words, words, bits)

    def shift_right(self, words: Any, bits: int) -> None:
        """Emit ushr."""
        self.asm.ushr(words, words, bits)

    def join(self, dst: Vector, other: Vector) -> None:
        """Emit orr."""
        self.asm.orr(V[dst].b16, V[dst].b16, V[other].b16)

    def widen(self, dst: Vector, address: A64Address, lanes: A64Lanes) -> None:
        """Emit ushll, once or twice."""
        self.m.load(dst, address, self.m.lanes(self.row_vector, lanes.count))
        if self.size == 1:
            self.asm.ushll(V[dst].h8, V[dst].b8, 0)
        self.asm.ushll(V[dst].s4, V[dst].h4, 0)

    def replicate(self, register: Vector) -> None:
        """Emit dup."""
        self.asm.dup(V[register].s4, V[register].s[0])

    def multiply(self, acc: Vector, first: Vector, second: Vector, lanes: A64Lanes) -> None:
        """Emit the 64-bit form if that is enough."""
        whole = lanes.capacity == 4
        view = {(1, True): "b16", (1, False): "b8", (2, True): "h8", (2, False): "h4"}[self.size, whole]
        sums = V[acc].s4 if whole else V[acc].s2
        self.dot(sums, getattr(V[first], view), getattr(V[second], view))


class SveDot(A64Dot):
    """Dot products on z registers."""

    def words(self, register: Vector) -> Any:
        """Return all 32-bit elements."""
        return Z[register].s

    def shift_left(self, words: Any, bits: int) -> None:
        """Emit lsl."""
        self.asm.lsl(words, words, bits)

    def shift_right(self, words: Any, bits: int) -> None:
        """Emit lsr."""
        self.asm.lsr(words, words, bits)

    def join(self, dst: Vector, other: Vector) -> None:
        """Emit orr."""
        self.asm.orr(Z[dst].d, Z[dst].d, Z[other].d)

    def widen(self, dst: Vector, address: A64Address, lanes: A64Lanes) -> None:
        """Load with extension."""
        verb = self.asm.ld1b if self.size == 1 else self.asm.ld1h
        verb(listed(Z[dst].s), lanes.mask.z, mem[self.m.place(address)])

    def replicate(self, register: Vector) -> None:
        """Emit dup."""
        self.asm.dup(Z[register].s, Z[register].s[0])

    def multiply(self, acc: Vector, first: Vector, second: Vector, lanes: A64Lanes) -> None:
        """Emit the form on the whole register."""
        letter = LETTERS[self.size]
        self.dot(Z[acc].s, getattr(Z[first], letter), getattr(Z[second], letter))
