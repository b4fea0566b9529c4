"""The MMLA units of AArch64: BFMMLA, SMMLA, UMMLA and USMMLA on NEON and SVE.

The registers of BFMMLA have rows of four bf16, those of the others rows of eight bytes. BFMMLA does two steps of BFDOT
with the same rounding. Integer sums are exact and wrap (docs/mixed-precision.md). Source: Arm ARM DDI 0487, C7 and C8.
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from ....encoder.a64.registers import D, Q, V, X, Z, listed, mem
from ...contract.dot_and_tile import Columns, FragmentsOf, GroupsOf, Registers, UnitFacts
from ...contract.machine import Vector
from ...contract.mmla import BLOCK_BYTES, ROW_BYTES, halves
from ...dtypes import ELEMENT_BYTES
from .core import A64Address, A64Factor, A64Machine, Amount
from .lanes import A64Lanes

_SECOND = X[17]  # reserved for the machine
_LETTERS = {1: "b", 2: "h", 4: "s", 8: "d"}
_OF_BYTES = {1: "u8", 2: "u16", 4: "f32"}  # keyed by size in bytes: an element type of that size
_STEP = 4  # bytes of a step of BFDOT: a partial row is padded with zeros to whole steps, and then with -0


class A64Mmla(FragmentsOf[A64Address, A64Lanes, A64Factor]):
    """Base class of both. NEON and SVE differ in register names, and SVE repeats blocks in longer vectors."""

    registers = 2
    distances: Vector | None = None
    """The register with the offsets of blocks that are not neighbours."""

    def __init__(self, m: A64Machine, facts: UnitFacts, row_vector: str, group: str) -> None:
        self.m, self.asm, self.facts = m, m.asm, facts
        self.row_vector, self.group, self.size = row_vector, group, ELEMENT_BYTES[row_vector]
        self.rows = m.facts.widths[0] // 32  # rows of a row vector
        # USMMLA takes the unsigned factor first; if that is y, the 2 x 2 results are transposed.
        self.by_columns = (row_vector, group) == ("i8", "u8")
        self.width = 8 if self.by_columns else 4  # bytes of a column that are neighbours in a 2 x 2 result

    def prepare_rows(self, lanes: A64Lanes, place: int) -> None:
        """Set up lanes of the rows of blocks, and of rows along the vectors."""
        for count in self._held(lanes):
            self.m.lanes("f64", count)
        if place < BLOCK_BYTES:
            self.m.lanes(_OF_BYTES[place], lanes.count)

    def _held(self, lanes: A64Lanes) -> list[int]:
        """The number of rows in each register of X, rounded up to whole blocks."""
        most = self.rows // 2
        counts = [min(most, lanes.count - half * most) for half in range(halves(lanes.count, self.rows))]
        return [count + count % 2 for count in counts]

    @abstractmethod
    def view(self, register: Vector, width: int) -> Any:
        """The register as elements of `width` bytes."""

    @abstractmethod
    def repeat(self, register: Vector) -> None:
        """Replicate the lowest 128 bits."""

    def load_a(
        self,
        phase: int,
        x: Registers,
        places: Sequence[A64Address],
        groups: GroupsOf,
        lanes: A64Lanes,
        spare: Registers,
    ) -> None:
        """Load blocks of two rows as elements of eight bytes, from the first block of each register, or rows."""
        if groups.across == 1:
            self._load_rows(x, places, groups, lanes, spare)
            return
        for register, address, count in zip(x, places, self._held(lanes)):
            self.load_rows_of_blocks(register, address, self.m.lanes("f64", count), self.distances)
            if groups.used < self.facts.depth:
                self._keep(register, groups.used, spare[0])

    def load_rows_of_blocks(
        self, register: Vector, address: A64Address, lanes: A64Lanes, offsets: Vector | None
    ) -> None:
        """Load neighbouring blocks."""
        self.m.load(register, address, lanes)

    def _load_rows(
        self, x: Registers, places: Sequence[A64Address], groups: GroupsOf, lanes: A64Lanes, spare: Registers
    ) -> None:
        """Interleave in steps: neighbours along k come side by side, two, then four, then eight bytes of a row."""
        width, elements = groups.bytes, groups.used
        half, of_rows = ROW_BYTES // width // 2, self.m.lanes(_OF_BYTES[width], lanes.count)
        first, second = spare[:2]
        self._interleave(first, places[:half], half, width, of_rows, (second, x[0]))
        self._interleave(second, places[half:], half, width, of_rows, x)
        views = [self.view(each, 4) for each in (first, second)]
        self.asm.zip1(self.view(x[0], 4), *views)
        if len(self._held(lanes)) == 2:
            self.asm.zip2(self.view(x[1], 4), *views)
        if elements % (width // self.size):
            for register, _ in zip(x, self._held(lanes)):
                self._keep(register, elements, spare[0])

    def _interleave(
        self, dst: Vector, places: Sequence[A64Address], count: int, width: int, lanes: A64Lanes, free: Sequence[Vector]
    ) -> None:
        if not places:
            self.m.zero(dst, lanes)
        elif count == 1:
            self.m.load(dst, places[0], lanes)
        else:
            half = count // 2
            self._interleave(dst, places[:half], half, width, lanes, free)
            self._interleave(free[0], places[half:], half, width, lanes, free[1:])
            self.asm.zip1(*(self.view(register, width * half) for register in (dst, dst, free[0])))

    def load_b(
        self, phase: int, y: Vector, places: Columns[A64Address], groups: GroupsOf, lanes: A64Lanes, spare: Registers
    ) -> Vector:
        """Load a block, which one load replicates, or one or two columns."""
        if groups.across == 1:
            self._fetch(y, places, groups.bytes, groups.used, spare)
            return y
        self.m.load_group(y, places[0][0], 2, self.m.lanes("f64", self.m.facts.widths[0] // 64))
        if groups.used < self.facts.depth:
            self._keep(y, groups.used, spare[0])
            self._pad(y, groups.used, spare[0])
        return y

    def _fetch(self, y: Vector, columns: Columns[A64Address], width: int, elements: int, spare: Registers) -> None:
        """Load into the lowest 128 bits, one address after the other, then replicate."""
        elements_of = listed(getattr(V[y], _LETTERS[width]))
        if width < ROW_BYTES:
            self.asm.movi(V[y].d2, 0)
        for column, places in enumerate(columns):
            for number, address in enumerate(places):
                if width == ROW_BYTES and column == 0:
                    self._load_low(y, address)
                else:
                    self.asm.ld1(elements_of[column * ROW_BYTES // width + number], mem[self.m.place(address)])
        self.repeat(y)
        if elements % (width // self.size):
            self._keep(y, elements, spare[0])
        if elements < self.facts.depth:
            self._pad(y, elements, spare[0])

    def _load_low(self, y: Vector, address: A64Address) -> None:
        """Load the lowest 64 bits and clear the others."""
        base, disp, index = address
        if index is None and disp % ROW_BYTES == 0 and 0 <= disp < ROW_BYTES << 12:
            self.asm.ldr(D[y], mem[base, disp])
        else:
            self.asm.ldr(D[y], mem[self.m.place(address)])

    def _keep(self, register: Vector, elements: int, spare: Vector) -> None:
        """Keep the first elements of each row, and clear the others, which are undefined."""
        mask = ((1 << 8 * self.size * elements) - 1).to_bytes(ROW_BYTES, "little")
        self._constant(spare, mask * 2)
        self.combine(self.asm.and_, register, spare)

    def _pad(self, y: Vector, elements: int, spare: Vector) -> None:
        """Put -0 in place of missing steps of BFDOT: with the zeros of X, the products are -0, which change no sum."""
        present = -(-elements * self.size // _STEP) * _STEP
        if self.row_vector == "bf16" and present < ROW_BYTES:
            self._constant(spare, (bytes(present) + b"\0\x80" * ((ROW_BYTES - present) // 2)) * 2)
            self.combine(self.asm.orr, y, spare)

    def _constant(self, register: Vector, data: bytes) -> None:
        self.asm.ldr(Q[register], self.asm.const(data))
        self.repeat(register)

    @abstractmethod
    def combine(self, verb: Callable[..., None], dst: Vector, *others: Vector) -> None:
        """Emit a bitwise operation on dst and one other register, or on two others."""

    def mma(
        self, phase: int, acc: Registers, x: Registers, y: Vector | A64Factor, lanes: A64Lanes, spare: Registers
    ) -> None:
        """Emit one instruction for each register of X that holds rows."""
        assert isinstance(y, int), "columns are in a register"
        verb = getattr(self.asm, self.facts.name.lower())
        for sums, rows, _ in zip(acc, x, self._held(lanes)):
            first, second = (y, rows) if self.by_columns else (rows, y)
            verb(self.view(sums, 4), self.view(first, self.size), self.view(second, self.size))

    def load_c(self, acc: Sequence[Vector], spare: Vector) -> None:
        """Emit zip1 and zip2."""
        self._exchange(self.asm.zip1, self.asm.zip2, acc, spare)

    def store_c(self, acc: Sequence[Vector], spare: Vector) -> None:
        """Emit uzp1 and uzp2."""
        self._exchange(self.asm.uzp1, self.asm.uzp2, acc, spare)

    def _exchange(
        self, first: Callable[..., None], second: Callable[..., None], acc: Sequence[Vector], spare: Vector
    ) -> None:
        both = [self.view(register, self.width) for register in acc]
        first(self.view(spare, self.width), *both)
        second(both[1], *both)
        self.combine(self.asm.orr, acc[0], spare, spare)


class NeonMmla(A64Mmla):
    """MMLA units on v registers."""

    def view(self, register: Vector, width: int) -> Any:
        """The whole register as elements of `width` bytes."""
        return getattr(V[register], f"{_LETTERS[width]}{BLOCK_BYTES // width}")

    def repeat(self, register: Vector) -> None:
        """Do nothing: there are no other bits."""

    def combine(self, verb: Callable[..., None], dst: Vector, *others: Vector) -> None:
        """Emit the form on bytes."""
        sources = others if len(others) == 2 else (dst, *others)
        verb(V[dst].b16, *(V[register].b16 for register in sources))


class SveMmla(A64Mmla):
    """MMLA units on z registers."""

    def view(self, register: Vector, width: int) -> Any:
        """The register as elements of `width` bytes, of any number."""
        return getattr(Z[register], _LETTERS[width])

    def repeat(self, register: Vector) -> None:
        """Emit dup, if there is more than one block."""
        if self.rows * 4 > BLOCK_BYTES:
            self.asm.dup(Z[register].q, Z[register].q[0])

    def combine(self, verb: Callable[..., None], dst: Vector, *others: Vector) -> None:
        """Emit the form on double words."""
        sources = others if len(others) == 2 else (dst, *others)
        verb(Z[dst].d, *(Z[register].d for register in sources))

    def offsets(self, register: Vector, stride: Amount) -> None:
        """Compute 0, 8, stride, stride + 8, twice the stride..."""
        self.distances = register
        with self.m.vectors(1, "offsets") as (other,):
            self.m.copy(_SECOND, stride)
            self.asm.index(Z[register].d, 0, _SECOND)
            self.asm.zip1(Z[register].d, Z[register].d, Z[register].d)
            self._constant(other, struct.pack("<QQ", 0, ROW_BYTES))
            self.asm.add(Z[register].d, Z[register].d, Z[other].d)

    def load_rows_of_blocks(
        self, register: Vector, address: A64Address, lanes: A64Lanes, offsets: Vector | None
    ) -> None:
        """Load neighbouring blocks, or gather them."""
        if offsets is None:
            self.m.load(register, address, lanes)
        else:
            self.asm.ld1d(listed(Z[register].d), lanes.mask.z, mem[self.m.place(address), Z[offsets].d])
