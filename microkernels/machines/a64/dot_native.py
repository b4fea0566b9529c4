"""Dot products of AArch64 that are one instruction: BFDOT, SDOT and USDOT on NEON and SVE.

BFDOT is unfused, with every step rounded to odd and denormals flushed (FPCR.EBF = 0): docs/mixed-precision.md. Integer
sums are exact and wrap. Source: Arm ARM DDI 0487, C7 and C8.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.registers import V, Z, listed, mem
from ...contract.dot_and_tile import UnitFacts, UnitOf
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .core import A64Address, A64Factor, A64Machine
from .lanes import A64Lanes

LETTERS = {1: "b", 2: "h"}
_GROUPS = {1: "b4", 2: "h2"}
"""The views of a register as groups of 32 bits, by bytes of an element."""
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

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Vector:
        """Load the group and replicate it."""
        self.m.broadcast(y, address, self.m.lanes("f32", lanes.count))
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Vector:
        """Insert the elements one by one, then replicate the group."""
        self.asm.movi(V[y].d2, 0)
        for number, address in enumerate(places):
            self.asm.ld1(listed(getattr(V[y], LETTERS[self.size]))[number], mem[self.m.place(address)])
        self.replicate(y)
        return y

    def fetch_several(self, y: Vector, address: A64Address, lanes: A64Lanes) -> Sequence[A64Factor]:
        """Load 128 bits, and return its four groups."""
        words, count = self.m.lanes("f32", lanes.count), self.m.facts.group(4)
        self.m.load_group(y, address, count, words)
        return [(y, number) for number in range(count)]

    def product(
        self, phase: int, acc: Vector, x: Vector, y: Vector | A64Factor, lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Emit the product by register or by element. By register, the unsigned factor of a mixed product is first; by
        element, the group is always the second factor, so an unsigned group takes SUDOT."""
        unsigned_group = self.facts.name == "USDOT" and self.group == "u8"
        instruction = _INSTRUCTIONS[self.facts.name]
        if isinstance(y, tuple):
            self.multiply("sudot" if unsigned_group else instruction, acc, x, y, lanes)
        else:
            first, second = (y, x) if unsigned_group else (x, y)
            self.multiply(instruction, acc, first, second, lanes)

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
    def replicate(self, register: Vector) -> None:
        """Replicate the lowest 32 bits."""

    @abstractmethod
    def multiply(
        self, instruction: str, acc: Vector, first: Vector, second: Vector | A64Factor, lanes: A64Lanes
    ) -> None:
        """Emit the instruction. The second factor is a register, or one of several groups in a register."""


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

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the rows and interleave them by zip1: of bytes rows 0 and 2, rows 1 and 3, then both."""
        self._interleaved(x, places, self.m.lanes(self.row_vector, lanes.count), spare, self.facts.depth)

    def _interleaved(
        self, x: Vector, rows: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector], count: int
    ) -> None:
        """x = `count` rows interleaved, of which the last ones may be missing."""
        if count == 1:
            self.m.load(x, rows[0], lanes)
            return
        view = {1: "b16", 2: "h8"}[self.size]
        other = spare[0]
        self._interleaved(x, rows[::2], lanes, spare, count // 2)
        if len(rows) > 1:
            self._interleaved(other, rows[1::2], lanes, spare[1:], count // 2)
        else:
            self.asm.movi(V[other].d2, 0)
        self.asm.zip1(*(getattr(V[each], view) for each in (x, x, other)))

    def replicate(self, register: Vector) -> None:
        """Emit dup."""
        self.asm.dup(V[register].s4, V[register].s[0])

    def multiply(
        self, instruction: str, acc: Vector, first: Vector, second: Vector | A64Factor, lanes: A64Lanes
    ) -> None:
        """Emit the 64-bit form if that is enough."""
        whole = lanes.capacity == 4
        view = {(1, True): "b16", (1, False): "b8", (2, True): "h8", (2, False): "h4"}[self.size, whole]
        sums = V[acc].s4 if whole else V[acc].s2
        if isinstance(second, tuple):
            register, number = second
            factor = getattr(V[register], _GROUPS[self.size])[number]
        else:
            factor = getattr(V[second], view)
        getattr(self.asm, instruction)(sums, getattr(V[first], view), factor)


class NeonBiasedDot(NeonDot):
    """Bytes of different signs on SDOT or UDOT, whichever has the sign of the row vector. The group is biased by 128,
    which flips the highest bit of each byte and so changes its sign: a (b - 128) = a b - 128 a for SDOT, a (b + 128) =
    a b + 128 a for UDOT. Separate sums of the excess make the result exact modulo 2^32."""

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold 0x80 in every byte: it is the bias, and as a factor of the row vector it gives the excess."""
        with self.m.vectors(self.facts.constants, "bias") as (self.bias,):
            self.asm.movi(V[self.bias].b16, 0x80)
            yield

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Vector:
        """Load the group, replicate it and add the bias."""
        return self._biased(super().fetch(phase, y, address, lanes, embed))

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Vector:
        """Fetch the group and bias all elements. Row vectors have zeros for missing ones."""
        return self._biased(super().fetch_strided(phase, y, places, lanes))

    def fetch_several(self, y: Vector, address: A64Address, lanes: A64Lanes) -> Sequence[A64Factor]:
        """Load the groups and bias all of them together."""
        groups = super().fetch_several(y, address, lanes)
        self._biased(y)
        return groups

    def _biased(self, y: Vector) -> Vector:
        self.asm.eor(V[y].b16, V[y].b16, V[self.bias].b16)
        return y

    def correct(self, correction: Vector, x: Vector, lanes: A64Lanes) -> None:
        """Add the excess: the products of the row vector by the bias."""
        self.multiply(_INSTRUCTIONS[self.facts.name], correction, x, self.bias, lanes)

    def subtract(self, acc: Vector, correction: Vector, lanes: A64Lanes) -> None:
        """Compute acc -= correction."""
        self.asm.sub(V[acc].s4, V[acc].s4, V[correction].s4)


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

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Widen the rows, shift each to its position in the groups, and join them."""
        self.widen(x, places[0], lanes)
        for row, address in enumerate(places[1:], 1):
            self.widen(spare[0], address, lanes)
            self.shift_left(self.words(spare[0]), 8 * self.size * row)
            self.join(x, spare[0])

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

    def multiply(
        self, instruction: str, acc: Vector, first: Vector, second: Vector | A64Factor, lanes: A64Lanes
    ) -> None:
        """Emit the form on the whole register. Its groups by element are those of each 128 bits."""
        letter = LETTERS[self.size]
        if isinstance(second, tuple):
            register, number = second
            factor = getattr(Z[register], letter)[number]
        else:
            factor = getattr(Z[second], letter)
        getattr(self.asm, instruction)(Z[acc].s, getattr(Z[first], letter), factor)
