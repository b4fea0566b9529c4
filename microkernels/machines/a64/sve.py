"""SVE: 32 vector registers whose length is fixed when the kernel is made, and predicates for shorter counts.

p0 is all true; p1 to p7 hold the first elements of shorter counts. If a vector is at a multiple of its length from a
base register, `ldr z` reaches it; otherwise the address is computed first.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ....encoder.a64.registers import D, P, S, W, X, Z, listed, mem, vl, xzr
from ....encoder.asm import Assembler
from ....encoder.features import Target
from ...contract.dot_and_tile import UnitFacts
from ...contract.machine import Facts, Types, Vector
from ...dtypes import ELEMENT_BYTES
from ...errors import UnsupportedError
from .core import A64Address
from .dot_table import units_of
from .lanes import A64Lanes
from .shuffles import SveShuffles, shuffles
from .sve_selection import MASK_REGISTERS, arithmetic
from .vector_machine import A64VectorMachine

_ALL = P[0]
_LETTERS = {1: "b", 2: "h", 4: "s", 8: "d"}  # suffixes of register views, by element size in bytes
_LOADS = {1: "ld1b", 2: "ld1h", 4: "ld1w", 8: "ld1d"}
_STORES = {1: "st1b", 2: "st1h", 4: "st1w", 8: "st1d"}
_DUP_REACH = 64  # dup can name elements below this byte offset


class SveFacts(Facts):
    """Facts of SVE. Only low registers can hold groups: in the encoding, the register number shares a field with the
    index."""

    def group_registers(self, element_bytes: int) -> int:
        """8 for z0 to z7, which are claimed first. f64 could use z8 to z15 too, but these are callee-saved."""
        return 8

    def counts_lanes(self, sizes: Collection[int]) -> bool:
        """True: narrower elements are loaded into lanes of the arithmetic's size, or have a predicate of their own."""
        return True


def sve_facts(machine: type[Sve], target: Target, outer_products: Mapping[Types, UnitFacts] | None = None) -> SveFacts:
    """Return the facts that SVE and streaming SVE share, and the products that one of them has."""
    return SveFacts(
        target,
        32,
        (target.vector_bits,),
        partial(arithmetic, target.vector_bits),
        shuffles,
        group_bits=128,
        separate_loads=True,
        units_of=partial(units_of, machine),
        outer_products=outer_products or {},
    )


