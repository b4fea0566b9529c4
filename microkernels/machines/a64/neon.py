"""NEON: 32 registers of 128 bits, multiplication by an element of a register.

Counts below a whole register: 64, 32, 16 and 8 bits have load and store instructions of their own. Other counts are
moved in pieces of these sizes, for example three f32 as two and one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from ....encoder.a64.registers import B, D, H, Q, S, V, listed, mem
from ....encoder.asm import Assembler
from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ...contract.machine import Facts, Vector
from ...dtypes import ELEMENT_BYTES
from .core import A64Address
from .dot_table import units_of
from .lanes import A64Lanes
from .neon_selection import ARITHMETIC, BFLOAT_ARITHMETIC
from .shuffles import NeonShuffles, shuffles
from .vector_machine import A64VectorMachine

_SCALARS = {1: B, 2: H, 4: S, 8: D, 16: Q}
_VIEWS = {1: "b", 2: "h", 4: "s", 8: "d"}  # suffixes of views of single elements
_PAIR_REACH = 64 * 16  # ldp of two q registers reaches displacements below this many bytes


class NeonViews(NamedTuple):
    """Views of the registers for a count of elements, and of their single elements."""

    file: tuple[Any, ...]
    elements: tuple[Any, ...]  # V[n].s or V[n].d, to be indexed


class Neon(A64VectorMachine):
    """Verbs on v registers."""

    name = "neon"

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self._lanes: dict[tuple[str, int], A64Lanes] = {}

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """Describe NEON: an FMA takes any element of a register, so one load fetches 128 bits of the broadcast
        operand."""
        arithmetic = BFLOAT_ARITHMETIC if "BF16" in target.features else ARITHMETIC
        return Facts(
            target,
            32,
            (128, 64, 32),
            lambda: arithmetic,
            shuffles,
            group_bits=128,
            loads_together=2,
            separate_loads=True,
            units_of=partial(units_of, cls),
        )

    def shuffles(self) -> NeonShuffles:
        """The verbs of machines/a64/shuffles.py."""
        return NeonShuffles(self)

    @contextmanager
    def predicates(self) -> Iterator[None]:
        """Do nothing: NEON needs no masks."""
        yield

    def lanes(self, dtype: str, count: int) -> A64Lanes:
        """Return `count` elements in the narrowest register."""
        lanes = self._lanes.get((dtype, count))
        if lanes is None:
            size = ELEMENT_BYTES[dtype]
            capacity = self.facts.lanes_bits(count, size) // 8 // size
            lanes = self._lanes[dtype, count] = A64Lanes(dtype, count, capacity, None, _ops(dtype, capacity))
        return lanes

    # Verbs

    def zero(self, dst: Vector, lanes: A64Lanes) -> None:
        """Clear the whole register."""
        self.asm.movi(V[dst].d2, 0)

    def load(self, dst: Vector, address: A64Address, lanes: A64Lanes) -> None:
        """Emit one load, or one for each piece."""
        self.load_group(dst, address, lanes.count, lanes)

    def load_group(self, dst: Vector, address: A64Address, count: int, lanes: A64Lanes) -> None:
        """Load `count` elements; the rest of the register becomes 0."""
        (_, first), *others = _PIECES[count * ELEMENT_BYTES[lanes.dtype]]
        self._access("ldr", _SCALARS[first][dst], address, first)
        for offset, size in others:
            element = listed(getattr(V[dst], _VIEWS[size]))[offset // size]
            self.asm.ld1(element, mem[self.place(self.further(address, offset))])

    def load_next(self, dst: Sequence[Vector], address: A64Address, lanes: Sequence[A64Lanes]) -> None:
        """Load two full registers by one ldp."""
        if len(lanes) == 2 and all(each.bytes == 16 for each in lanes):
            base, disp, index = address
            if index is not None or disp % 16 or not 0 <= disp < _PAIR_REACH:
                base, disp = self.place(address), 0
            self.asm.ldp(Q[dst[0]], Q[dst[1]], mem[base, disp])
        else:
            super().load_next(dst, address, lanes)

    def store_next(self, address: A64Address, src: Sequence[Vector], lanes: Sequence[A64Lanes]) -> None:
        """Store two full registers by one stp, if it reaches the address."""
        base, disp, index = address
        full = len(lanes) == 2 and all(each.bytes == 16 for each in lanes)
        if full and index is None and disp % 16 == 0 and 0 <= disp < _PAIR_REACH:
            self.asm.stp(Q[src[0]], Q[src[1]], mem[base, disp])
        else:
            super().store_next(address, src, lanes)

    def store(self, address: A64Address, src: Vector, lanes: A64Lanes) -> None:
        """Emit one store, or one for each piece."""
        (_, first), *others = _PIECES[lanes.bytes]
        self._access("str", _SCALARS[first][src], address, first)
        for offset, size in others:
            element = listed(getattr(V[src], _VIEWS[size]))[offset // size]
            self.asm.st1(element, mem[self.place(self.further(address, offset))])

    def _access(self, verb: str, register: Any, address: A64Address, size: int) -> None:
        """Emit a load or store with the displacement scaled, unscaled, or added to the base."""
        base, disp, index = address
        if index is None and disp % size == 0 and 0 <= disp < size << 12:
            getattr(self.asm, verb)(register, mem[base, disp])
        elif index is None and -256 <= disp < 256:
            getattr(self.asm, "ldur" if verb == "ldr" else "stur")(register, mem[base, disp])
        else:
            getattr(self.asm, verb)(register, mem[self.place(address)])

    def broadcast(self, dst: Vector, address: A64Address, lanes: A64Lanes) -> None:
        """Load and replicate an element."""
        self.asm.ld1r(listed(lanes.ops.file[dst]), mem[self.place(address)])

    def constant(self, dst: Vector, value: float, lanes: A64Lanes) -> None:
        """Load from the constant pool and replicate."""
        data = struct.pack("<f" if lanes.dtype == "f32" else "<d", value)
        self.asm.ldr(_SCALARS[len(data)][dst], self.asm.const(data))
        self.asm.dup(lanes.ops.file[dst], lanes.ops.elements[dst][0])

    def of_group(self, group: Vector, lane: int) -> Any:
        """Return the register and the element's number; the view is chosen when the type is known."""
        return group, lane

    def _last(self, y: Any, lanes: A64Lanes) -> Any:
        if isinstance(y, tuple):
            group, lane = y
            return lanes.ops.elements[group][lane]
        return lanes.ops.file[y]

    def fma(self, acc: Vector, x: Vector, y: Any, lanes: A64Lanes) -> None:
        """acc += x * y, by register or by element."""
        file = lanes.ops.file
        self.asm.fmla(file[acc], file[x], self._last(y, lanes))

    def mul(self, dst: Vector, x: Vector, y: Any, lanes: A64Lanes) -> None:
        """dst = x * y, by register or by element."""
        file = lanes.ops.file
        self.asm.fmul(file[dst], file[x], self._last(y, lanes))

    def add(self, dst: Vector, x: Vector, y: Any, lanes: A64Lanes) -> None:
        """dst = x + y."""
        file = lanes.ops.file
        self.asm.fadd(file[dst], file[x], file[y])

    # Shuffles

    def gather(self, dst: Vector, addresses: Sequence[A64Address], lanes: A64Lanes, spare: Vector) -> None:
        """Load the first element and insert the others."""
        self.load_group(dst, addresses[0], 1, lanes)
        for i, address in enumerate(addresses[1:], 1):
            self.asm.ld1(listed(lanes.ops.elements[dst])[i], mem[self.place(address)])

    def neighbours(self, level: int, low: Vector, high: Vector, x: Vector, y: Vector, lanes: A64Lanes) -> None:
        """Split into even and odd elements."""
        file = lanes.ops.file
        self.asm.uzp1(file[low], file[x], file[y])
        self.asm.uzp2(file[high], file[x], file[y])

    def pairwise(self, level: int, dst: Vector, x: Vector, y: Vector, spare: Vector, lanes: A64Lanes) -> None:
        """Emit faddp: the sums of neighbours of x, then of y."""
        file = lanes.ops.file
        self.asm.faddp(file[dst], file[x], file[y])

    def elements(self, src: Vector, count: int, spare: Sequence[Vector], lanes: A64Lanes) -> Iterator[Vector]:
        """Emit one move per element."""
        scalars = _SCALARS[ELEMENT_BYTES[lanes.dtype]]
        for j in range(count):
            self.asm.mov(scalars[spare[1]], lanes.ops.elements[src][j])
            yield spare[1]


def _pieces(count: int) -> Iterator[tuple[int, int]]:
    """Yield (offset, size) of the pieces in which `count` <= 16 bytes are moved: powers of two, the largest first."""
    offset = 0
    for size in (16, 8, 4, 2, 1):
        if count & size:
            yield offset, size
            offset += size


_PIECES = [tuple(_pieces(count)) for count in range(17)]


@cache
def _ops(dtype: str, capacity: int) -> NeonViews:
    """Views for a type. A single element is processed together with its neighbour, which loads have cleared."""
    size = ELEMENT_BYTES[dtype]
    letter = _VIEWS[size]
    count = 16 // size if size == 8 or size * capacity == 16 else 8 // size
    return NeonViews(tuple(getattr(v, f"{letter}{count}") for v in V), tuple(getattr(v, letter) for v in V))