class Sve(A64VectorMachine):
    """Verbs on z registers under predicates."""

    name = "sve"

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self.bytes = target.vector_bits // 8
        self._lanes: dict[tuple[str, int], A64Lanes] = {}
        self._free_predicates: list[Any] = list(reversed(P[1:8]))
        self._masks_held = 0
        self._many: Any = xzr  # inside `dynamic_lanes`: the number of elements of a predicate

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """Describe SVE: one register width; one load replicates 128 bits of the broadcast operand."""
        return sve_facts(cls, target)

    def shuffles(self) -> SveShuffles:
        """The verbs of machines/a64/shuffles.py."""
        return SveShuffles(self)

    @contextmanager
    def masks(self, count: int) -> Iterator[Sequence[Any]]:
        """Claim some of p8 to p15."""
        first = self._masks_held
        if first + count > len(MASK_REGISTERS):
            raise UnsupportedError(f"{count} mask registers: {first} of {len(MASK_REGISTERS)} are held")
        self._masks_held += count
        yield MASK_REGISTERS[first : first + count]
        self._masks_held = first

    def enter(self, vectors: int) -> None:
        """Emit the first instructions, and set p0 to all true."""
        super().enter(vectors)
        self.asm.ptrue(_ALL.b)

    # Predicates

    @contextmanager
    def predicates(self) -> Iterator[None]:
        """Release the predicates that are set up inside at the end of the scope."""
        before = dict(self._lanes)
        yield
        masks = [lanes.mask for key, lanes in self._lanes.items() if key not in before and lanes.mask is not _ALL]
        self._lanes = before
        self._free_predicates += reversed(masks)

    def lanes(self, dtype: str, count: int) -> A64Lanes:
        """Return the first `count` elements."""
        lanes = self._lanes.get((dtype, count))
        if lanes is None:
            capacity = self.bytes // ELEMENT_BYTES[dtype]
            mask = _ALL if count == capacity else self._first(count, dtype)
            letter = _LETTERS[ELEMENT_BYTES[dtype]]
            views = tuple(getattr(z, letter) for z in Z)
            lanes = self._lanes[dtype, count] = A64Lanes(dtype, count, capacity, mask, views)
        return lanes

    def dynamic_lanes(self, dtype: str, count: int, many: Any) -> None:
        """Make the predicate from a register's value instead of a number."""
        self._many = many
        self.lanes(dtype, count)
        self._many = xzr

    def _first(self, count: int, dtype: str) -> Any:
        if not self._free_predicates:
            raise UnsupportedError("seven predicates at a time, all are taken")
        predicate = self._free_predicates.pop()
        if self._many is xzr:
            self.asm.load_immediate(X[17], count)
        many = X[17] if self._many is xzr else self._many
        self.asm.whilelo(getattr(predicate, _LETTERS[ELEMENT_BYTES[dtype]]), xzr, many)
        return predicate

    # Verbs

    def zero(self, dst: Vector, lanes: A64Lanes) -> None:
        """Clear the whole register."""
        self.asm.dup(lanes.ops[dst], 0)

    def load(self, dst: Vector, address: A64Address, lanes: A64Lanes) -> None:
        """Load a whole register, or under the predicate."""
        if lanes.full:
            self.asm.ldr(Z[dst], self._whole(address))
        else:
            verb = getattr(self.asm, _LOADS[ELEMENT_BYTES[lanes.dtype]])
            verb(listed(lanes.ops[dst]), lanes.mask.z, mem[self.place(address)])

    def store(self, address: A64Address, src: Vector, lanes: A64Lanes) -> None:
        """Store a whole register, or under the predicate."""
        if lanes.full:
            self.asm.str(Z[src], self._whole(address))
        else:
            verb = getattr(self.asm, _STORES[ELEMENT_BYTES[lanes.dtype]])
            verb(listed(lanes.ops[src]), lanes.mask, mem[self.place(address)])

    def _whole(self, address: A64Address) -> Any:
        """The memory operand of a whole register."""
        base, disp, index = address
        count, rest = divmod(disp, self.bytes)
        if index is None and rest == 0 and -256 <= count < 256:
            return mem[base, count * vl] if count else mem[base]
        return mem[self.place(address)]

    def broadcast(self, dst: Vector, address: A64Address, lanes: A64Lanes) -> None:
        """Load and replicate an element."""
        base, disp, index = address
        size = ELEMENT_BYTES[lanes.dtype]
        if index is not None or disp % size or not 0 <= disp < 64 * size:
            base, disp = self.place(address), 0
        verb = self.asm.ld1rw if lanes.dtype == "f32" else self.asm.ld1rd
        verb(listed(lanes.ops[dst]), _ALL.z, mem[base, disp] if disp else mem[base])

    def load_group(self, dst: Vector, address: A64Address, count: int, lanes: A64Lanes) -> None:
        """Load and replicate up to 128 bits."""
        base, disp, index = address
        if index is not None or disp % 16 or not -128 <= disp < 128:
            base, disp = self.place(address), 0
        verb = self.asm.ld1rqw if lanes.dtype == "f32" else self.asm.ld1rqd
        mask = _ALL if count * ELEMENT_BYTES[lanes.dtype] == 16 else self.lanes(lanes.dtype, count).mask
        verb(listed(lanes.ops[dst]), mask.z, mem[base, disp] if disp else mem[base])

    def of_group(self, group: Vector, lane: int) -> Any:
        """Return the register and the element's number; the view is chosen when the type is known."""
        return group, lane

    def constant(self, dst: Vector, value: float, lanes: A64Lanes) -> None:
        """Load from the constant pool and replicate."""
        data = struct.pack("<f" if lanes.dtype == "f32" else "<d", value)
        self.asm.ldr((S if lanes.dtype == "f32" else D)[dst], self.asm.const(data))
        self.asm.dup(lanes.ops[dst], lanes.ops[dst][0])

    def fma(self, acc: Vector, x: Vector, y: Any, lanes: A64Lanes) -> None:
        """acc += x * y. The form by element has no predicate."""
        file = lanes.ops
        if isinstance(y, tuple):
            self.asm.fmla(file[acc], file[x], file[y[0]][y[1]])
        else:
            self.asm.fmla(file[acc], _ALL.m, file[x], file[y])

    def mul(self, dst: Vector, x: Vector, y: Any, lanes: A64Lanes) -> None:
        """dst = x * y."""
        file = lanes.ops
        self.asm.fmul(file[dst], file[x], file[y[0]][y[1]] if isinstance(y, tuple) else file[y])

    def add(self, dst: Vector, x: Vector, y: Any, lanes: A64Lanes) -> None:
        """dst = x + y."""
        file = lanes.ops
        self.asm.fadd(file[dst], file[x], file[y])

    # Shuffles

    def gather(self, dst: Vector, addresses: Sequence[A64Address], lanes: A64Lanes, spare: Vector) -> None:
        """Emit one gather instruction, because the addresses are evenly spaced."""
        spacing = addresses[1][1] - addresses[0][1] if len(addresses) > 1 else 0
        base = self.place(addresses[0])
        number, offsets = (W[17], Z[spare].s) if lanes.dtype == "f32" else (X[17], Z[spare].d)
        self.asm.load_immediate(X[17], spacing)
        self.asm.index(offsets, 0, number)
        if lanes.dtype == "f32":
            self.asm.ld1w(listed(lanes.ops[dst]), lanes.mask.z, mem[base, offsets.sxtw()])
        else:
            self.asm.ld1d(listed(lanes.ops[dst]), lanes.mask.z, mem[base, offsets])

    def neighbours(self, level: int, low: Vector, high: Vector, x: Vector, y: Vector, lanes: A64Lanes) -> None:
        """Split into even and odd elements."""
        file = lanes.ops
        self.asm.uzp1(file[low], file[x], file[y])
        self.asm.uzp2(file[high], file[x], file[y])

    def elements(self, src: Vector, count: int, spare: Sequence[Vector], lanes: A64Lanes) -> Iterator[Vector]:
        """Emit one dup per element, or, beyond its reach, rotate a copy."""
        file, moved = lanes.ops, spare[1]
        for j in range(count):
            disp = j * ELEMENT_BYTES[lanes.dtype]
            if disp < _DUP_REACH:
                self.asm.dup(file[moved], file[src][j])
            else:
                self.asm.orr(Z[moved].d, Z[src].d, Z[src].d)
                self.asm.ext(Z[moved].b, Z[moved].b, Z[src].b, disp)
            yield moved
